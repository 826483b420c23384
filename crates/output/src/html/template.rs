//! A page made of fixed parts and data. It is one file, and it loads nothing.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The parts that are the same in every page of a kind. `page` has the marks for the others.
pub struct Template {
    pub page: &'static str,
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
        let parts = [
            ("{{policy}}", policy.as_str()),
            ("{{style}}", self.style),
            ("{{data}}", &data),
            ("{{script}}", self.script),
        ];
        let fixed = self.page.len() + self.style.len() + self.script.len();
        let mut out = String::with_capacity(fixed + data.len() + 256);
        let mut rest = self.page;
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

    /// The marks are there once and in order, and no part ends early.
    pub fn holds_together(template: &Template) {
        let mut last = 0;
        for mark in ["{{policy}}", "{{style}}", "{{data}}", "{{script}}"] {
            assert_eq!(template.page.matches(mark).count(), 1, "{mark}");
            let at = template.page.find(mark).unwrap();
            assert!(at > last, "{mark}");
            last = at;
        }
        assert!(!template.style.contains("</") && !template.script.contains("</script"));
    }
}
