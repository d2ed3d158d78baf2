//! What is a kernel's share of the GPU, what does that alone cost it, and who else costs it what?

use sim_core::{Experiment, Outcome, run};

fn outcome(fields: &str) -> Outcome {
    let experiment = Experiment::from_json(&format!(r#"{{ "corun": 1, {fields} }}"#)).unwrap_or_else(|problems| panic!("{problems}"));
    run(&experiment).unwrap_or_else(|problems| panic!("{problems}"))
}

/// It was 3.78 times slower than itself: alone, warps went greedy then oldest whatever the run said.
#[test]
fn a_kernel_by_itself_is_as_fast_as_alone_in_every_warp_order() {
    for order in ["lrr", "gto", "two-level(8)"] {
        let alone = outcome(&format!(
            r#""gpu": "ccbp-16sm", "kernels": ["ccbp/KM"], "policy": "even", "warp_order": "{order}", "stop": {{ "cycles": 30000 }}"#
        ));
        assert_eq!(alone.kernels[0].slowdown, Some(1.0), "{order}");
    }
}
