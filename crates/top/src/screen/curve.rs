//! Curves of characters: one line high in a row, or several lines as a graph.

/// The characters of a curve, from the lowest to the highest. Nothing is a blank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurveGlyphs(&'static [char; 8]);

const BLOCKS: CurveGlyphs = CurveGlyphs(&['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']);
/// For terminals that show no other characters.
const ASCII: CurveGlyphs = CurveGlyphs(&['.', ':', '-', '=', '+', '*', '#', '@']);

impl Default for CurveGlyphs {
    fn default() -> CurveGlyphs {
        BLOCKS
    }
}

impl CurveGlyphs {
    /// Those for the character set of a locale (LC_ALL, LC_CTYPE or LANG).
    pub fn of_locale(locale: &str) -> CurveGlyphs {
        let locale = locale.to_ascii_lowercase();
        if locale.contains("utf-8") || locale.contains("utf8") { BLOCKS } else { ASCII }
    }

    /// The locale of this process.
    pub fn of_environment() -> CurveGlyphs {
        let given = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        CurveGlyphs::of_locale(&["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(given).unwrap_or_default())
    }

    /// The curve of some values, the last one at the right end.
    pub fn line(self, values: &[f64], width: usize) -> String {
        self.graph(values, width, 1).pop().unwrap_or_default()
    }

    /// The same with several lines, the highest first. The largest value has the full height, and no value but 0 has none.
    pub fn graph(self, values: &[f64], width: usize, height: usize) -> Vec<String> {
        let values = &values[values.len().saturating_sub(width)..];
        let most = values.iter().copied().fold(0.0, f64::max);
        let full = height * self.0.len();
        let level = |value: f64| match value {
            ..=0.0 => 0,
            _ => ((value / most * full as f64).round() as usize).clamp(1, full),
        };
        let blanks = " ".repeat(width.saturating_sub(values.len()));
        let line = |from_below: usize| {
            let glyph = |value: &f64| match level(*value).saturating_sub(from_below * self.0.len()) {
                0 => ' ',
                over => self.0[over.min(self.0.len()) - 1],
            };
            blanks.chars().chain(values.iter().map(glyph)).collect()
        };
        (0..height).rev().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves() {
        let line = |values: &[f64], width| BLOCKS.line(values, width);
        assert_eq!(line(&[0.0, 1.0, 4.0, 8.0], 6), "   ▁▄█");
        assert_eq!(line(&[5.0, 0.0, 3.0], 2), " █");
        assert_eq!(line(&[0.001, 1000.0], 2), "▁█");
        assert_eq!((line(&[], 2), line(&[0.0], 1), line(&[1.0], 0)), ("  ".into(), " ".into(), String::new()));
        assert_eq!(ASCII.line(&[0.0, 1.0, 8.0], 3), " .@");
        assert_eq!(BLOCKS.graph(&[16.0, 9.0, 1.0], 3, 2), ["█▁ ", "██▁"]);
        assert_eq!(BLOCKS.graph(&[1.0], 1, 0), [""; 0]);
    }

    #[test]
    fn locales() {
        for (locale, glyphs) in [("C.UTF-8", BLOCKS), ("de_DE.utf8", BLOCKS), ("C", ASCII), ("", ASCII)] {
            assert_eq!(CurveGlyphs::of_locale(locale), glyphs, "{locale}");
        }
    }
}
