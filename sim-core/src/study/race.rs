//! All schemes of a mix as a race: most are out of it long before their runs end.
//!
//! Runs are held at looks: after 100,000 cycles, and from there each time that they are twice as long. Who is dropped at a look does not go on:
//!
//! - At the first look nothing is decided: dropped is who is far behind, that is, whose interval of harmonic speedup ends below 80 % of the first
//!   one's figure.
//! - At later looks the order is settled as far as intervals no longer overlap: dropped is whose interval ends below where the first one's begins.
//! - A scheme is judged by how it shares the GPU in the end. It is neither dropped nor the first while its policy finds out what to do, and until it has
//!   done what it found for half of its cycles. Nor is one that hands the GPU from kernel to kernel: a look may come in the middle of a turn.
//! - Without a figure or an interval nobody is dropped. The first goes on to its end, and so does whoever is not dropped.

use crate::describe::error::Problems;
use crate::describe::value::Value;
use crate::run::simulation::Simulation;
use alloc::format;
use alloc::vec::Vec;

/// Cycles at the first look.
pub const FIRST_LOOK: u64 = 100_000;

/// Which part of the first one's figure a scheme must lack to be dropped there.
pub const BEHIND: f64 = 0.2;

/// Where a scheme stands: what its run says of it by now.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Standing {
    /// Cycles that it has run; as many as are asked for where it has ended.
    pub cycle: u64,
    /// Since when it has shared the GPU as it will; nothing while that changes, and before anything is measured.
    pub steady_since: Option<u64>,
    /// Harmonic speedup, 0 where a kernel gets nothing; nothing where it is not known.
    pub speedup: Option<f64>,
    /// The interval in which that lies.
    pub ends: Option<[f64; 2]>,
}

/// What becomes of a scheme.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fate {
    /// Whether it runs on.
    pub goes_on: bool,
    /// Where it is dropped, which part of the first one's figure it lacks.
    pub behind: Option<f64>,
}

/// What becomes of all schemes.
#[derive(Clone, PartialEq, Debug)]
pub struct Race {
    /// Until when those run that go on; nothing: to their ends.
    pub to: Option<u64>,
    /// In the order of their standings.
    pub fates: Vec<Fate>,
}

/// Who goes on, and to which cycle, where schemes stand like this and whole runs have so many cycles. Before anything has run, all do.
pub fn race(cycles: u64, standings: &[Standing]) -> Race {
    let ended = |standing: &Standing| standing.cycle >= cycles;
    let look = standings.iter().filter(|standing| !ended(standing)).map(|standing| standing.cycle).min().unwrap_or(0);
    let first =
        standings.iter().filter(|standing| ended(standing) || standing.is_judged()).max_by(|a, b| a.figure().total_cmp(&b.figure()));
    let fate = |standing: &Standing| {
        let behind = first.filter(|first| !ended(standing) && standing.is_out(first)).map(|first| 1.0 - standing.figure() / first.figure());
        Fate { goes_on: !ended(standing) && behind.is_none(), behind }
    };
    let next = core::iter::successors(Some(FIRST_LOOK), |look| look.checked_mul(2)).find(|next| *next > look);
    Race { to: next.filter(|next| *next < cycles), fates: standings.iter().map(fate).collect() }
}

impl Standing {
    /// Of a run as it stands, once it has been told of its kernels alone.
    pub fn of(run: &mut Simulation) -> Standing {
        let outcome = run.outcome();
        let measures = outcome.measured_from.is_some();
        let starved = measures && outcome.kernels.iter().any(|kernel| kernel.thread_instructions == 0);
        let ends = outcome.ci95.get("metrics").and_then(|metrics| pair(metrics.get("hspeedup")?));
        Standing {
            cycle: run.cycle(),
            steady_since: run.steady_since().filter(|_| measures),
            speedup: if starved { Some(0.0) } else { outcome.metrics.hspeedup },
            ends: if starved { Some([0.0, 0.0]) } else { ends },
        }
    }

    /// Below any that is known, where it is not.
    fn figure(&self) -> f64 {
        self.speedup.unwrap_or(-1.0)
    }

    fn is_judged(&self) -> bool {
        self.steady_since.is_some_and(|since| since <= self.cycle / 2)
    }

    /// Whether it is dropped beside this first one.
    fn is_out(&self, first: &Standing) -> bool {
        let (Some([_, high]), Some(of_first)) = (self.ends.filter(|_| self.is_judged()), first.speedup) else { return false };
        let far = high < (1.0 - BEHIND) * of_first;
        let apart = self.cycle > FIRST_LOOK && first.ends.is_some_and(|[low, _]| high < low);
        far || apart
    }
}

impl Race {
    /// As JSON.
    pub fn to_value(&self) -> Value {
        let fate = |fate: &Fate| Value::object([("goes_on", Value::from(fate.goes_on)), ("behind", fate.behind.into())]);
        Value::object([("to", Value::from(self.to)), ("fates", Value::array(self.fates.iter().map(fate)))])
    }
}

