//! Opcodes of SASS: to which class one belongs, which memory it reaches, how many bytes a lane moves.
//!
//! Names are those of NVIDIA's list of instructions (CUDA Binary Utilities, from Volta to Blackwell). What no list has gets a class by how it
//! begins.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Which unit an instruction needs, and what it waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Class {
    /// Integer arithmetic and logic, moves, conversions, shuffles.
    Integer,
    /// Single precision, and two half precisions at once.
    Single,
    /// Double precision.
    Double,
    /// Special functions.
    Special,
    /// The datapath of a warp's uniform registers.
    Uniform,
    /// Matrix products of a warp.
    Tensor,
    /// Matrix products of four warps, asynchronous.
    TensorGroup,
    /// Branches and what brings lanes together again.
    Branch,
    /// The end of lanes.
    Exit,
    /// Barriers of a CTA.
    Barrier,
    /// Loads.
    Load,
    /// Stores.
    Store,
    /// Atomic operations and reductions.
    Atomic,
    /// Constants, as loads of their own cache.
    Constant,
    /// Textures and surfaces.
    Texture,
    /// Copies from global into shared memory that a warp starts lane by lane.
    AsyncCopy,
    /// Copies that one lane starts for many lines.
    BulkCopy,
    /// Barriers in shared memory.
    SharedBarrier,
    /// Waits for asynchronous work.
    Wait,
    /// Fences, and orders to caches.
    Fence,
    /// Nothing.
    Nothing,
}

use Class::{
    AsyncCopy, Atomic, Barrier, Branch, BulkCopy, Constant, Double, Exit, Fence, Integer, Load, Nothing, SharedBarrier, Single, Special,
    Store, Tensor, TensorGroup, Texture, Uniform, Wait,
};

/// All classes, in the order of their numbers in a recording, with what they are called.
pub const CLASSES: &[(Class, &str)] = &[
    (Integer, "integer"),
    (Single, "single"),
    (Double, "double"),
    (Special, "special"),
    (Uniform, "uniform"),
    (Tensor, "tensor"),
    (TensorGroup, "tensor, by four warps"),
    (Branch, "branch"),
    (Exit, "exit"),
    (Barrier, "barrier"),
    (Load, "load"),
    (Store, "store"),
    (Atomic, "atomic"),
    (Constant, "constant"),
    (Texture, "texture"),
    (AsyncCopy, "asynchronous copy"),
    (BulkCopy, "bulk copy"),
    (SharedBarrier, "barrier in shared memory"),
    (Wait, "wait for asynchronous work"),
    (Fence, "fence"),
    (Nothing, "nothing"),
];

impl Class {
    /// What it is called.
    pub fn name(self) -> &'static str {
        CLASSES[self as usize].1
    }

    /// What a run makes simpler of it than a GPU does; nothing if it has a model.
    pub fn simplified(self) -> Option<&'static str> {
        Some(match self {
            Tensor => "a latency and an interval",
            TensorGroup => "a latency and an interval, in each of its warps",
            AsyncCopy => "a load, and a wait where the trace waits",
            BulkCopy => "its lines as loads or stores of one lane, and a wait",
            SharedBarrier => "a latency: the order of arrivals is the recorded one",
            Texture => "a load of its addresses",
            Uniform => "a latency and an interval",
            Constant => "a hit",
            _ => return None,
        })
    }
}

/// Which memory an instruction reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// Global memory, through L1D.
    Global,
    /// Shared memory of the CTA.
    Shared,
    /// Local memory of a thread.
    Local,
    /// Any of these, by the window in which an address lies.
    Generic,
    /// Constants.
    Constant,
}

/// What is known of an opcode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Opcode {
    /// Its class.
    pub class: Class,
    /// Which memory it reaches if it has addresses.
    pub space: Space,
    /// A list has it.
    pub known: bool,
}

/// The part of an opcode before its first dot.
pub fn stem(opcode: &str) -> &str {
    opcode.split('.').next().unwrap_or(opcode)
}

