//! The commands of the README, run as they stand: a fence marked `sh` ends by itself; one marked `sh server` is started, asked for its page, and
//! ended. `xtask/words/numbers` follows the README and the lessons with the runner alone; `with_others` has what needs more.

use crate::page::files;
use crate::run::{root, target_dir, watch};
use crate::test::Count;
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// One command of the README.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    command: String,
    server: bool,
}

/// Runs every command of README.md.
pub fn commands(count: &mut Count) -> Result<()> {
    let lines = lines(&std::fs::read_to_string(root().join("README.md"))?);
    ensure!(!lines.is_empty(), "README.md has no fence marked `sh`");
    let mut failed = Vec::new();
    for line in &lines {
        println!("$ {}", line.command);
        // This command is what runs now; started again, it would never end.
        if line.command.starts_with("cargo xtask test") {
            println!("  (running now)");
            continue;
        }
        let outcome = if line.server { serves(&line.command) } else { ends(&line.command) };
        match outcome {
            Ok(()) => count.passed += 1,
            Err(error) => {
                println!("  {error:#}");
                count.failed += 1;
                failed.push(line.command.as_str());
            }
        }
    }
    ensure!(failed.is_empty(), "of the README's commands, these fail: {}", failed.join("; "));
    Ok(())
}

/// Follows the how-tos that need a program of others, each in an empty folder: a fence marked `file=NAME` is a file, one marked `sh` is run with
/// the programs of `folders` at hand. One marked `sh needs=PROGRAM` is only run where there is such a program; returns those that are missing.
pub fn with_others(folders: Vec<PathBuf>, count: &mut Count) -> Result<BTreeSet<String>> {
    let path: Vec<PathBuf> = folders.into_iter().chain(std::env::var_os("PATH").iter().flat_map(std::env::split_paths)).collect();
    let mut missing = BTreeSet::new();
    let has = |program: &str| path.iter().any(|folder| folder.join(program).is_file());
    let path_list = std::env::join_paths(&path)?;
    for page in files(&root().join("docs/how-to"))? {
        let text = std::fs::read_to_string(&page)?;
        if !fences(&text).iter().any(|(info, _)| info.iter().any(|word| word.starts_with("needs="))) {
            continue;
        }
        let folder = target_dir().join("with-others").join(page.file_stem().unwrap_or_default());
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        write_files(&text, &folder)?;
        for (info, body) in fences(&text) {
            match &info[..] {
                ["sh"] => {}
                ["sh", "elsewhere" | "server"] => continue,
                ["sh", run] if run.starts_with("run=") => {}
                ["sh", needs] => match needs.strip_prefix("needs=") {
                    Some(program) if has(program) => {}
                    Some(program) => {
                        missing.insert(program.to_owned());
                        continue;
                    }
                    None => bail!("{}: what is `sh {needs}`?", page.display()),
                },
                _ => continue,
            }
            let step = Command::new("sh").args(["-ec", &body]).current_dir(&folder).env("PATH", &path_list).output()?;
            ensure!(step.status.success(), "{}:\n{body}{}", page.display(), String::from_utf8_lossy(&step.stderr));
            count.passed += 1;
        }
    }
    ensure!(count.passed > 0, "no how-to needs a program of others");
    Ok(missing)
}

/// Writes the files of a page into a folder: of a fence marked `file=NAME`, what is in it.
pub fn write_files(page: &str, folder: &Path) -> Result<()> {
    for (info, body) in fences(page) {
        if let Some(name) = info.iter().find_map(|word| word.strip_prefix("file=")) {
            std::fs::write(folder.join(name), body)?;
        }
    }
    Ok(())
}

/// The fences of a Markdown text: the words behind the marks, and the lines between them.
fn fences(text: &str) -> Vec<(Vec<&str>, String)> {
    let (mut found, mut open) = (Vec::new(), None::<(Vec<&str>, String)>);
    for line in text.lines() {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(info), None) => open = Some((info.split_whitespace().collect(), String::new())),
            (Some(_), Some(_)) => found.extend(open.take()),
            (None, Some((_, body))) => body.extend([line, "\n"]),
            (None, None) => {}
        }
    }
    found
}

/// The commands in the fences marked `sh`, without comments.
fn lines(text: &str) -> Vec<Line> {
    let mut found = Vec::new();
    for (info, body) in fences(text).iter().filter(|(info, _)| info.first() == Some(&"sh")) {
        let server = info.get(1) == Some(&"server");
        let commands = body.lines().filter_map(|line| line.split(" #").next()).map(str::trim);
        found.extend(commands.filter(|c| !c.is_empty() && !c.starts_with('#')).map(|c| Line { command: c.to_owned(), server }));
    }
    found
}

/// The runner is not optimised as a whole here: the page's modules are, and that takes longer than all commands together.
fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.current_dir(root()).args(["-c", command]);
    shell.envs([("CARGO_PROFILE_RELEASE_LTO", "off"), ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")]);
    shell
}

/// The command ends with status 0.
fn ends(command: &str) -> Result<()> {
    // Output is shown only where it helps: a few lines.
    let mut shown = 0;
    let mut child = shell(command);
    let ok = watch(&mut child, |_| shown += 1)?;
    ensure!(ok, "`{command}` failed");
    Ok(())
}

/// The command, on a free port, answers with a page.
fn serves(command: &str) -> Result<()> {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    // `exec`, so that ending the shell ends the server.
    let mut child = shell(&format!("exec {command} --port {port}")).stdin(Stdio::null()).spawn()?;
    let page = wait_for_page(&mut child, port);
    let _ = child.kill();
    let _ = child.wait();
    page.with_context(|| format!("`{command}` does not serve its page"))
}

fn wait_for_page(child: &mut Child, port: u16) -> Result<()> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(600) {
        if let Some(status) = child.try_wait()? {
            bail!("it ended with {status}");
        }
        if let Some(answer) = get(port) {
            ensure!(answer.starts_with("HTTP/1.1 200"), "it answers {:?}", answer.lines().next().unwrap_or(""));
            ensure!(answer.contains("<html"), "it answers without a page");
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(300));
    }
    bail!("no answer in ten minutes")
}

fn get(port: u16) -> Option<String> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()?;
    // The port is open while the page is still being built: an answer may take a while.
    stream.set_read_timeout(Some(Duration::from_secs(2))).ok()?;
    // The server answers to its own names alone.
    stream.write_all(format!("GET / HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n").as_bytes()).ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    Some(String::from_utf8_lossy(&answer).into_owned()).filter(|a| !a.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_commands() {
        let text = "x\n```sh\n# a comment\ncargo a   # why\n\ncargo b\n```\n```json\n{}\n```\n```sh server\ncargo c\n```\n";
        let want = [("cargo a", false), ("cargo b", false), ("cargo c", true)];
        let want: Vec<Line> = want.iter().map(|&(c, server)| Line { command: c.to_owned(), server }).collect();
        assert_eq!(lines(text), want);
    }
}
