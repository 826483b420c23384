//! Pictures of terminals for the documents: text with colours (SGR sequences) becomes SVG.
//!
//! A picture shows a terminal with a dark background and a border, so it can stand on light and dark pages. The text of
//! the screen is in the picture as its description, too: for those who cannot see it, and for tests that compare it
//! with a screen.

use std::fmt::Write as _;

/// The look of a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellStyle {
    /// One of the sixteen colours, or the terminal's own.
    pub ink: Option<u8>,
    pub paper: Option<u8>,
    pub bold: bool,
    pub dim: bool,
    pub underlined: bool,
    pub reversed: bool,
}

/// The lines of a terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    lines: Vec<Vec<(char, CellStyle)>>,
}

/// The size of a character, in pixels.
const WIDTH: f64 = 8.4;
const HEIGHT: f64 = 18.0;
/// From the top of a line to the foot of its letters.
const ASCENT: f64 = 13.5;
const MARGIN: f64 = 14.0;
/// The title's line.
const TITLE: f64 = 30.0;

const INK: &str = "#d4d7dd";
const PAPER: &str = "#1b1e24";
/// The sixteen colours: dark ones with enough contrast to the background, and bright ones.
const COLORS: [&str; 16] = [
    "#43474f", "#f47067", "#6bc46d", "#daaa3f", "#6cb6ff", "#dcbdfb", "#56c2c0", "#c9cdd4", "#8b919b", "#ff938a",
    "#8ddb8c", "#eac55f", "#96d0ff", "#eedcff", "#7fe0dd", "#ffffff",
];

impl Picture {
    /// Reads text with SGR sequences. Others are left out.
    pub fn of(text: &str) -> Picture {
        let mut style = CellStyle::default();
        let lines = text.lines().map(|line| {
            let mut cells = Vec::new();
            let mut rest = line;
            while let Some(c) = rest.chars().next() {
                if let Some((codes, after)) = rest.strip_prefix("\x1b[").and_then(|sequence| sequence.split_once('m')) {
                    style.change(codes);
                    rest = after;
                    continue;
                }
                if !c.is_control() {
                    cells.push((c, style));
                }
                rest = &rest[c.len_utf8()..];
            }
            while cells.last().is_some_and(|(c, style)| *c == ' ' && *style == CellStyle::default()) {
                cells.pop();
            }
            cells
        });
        Picture { lines: lines.collect() }
    }

    /// The text of the lines, without blanks at their ends.
    pub fn text(&self) -> Vec<String> {
        let text =
            |line: &Vec<(char, CellStyle)>| line.iter().map(|(c, _)| c).collect::<String>().trim_end().to_owned();
        self.lines.iter().map(text).collect()
    }

    /// The look of the first place where a text stands.
    pub fn style_of(&self, text: &str) -> Option<CellStyle> {
        self.lines.iter().find_map(|line| {
            let all: String = line.iter().map(|(c, _)| c).collect();
            let at = all[..all.find(text)?].chars().count();
            line.get(at).map(|(_, style)| *style)
        })
    }

    /// The colours of the letters in the first line that ends with a text, from left to right.
    pub fn inks_of(&self, end: &str) -> Vec<u8> {
        let line = self.text().iter().position(|line| line.ends_with(end));
        let cells = line.and_then(|line| self.lines.get(line)).into_iter().flatten();
        let mut inks: Vec<u8> = cells.filter(|(c, _)| *c != ' ').filter_map(|(_, style)| style.ink).collect();
        inks.dedup();
        inks
    }

    /// The picture. `title` is the command above the screen.
    pub fn svg(&self, title: &str) -> String {
        let columns = self.lines.iter().map(Vec::len).max().unwrap_or(0).max(title.chars().count());
        let (width, height) =
            (columns as f64 * WIDTH + 2.0 * MARGIN, self.lines.len() as f64 * HEIGHT + TITLE + 2.0 * MARGIN);
        let mut out = String::new();
        let _ = writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">"
        );
        let _ = writeln!(out, "<title>{}</title>", escaped(title));
        let _ = writeln!(out, "<desc>\n{}\n</desc>", escaped(&self.text().join("\n")));
        let _ = writeln!(
            out,
            "<style>text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, 'DejaVu Sans Mono', Consolas, monospace; white-space: pre; fill: {INK} }} .b {{ font-weight: 700 }} .d {{ opacity: .6 }}</style>"
        );
        let _ = writeln!(
            out,
            "<rect x=\"0.5\" y=\"0.5\" width=\"{:.0}\" height=\"{:.0}\" rx=\"8\" fill=\"{PAPER}\" stroke=\"#6e7681\"/>",
            width - 1.0,
            height - 1.0
        );
        let _ = writeln!(out, "<path d=\"M1 {TITLE}H{:.0}\" stroke=\"#3a3f47\"/>", width - 1.0);
        let title_at = TITLE / 2.0 + 5.0;
        let _ = writeln!(out, "<text class=\"d\" x=\"{MARGIN}\" y=\"{title_at}\">{}</text>", escaped(title));
        for (y, line) in self.lines.iter().enumerate() {
            let top = TITLE + MARGIN + y as f64 * HEIGHT;
            let mut x = 0;
            while x < line.len() {
                let (first, style) = line[x];
                let same =
                    |(c, other): &(char, CellStyle)| *other == style && block(*c).is_some() == block(first).is_some();
                let length = line[x..].iter().take_while(|cell| same(cell)).count();
                let run: String = line[x..x + length].iter().map(|(c, _)| c).collect();
                style.draw(&run, MARGIN + x as f64 * WIDTH, top, &mut out);
                x += length;
            }
        }
        out.push_str("</svg>\n");
        out
    }
}

