//! Where engines run. Natively, each run is a process of its own. In Node and in Chromium, one process has every engine's module and
//! answers run after run, because these compile a module better while it runs.

use super::engine::{Answer, Engine};
use crate::need;
use crate::run::root;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The names of all hosts, in the order of tables.
pub const HOSTS: [&str; 3] = ["native", "node", "chromium"];

/// One of them, at work.
pub struct Host<'e> {
    pub name: &'static str,
    engines: &'e [Engine],
    script: Option<Script>,
}

/// A process that answers lines.
struct Script {
    child: Child,
    /// Nothing once it is to end.
    to: Option<ChildStdin>,
    from: Lines<BufReader<ChildStdout>>,
}

impl<'e> Host<'e> {
    pub fn start(name: &'static str, engines: &'e [Engine]) -> Result<Host<'e>> {
        let script =
            if name == "native" { None } else { Some(Script::start(name, engines).with_context(|| format!("{name} did not start"))?) };
        Ok(Host { name, engines, script })
    }

    /// What the engine at `engine` answers to `run`, of which one wants the name, the cycles and the experiment.
    pub fn measure(&mut self, engine: usize, run: &Value) -> Result<Answer> {
        let Some(script) = &mut self.script else { return self.engines[engine].measure(run) };
        let line = json!({ "module": engine, "name": run["name"], "cycles": run["cycles"], "experiment": run["experiment"] });
        script.ask(&line).with_context(|| format!("{}: {}", self.name, run["name"]))
    }
}

impl Script {
    fn start(name: &str, engines: &[Engine]) -> Result<Script> {
        let mut command = Command::new("node");
        command.current_dir(root()).arg("--no-warnings").arg(format!("benches/{name}.mjs"));
        command.args(engines.iter().map(|engine| &engine.module));
        if name == "chromium" {
            command.env("CHROMIUM_PATH", need::chromium()?);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let from = BufReader::new(child.stdout.take().context("it has no output")?).lines();
        Ok(Script { to: child.stdin.take(), from, child })
    }

    fn ask(&mut self, line: &Value) -> Result<Answer> {
        writeln!(self.to.as_ref().context("it has ended")?, "{line}")?;
        let answer: Value = serde_json::from_str(&self.from.next().context("it ended without an answer")??)?;
        Ok(match answer["error"].as_str() {
            Some(error) => Err(error.to_owned()),
            None => Ok(answer),
        })
    }
}

impl Drop for Script {
    /// Ends with its input.
    fn drop(&mut self) {
        self.to = None;
        let _ = self.child.wait();
    }
}
