//! The page around the data. It is one file, and it loads nothing.

use super::data;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = concat!(
    include_str!("css/base.css"),
    include_str!("css/bar.css"),
    include_str!("css/sections.css"),
    include_str!("css/tables.css"),
    include_str!("css/latency.css"),
    include_str!("css/timeline.css"),
    include_str!("css/media.css"),
);
const SCRIPT: &str = concat!(
    include_str!("js/base.js"),
    include_str!("js/quantity.js"),
    include_str!("js/tables.js"),
    include_str!("js/latency.js"),
    include_str!("js/timeline-data.js"),
    include_str!("js/timeline-paint.js"),
    include_str!("js/timeline-spots.js"),
    include_str!("js/timeline-input.js"),
    include_str!("js/timeline.js"),
    include_str!("js/page.js")
);

/// The largest page, in bytes.
const MOST: usize = 4_900_000;

pub fn render(page: &mut data::PageData) -> String {
    let out = whole(page);
    let Some(mut excess) = out.len().checked_sub(MOST) else { return out };
    // Texts take most of the room. Those of the longest calls come first, so they are dropped last.
    while excess > 0
        && let Some(text) = page.texts.pop()
    {
        excess = excess.saturating_sub(text.len());
    }
    whole(page)
}

fn whole(page: &data::PageData) -> String {
    let data = inert(&serde_json::to_string(page).unwrap_or_default());
    // The page may load nothing, and use only this script and this style.
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    );
    let parts = [("{{policy}}", policy.as_str()), ("{{style}}", STYLE), ("{{data}}", &data), ("{{script}}", SCRIPT)];
    let mut out = String::with_capacity(PAGE.len() + STYLE.len() + SCRIPT.len() + data.len() + 256);
    let mut rest = PAGE;
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
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_the_data() {
        let hostile = "</script><!--\u{2028}&amp;{{script}}";
        let json = inert(&serde_json::to_string(hostile).unwrap());
        assert!(!json.contains(['<', '>', '&', '\u{2028}']), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), hostile);
    }

    #[test]
    fn marks_are_there_once_and_in_order() {
        let mut last = 0;
        for mark in ["{{policy}}", "{{style}}", "{{data}}", "{{script}}"] {
            assert_eq!(PAGE.matches(mark).count(), 1, "{mark}");
            let at = PAGE.find(mark).unwrap();
            assert!(at > last, "{mark}");
            last = at;
        }
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</script"));
    }
}
