//! A static web server for web/dist on this machine only: GET and HEAD, one thread for each connection.

use crate::page::{self, gzip};
use crate::run::root;
use anyhow::{Context, Result};
use flate2::Compression;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// Request lines and headers longer than this are refused.
const LONGEST_HEAD: u64 = 64 * 1024;

/// Builds (unless told not to) and serves until the process is ended.
pub fn serve(port: u16, build: bool) -> Result<()> {
    // Taken before the build, so that a port in use is said at once.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .with_context(|| format!("port {port} cannot be used; choose another with `cargo xtask serve --port N`"))?;
    if build {
        page::build()?;
    }
    let dist = root().join("web/dist");
    anyhow::ensure!(dist.join("index.html").is_file(), "web/dist has no page yet: run `cargo xtask dist`, or serve without --no-build");
    let address = listener.local_addr()?;
    println!("\nCorun is at http://{address}/  (Ctrl-C ends); an article with figures is at http://{address}/{ARTICLE}/");
    for stream in listener.incoming().flatten() {
        let dist = dist.clone();
        std::thread::spawn(move || {
            // A visitor that goes away in the middle is no concern of the others.
            let _ = answer(stream, &dist);
        });
    }
    Ok(())
}

fn answer(mut stream: TcpStream, dist: &Path) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut reader = BufReader::new(stream.try_clone()?.take(LONGEST_HEAD));
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let (mut header, mut packs) = (String::new(), false);
    while reader.read_line(&mut header)? > 2 {
        packs |= takes_gzip(&header);
        header.clear();
    }
    let mut words = request.split_whitespace();
    let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or("/"));
    let (status, kind, body) = match (method, file_for(dist, target)) {
        ("GET" | "HEAD", Some(file)) => match std::fs::read(&file) {
            Ok(bytes) => ("200 OK", kind_of(&file), bytes),
            Err(_) => ("404 Not Found", "text/plain", b"There is no such file.\n".to_vec()),
        },
        ("GET" | "HEAD", None) => ("404 Not Found", "text/plain", b"There is no such file.\n".to_vec()),
        _ => ("405 Method Not Allowed", "text/plain", b"Only GET and HEAD.\n".to_vec()),
    };
    let packed = packs && packable(kind);
    let (body, encoding) = if packed { (gzip(&body, Compression::fast())?, "Content-Encoding: gzip\r\n") } else { (body, "") };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{encoding}Vary: Accept-Encoding\r\nCache-Control: no-cache\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    )?;
    if method != "HEAD" {
        stream.write_all(&body)?;
    }
    stream.flush()
}

/// Whether a line of a request's head says that gzip may come back.
fn takes_gzip(header: &str) -> bool {
    let Some((name, value)) = header.split_once(':') else { return false };
    let gzip = |one: &str| {
        let (coding, quality) = one.split_once(';').unwrap_or((one, ""));
        coding.trim().eq_ignore_ascii_case("gzip") && !matches!(quality.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000")
    };
    name.eq_ignore_ascii_case("accept-encoding") && value.split(',').any(gzip)
}

/// Pictures of pixels and fonts are packed as they are.
fn packable(kind: &str) -> bool {
    kind.starts_with("text/") || matches!(kind, "application/json" | "application/wasm" | "image/svg+xml")
}

/// What is served beside the page: an example of an article with figures in it.
const ARTICLE: &str = "examples/article";

/// The file that a request's target names, if it stays inside `dist` or is of the example article.
fn file_for(dist: &Path, target: &str) -> Option<PathBuf> {
    let path = decoded(target.split(['?', '#']).next()?)?;
    let inside = Path::new(path.trim_start_matches('/'));
    if !inside.components().all(|c| matches!(c, Component::Normal(_))) {
        return None;
    }
    let file = if inside.starts_with(ARTICLE) { root().join(inside) } else { dist.join(inside) };
    Some(if file.is_dir() { file.join("index.html") } else { file })
}

/// The text with its %xx replaced; nothing if that is not text.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |b: Option<u8>| char::from(b?).to_digit(16);
                u8::try_from(digit(rest.next())? * 16 + digit(rest.next())?).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok().filter(|p| !p.contains('\0'))
}

fn kind_of(file: &Path) -> &'static str {
    match file.extension().and_then(|e| e.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "webmanifest") => "application/json",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the server answers to a request of these lines: its head and its body.
    fn asked(lines: &str) -> (String, Vec<u8>) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let mut client = TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
        let (stream, _) = listener.accept().expect("a visitor");
        client.write_all(format!("{lines}\r\n\r\n").as_bytes()).expect("a request");
        answer(stream, &root().join("web/public")).expect("an answer");
        let mut all = Vec::new();
        client.read_to_end(&mut all).expect("all of it");
        let end = all.windows(4).position(|w| w == b"\r\n\r\n").expect("a head");
        (String::from_utf8(all[..end].to_vec()).expect("text"), all[end + 4..].to_vec())
    }

    #[test]
    fn text_is_packed_for_who_takes_it() {
        let file = std::fs::read(root().join("web/public/icon.svg")).expect("the icon");
        let (head, body) = asked("GET /icon.svg HTTP/1.1\r\naccept-encoding: br, gzip;q=0.8");
        assert!(head.contains("Content-Encoding: gzip") && head.contains("Vary: Accept-Encoding"), "{head}");
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(&body[..]).read_to_end(&mut plain).expect("gzip");
        assert_eq!(plain, file);
        for refuses in ["", "\r\nAccept-Encoding: br", "\r\nAccept-Encoding: gzip;q=0", "\r\nX-Accept-Encoding: gzip"] {
            let (head, body) = asked(&format!("GET /icon.svg HTTP/1.1{refuses}"));
            assert!(!head.contains("Content-Encoding") && body == file, "{refuses:?}: {head}");
        }
        // What is packed already is left alone; browsers ask for this one unasked.
        let (head, body) = asked("GET /favicon.ico HTTP/1.1\r\nAccept-Encoding: gzip");
        assert!(head.starts_with("HTTP/1.1 200") && head.contains("image/x-icon") && !head.contains("Content-Encoding"), "{head}");
        assert_eq!(body[..4], [0, 0, 1, 0], "an icon");
    }

    #[test]
    fn stays_inside_the_folder() {
        let dist = Path::new("/no/such/dist");
        assert_eq!(file_for(dist, "/assets/a.js?x=1"), Some(dist.join("assets/a.js")));
        assert_eq!(file_for(dist, "/a%20b.js"), Some(dist.join("a b.js")));
        for bad in ["/../etc/passwd", "/%2e%2e/etc/passwd", "/a/../../b", "/%zz", "/a%00b", "/%", "/.."] {
            assert_eq!(file_for(dist, bad), None, "{bad}");
        }
        assert_eq!(file_for(dist, "//etc/passwd"), Some(dist.join("etc/passwd")));
        assert_eq!(file_for(dist, "/examples/article/"), Some(root().join("examples/article/index.html")));
        assert_eq!(file_for(dist, "/examples/article/../../Cargo.toml"), None);
        assert_eq!(file_for(dist, "/examples/experiments"), Some(dist.join("examples/experiments")));
    }
}
