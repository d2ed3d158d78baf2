//! What a report says of each claim, as data: verdicts.toml beside it.

use crate::engine::verdict::{self, Judgement};
use std::fmt::Write as _;

/// Reproduced and all of the directions and magnitudes; of each claim how it came out, and what was measured.
pub fn written(judgements: &[Judgement]) -> String {
    let total = |kind: &str| {
        let counts = verdict::counts(judgements, kind, &[]);
        format!("[{}, {}]", counts[0], counts.iter().sum::<usize>())
    };
    let mut text = format!("directions = {}\nmagnitudes = {}\n\n[claims]\n", total("direction"), total("magnitude"));
    for judgement in judgements {
        let _ = writeln!(text, "{} = [{:?}, {:?}]", judgement.claim.id, judgement.verdict.words(), judgement.ours());
    }
    text
}

/// How claims came out, by id.
#[cfg(test)]
pub fn read(text: &str) -> std::collections::BTreeMap<String, crate::engine::paper::claims::Verdict> {
    use crate::engine::paper::claims::Verdict;
    use sim_core::describe::value::Value;
    let value: Value = toml::from_str(text).unwrap();
    let Some(Value::Object(claims)) = value.get("claims") else { panic!("no claims") };
    claims.iter().map(|(id, found)| (id.clone(), Verdict::named(found.items()[0].as_str().unwrap()).unwrap())).collect()
}
