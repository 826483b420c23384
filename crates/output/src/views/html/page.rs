//! The page around the data.

use super::data;
use super::template::{Template, section};

const TEMPLATE: Template = Template {
    option: "--html",
    noun: "report",
    navigation: "",
    sections: concat!(
        include_str!("sections.html"),
        section!("calls", "Calls"),
        section!("latency", "Latency"),
        section!("files", "Files and sockets"),
        section!("errors", "Errors"),
        section!("slowest", "Slowest calls"),
        section!("library", "Library calls"),
        section!("processes", "Processes"),
    ),
    style: concat!(
        include_str!("css/base.css"),
        include_str!("css/bar.css"),
        include_str!("css/sections.css"),
        include_str!("css/tables.css"),
        include_str!("css/latency.css"),
        include_str!("css/timeline.css"),
        include_str!("css/findings.css"),
        include_str!("css/media.css"),
    ),
    script: concat!(
        include_str!("js/base.js"),
        include_str!("js/quantity.js"),
        include_str!("js/tables.js"),
        include_str!("js/scheme.js"),
        include_str!("js/stacks.js"),
        include_str!("js/latency.js"),
        include_str!("js/timeline-data.js"),
        include_str!("js/timeline-states.js"),
        include_str!("js/timeline-paint.js"),
        include_str!("js/timeline-spots.js"),
        include_str!("js/timeline-input.js"),
        include_str!("js/timeline.js"),
        include_str!("js/findings.js"),
        include_str!("js/page.js")
    ),
};

/// The largest page, in bytes.
pub const MOST: usize = 4_900_000;

pub fn render(page: &mut data::PageData) -> String {
    let out = TEMPLATE.with(page);
    let Some(mut excess) = out.len().checked_sub(MOST) else { return out };
    // Texts take most of the room. Those of the longest calls come first, so they are dropped last.
    while excess > 0
        && let Some(text) = page.texts.pop()
    {
        excess = excess.saturating_sub(text.len());
    }
    TEMPLATE.with(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_fit() {
        crate::views::html::template::tests::holds_together(&TEMPLATE);
    }
}