/// Known opcodes by class, and the memory that they reach.
const KNOWN: &[(Class, Space, &str)] = &[
    (
        Single,
        Space::Global,
        "FADD FADD2 FADD32I FCHK FFMA FFMA2 FFMA32I FMNMX FMNMX3 FMUL FMUL2 FMUL32I FRND FSEL FSET FSETP FSWZ FSWZADD HADD2 HADD2_32I HFMA2 \
         HFMA2_32I HMNMX2 HMUL2 HMUL2_32I HSET2 HSETP2 HADD HFMA HMUL HSETP",
    ),
    (Double, Space::Global, "DADD DFMA DMUL DSETP DMNMX"),
    (Special, Space::Global, "MUFU"),
    (
        Integer,
        Space::Global,
        "BMSK BREV FLO IABS IADD IADD3 IADD32I IADD64 IDP IDP4A IMAD IMMN IMNMX IMUL IMUL32I ISCADD ISCADD32I ISETP LEA LOP LOP3 LOP32I POPC \
         SHF SHL SHR VABSDIFF VABSDIFF4 VHMNMX VIADD VIADDMNMX VIMNMX VIMNMX3 F2F F2FP F2I F2IP I2F I2FP I2I I2IP MOV MOV32I MOVM MOV64IUR \
         PRMT SEL SGXT SHFL PLOP3 PSETP P2R R2P MATCH QSPC B2R CS2R CSMTEST GETLMEMBASE LEPC PMTRIG R2B S2R SETCTAID SETLMEMBASE VOTE VOTE_VTG \
         CREDUX",
    ),
    (
        Uniform,
        Space::Global,
        "R2UR S2UR CS2UR REDUX UBMSK UBREV UCLEA UF2F UF2FP UF2I UF2IP UFADD UFFMA UFLO UFMNMX UFMUL UFRND UFSEL UFSET UFSETP UI2F UI2FP UI2I \
         UI2IP UIABS UIADD3 UIADD64 UIMAD UIMNMX UISETP ULDC ULEA ULEPC ULOP ULOP3 ULOP32I UMOV UP2UR UPLOP3 UPOPC UPRMT UPSETP UR2UP USEL \
         USETMAXREG USGXT USHF USHL USHR UVIADD UVIMNMX UVIRTCOUNT VOTEU UCGABAR_GET UGETNEXTWORKID UMEMSETS",
    ),
    (Tensor, Space::Global, "HMMA IMMA DMMA BMMA QMMA OMMA"),
    (TensorGroup, Space::Global, "HGMMA IGMMA BGMMA QGMMA UTCHMMA UTCIMMA UTCOMMA UTCQMMA UTCMXQMMA"),
    (
        Branch,
        Space::Global,
        "ACQSHMINIT BMOV BPT BRA BREAK BRX BRXU BSSY BSYNC CALL ELECT ENDCOLLECTIVE JMP JMX JMXU KILL NANOSLEEP PREEXIT RET RPCMOV RTT SSY SYNC \
         USETSHMSZ WARPSYNC YIELD",
    ),
    (Exit, Space::Global, "EXIT"),
    (Barrier, Space::Shared, "BAR UCGABAR UCGABAR_ARV UCGABAR_WAIT"),
    (Load, Space::Global, "LDG LDGMC"),
    (Load, Space::Shared, "LDS LDSM"),
    (Load, Space::Local, "LDL"),
    (Load, Space::Generic, "LD"),
    (Store, Space::Global, "STG"),
    (Store, Space::Shared, "STS STSM STAS"),
    (Store, Space::Local, "STL"),
    (Store, Space::Generic, "ST"),
    (Atomic, Space::Global, "ATOMG REDG RED"),
    (Atomic, Space::Shared, "ATOMS REDS REDAS"),
    (Atomic, Space::Generic, "ATOM"),
    (Constant, Space::Constant, "LDC LDCU"),
    (Texture, Space::Global, "TEX TLD TLD4 TMML TXA TXD TXQ SUATOM SULD SUQUERY SURED SUST FOOTPRINT"),
    (AsyncCopy, Space::Global, "LDGSTS"),
    (BulkCopy, Space::Global, "UTMALDG UTMASTG UTMAPF UTMAREDG UBLKCP UBLKPF UBLKRED"),
    (SharedBarrier, Space::Shared, "SYNCS ARRIVES"),
    (Wait, Space::Global, "LDGDEPBAR DEPBAR WARPGROUP WARPGROUPSET UTMACMDFLUSH UTCBAR"),
    (Fence, Space::Generic, "MEMBAR FENCE ERRBAR CCTL CCTLL CCTLT UTMACCTL UTCATOMSWS"),
    (Nothing, Space::Global, "NOP"),
];