/// The lines of the screen that an SVG of [`Picture::svg`] shows.
pub fn text_of(svg: &str) -> Vec<String> {
    let text =
        svg.split_once("<desc>\n").and_then(|(_, rest)| rest.split_once("\n</desc>")).map_or("", |(text, _)| text);
    let plain =
        |line: &str| line.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    text.lines().map(plain).collect()
}

/// True if the pictures of the documents are to be made anew.
pub fn are_made_anew() -> bool {
    std::env::var_os("STRIDE_UPDATE_DOCS").is_some()
}

/// The lines of the screen in a picture of the documents (`docs/NAME`), which is replaced first if pictures are made
/// anew.
pub fn documented(name: &str, now: &str) -> Vec<String> {
    let path = crate::programs::root().join("docs").join(name);
    if are_made_anew() {
        std::fs::write(&path, now).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    text_of(&std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}; STRIDE_UPDATE_DOCS=1 makes it")))
}

impl CellStyle {
    /// The effect of the parameters of a sequence.
    fn change(&mut self, codes: &str) {
        let mut codes = codes.split([';', ':']).map(|code| code.parse::<u8>().unwrap_or(0));
        while let Some(code) = codes.next() {
            match code {
                0 => *self = CellStyle::default(),
                1 => self.bold = true,
                2 => self.dim = true,
                4 => self.underlined = true,
                7 => self.reversed = true,
                22 => (self.bold, self.dim) = (false, false),
                24 => self.underlined = false,
                27 => self.reversed = false,
                30..=37 => self.ink = Some(code - 30),
                38 | 48 => {
                    let of_palette = codes.next() == Some(5);
                    let color = codes.next().filter(|color| of_palette && *color < 16);
                    *(if code == 38 { &mut self.ink } else { &mut self.paper }) = color;
                }
                39 => self.ink = None,
                40..=47 => self.paper = Some(code - 40),
                49 => self.paper = None,
                90..=97 => self.ink = Some(code - 82),
                100..=107 => self.paper = Some(code - 92),
                _ => {}
            }
        }
    }

    fn draw(self, run: &str, x: f64, top: f64, out: &mut String) {
        let color = |color: Option<u8>| color.and_then(|color| COLORS.get(usize::from(color)).copied());
        let (mut ink, mut paper) = (color(self.ink).unwrap_or(INK), color(self.paper));
        if self.reversed {
            (ink, paper) = (paper.unwrap_or(PAPER), Some(ink));
        }
        let length = run.chars().count() as f64 * WIDTH;
        if let Some(paper) = paper {
            let _ = writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{length:.1}\" height=\"{HEIGHT}\" fill=\"{paper}\"/>"
            );
        }
        if self.underlined {
            let _ = writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"1\" fill=\"{ink}\"/>",
                top + ASCENT + 3.0
            );
        }
        if run.trim().is_empty() {
            return;
        }
        // Fonts disagree on the place of these characters.
        if run.chars().all(|c| block(c).is_some()) {
            for (i, eighths) in run.chars().filter_map(block).enumerate() {
                let tall = HEIGHT * f64::from(eighths) / 8.0;
                let _ = writeln!(
                    out,
                    "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{tall:.1}\" fill=\"{ink}\"/>",
                    x + i as f64 * WIDTH,
                    top + HEIGHT - tall,
                    WIDTH - 0.9
                );
            }
            return;
        }
        let class = match (self.bold, self.dim) {
            (false, false) => "",
            (true, false) => " class=\"b\"",
            (false, true) => " class=\"d\"",
            (true, true) => " class=\"b d\"",
        };
        let fill = if ink == INK { String::new() } else { format!(" style=\"fill:{ink}\"") };
        let _ = writeln!(
            out,
            "<text{class}{fill} x=\"{x:.1}\" y=\"{:.1}\" textLength=\"{length:.1}\" xml:space=\"preserve\">{}</text>",
            top + ASCENT,
            escaped(run)
        );
    }
}

/// The height of a block, in eighths of a line.
fn block(c: char) -> Option<u32> {
    ('\u{2581}'..='\u{2588}').contains(&c).then(|| c as u32 - 0x2580)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read() {
        let picture =
            Picture::of("a \x1b[1;31mb\x1b[38;5;6mc\x1b[0m <d>  \n\x1b[7mx  \x1b[27m  \x1b[2Jy\n\x1b[38;2;1;2;3mz");
        assert_eq!(picture.text()[0], "a bc <d>");
        let style = |text| picture.style_of(text).unwrap();
        let plain = CellStyle::default();
        assert_eq!(style("a"), plain);
        assert_eq!(style("b"), CellStyle { ink: Some(1), bold: true, ..plain });
        assert_eq!(style("c"), CellStyle { ink: Some(6), bold: true, ..plain });
        assert_eq!((style("<d>"), style("x").reversed), (plain, true));
        assert_eq!(picture.style_of("nothing"), None);
        assert_eq!(picture.inks_of(" <d>"), [1, 6]);
    }

    #[test]
    fn a_picture_has_its_text() {
        let text = "a <b> & \"c\" \u{2581}\u{2588}\n\n  \x1b[7mlast\x1b[0m";
        let svg = Picture::of(text).svg("$ x <y>");
        assert_eq!(text_of(&svg), ["a <b> & \"c\" \u{2581}\u{2588}", "", "  last"]);
        assert!(svg.contains("<title>$ x &lt;y&gt;</title>") && !svg.contains("<b>"));
        // The blocks are no characters of a font.
        assert_eq!(svg.matches('\u{2588}').count(), 1);
        assert_eq!(text_of("<svg/>"), [""; 0]);
    }
}