fn pair(value: &Value) -> Option<[f64; 2]> {
    <[Option<f64>; 2]>::try_from(value.items().iter().map(Value::as_f64).collect::<Vec<_>>())
        .ok()
        .and_then(|[low, high]| Some([low?, high?]))
}

/// Reads standings.
pub fn decode(value: &Value) -> Result<Vec<Standing>, Problems> {
    let mut problems = Problems::default();
    let Value::Array(items) = value else {
        problems.add("(whole)", value, "a list of standings");
        return Err(problems);
    };
    let mut of = |(at, item): (usize, &Value)| {
        let count = |key: &str| item.get(key).and_then(Value::as_int).and_then(|count| u64::try_from(count).ok());
        if count("cycle").is_none() {
            problems.add(format!("[{at}].cycle"), item, "a number of cycles");
        }
        Standing {
            cycle: count("cycle").unwrap_or(0),
            steady_since: count("steady_since"),
            speedup: item.get("speedup").and_then(Value::as_f64),
            ends: item.get("ends").and_then(pair),
        }
    };
    let standings = items.iter().enumerate().map(&mut of).collect();
    problems.or(standings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::experiment::Experiment;
    use crate::study::profile;
    use alloc::string::ToString;

    const CYCLES: u64 = 500_000;

    /// A scheme that does not learn, with an interval of this half-width.
    fn at(cycle: u64, speedup: f64, half: f64) -> Standing {
        Standing { cycle, steady_since: Some(0), speedup: Some(speedup), ends: Some([speedup - half, speedup + half]) }
    }

    fn goes_on(standings: &[Standing]) -> Vec<bool> {
        race(CYCLES, standings).fates.iter().map(|fate| fate.goes_on).collect()
    }

    #[test]
    fn at_the_first_look_whoever_is_far_behind_with_its_interval_is_dropped() {
        let look = FIRST_LOOK;
        // 26 % behind with an interval that ends 24 % behind; 26 % with one that ends 16 % behind; 16 % beyond all intervals.
        let standings = [at(look, 0.5, 0.01), at(look, 0.37, 0.01), at(look, 0.37, 0.05), at(look, 0.42, 0.001)];
        let found = race(CYCLES, &standings);
        assert_eq!(goes_on(&standings), [true, false, true, true]);
        assert!(found.fates[1].behind.is_some_and(|behind| (behind - 0.26).abs() < 1e-9), "{found:?}");
        assert_eq!(found.to, Some(2 * FIRST_LOOK));
        // At the very border it stays.
        assert_eq!(goes_on(&[at(look, 0.5, 0.0), at(look, 0.4, 0.0)]), [true, true]);
    }

    #[test]
    fn a_learner_is_neither_dropped_nor_the_first() {
        let learns = |standing: Standing, steady_since| Standing { steady_since, ..standing };
        let look = FIRST_LOOK;
        // Neither while it learns, nor before it has done for half of its cycles what it has learned.
        for since in [None, Some(look), Some(look / 2 + 1)] {
            assert_eq!(goes_on(&[at(look, 0.5, 0.01), learns(at(look, 0.1, 0.01), since)]), [true, true]);
            assert_eq!(goes_on(&[at(look, 0.1, 0.01), learns(at(look, 0.5, 0.01), since)]), [true, true]);
        }
        assert_eq!(goes_on(&[at(look, 0.5, 0.01), learns(at(look, 0.1, 0.01), Some(look / 2))]), [true, false]);
        assert_eq!(goes_on(&[learns(at(look, 0.5, 0.01), None); 3]), [true; 3]);
    }

    #[test]
    fn at_later_looks_the_order_is_settled_where_intervals_do_not_overlap() {
        let look = 2 * FIRST_LOOK;
        let standings = [at(look, 0.5, 0.01), at(look, 0.47, 0.01), at(look, 0.47, 0.02), at(look, 0.49, 0.005)];
        assert_eq!(goes_on(&standings), [true, false, true, true]);
        // The first goes on to its end, also where nobody else does.
        assert_eq!(goes_on(&standings[..2]), [true, false]);
        assert_eq!(race(CYCLES, &standings).to, Some(4 * FIRST_LOOK));
        assert_eq!(race(CYCLES, &[at(4 * FIRST_LOOK, 0.5, 0.01)]).to, None);
        // Who has ended already may be the first, and is never dropped.
        let ended = [at(CYCLES, 0.3, 0.01), at(CYCLES, 0.5, 0.01), at(look, 0.4, 0.01)];
        assert_eq!(race(CYCLES, &ended).fates.iter().map(|fate| fate.behind.is_some()).collect::<Vec<_>>(), [false, false, true]);
    }

    #[test]
    fn where_all_tie_and_where_there_is_one_all_go_on() {
        for look in [FIRST_LOOK, 2 * FIRST_LOOK, 4 * FIRST_LOOK] {
            assert_eq!(goes_on(&[at(look, 0.5, 0.01); 5]), [true; 5]);
            assert_eq!(goes_on(&[at(look, 0.5, 0.01)]), [true]);
        }
        assert_eq!(race(CYCLES, &[]), Race { to: Some(FIRST_LOOK), fates: Vec::new() });
        assert_eq!(goes_on(&[Standing::default(); 3]), [true; 3]);
        // A run that is no longer than the first look is no race.
        assert_eq!(race(FIRST_LOOK, &[]).to, None);
        assert_eq!(race(u64::MAX, &[at(u64::MAX - 1, 0.5, 0.01)]).to, None);
    }

    #[test]
    fn what_is_not_known_drops_nobody_and_who_starves_a_kernel_is_dropped() {
        let look = FIRST_LOOK;
        let unknown = Standing { speedup: None, ends: None, ..at(look, 0.0, 0.0) };
        let vague = Standing { ends: None, ..at(look, 0.1, 0.0) };
        assert_eq!(goes_on(&[at(look, 0.5, 0.01), unknown, vague]), [true; 3]);
        assert_eq!(goes_on(&[unknown, at(look, 0.1, 0.01), unknown]), [true; 3]);
        assert_eq!(goes_on(&[at(look, 0.5, 0.01), at(look, 0.0, 0.0)]), [true, false]);
        // Nobody is behind what gets nothing itself.
        assert_eq!(goes_on(&[at(look, 0.0, 0.0), at(look, 0.0, 0.0)]), [true, true]);
        let far = Standing { speedup: Some(f64::NAN), ends: Some([f64::NAN; 2]), ..at(look, 0.0, 0.0) };
        assert!(race(CYCLES, &[at(look, 0.5, 0.01), far]).fates[1].goes_on);
    }

    #[test]
    fn a_standing_is_what_its_run_says() {
        let of = |kernels: &[&str], policy: Value, warm_up: u64| {
            let value = Value::object([
                ("corun", Value::from(1)),
                ("gpu", "tiny-2sm".into()),
                ("kernels", Value::array(kernels.iter().copied())),
                ("policy", policy),
                ("alone", true.into()),
                ("warm_up", warm_up.into()),
                ("stop", Value::object([("cycles", 20_000)])),
            ]);
            let experiment = Experiment::decode(&value).unwrap();
            let mut run = profile::start(&experiment).unwrap();
            for k in crate::describe::ids::KernelId::first(kernels.len()) {
                run.set_alone(k, 10.0, Some([9.0, 11.0]));
            }
            run.advance(20_000);
            Standing::of(&mut run)
        };
        let even = of(&["ccbp/BP", "ccbp/CFD"], "even".into(), 0);
        assert_eq!((even.cycle, even.steady_since), (20_000, Some(0)));
        let [low, high] = even.ends.unwrap();
        assert!(even.speedup.is_some_and(|speedup| low < speedup && speedup < high), "{even:?}");
        assert_eq!(of(&["ccbp/BP", "ccbp/CFD"], "ccbp".into(), 0).steady_since, None);
        assert_eq!(of(&["ccbp/BP", "ccbp/CFD"], "time-slice".into(), 0).steady_since, None);
        assert_eq!(of(&["ccbp/BP", "ccbp/CFD"], "even".into(), 30_000).steady_since, None, "nothing is measured yet");
        // One that gets no CTA gets nothing.
        let starved =
            of(&["ccbp/BP", "ccbp/CFD"], Value::object([("name", Value::from("fixed")), ("combination", Value::array([1, 0]))]), 0);
        assert_eq!((starved.speedup, starved.ends), (Some(0.0), Some([0.0, 0.0])));
    }

    #[test]
    fn standings_are_read_from_json_and_what_is_none_is_said() {
        let text = r#"[{"cycle": 100000, "steady_since": null, "speedup": 0.5, "ends": [0.4, 0.6]}, {"cycle": 7, "ends": null}]"#;
        let read = decode(&Value::from_json(text).unwrap()).unwrap();
        assert_eq!(read[0], Standing { cycle: 100_000, steady_since: None, speedup: Some(0.5), ends: Some([0.4, 0.6]) });
        assert_eq!(read[1], Standing { cycle: 7, ..Standing::default() });
        for wrong in ["7", "[7]", r#"[{"cycle": -1}]"#, r#"[{"cycle": "far"}]"#] {
            assert!(decode(&Value::from_json(wrong).unwrap()).is_err(), "{wrong}");
        }
        let found = race(CYCLES, &[at(FIRST_LOOK, 0.5, 0.01), at(FIRST_LOOK, 0.25, 0.01)]).to_value().to_string();
        assert_eq!(found, r#"{"to":200000,"fates":[{"goes_on":true,"behind":null},{"goes_on":false,"behind":0.5}]}"#);
    }
}
