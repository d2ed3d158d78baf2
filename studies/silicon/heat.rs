//! Slowdowns of pairs as a drawing, measured beside simulated: the darker, the slower.

use super::{Cell, names};
use std::fmt::Write as _;

/// A slowdown of a pair.
type Slowdown = fn(&Cell) -> f64;

/// Side of a cell of the drawing, and what the names beside it take.
const SIDE: usize = 42;
const NAMES: usize = 80;

/// Both matrices as SVG. Kernels that are not simulated are left out.
pub(super) fn drawn(cells: &[Cell]) -> String {
    let cells: Vec<&Cell> = cells.iter().filter(|cell| cell.simulated.is_some()).collect();
    let names = names(cells.iter().copied());
    let (width, height) = (2 * (NAMES + names.len() * SIDE) + 10, 60 + names.len() * SIDE);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    let parts: [(&str, Slowdown); 2] = [("measured", |cell| cell.measured), ("simulated", |cell| cell.simulated.unwrap_or(1.0))];
    for (part, (title, value)) in parts.into_iter().enumerate() {
        let left = part * (NAMES + names.len() * SIDE + 10) + NAMES;
        let mut say = |x: usize, y: usize, anchor: &str, fill: &str, text: &str| {
            let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"{fill}\">{text}</text>");
        };
        say(left, 16, "start", "#222", &format!("{title}: slowdown of a row beside a column"));
        for (at, name) in names.iter().enumerate() {
            say(left - 6, 60 + at * SIDE + SIDE / 2, "end", "#222", name);
            say(left + at * SIDE + SIDE / 2, if at % 2 == 0 { 34 } else { 48 }, "middle", "#222", name);
        }
        for cell in &cells {
            let at = |name: &str| names.iter().position(|of| *of == name).unwrap_or(0);
            let (x, y, slowdown) = (left + at(&cell.beside) * SIDE, 54 + at(&cell.kernel) * SIDE, value(cell));
            // White to dark red, over the logarithm from 1 to 32.
            let depth = (slowdown.max(1.0).ln() / 32_f64.ln()).min(1.0);
            let of = |from: f64, to: f64| (from + depth * (to - from)).round() as u8;
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"rgb({},{},{})\" stroke=\"#fff\"/>",
                of(245.0, 130.0),
                of(242.0, 20.0),
                of(238.0, 30.0)
            );
            let digits = if slowdown < 10.0 { format!("{slowdown:.2}") } else { format!("{slowdown:.0}") };
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"{}\">{digits}</text>",
                x + SIDE / 2,
                y + SIDE / 2 + 4,
                if depth > 0.55 { "#fff" } else { "#222" }
            );
        }
    }
    svg + "</svg>\n"
}