/// Known opcodes by their name: an address whose registers change asks for each execution.
static LISTED: LazyLock<HashMap<&str, Opcode>> = LazyLock::new(|| {
    let of = |(class, space, names): &(Class, Space, &'static str)| {
        let opcode = Opcode { class: *class, space: *space, known: true };
        names.split_ascii_whitespace().map(move |name| (name, opcode))
    };
    KNOWN.iter().flat_map(of).collect()
});

/// Classes by how an opcode begins that no list has.
const BEGINNINGS: &[(&str, Class, Space)] = &[
    ("LDS", Load, Space::Shared),
    ("LDL", Load, Space::Local),
    ("LDC", Constant, Space::Constant),
    ("LDT", Load, Space::Global),
    ("LDG", Load, Space::Global),
    ("LD", Load, Space::Generic),
    ("STS", Store, Space::Shared),
    ("STL", Store, Space::Local),
    ("STT", Store, Space::Global),
    ("STG", Store, Space::Global),
    ("ST", Store, Space::Generic),
    ("ATOMS", Atomic, Space::Shared),
    ("ATOM", Atomic, Space::Global),
    ("RED", Atomic, Space::Global),
    ("UTMA", BulkCopy, Space::Global),
    ("UBLK", BulkCopy, Space::Global),
    ("UTC", TensorGroup, Space::Global),
    ("SYNCS", SharedBarrier, Space::Shared),
    ("BAR", Barrier, Space::Shared),
    ("TEX", Texture, Space::Global),
    ("TLD", Texture, Space::Global),
    ("SU", Texture, Space::Global),
    ("MUFU", Special, Space::Global),
    ("U", Uniform, Space::Global),
    ("D", Double, Space::Global),
    ("F", Single, Space::Global),
    ("H", Single, Space::Global),
    ("B", Branch, Space::Global),
];

/// What an opcode is, known or by how it begins.
pub fn of(opcode: &str) -> Opcode {
    let stem = stem(opcode);
    if let Some(known) = LISTED.get(stem) {
        return *known;
    }
    let (class, space) = if stem.ends_with("GMMA") {
        (TensorGroup, Space::Global)
    } else if stem.ends_with("MMA") {
        (Tensor, Space::Global)
    } else {
        let begins = BEGINNINGS.iter().find(|(begin, _, _)| stem.starts_with(begin));
        begins.map_or((Integer, Space::Global), |(_, class, space)| (*class, *space))
    };
    Opcode { class, space, known: false }
}

/// Bytes that a lane moves, as the opcode's modifiers say: the tracer's own number can be wrong.
pub fn width(opcode: &str) -> u8 {
    let widths = opcode.split('.').skip(1).map(|modifier| match modifier {
        "128" => 16,
        "64" | "U64" | "S64" | "F64" => 8,
        "U16" | "S16" => 2,
        "U8" | "S8" => 1,
        _ => 0,
    });
    widths.max().filter(|width| *width > 0).unwrap_or(4)
}

/// How many products of 16 × 8 × 8 half-precision numbers a matrix product is worth, as its shape and the width of its numbers say. One of a warp
/// group is shared by four warps.
pub fn products(opcode: &str) -> u8 {
    let mut modifiers = opcode.split('.').skip(1);
    let Some(shape) = modifiers.clone().find(|modifier| modifier.starts_with(|c: char| c.is_ascii_digit())) else { return 1 };
    let mut extents = shape.split('x').map(|extent| extent.parse::<u32>().unwrap_or(0));
    let (multiplications, sharing) = match (extents.next(), extents.next(), extents.next()) {
        (Some(m), Some(n), Some(k)) => (m.saturating_mul(n).saturating_mul(k), 4),
        // 16816 is 16 × 8 × 16: the first two are 16 or 8.
        _ => {
            let (m, rest) = if let Some(rest) = shape.strip_prefix("16") { (16, rest) } else { (8, shape.get(1..).unwrap_or("")) };
            let (n, rest) = if let Some(rest) = rest.strip_prefix("16").filter(|rest| !rest.is_empty()) {
                (16, rest)
            } else {
                (8, rest.get(1..).unwrap_or(""))
            };
            (m * n * rest.parse::<u32>().unwrap_or(8).min(1024), 1)
        }
    };
    let bits = modifiers.find_map(|modifier| match modifier {
        "S8" | "U8" | "E4M3" | "E5M2" => Some(8),
        "S4" | "U4" => Some(4),
        "F64" => Some(64),
        "TF32" => Some(32),
        _ => None,
    });
    let bits = bits.unwrap_or(match stem(opcode) {
        "DMMA" => 64,
        "IMMA" | "QGMMA" | "IGMMA" | "QMMA" => 8,
        "BMMA" | "BGMMA" => 1,
        _ => 16,
    });
    (u64::from(multiplications) * bits / (16 * 16 * 8 * 8 * sharing)).clamp(1, 255) as u8
}

