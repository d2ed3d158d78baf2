//! Algorithm 1 step by step, as a table: of a run's own kernels, or of numbers that somebody asks about, such as those of CCBP's Table 3.

use super::allocate::{Allocation, Demand, Grant, KernelType, Rules};
use crate::describe::error::Problems;
use crate::describe::gpu::occupancy::Resources;
use crate::describe::ids::{KernelId, MAX_KERNELS};
use crate::describe::record::Absent::{Int, Name, Needed, Number};
use crate::describe::record::{Datum, Shape, form, int, list, number, record};
use crate::describe::value::Value;
use crate::interface::shown::{Column, Row, Table};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Resources of an SM.
const RESOURCE: Shape = Shape::Int { min: 0, max: 1_000_000_000 };

record! {
    /// What CCBP's Algorithm 1 hands out, and to whom.
    struct Question as QUESTION "AllocationQuestion", "an object";
    /// Parts that each bandwidth is divided into, M.
    units: u32 ["units"] = int!(1, 1000), Needed;
    /// Factor on the dominant share of latency-sensitive kernels, priorLSK.
    priority: f64 = number!(0.01, 1.0), Number(1.0);
    /// A latency-sensitive kernel's next CTA, when its bandwidth does not fit: refused, or placed with what is left.
    ls_mode: String = Shape::Choice(&["strict", "clip"]), Name("clip");
    /// CTA slots of an SM.
    ctas: u32 ["CTAs"] = int!(1, 64), Needed;
    /// Threads that an SM holds.
    threads: u32 ["threads"] = RESOURCE, Needed;
    /// Registers of an SM.
    registers: u32 ["registers"] = RESOURCE, Int(0);
    /// Shared memory of an SM.
    shared_bytes: u32 ["bytes"] = RESOURCE, Int(0);
    /// The kernels.
    kernels: Vec<Asked> = list!(Shape::Record(&ASKED), 1, MAX_KERNELS, "kernels"), Needed;
}

record! {
    /// A kernel: its type, and what each of its CTAs takes.
    struct Asked as ASKED "AllocationKernel", "an object";
    /// Its type.
    kernel_type: String = Shape::Choice(&["latency-sensitive", "NoC-intensive", "DRAM-intensive"]), Needed;
    /// NoC bandwidth of a CTA.
    noc: f64 ["units"] = number!(0.0, 1000.0), Needed;
    /// DRAM bandwidth of a CTA.
    dram: f64 ["units"] = number!(0.0, 1000.0), Needed;
    /// CTAs that it may have at most.
    most: u32 ["CTAs"] = int!(1, 64), Needed;
    /// Threads of a CTA.
    threads: u32 ["threads"] = RESOURCE, Needed;
    /// Registers of a CTA.
    registers: u32 ["registers"] = RESOURCE, Int(0);
    /// Shared memory of a CTA.
    shared_bytes: u32 ["bytes"] = RESOURCE, Int(0);
}

/// What can be asked, as a form is made of it, and the numbers of CCBP's Table 3 to begin with.
pub fn allocation_form() -> Value {
    let [question, kernel] = [&QUESTION, &ASKED].map(form::record);
    Value::object([("question", question), ("kernel", kernel), ("start", table_3().write())])
}

/// The turns of Algorithm 1 for what is asked.
pub fn allocation(question: &Value) -> Result<Table, Problems> {
    let mut problems = Problems::default();
    if !Shape::Record(&QUESTION).check(question, "", &mut problems) {
        return Err(problems);
    }
    let asked = Question::read(question);
    let demands: Vec<Demand> = asked.kernels.iter().map(Asked::demand).collect();
    let (sm, clip) = (Resources { ctas: asked.ctas, ..asked.sm() }, asked.ls_mode == "clip");
    Ok(table(&demands, Rules { sm, units: asked.units.into(), priority: asked.priority, clip }))
}

impl Question {
    fn sm(&self) -> Resources {
        Resources { ctas: self.ctas, threads: self.threads, registers: self.registers, shared_bytes: self.shared_bytes }
    }
}

