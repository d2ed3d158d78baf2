//! `corun list`.

use crate::{Failure, input, output};
use clap::{Args, ValueEnum};
use sim_core::describe::value::Value;
use sim_core::study::catalogue::catalogue;

/// Arguments of `corun list`.
/// Arguments of `corun list`.
#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
pub struct List {
    /// What to list
    what: What,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
enum What {
    /// GPU presets
    Gpus,
    /// Kernels of the library
    Kernels,
    /// Sharing policies and their parameters
    Policies,
    /// Controls, which policies set
    Controls,
    /// What a script of yours can say: the policy `script`
    Script,
    /// Warp orders and CTA orders
    Orders,
    /// Example experiments
    Experiments,
    /// Figures of a result, with unit and formula
    Metrics,
}

impl List {
    pub fn execute(self) -> Result<(), Failure> {
        let mut experiments = Vec::new();
        for (name, text) in input::EXPERIMENTS {
            experiments.push(((*name).to_owned(), input::json(text)?));
        }
        let all = catalogue(&experiments, input::SCRIPTS);
        let part = |key: &str| all.get(key).cloned().unwrap_or_default();
        let listed = match self.what {
            What::Gpus => part("gpus"),
            What::Kernels => part("kernels"),
            What::Policies => part("policies"),
            What::Controls => part("controls"),
            What::Script => part("script"),
            What::Orders => Value::object([("warp_orders", part("warp_orders")), ("cta_orders", part("cta_orders"))]),
            What::Experiments => part("experiments"),
            What::Metrics => part("metrics"),
        };
        if self.json {
            return output::print_json(&listed);
        }
        match &listed {
            Value::Object(parts) => {
                for (title, rows) in parts {
                    output::print(&format!("{title}:"))?;
                    print_rows(rows)?;
                }
            }
            rows => print_rows(rows)?,
        }
        Ok(())
    }
}

fn print_rows(rows: &Value) -> Result<(), Failure> {
    let Value::Array(rows) = rows else { return Ok(()) };
    for row in rows {
        let text = |key: &str| row.get(key).and_then(Value::as_str).unwrap_or("");
        let name = ["name", "key", "call"].map(text).into_iter().find(|name| !name.is_empty()).unwrap_or("");
        let detail =
            [text("title"), text("unit"), text("formula"), text("doc")].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
        output::print(&format!("{name:<18} {}", detail.join("; ")))?;
        if let Some(Value::Array(params)) = row.get("params") {
            for param in params {
                let text = |key: &str| param.get(key).and_then(Value::as_str).unwrap_or("");
                output::print(&format!("  {:<16} {} ({})", text("name"), text("doc"), text("unit")))?;
            }
        }
    }
    Ok(())
}