/// Registers that a result fills from its first one on, which tracers before version 6 do not list.
pub fn results(opcode: &str, class: Class) -> u8 {
    let modifiers = || opcode.split('.').skip(1);
    match class {
        // A lane of LDSM gets a register of each of its matrices.
        Load if stem(opcode) == "LDSM" => modifiers().find_map(|modifier| modifier.parse().ok().filter(|n| *n <= 4)).unwrap_or(1),
        Load | Atomic => width(opcode).div_ceil(4),
        Double => 2,
        Tensor if modifiers().any(|modifier| modifier == "F32") => 4,
        _ if modifiers().any(|modifier| modifier == "WIDE") => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_width_is_that_of_the_opcode() {
        for (opcode, bytes) in [
            ("LDG.E.128", 16),
            ("LDG.E.64.CONSTANT", 8),
            ("LDG.E.U16", 2),
            ("STS.U8", 1),
            ("LDG.E", 4),
            ("LDG.E.LTC128B.128.CONSTANT", 16),
            ("LDGSTS.E.BYPASS.LTC128B.128", 16),
            ("RED.E.ADD.F64.RN.STRONG.GPU", 8),
            ("STG.E.LTC128B", 4),
        ] {
            assert_eq!(width(opcode), bytes, "{opcode}");
        }
    }

    #[test]
    fn a_matrix_product_is_worth_what_its_shape_and_its_numbers_are() {
        for (opcode, products) in [
            ("HMMA.1688.F32", 1),
            ("HMMA.16816.F32.BF16", 2),
            ("HMMA.884.F32.F32.STEP0", 1),
            ("HMMA.1684.F32.TF32", 1),
            ("IMMA.16832.S8.S8", 2),
            ("IMMA.8816.S8.S8", 1),
            ("DMMA.884", 1),
            ("BMMA.168256.XOR.POPC", 2),
            ("HGMMA.64x128x16.F32", 32),
            ("QGMMA.64x64x32.F32.E4M3.E4M3", 16),
            ("WARPGROUP", 1),
        ] {
            assert_eq!(super::products(opcode), products, "{opcode}");
        }
    }

    #[test]
    fn an_unknown_opcode_has_a_class_by_how_it_begins() {
        for (opcode, class) in [
            ("UTMAXYZ.2D", BulkCopy),
            ("XGMMA.64x8", TensorGroup),
            ("ZMMA.16816", Tensor),
            ("STQ.E.128", Store),
            ("LDQ", Load),
            ("DSQRT", Double),
            ("UFOO", Uniform),
            ("QUX", Integer),
        ] {
            assert_eq!((of(opcode).class, of(opcode).known), (class, false), "{opcode}");
        }
        for (opcode, class, space) in [
            ("LDGSTS.E.128", AsyncCopy, Space::Global),
            ("LDGDEPBAR", Wait, Space::Global),
            ("IMAD.WIDE", Integer, Space::Global),
            ("BAR.SYNC.DEFER_BLOCKING", Barrier, Space::Shared),
            ("LD.E", Load, Space::Generic),
        ] {
            assert_eq!(of(opcode), Opcode { class, space, known: true }, "{opcode}");
        }
    }

    #[test]
    fn classes_stand_by_their_numbers() {
        for (at, (class, name)) in CLASSES.iter().enumerate() {
            assert_eq!((*class as usize, class.name()), (at, *name));
        }
        let mut all: Vec<&str> = KNOWN.iter().flat_map(|(_, _, names)| names.split_ascii_whitespace()).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "an opcode stands twice");
    }
}