impl Asked {
    fn demand(&self) -> Demand {
        let line = |each: f64| (0..=self.most).map(|ctas| each * f64::from(ctas)).collect();
        Demand {
            kind: KernelType::ALL.into_iter().find(|&kind| kind.word() == self.kernel_type).unwrap_or_default(),
            noc: line(self.noc),
            dram: line(self.dram),
            cta: Resources { ctas: 1, threads: self.threads, registers: self.registers, shared_bytes: self.shared_bytes },
        }
    }
}

/// CCBP Table 3: ten of each; a CTA of any kernel takes one of the SM.
fn table_3() -> Question {
    let kernel = |kind: KernelType, noc: f64, dram: f64| Asked {
        kernel_type: kind.word().into(),
        noc,
        dram,
        most: 10,
        threads: 1,
        registers: 0,
        shared_bytes: 0,
    };
    Question {
        units: 10,
        priority: 1.0,
        ls_mode: "strict".into(),
        ctas: 10,
        threads: 10,
        registers: 0,
        shared_bytes: 0,
        kernels: alloc::vec![
            kernel(KernelType::LatencySensitive, 0.5, 0.5),
            kernel(KernelType::DramIntensive, 2.0, 4.0),
            kernel(KernelType::NocIntensive, 3.0, 1.0),
        ],
    }
}

