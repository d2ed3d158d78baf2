//! What the mechanisms in force show of themselves, whichever policy has set them: the virtual queues of the miss queues (CCBP Fig. 5), quotas
//! of instructions (QoS Fig. 4) and of memory instructions (BMI).

use crate::describe::ids::KernelId;
use crate::describe::value::Value;
use crate::interface::controls::SmControls;
use crate::interface::shown::{Column, Row, Table};
use crate::machine::Machine;
use crate::machine::sm::Sm;
use alloc::vec::Vec;

/// The tables of the mechanisms in force. Call `Machine::settle` first.
pub fn tables(machine: &Machine) -> Vec<Table> {
    let kernels = machine.kernels();
    let any = |is: &dyn Fn(&SmControls, KernelId) -> bool| {
        machine.controls().sms.iter().any(|sm| KernelId::first(kernels).any(|kernel| is(sm, kernel)))
    };
    let queues = any(&|sm, kernel| sm.miss_queue_split || sm.miss_credits[kernel].is_some());
    let quotas = any(&|sm, kernel| sm.quota(kernel).is_some());
    let turns = any(&|sm, kernel| sm.memory_quota[kernel].is_some());
    [(queues, miss_queues as fn(&Machine) -> Table), (quotas, self::quotas), (turns, memory_quotas)]
        .into_iter()
        .filter(|(shown, _)| *shown)
        .map(|(_, table)| table(machine))
        .collect()
}

/// A row for each SM with the same cells for each kernel.
fn by_sm(machine: &Machine, cells: impl Fn(&Sm, &SmControls, KernelId) -> Vec<Value>) -> Vec<Row> {
    let kernels = KernelId::first(machine.kernels());
    let row = |(number, (sm, controls)): (u32, (&Sm, &SmControls))| Row {
        name: number.into(),
        kernel: None,
        cells: kernels.clone().flat_map(|kernel| cells(sm, controls, kernel)).collect(),
    };
    (0..).zip(machine.sms.iter().zip(&machine.controls().sms)).map(row).collect()
}

fn miss_queues(machine: &Machine) -> Table {
    Table {
        key: "miss_queues",
        title: "Miss queues".into(),
        doc: "Each L1D's miss queue, split into virtual queues or not. A request leaves when its kernel has a credit (CCBP §5.1, Fig. 5)",
        row: "SM",
        course: Some("noc_demand_bytes"),
        columns: Column::for_each(
            machine.kernels(),
            &[
                ("Waiting", "requests", "Requests of the kernel that wait in the queue"),
                ("Room", "requests", "Requests of the kernel that the queue holds at most"),
                ("Credits left", "requests", "Requests that may still leave before the next reload; nothing without a limit"),
                ("Credits", "requests per interval", "What a reload gives; nothing without a limit"),
                ("Rank", "", "Kernels with a lower rank go first"),
            ],
        ),
        rows: by_sm(machine, |sm, controls, kernel| {
            let queue = sm.l1().miss_queue();
            alloc::vec![
                queue.waiting(kernel).into(),
                queue.capacity(kernel, controls.miss_queue_split).into(),
                queue.credits_left(kernel, machine.now, controls).into(),
                controls.miss_credits[kernel].map(|sixteenths| f64::from(sixteenths) / 16.0).into(),
                controls.miss_rank[kernel].into(),
            ]
        }),
    }
}

fn quotas(machine: &Machine) -> Table {
    Table {
        key: "quotas",
        title: "Quota counters".into(),
        doc: "What each kernel may still issue on each SM: a refill fills it up (SMK, HPCA 2016), or adds to what is left (QoS §3.4, Fig. 4). Each \
              instruction takes away",
        row: "SM",
        course: Some("quota_left"),
        columns: Column::for_each(
            machine.kernels(),
            &[
                ("Left", "instructions", "What is left; below zero what it has had too much. A kernel with nothing left issues nothing"),
                ("Refill", "instructions", "What a refill gives; nothing without a quota"),
            ],
        ),
        rows: by_sm(machine, |sm, controls, kernel| {
            let quota = controls.quota(kernel);
            alloc::vec![quota.map(|_| sm.gate().quotas.left(kernel)).into(), quota.into()]
        }),
    }
}

