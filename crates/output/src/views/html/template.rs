//! A page made of fixed parts and data. It is one file, and it loads nothing.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The frame around the sections of all pages, with marks for the other parts.
const FRAME: &str = include_str!("frame.html");

/// A section that its script fills in: the id, and the heading. The note and the body have ids made of that of the
/// section.
macro_rules! section {
    ($id:literal, $heading:literal) => {
        concat!(
            "  <section id=\"",
            $id,
            "\" aria-labelledby=\"h-",
            $id,
            "\">\n",
            "    <h2 id=\"h-",
            $id,
            "\">",
            $heading,
            "</h2>\n",
            "    <p class=\"note\" id=\"",
            $id,
            "-note\"></p>\n",
            "    <div id=\"",
            $id,
            "-body\"></div>\n  </section>\n",
        )
    };
}
pub(crate) use section;

/// The parts that are the same in every page of a kind.
pub struct Template {
    /// The option that makes such pages.
    pub option: &'static str,
    /// A noun for the page: "report", "graph".
    pub noun: &'static str,
    /// The links in the bar, unless the script makes them.
    pub navigation: &'static str,
    pub sections: &'static str,
    pub style: &'static str,
    pub script: &'static str,
}

impl Template {
    /// The page with this data.
    pub fn with(&self, data: &impl Serialize) -> String {
        let data = inert(&serde_json::to_string(data).unwrap_or_default());
        // The page may load nothing, and use only this script and this style.
        let policy = format!(
            "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
            hash(self.script),
            hash(self.style)
        );
        // In the order of their marks.
        let parts = [
            ("{{policy}}", policy.as_str()),
            ("{{option}}", self.option),
            ("{{style}}", self.style),
            ("{{noun}}", self.noun),
            ("{{navigation}}", self.navigation),
            ("{{noun}}", self.noun),
            ("{{sections}}", self.sections),
            ("{{data}}", &data),
            ("{{script}}", self.script),
        ];
        let fixed: usize = parts.iter().map(|(_, part)| part.len()).sum();
        let mut out = String::with_capacity(fixed + FRAME.len());
        let mut rest = FRAME;
        for (mark, part) in parts {
            // Inserted parts are not searched for marks.
            let Some((before, after)) = rest.split_once(mark) else { continue };
            out.push_str(before);
            out.push_str(part);
            rest = after;
        }
        out.push_str(rest);
        out
    }
}

/// JSON that cannot be taken for markup. The escaped characters occur only in its strings.
pub fn inert(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 16);
    let mut rest = json;
    while let Some(at) = rest.find(['<', '>', '&', '\u{2028}', '\u{2029}', '\u{7f}']) {
        out.push_str(&rest[..at]);
        let mut left = rest[at..].chars();
        if let Some(c) = left.next() {
            out.push_str(&format!("\\u{:04x}", c as u32));
        }
        rest = left.as_str();
    }
    out.push_str(rest);
    out
}

fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    #[test]
    fn nothing_ends_the_data() {
        let hostile = "</script><!--\u{2028}&amp;{{script}}";
        let json = inert(&serde_json::to_string(hostile).unwrap());
        assert!(!json.contains(['<', '>', '&', '\u{2028}']), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), hostile);
    }

    /// Every mark is replaced, and no part ends early.
    pub fn holds_together(template: &Template) {
        let page = template.with(&"the data");
        assert!(!page.contains("{{"), "{page}");
        for part in [template.option, template.sections, template.style, "\"the data\"", template.script] {
            assert!(page.contains(part), "{part}");
        }
        assert!(!template.style.contains("</") && !template.script.contains("</script"));
    }
}