/// What is taken of a resource of an SM: its name, what a CTA takes, what there is.
type Part = (&'static str, fn(&Resources) -> u32);

const PARTS: [Part; 4] =
    [("CTA slots", |of| of.ctas), ("Threads", |of| of.threads), ("Registers", |of| of.registers), ("Shared memory", |of| of.shared_bytes)];

/// Every turn of the algorithm, with what each kernel has after it and how much is taken of each resource.
pub fn table(demands: &[Demand], rules: Rules) -> Table {
    // Bandwidth that is not partitioned, and what no CTA takes, refuses nobody.
    let bandwidth = rules.units.is_finite();
    let parts: Vec<Part> = PARTS.into_iter().filter(|(_, of)| demands.iter().any(|demand| of(&demand.cta) > 0)).collect();
    let mut columns = alloc::vec![Column::of("Refused by", "", "The first resource of which too little is left: the kernel gets no more")];
    for kernel in KernelId::first(demands.len()) {
        let mut add = |title: &str, unit, doc| columns.push(Column { kernel: Some(kernel), ..Column::of(title, unit, doc) });
        add("CTAs", "per SM", "CTAs that it has");
        if bandwidth {
            add("NoC", "units", "NoC bandwidth that it has");
            add("DRAM", "units", "DRAM bandwidth that it has");
        }
        add("Share", "", "Its dominant share; that of a latency-sensitive kernel is multiplied by priorLSK");
    }
    columns.extend(parts.iter().map(|(title, _)| Column::of(title, "% taken", "What all kernels have of the SM's")));
    if bandwidth {
        columns.extend(["NoC", "DRAM"].map(|title| Column::of(title, "units taken", "What all kernels have")));
    }
    let mut allocation = Allocation::new(demands, rules);
    let mut rows = Vec::new();
    while let Some(turn) = allocation.turn() {
        let (grants, shares) = (allocation.grants(), allocation.shares());
        let mut cells = alloc::vec![Value::from(turn.refused.map(|refusal| refusal.key()))];
        for (grant, &share) in grants.iter().zip(shares) {
            cells.push(grant.ctas.into());
            if bandwidth {
                cells.extend([grant.noc, grant.dram].map(Value::from));
            }
            cells.push(share.into());
        }
        cells.extend(parts.iter().map(|(_, of)| {
            let taken: f64 = demands.iter().zip(grants).map(|(demand, grant)| f64::from(of(&demand.cta)) * grant.ctas as f64).sum();
            Value::from(100.0 * taken / f64::from(of(&rules.sm)))
        }));
        if bandwidth {
            let sum = |of: fn(&Grant) -> f64| Value::from(grants.iter().map(of).sum::<f64>());
            cells.extend([sum(|grant| grant.noc), sum(|grant| grant.dram)]);
        }
        rows.push(Row { name: (rows.len() + 1).into(), kernel: Some(KernelId(turn.kernel as u8)), cells });
    }
    Table {
        key: "algorithm_1",
        title: format!("Algorithm 1, turn by turn, with priorLSK {:.2}", rules.priority),
        doc: "Each turn, the kernel with the least dominant share asks for one unit more of its dominant resource, with what goes along (CCBP §5.2). \
              Room for one CTA of each kernel is kept",
        row: "Turn",
        course: None,
        columns,
        rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn cell<'a>(table: &'a Table, row: &'a Row, kernel: Option<u8>, title: &str) -> &'a Value {
        let is = |column: &Column| column.title == title && column.kernel.map(|kernel| kernel.0) == kernel;
        &row.cells[table.columns.iter().position(is).unwrap_or_else(|| panic!("no {title}"))]
    }

    /// The form begins with CCBP's Table 3: its fifteen iterations, then who is refused what, as the paper's numbers have it.
    #[test]
    fn the_start_is_table_3() {
        let form = allocation_form();
        let table = allocation(form.get("start").unwrap()).unwrap();
        let turns: Vec<u8> = table.rows.iter().map(|row| row.kernel.unwrap().0).collect();
        assert_eq!(turns, [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);
        let row = &table.rows[14];
        for (kernel, ctas, noc, dram) in [(0, 5, 2.5, 2.5), (1, 2, 2.5, 5.0), (2, 2, 5.0, 5.0 / 3.0)] {
            let of = |title| cell(&table, row, Some(kernel), title);
            assert_eq!(of("CTAs").as_int(), Some(ctas));
            for (title, wanted) in [("NoC", noc), ("DRAM", dram), ("Share", 0.5)] {
                assert!((of(title).as_f64().unwrap() - wanted).abs() < 1e-9, "K{}: {title} {:?}", kernel + 1, of(title));
            }
        }
        assert_eq!(cell(&table, row, None, "CTA slots").as_f64(), Some(90.0));
        assert_eq!(cell(&table, row, None, "NoC").as_f64(), Some(10.0));
        let refused: Vec<Option<&str>> = table.rows.iter().map(|row| row.cells[0].as_str()).collect();
        assert!(refused[..15].iter().all(Option::is_none));
        assert_eq!(refused[15..], [Some("NoC bandwidth"); 3]);
    }

    /// With half the registers of what four CTAs take, registers refuse the third.
    #[test]
    fn other_numbers_are_refused_by_what_is_short() {
        let mut asked = table_3();
        (asked.units, asked.registers) = (1000, 5);
        asked.kernels.truncate(1);
        asked.kernels[0].registers = 2;
        let table = allocation(&asked.write()).unwrap();
        let refused: Vec<Option<&str>> = table.rows.iter().map(|row| row.cells[0].as_str()).collect();
        assert_eq!(refused, [None, None, Some("registers")]);
        assert_eq!(cell(&table, &table.rows[2], None, "Registers").as_f64(), Some(80.0));
        (asked.kernels[0].registers, asked.kernels[0].most) = (0, 11);
        let table = allocation(&asked.write()).unwrap();
        assert_eq!(table.rows.last().unwrap().cells[0].as_str(), Some("CTA slots"), "ten slots, ten CTAs, and an eleventh");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let mut asked = table_3().write();
        if let Value::Object(pairs) = &mut asked {
            pairs.retain(|(key, _)| key != "units");
            pairs.push(("priority".into(), 7.into()));
        }
        let problems = allocation(&asked).unwrap_err();
        let said: Vec<String> = problems.0.iter().map(ToString::to_string).collect();
        assert!(said.iter().any(|line| line.starts_with("priority: found 7, want a number from 0.01 to 1")), "{said:?}");
        assert!(said.iter().any(|line| line.starts_with("units: found nothing")), "{said:?}");
    }
}
