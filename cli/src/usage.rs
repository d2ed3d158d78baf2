//! What is wrong with a command line, as problems like any other.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use sim_core::describe::error::Problems;

/// The problems of a command line that cannot be read.
pub fn problems(error: &clap::Error) -> Problems {
    let all = |kind| match error.get(kind) {
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::String(text)) => vec![text.clone()],
        _ => Vec::new(),
    };
    let first = |kind| all(kind).into_iter().next().unwrap_or_default();
    let option = |text: &str| text.split_once(' ').map_or(text, |(option, _)| option).to_owned();
    let one_of = |kind| format!("one of {}", all(kind).join(", "));
    let argument = option(&first(ContextKind::InvalidArg));
    let found = format!("{:?}", first(ContextKind::InvalidValue));
    let mut problems = Problems::default();
    match error.kind() {
        ErrorKind::InvalidValue if !all(ContextKind::ValidValue).is_empty() => {
            problems.add(argument, found, one_of(ContextKind::ValidValue));
        }
        ErrorKind::InvalidValue => problems.add(argument, "nothing", "a value"),
        ErrorKind::ValueValidation => {
            let why = std::error::Error::source(error).map_or(String::new(), |why| format!(": {why}"));
            problems.add(argument, found, format!("another value{why}"));
        }
        ErrorKind::UnknownArgument => problems.add(argument, "an unknown argument", "one that --help lists"),
        ErrorKind::InvalidSubcommand => {
            let found = format!("{:?}", first(ContextKind::InvalidSubcommand));
            problems.add("(command)", found, "one that --help lists");
        }
        ErrorKind::MissingSubcommand => problems.add("(command)", "nothing", one_of(ContextKind::ValidSubcommand)),
        ErrorKind::ArgumentConflict => {
            let other = option(&first(ContextKind::PriorArg));
            let found = if other == argument { "it twice".to_owned() } else { format!("it beside {other}") };
            problems.add(argument, found, "one of them");
        }
        ErrorKind::MissingRequiredArgument => {
            all(ContextKind::InvalidArg).iter().for_each(|missing| problems.add(option(missing), "nothing", "a value"));
        }
        _ => {}
    }
    if problems.0.is_empty() {
        problems.add("(usage)", error.kind(), "what --help says");
    }
    problems
}
