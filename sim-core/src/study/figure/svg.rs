//! Writing SVG: escaped text, short numbers, one class for each look. Colours are the page's variables, or else a light and a dark set of
//! its own, so that the same text is right inline on the page and as a file of its own.

use alloc::format;
use alloc::string::{String, ToString};

/// Series colours, light and dark: Okabe and Ito's, distinguishable with any common colour-vision deficiency. The page's kernels have the same.
const COLOURS: [(&str, &str); 8] = [
    ("#0072b2", "#3d9bd6"),
    ("#e69f00", "#f0b429"),
    ("#009e73", "#22b98b"),
    ("#cc79a7", "#d98fb8"),
    ("#56b4e9", "#7cc8f2"),
    ("#d55e00", "#ee7a2b"),
    ("#b8ab10", "#f0e442"),
    ("#4d4d4d", "#b8b8b8"),
];

/// The class of a series' colour.
pub fn colour(series: usize) -> String {
    format!("c{}", series % COLOURS.len())
}

/// SVG text as it grows.
#[derive(Debug)]
pub struct Svg(String);

impl Svg {
    /// Opens a picture of `width` × `height` pixels with a name for screen readers.
    pub fn new(width: f64, height: f64, title: &str) -> Svg {
        let (width, height) = (plain(width, 0), plain(height, 0));
        let mut svg = Svg(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"corun-figure\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             role=\"img\" aria-label=\"{}\">\n",
            escaped(title)
        ));
        svg.style();
        svg
    }

    /// The looks. Every selector begins with the figure's class: inline, a style sheet holds for the whole page.
    fn style(&mut self) {
        let mut light = String::from("--ff:#1a2029;--fg:#d5dae1;--fb:#ffffff");
        let mut dark = String::from("--ff:#e7ebf0;--fg:#3a424d;--fb:#0e1217");
        let mut rules = String::new();
        for (i, (on_light, on_dark)) in COLOURS.iter().enumerate() {
            light += &format!(";--f{i}:{on_light}");
            dark += &format!(";--f{i}:{on_dark}");
            rules += &format!(".corun-figure .c{i}{{fill:var(--f{i});stroke:var(--f{i})}}");
        }
        self.0 += &format!(
            "<style>.corun-figure{{{light};color:var(--ink,var(--ff));max-width:100%;height:auto;\
             font:12px var(--font,system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif);font-variant-numeric:tabular-nums}}\
             @media(prefers-color-scheme:dark){{.corun-figure{{{dark}}}}}\
             :root[data-theme=dark] .corun-figure{{{dark}}}:root[data-theme=light] .corun-figure{{{light}}}\
             .corun-figure text{{fill:currentColor}}.corun-figure .small{{font-size:11px}}.corun-figure .title{{font-size:14px;font-weight:600}}\
             .corun-figure .grid{{stroke:var(--line,var(--fg));stroke-width:1}}.corun-figure .axis{{stroke:currentColor;stroke-width:1}}\
             {rules}.corun-figure .bar{{stroke:none}}.corun-figure .line{{fill:none;stroke-width:1.75;stroke-linejoin:round}}\
             .corun-figure .hit{{fill:transparent;stroke:none}}\
             .corun-figure .paper{{fill:var(--surface,var(--fb));fill-opacity:.85;stroke:currentColor;stroke-width:1.5}}</style>\n"
        );
    }

    /// Text at a place; `anchor` is `start`, `middle` or `end`.
    pub fn text(&mut self, (x, y): (f64, f64), anchor: &str, class: &str, text: &str) {
        self.0 += &format!("<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\" class=\"{class}\">{}</text>\n", at(x), at(y), escaped(text));
    }

    /// Text that leans, and ends at a place.
    pub fn leaning(&mut self, (x, y): (f64, f64), degrees: i32, anchor: &str, class: &str, text: &str) {
        let (x, y) = (at(x), at(y));
        self.0 += &format!(
            "<text x=\"{x}\" y=\"{y}\" transform=\"rotate({degrees} {x} {y})\" text-anchor=\"{anchor}\" class=\"{class}\">{}</text>\n",
            escaped(text)
        );
    }

    /// A straight line.
    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        self.0 += &format!("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{class}\"/>\n", at(x1), at(y1), at(x2), at(y2));
    }

    /// A line through points.
    pub fn path(&mut self, points: &[(f64, f64)], class: &str) {
        let places: String =
            points.iter().enumerate().map(|(i, (x, y))| format!("{}{} {}", if i == 0 { "M" } else { "L" }, at(*x), at(*y))).collect();
        self.0 += &format!("<path d=\"{places}\" class=\"{class}\"/>\n");
    }

    /// A swatch of the legend.
    pub fn swatch(&mut self, (x, y): (f64, f64), class: &str) {
        self.0 += &format!("<rect x=\"{}\" y=\"{}\" width=\"10\" height=\"10\" rx=\"2\" class=\"{class}\"/>\n", at(x), at(y));
    }

    /// A bar that stands for a point.
    pub fn bar(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), class: &str, point: usize, says: &str) {
        self.0 += &format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"bar {class}\" data-point=\"{point}\"><title>{}</title></rect>\n",
            at(x),
            at(y),
            at(width.max(0.5)),
            at(height.max(0.5)),
            escaped(says)
        );
    }

    /// A round mark that stands for a point.
    pub fn dot(&mut self, (x, y): (f64, f64), radius: f64, class: &str, point: usize, says: &str) {
        self.0 += &format!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"{class}\" data-point=\"{point}\"><title>{}</title></circle>\n",
            at(x),
            at(y),
            at(radius),
            escaped(says)
        );
    }

    /// The paper's value: a hollow diamond.
    pub fn paper(&mut self, (x, y): (f64, f64)) {
        self.0 += &format!("<path d=\"M{} {}l4 4l-4 4l-4 -4z\" class=\"paper\"/>\n", at(x), at(y - 4.0));
    }

    /// The whole.
    pub fn finish(mut self) -> String {
        self.0 += "</svg>\n";
        self.0
    }
}

/// A coordinate, to a tenth of a pixel.
fn at(x: f64) -> String {
    plain(x, 1)
}

/// A number with at most so many decimals, without zeros at the end.
pub fn plain(x: f64, decimals: usize) -> String {
    let text = format!("{x:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text };
    if text == "-0" { "0".to_string() } else { text }
}

/// A number with three or four digits that count.
pub fn short(x: f64) -> String {
    let decimals = match x.abs() {
        x if x >= 1000.0 => 0,
        x if x >= 100.0 => 1,
        x if x >= 10.0 => 2,
        x if x >= 0.1 || x == 0.0 => 3,
        _ => 5,
    };
    plain(x, decimals)
}

/// About how wide text is, in pixels: system fonts' letters are about 0.56 of their size.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.56
}

/// Text that is safe in an element and in an attribute.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
