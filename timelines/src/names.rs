//! What kernels are called in tables and sentences: short, and no two alike that differ.

use crate::timeline::Kernel;
use std::collections::HashMap;

/// Characters of a short name.
const SHORT: usize = 44;

/// A name without what its compiler has added.
pub fn short(name: &str) -> String {
    let plain = name.replace("(anonymous namespace)::", "");
    let plain = plain.strip_prefix("void ").unwrap_or(&plain);
    let end = plain.find(['<', '(']).filter(|end| *end > 0).unwrap_or(plain.len());
    let last = plain[..end].rsplit("::").find(|part| !part.is_empty()).unwrap_or(plain);
    // `cutlass::Kernel<…>` is called by what it is made of.
    let of = plain[end..]
        .strip_prefix('<')
        .filter(|_| last.len() < 10)
        .map(|rest| &rest[..rest.find([',', '<', '>', '(']).unwrap_or(rest.len())]);
    let whole = of.map_or(last.to_owned(), |of| format!("{last}<{}>", of.rsplit("::").next().unwrap_or(of)));
    if whole.chars().count() <= SHORT { whole } else { whole.chars().take(SHORT - 1).chain(['…']).collect() }
}

/// Sizes along dimensions, without those at the end that are 1.
pub fn extent(sizes: [u32; 3]) -> String {
    let last = sizes.iter().rposition(|size| *size != 1).unwrap_or(0);
    sizes[..=last].iter().map(ToString::to_string).collect::<Vec<_>>().join("×")
}

/// Characters of what two long names differ in.
const PART: usize = 24;

/// What the kernels of a timeline are called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Names {
    /// Short, with what long names of one short name differ in.
    pub short: Vec<String>,
    /// That, and of the shape its CTAs, or what no other one of this name has.
    pub whole: Vec<String>,
}

impl Names {
    /// Of each kernel.
    pub fn of(kernels: &[Kernel]) -> Names {
        let plain: Vec<String> = kernels.iter().map(|kernel| short(&kernel.name)).collect();
        let mut names = Names { whole: Vec::new(), short: plain.clone() };
        // Long names may differ in several places.
        for _ in 0..3 {
            for twins in twins(&names.short) {
                let Some(begin) = differ(twins.iter().map(|at| &*kernels[*at].name)) else { continue };
                for at in twins {
                    // Its arguments say less than what it is made of.
                    let rest: Vec<char> = kernels[at].name[begin..].chars().take_while(|next| *next != '(').take(PART + 1).collect();
                    let end = if rest.len() > PART { "…" } else { "" };
                    names.short[at] = format!("{} …{}{end}", short(&kernels[at].name), rest.iter().take(PART).collect::<String>());
                }
            }
        }
        names.whole = plain.iter().zip(kernels).map(|(name, kernel)| format!("{name}{}", told(kernel, 0))).collect();
        for more in 0..4 {
            twins(&names.whole)
                .into_iter()
                .flatten()
                .for_each(|at| names.whole[at] = format!("{}{}", names.short[at], told(&kernels[at], more)));
        }
        names
    }
}

/// Which of the names are alike, where several are.
fn twins(names: &[String]) -> Vec<Vec<usize>> {
    let mut alike: HashMap<&str, Vec<usize>> = HashMap::new();
    names.iter().enumerate().for_each(|(at, name)| alike.entry(name).or_default().push(at));
    alike.into_values().filter(|twins| twins.len() > 1).collect()
}

/// So much of a shape.
fn told(kernel: &Kernel, more: u32) -> String {
    let Some(shape) = kernel.shape else { return String::new() };
    let registers = if more >= 2 { format!(", {} registers", shape.registers) } else { String::new() };
    let shared = if more >= 3 { format!(", {} bytes shared", shape.shared_bytes) } else { String::new() };
    match (more, shape.ctas()) {
        (0, 1) => " (1 CTA)".into(),
        (0, ctas) => format!(" ({ctas} CTAs)"),
        _ => format!(" ({} × {}{registers}{shared})", extent(shape.grid), extent(shape.block)),
    }
}

