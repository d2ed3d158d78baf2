//! Does a policy or a CTA order that is written outside the engine work as those inside do?

use sim_core::describe::ids::KernelId;
use sim_core::describe::value::Value;
use sim_core::interface::controls::Controls;
use sim_core::interface::decision::{Log, count, decide};
use sim_core::interface::observation::{By, Needs, Observation};
use sim_core::machine::dispatch::order::{CtaOrder, Offer};
use sim_core::policy::Policy;
use sim_core::run::experiment::Experiment;
use sim_core::run::own::Own;
use sim_core::run::simulation::Simulation;
use sim_core::study::profile;

fn experiment(kernels: &[&str], policy: &str) -> Experiment {
    let value = Value::object([
        ("corun", Value::from(1)),
        ("gpu", "tiny-2sm".into()),
        ("kernels", Value::array(kernels.iter().copied())),
        ("policy", serde_json::from_str(policy).unwrap()),
        ("stop", Value::object([("cycles", 20_000)])),
    ]);
    Experiment::decode(&value).unwrap_or_else(|problems| panic!("{problems}"))
}

sim_core::topics! {
    Handed "handed", "CTAs that the policy of this test hands out" {
        ctas: u32, "CTAs per SM", "At most so many";
        ipc: Option<f64>, "thread instructions per cycle", "What the kernel does alone, if that is known";
    } => format!("is handed {}", count(*ctas, "CTA"));
}

/// One CTA of each kernel at first, one more after each thousand cycles.
#[derive(Clone, Debug)]
struct OneMore {
    ctas: u16,
    profiled: bool,
}

impl OneMore {
    fn hand_out(&self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        for kernel in KernelId::first(seen.kernels) {
            controls.each_sm(|sm| sm.cta_target[kernel] = self.ctas);
            let ipc = seen.profile.each(|run| run.ipc).get(kernel.index()).copied();
            decide(log, seen, kernel, Handed { ctas: self.ctas.into(), ipc });
        }
    }
}

impl Policy for OneMore {
    fn name(&self) -> &str {
        "one-more"
    }

    fn needs(&self) -> Needs {
        if self.profiled { Needs::of(By::Whole, 2000) } else { Needs::default() }
    }

    fn start(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        self.hand_out(seen, controls, log);
    }

    fn interval(&self) -> Option<u64> {
        Some(1000)
    }

    fn settled(&self) -> bool {
        self.ctas >= 4
    }

    fn on_interval(&mut self, seen: &Observation, controls: &mut Controls, log: &mut Log) {
        if !self.settled() {
            self.ctas += 1;
            self.hand_out(seen, controls, log);
        }
    }
}

const ONE: OneMore = OneMore { ctas: 1, profiled: false };

