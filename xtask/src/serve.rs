//! `cargo xtask serve`: builds the page and serves it on this machine alone, with web/serve.mjs.

use crate::run::root;
use crate::{need, page, wasm};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::io::{IsTerminal, stderr};
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// What is served beside the page: an example of an article with figures in it.
const ARTICLE: &str = "examples/article/";

/// Builds (unless told not to) and serves until the process is ended.
pub fn serve(port: u16, build: bool) -> Result<()> {
    // Before the build, so that a port in use is said at once.
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    drop(free.with_context(|| format!("port {port} cannot be used; choose another with `cargo xtask serve --port N`"))?);
    if !build {
        let there = root().join("web/dist/index.html").is_file();
        ensure!(there, "web/dist has no page yet: run `cargo xtask dist`, or serve without --no-build");
        need::packages()?;
        return start(port)?.ends();
    }
    page::needs()?;
    let began = Instant::now();
    let packages = thread::spawn(need::packages);
    step(1, 3, "the simulator as WebAssembly (minutes the first time, then seconds)", || {
        wasm::build("corun", wasm::Built::Quickly)?;
        wasm::build(wasm::IMPORT, wasm::Built::Quickly)
    })?;
    let scripts = wasm::place().join("corun_script_bg.wasm");
    if !scripts.is_file() {
        // Until the module that runs scripts is there, the plain one stands in: it says that it cannot.
        wasm::stand_in()?;
    }
    packages.join().map_err(|_| anyhow::anyhow!("the page's packages could not be installed"))??;
    step(2, 3, "the page", || page::bundle(&["--logLevel", "warn"]))?;
    eprintln!("Built in {:.0} s.", began.elapsed().as_secs_f64());
    let server = start(port)?;
    let before = fs::read(&scripts).ok();
    step(3, 3, "the same with the interpreter of scripts; the page is there meanwhile", || {
        wasm::build("corun_script", wasm::Built::Quickly)
    })?;
    if fs::read(&scripts).ok() != before {
        // Nothing is deleted: a page that is open may still ask for the files that it began with.
        page::bundle(&["--logLevel", "warn", "--emptyOutDir", "false"])?;
        eprintln!("Experiments with scripts run too, in pages that are opened from now on.");
    }
    server.ends()
}

/// The server. It ends when its standard input does, and so with this process, however that ends.
struct Server {
    child: Child,
    _input: Option<ChildStdin>,
}

/// Starts the server, which says its address.
fn start(port: u16) -> Result<Server> {
    let mut command = Command::new("node");
    command.current_dir(root().join("web")).args(["serve.mjs", &port.to_string(), ARTICLE]).stdin(Stdio::piped());
    let mut child = command.spawn().context("cannot start node")?;
    // Waiting for a child closes its input, unless that is somebody else's.
    Ok(Server { _input: child.stdin.take(), child })
}

impl Server {
    /// Waits for its end.
    fn ends(mut self) -> Result<()> {
        let status = self.child.wait()?;
        ensure!(status.success() || status.code().is_none(), "the server ended with {status}");
        Ok(())
    }
}

/// Says what is done, does it, and says how long that took. Where no terminal shows cargo's bar, a line every ten seconds says that it goes on.
fn step(number: u32, of: u32, what: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    eprintln!("Step {number} of {of}: {what}");
    let began = Instant::now();
    let (done, ended) = mpsc::channel::<()>();
    let beat = thread::spawn(move || {
        while ended.recv_timeout(Duration::from_secs(10)) == Err(RecvTimeoutError::Timeout) {
            if !stderr().is_terminal() {
                eprintln!("Step {number} of {of}: {:.0} s so far", began.elapsed().as_secs_f64());
            }
        }
    });
    let outcome = work();
    drop(done);
    let _ = beat.join();
    outcome?;
    eprintln!("Step {number} of {of} took {:.1} s", began.elapsed().as_secs_f64());
    Ok(())
}