/// Where some names begin to differ, if they do: behind what separates words.
fn differ<'n>(mut names: impl Iterator<Item = &'n str>) -> Option<usize> {
    let first = names.next()?;
    let common = |until: usize, name: &str| first[..until].bytes().zip(name.bytes()).take_while(|(one, other)| one == other).count();
    let mut same = true;
    let until = names.fold(first.len(), |until, name| {
        same &= name == first;
        common(until, name)
    });
    let begin = first[..first.floor_char_boundary(until)].rfind(['<', ',', ':', '(', ' ', '_']).map_or(0, |before| before + 1);
    (!same).then_some(begin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::Shape;

    #[test]
    fn names_are_short() {
        for (name, want) in [
            ("void cudnn::bn_bw_1C11_kernel_new<float, float2, 32>(float, float)", "bn_bw_1C11_kernel_new"),
            ("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long)", "ncclKernel_AllReduce_RING_LL_Sum_float"),
            ("void at::native::(anonymous namespace)::multi_tensor_apply<int>(int)", "multi_tensor_apply"),
            ("void cutlass::Kernel<cutlass_80_s1688gemm_64x64>(cutlass_80_s1688gemm_64x64::Params)", "Kernel<cutlass_80_s1688gemm_64x64>"),
            ("sm90_xmma_gemm_bf16f32_bf16f32_f32_nt_n_tilesize128x128x64_warpgroup", "sm90_xmma_gemm_bf16f32_bf16f32_f32_nt_n_til…"),
            // As a tool has cut it off.
            ("void at::native::", "native"),
            ("", ""),
            ("::", "::"),
            ("<>", "<>"),
            ("ä<ö", "ä<ö>"),
        ] {
            assert_eq!(short(name), want, "{name}");
        }
    }

    #[test]
    fn kernels_of_one_short_name_are_told_apart_by_what_differs() {
        let of = |name: &str, grid: [u32; 3], block: u32, registers: u32| Kernel {
            name: name.into(),
            shape: Some(Shape { grid, block: [block, 1, 1], registers, shared_bytes: 0 }),
            estimated_occupancy: None,
        };
        let shapeless = Kernel { shape: None, ..of("k", [1; 3], 1, 1) };
        assert_eq!(
            Names::of(&[
                of("void a::gemm<float>(int)", [8, 1, 1], 64, 32),
                of("void a::gemm<float>(int)", [9, 1, 1], 64, 32),
                of("k", [1, 1, 1], 64, 32),
                shapeless,
                of("fft", [8, 1, 1], 64, 32),
                of("fft", [4, 2, 1], 64, 32),
                of("norm", [8, 1, 1], 64, 32),
                of("norm", [8, 1, 1], 64, 40),
                of("void each<4, a::Add<float>, a::array<char*, 3> >(int)", [8, 1, 1], 64, 40),
                of("void each<4, a::Mul<float>, a::array<char*, 3> >(int)", [8, 1, 1], 64, 32),
            ])
            .whole,
            [
                "gemm<float> (8 CTAs)",
                "gemm<float> (9 CTAs)",
                "k (1 CTA)",
                "k",
                "fft (8 × 64)",
                "fft (4×2 × 64)",
                "norm (8 × 64, 32 registers)",
                "norm (8 × 64, 40 registers)",
                "each<4> …Add<float>, a::array<cha… (8 CTAs)",
                "each<4> …Mul<float>, a::array<cha… (8 CTAs)",
            ]
        );
        let [one, other] = ["é", "è"].map(|name| of(name, [1; 3], 1, 1));
        assert_eq!(Names::of(&[one, other]).whole, ["é (1 CTA)", "è (1 CTA)"], "letters of several bytes");
    }
}