#[test]
fn a_policy_from_outside_decides_and_says_so() {
    let experiment = experiment(&["ccbp/BP", "ccbp/SAD"], r#""leftover""#);
    let mut run = Simulation::with_policy(&experiment, Box::new(ONE)).unwrap();
    assert_eq!((run.policy_name(), run.settled()), ("one-more", false));
    run.advance(1500);
    let mut copy = run.clone();
    run.advance(u64::MAX);
    copy.advance(1000);
    copy.advance(u64::MAX);
    assert_eq!(run.digest(), copy.digest(), "a snapshot has the policy's state");
    let result = run.result();
    let policy = result.get("policy").unwrap();
    assert_eq!(policy.get("name"), Some(&Value::from("one-more")));
    let Some(Value::Array(decisions)) = policy.get("decisions") else { panic!("{policy}") };
    let said = |decision: &Value| {
        let field = |key: &str| decision.get(key).unwrap().to_string();
        format!("{} {} {} {}", field("cycle"), field("topic"), field("values"), field("text"))
    };
    let wanted = |cycle: u32, ctas: u32, text: &str| format!(r#"{cycle} "handed" {{"ctas":{ctas}}} "is handed {text}""#);
    assert_eq!([0, 1, 2].map(|i| said(&decisions[i])), [wanted(0, 1, "1 CTA"), wanted(0, 1, "1 CTA"), wanted(1000, 2, "2 CTAs")]);
    assert_eq!(decisions.len(), 8);
}

/// Its controls do what those of a policy inside do.
#[test]
fn a_policy_from_outside_is_heard_like_one_inside() {
    let still = OneMore { ctas: 4, profiled: false };
    let mut outside = Simulation::with_policy(&experiment(&["ccbp/BP", "ccbp/SAD"], r#""even""#), Box::new(still)).unwrap();
    let mut inside = Simulation::new(&experiment(&["ccbp/BP", "ccbp/SAD"], r#"{ "name": "fixed", "combination": [4, 4] }"#)).unwrap();
    outside.advance(u64::MAX);
    inside.advance(u64::MAX);
    assert_eq!(outside.totals(), inside.totals());
}

#[test]
fn a_policy_from_outside_knows_kernels_alone_if_it_asks_for_that() {
    let experiment = experiment(&["ccbp/BP", "ccbp/SAD"], r#""even""#);
    let profiled = || Box::new(OneMore { ctas: 1, profiled: true });
    let problems = Simulation::with_policy(&experiment, profiled()).unwrap_err();
    assert!(problems.0[0].path == "policy" && problems.0[0].found.contains("without the answers of 2 runs"), "{problems}");
    let run = profile::start_own(&experiment, Own { policy: Some(profiled()), ..Own::default() }).unwrap();
    assert!(run.decisions().iter().all(|decision| decision.what.value("ipc").as_f64().unwrap() > 0.0));
}

/// The first CTA that waits, or the last, of the first kernel that has one; it counts them.
#[derive(Clone, Hash, Debug)]
struct FromOneEnd {
    last: bool,
    placed: u32,
}

impl CtaOrder for FromOneEnd {
    fn choose(&mut self, offer: &Offer) -> Option<(KernelId, u32)> {
        self.placed += 1;
        let kernel = offer.kernels().next()?;
        let waiting = offer.grid(kernel).waiting();
        Some((kernel, if self.last { waiting.last()?.1 - 1 } else { waiting.first()?.0 }))
    }
}

#[test]
fn an_order_from_outside_places_ctas() {
    let experiment = experiment(&["ccbp/BP"], r#""leftover""#);
    let run = |last| {
        let mut run = Simulation::with_order(&experiment, Box::new(FromOneEnd { last, placed: 0 })).unwrap();
        run.advance(5000);
        let mut copy = run.clone();
        run.advance(u64::MAX);
        copy.advance(u64::MAX);
        assert_eq!(run.digest(), copy.digest(), "a snapshot has the order's state");
        run
    };
    let mut inside = Simulation::new(&experiment).unwrap();
    inside.advance(u64::MAX);
    let (mut first, last) = (run(false), run(true));
    assert_eq!(first.totals(), inside.totals(), "as round-robin does with one kernel");
    let resident = |run: &Simulation| run.machine().sms[0].ctas.slots().iter().flatten().map(|cta| cta.cta).max().unwrap();
    let grid = experiment.kernels[0].kernel.launches[0].ctas();
    assert!(resident(&first) < grid / 2 && resident(&last) > grid / 2);
}

/// What an order remembers is part of the digest, as the state of the orders inside is.
#[test]
fn a_digest_covers_the_state_of_an_order_from_outside() {
    let digest = |placed| {
        let order = Own { cta_order: Some(Box::new(FromOneEnd { last: false, placed })), ..Own::default() };
        let mut run = profile::start_own(&experiment(&["ccbp/BP"], r#""even""#), order).unwrap();
        run.advance(100);
        run.digest()
    };
    assert_eq!(digest(0), digest(0));
    assert_ne!(digest(0), digest(1));
}