fn memory_quotas(machine: &Machine) -> Table {
    Table {
        key: "memory_quotas",
        title: "Turns at memory".into(),
        doc: "Of a scheduler's ready global accesses, those of the kernel with most left go first. When one kernel has nothing left, each gets its \
              quota on top of what it has left (Dai et al., HPCA 2018, QBMI)",
        row: "SM",
        course: None,
        columns: Column::for_each(
            machine.kernels(),
            &[
                ("Left", "memory instructions", "What is left; nothing without a quota"),
                ("Quota", "memory instructions", "What a round gives; nothing without a quota"),
            ],
        ),
        rows: by_sm(machine, |sm, controls, kernel| {
            let quota = controls.memory_quota[kernel];
            let left = sm.gate().memory_left().map(|left| left[kernel]);
            alloc::vec![quota.and(left).into(), quota.into()]
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::experiment::Experiment;
    use crate::run::simulation::Simulation;
    use alloc::string::String;

    fn started(policy: Value) -> Simulation {
        let kernels = Value::array(["ccbp/BP", "ccbp/CFD"]);
        let written = [("corun", Value::from(1)), ("gpu", "tiny-2sm".into()), ("kernels", kernels), ("policy", policy)];
        Simulation::new(&Experiment::decode(&Value::object(written)).unwrap()).unwrap()
    }

    fn by_hand(controls: impl IntoIterator<Item = (&'static str, Value)>) -> Simulation {
        started(Value::object([("name", Value::from("manual")), ("controls", Value::object(controls))]))
    }

    /// A column of each kernel on each SM.
    fn column(table: &Table, title: &str, kernel: u8) -> Vec<Option<f64>> {
        let is = |column: &Column| column.title == title && column.kernel == Some(KernelId(kernel));
        let at = table.columns.iter().position(is).unwrap();
        table.rows.iter().map(|row| row.cells[at].as_f64()).collect()
    }

    #[test]
    fn without_a_mechanism_in_force_there_is_nothing() {
        let mut run = started("even".into());
        run.advance(3000);
        assert_eq!(run.shown(), []);
    }

    /// An access takes one away. A kernel with nothing left gives each its quota on top: on any SM all have something, and one has no more
    /// than its quota.
    #[test]
    fn turns_at_memory_have_quotas_and_what_is_left() {
        let mut run = by_hand([("memory_quota", Value::array([3, 7]))]);
        let mut seen = alloc::vec![Vec::new(); 2];
        for _ in 0..300 {
            run.advance(17);
            let tables = run.shown();
            let [table] = &tables[..] else { panic!("one table: {}", tables.len()) };
            assert_eq!(table.key, "memory_quotas");
            assert_eq!([0, 1].map(|kernel| column(table, "Quota", kernel)), [[Some(3.0); 2], [Some(7.0); 2]]);
            for (first, second) in column(table, "Left", 0).into_iter().zip(column(table, "Left", 1)) {
                let (first, second) = (first.unwrap(), second.unwrap());
                assert!(first >= 1.0 && second >= 1.0 && (first <= 3.0 || second <= 7.0), "{first} and {second}");
                seen[0].push(first);
                seen[1].push(second);
            }
        }
        assert!(seen.iter().all(|left| left.iter().any(|&other| other != left[0])), "accesses are counted");
    }

    /// Credits go down by what leaves and come back with each interval, the queue's parts are bounds, and looking changes nothing.
    #[test]
    fn virtual_queues_have_bounds_and_credits() {
        let limits = || {
            by_hand([
                ("miss_queue_split", true.into()),
                ("miss_credits", Value::array([Value::Null, 3.into()])),
                ("credit_interval", 200.into()),
            ])
        };
        let (mut run, mut unseen) = (limits(), limits());
        let mut left = alloc::vec![0; 4];
        for _ in 0..300 {
            run.advance(17);
            let tables = run.shown();
            let [table] = &tables[..] else { panic!("one table: {}", tables.len()) };
            assert_eq!((table.key, column(table, "Credits left", 0)), ("miss_queues", alloc::vec![None; 2]));
            assert_eq!(column(table, "Credits", 1), [Some(3.0); 2]);
            let room = f64::from(run.experiment().gpu.sms[0].l1.miss_queue) / 2.0;
            for kernel in [0, 1] {
                assert_eq!(column(table, "Room", kernel), [Some(room); 2]);
                assert!(column(table, "Waiting", kernel).iter().all(|&waiting| waiting.unwrap() <= room));
            }
            column(table, "Credits left", 1).into_iter().for_each(|credits| left[credits.unwrap() as usize] += 1);
        }
        assert!(left.iter().all(|&seen| seen > 0), "0 to 3 credits: {left:?}");
        unseen.advance(300 * 17);
        assert_eq!(run.digest(), unseen.digest());
    }

    /// At the start of an interval all credits are there, also where nothing has asked for one since.
    #[test]
    fn a_reload_counts_before_it_is_used() {
        let mut run = by_hand([("miss_credits", Value::array([Value::Null, 1000.into()])), ("credit_interval", 100.into())]);
        run.advance(4000);
        assert_eq!(column(&run.shown()[0], "Credits left", 1), [Some(1000.0); 2]);
    }

    /// The counters in the table add up to what the window ends with, where none is below zero.
    #[test]
    fn quotas_over_time_end_where_the_counters_are() {
        let mut run = by_hand([("thread_quota", Value::array([Value::Null, 60_000.into()])), ("quota_interval", 4000.into())]);
        let mut falls = Vec::new();
        for _ in 0..9 {
            run.advance(400);
            let tables = run.shown();
            let [table] = &tables[..] else { panic!("one table: {}", tables.len()) };
            assert_eq!((table.key, column(table, "Left", 0)), ("quotas", alloc::vec![None; 2]));
            let sum: f64 = column(table, "Left", 1).into_iter().map(|left| left.unwrap().max(0.0)).sum();
            let layout = run.windows().layout(&run.experiment().gpu);
            let is = |column: &Value, key, kernel: u8| {
                column.get("key") == Some(&Value::from(key)) && column.get("kernel") == Some(&Value::from(kernel))
            };
            let columns = layout.get("columns").unwrap().items();
            let at = columns.iter().position(|column| is(column, table.course.unwrap(), 1)).unwrap();
            let rows = run.windows().rows_since(0);
            assert_eq!(rows[rows.len() - columns.len() + at], sum);
            falls.push(sum);
        }
        assert!(falls.is_sorted_by(|a, b| a >= b) && falls[0] > falls[8], "{falls:?}");
    }

    /// CCBP says what it knows from the start, and its turns once it has allocated; their end is what it granted.
    #[test]
    fn turns_of_ccbp_end_in_what_it_grants() {
        let mut run = started(Value::object([("name", Value::from("ccbp")), ("time_scale", 0.05.into()), ("variant", "drf".into())]));
        run.advance(1000);
        let keys = |tables: &[Table]| tables.iter().map(|table| table.key).collect::<Vec<_>>();
        let tables = run.shown();
        assert_eq!(keys(&tables), ["ccbp", "miss_queues"]);
        assert!(tables[0].title.contains("nothing is counted yet"), "{}", tables[0].title);
        while run.decisions().iter().all(|decision| decision.what.topic() != "bandwidth") {
            run.advance(400);
        }
        let tables = run.shown();
        assert_eq!(keys(&tables), ["ccbp", "algorithm_1", "miss_queues"]);
        let turns = &tables[1];
        let (last, rest) = turns.rows.split_last().unwrap();
        assert!(last.cells[0] != Value::Null && rest.iter().any(|row| row.cells[0] == Value::Null), "{turns:?}");
        for kernel in [0, 1] {
            let granted = |topic: &str, key: &str| {
                let mine = |decision: &&crate::interface::decision::Decision| {
                    decision.what.topic() == topic && decision.kernel == Some(KernelId(kernel))
                };
                run.decisions().iter().rev().find(mine).and_then(|decision| decision.what.value(key).as_f64())
            };
            assert_eq!(column(turns, "CTAs", kernel).last().unwrap().map(|ctas| ctas.max(1.0)), granted("ctas", "ctas"));
            if turns.columns.iter().any(|column| column.title == "NoC") {
                assert_eq!(*column(turns, "NoC", kernel).last().unwrap(), granted("bandwidth", "noc"));
            }
        }
    }

    /// What these show agrees with what they have decided, and looking changes nothing.
    #[test]
    fn what_other_schemes_show_is_what_they_decided() {
        let named = |name: &str, more: &[(&'static str, Value)]| Value::object([&[("name", name.into())], more].concat());
        let alone = || ("warp_ipc_alone", Value::array([2.0, 1.0]));
        let curves = || ("curves", Value::array([[10.0, 20.0, 25.0], [10.0, 15.0, 18.0]].map(Value::array)));
        // The table, the column and the topic with its value; each kernel has a row.
        let rows: [(Value, &str, usize, (&str, &str)); 4] = [
            (named("smk", &[alone()]), "smk", 0, ("ctas", "ctas")),
            (named("smk", &[alone()]), "smk", 8, ("warp_quota", "warp_quota")),
            (named("tcm", &[("quantum", 5000.into())]), "tcm", 2, ("cluster", "mpki")),
            (named("ucp", &[("repartition", 5000.into())]), "ucp", 0, ("l1_ways", "l1_ways")),
        ];
        for (policy, key, cell, (topic, value)) in rows {
            let (mut run, mut unseen) = (started(policy.clone()), started(policy));
            for _ in 0..7 {
                run.advance(1000);
                run.shown();
            }
            let tables = run.shown();
            let table = tables.iter().find(|table| table.key == key).unwrap();
            for kernel in [0, 1] {
                let mine = |decision: &&crate::interface::decision::Decision| {
                    decision.what.topic() == topic && decision.kernel == Some(KernelId(kernel))
                };
                let decided = run.decisions().iter().rev().find(mine).unwrap().what.value(value);
                assert_eq!(table.rows[usize::from(kernel)].cells[cell].as_f64(), decided.as_f64(), "{topic} of {kernel}");
            }
            unseen.advance(7000);
            assert_eq!(run.digest(), unseen.digest());
        }
        let keys = |tables: &[Table]| tables.iter().map(|table| table.key).collect::<Vec<_>>();
        assert_eq!(keys(&started(named("smk", &[alone()])).shown()), ["smk", "quotas"]);
        assert_eq!(keys(&started(named("ws", &[curves()])).shown()), ["ws_curves", "ws_filling"]);
        let mut online = started(named("ws", &[("curves_from", "online".into()), ("warm_up", 1000.into()), ("window", 1000.into())]));
        assert_eq!(keys(&online.shown()), ["ws_profile"]);
        online.advance(2001);
        assert_eq!(keys(&online.shown()), ["ws_curves", "ws_filling"]);
    }

    /// The limits that MIL shows are those that keep kernels within them.
    #[test]
    fn limits_of_memory_instructions_are_those_in_force() {
        let mut run = started(Value::object([("name", Value::from("mil")), ("sample", 64.into()), ("interval", 100.into())]));
        let mut limited = 0;
        for _ in 0..60 {
            run.advance(100);
            let table = run.shown().remove(0);
            assert_eq!(table.key, "mil");
            for kernel in [0, 1] {
                let in_force = run.machine().controls().sms.iter().map(|sm| sm.memory_cap[KernelId(kernel)].filter(|&cap| cap != u16::MAX));
                let in_force: Vec<Option<f64>> = in_force.map(|cap| cap.map(f64::from)).collect();
                assert_eq!(column(&table, "Limit", kernel), in_force);
                limited += in_force.iter().flatten().count();
            }
        }
        assert!(limited > 0, "some SM limits a kernel");
    }

    /// QoS shows each goal with alpha, idle warps while an epoch goes on, and idle CTAs and moves once they have been decided on.
    #[test]
    fn qos_shows_what_moves_are_decided_on() {
        let kernels = Value::array([Value::object([("kernel", Value::from("ccbp/SAD")), ("qos", 0.9.into())]), "ccbp/CFD".into()]);
        let policy = Value::object([("name", Value::from("qos-rollover")), ("epoch", 2000.into()), ("ipc_alone", Value::array([60, 60]))]);
        let written = [("corun", Value::from(1)), ("gpu", "tiny-2sm".into()), ("kernels", kernels), ("policy", policy)];
        let mut run = Simulation::new(&Experiment::decode(&Value::object(written)).unwrap()).unwrap();
        run.advance(1900);
        let tables = run.shown();
        assert_eq!(tables.iter().map(|table| table.key).collect::<Vec<_>>(), ["qos", "qos_moves", "quotas"]);
        assert_eq!(tables[0].rows[0].cells[0].as_f64(), Some(54.0));
        assert!(column(&tables[1], "Idle CTAs", 0).iter().all(Option::is_none), "no decision yet");
        assert!(column(&tables[1], "Idle warps", 1).iter().all(|warps| warps.is_some_and(|warps| warps >= 0.0)));
        let mut moved: Vec<String> = Vec::new();
        for _ in 0..200 {
            run.advance(1000);
            let table = &run.shown()[1];
            assert!(column(table, "Idle CTAs", 1).iter().all(Option::is_some));
            let both = column(table, "Moved", 0).into_iter().zip(column(table, "Moved", 1));
            moved.extend(both.filter(|both| *both != (Some(0.0), Some(0.0))).map(|both| alloc::format!("{both:?}")));
        }
        assert!(run.decisions().iter().any(|decision| decision.what.topic() == "sm_ctas"));
        assert!(!moved.is_empty(), "CTAs move in this run");
    }
}
