//! Answers, bounded.
//!
//! An answer is a JSON object. Members that the server knows come first. All that comes from a traced program stands below `traced`, in lists of which as many
//! items are shown as there is room for. `left_out` tells how much is missing, and how to ask for the rest.

use crate::hostile::{escaped, harmless};
use serde_json::{Value, json};

pub const DEFAULT_BYTES: usize = 16 << 10;
/// An answer with less room would have no room for an item.
pub const LEAST_BYTES: usize = 2 << 10;

/// Longer texts within an item are cut.
const LONG_TEXT: usize = 2000;
/// The same where items must be short to be shown at all.
const SHORT_TEXT: usize = 200;
/// Room for a line of `left_out`.
const NOTE_BYTES: usize = 240;

#[derive(Default)]
pub struct ToolAnswer {
    head: Vec<(&'static str, Value)>,
    traced: Vec<(&'static str, Value)>,
    lists: Vec<AnswerList>,
}

/// A list of which an answer shows as much as there is room for.
pub struct AnswerList {
    name: &'static str,
    items: Vec<Value>,
    /// The place of the first item among all.
    offset: usize,
    /// The items that there are.
    of: usize,
    /// The items were not counted to the end.
    at_least: bool,
    more: More,
}

/// How to get the rest of a list.
pub enum More {
    /// Ask again, with the offset behind the last item.
    Offset,
    /// Do this.
    Otherwise(&'static str),
}

impl AnswerList {
    pub fn new(name: &'static str, items: Vec<Value>, more: More) -> AnswerList {
        AnswerList { name, of: items.len(), items, offset: 0, at_least: false, more }
    }

    /// The items are those from an offset on, among so many.
    pub fn among(mut self, offset: usize, of: usize, at_least: bool) -> AnswerList {
        (self.offset, self.of, self.at_least) = (offset, of, at_least);
        self
    }
}

impl ToolAnswer {
    /// A member that comes from the server or from the client.
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> ToolAnswer {
        self.head.push((name, value.into()));
        self
    }

    /// A member that comes from a traced program.
    pub fn traced(mut self, name: &'static str, value: impl Into<Value>) -> ToolAnswer {
        self.traced.push((name, value.into()));
        self
    }

    /// A list that comes from a traced program.
    pub fn list(mut self, list: AnswerList) -> ToolAnswer {
        self.lists.push(list);
        self
    }

    /// The text of the answer, of at most so many bytes.
    pub fn text(self, most: usize) -> String {
        let cut = |(name, value): (&'static str, Value)| (name, shortened(harmless(value), LONG_TEXT));
        let mut head: Vec<_> = self.head.into_iter().map(cut).collect();
        let mut traced: Vec<_> =
            self.traced.into_iter().map(cut).map(|(name, value)| (name, value.to_string())).collect();
        let frame: usize = head.iter().map(|(name, value)| name.len() + value.to_string().len() + 8).sum::<usize>()
            + traced.iter().map(|(name, value)| name.len() + value.len() + 8).sum::<usize>();
        let notes: usize = self.lists.iter().map(|list| NOTE_BYTES + list.name.len()).sum();
        let mut room = most.saturating_sub(frame + notes + 64);
        let mut left_out = serde_json::Map::new();
        for list in self.lists {
            let (lines, note) = list.within(&mut room);
            if let Some(note) = note {
                left_out.insert(list.name.to_owned(), note.into());
            }
            traced.push((list.name, lines));
        }
        if !left_out.is_empty() {
            head.push(("left_out", Value::Object(left_out)));
        }
        let mut members: Vec<String> = head.iter().map(|(name, value)| format!("{}: {value}", json!(name))).collect();
        if !traced.is_empty() {
            let inner: Vec<String> = traced.iter().map(|(name, value)| format!("  {}: {value}", json!(name))).collect();
            members.push(format!("\"traced\": {{\n{}\n}}", inner.join(",\n")));
        }
        format!("{{\n{}\n}}", members.join(",\n"))
    }
}

impl AnswerList {
    /// The items that fit, as JSON, and a note about the others.
    fn within(&self, room: &mut usize) -> (String, Option<String>) {
        let mut lines = Vec::new();
        for item in &self.items {
            let item = harmless(item.clone());
            let mut line = shortened(item.clone(), LONG_TEXT).to_string();
            if line.len() + 4 > *room && lines.is_empty() {
                line = shortened(item, SHORT_TEXT).to_string();
                if line.len() + 4 > *room {
                    line = json!(format!("an item of {} bytes, for which there is no room", line.len())).to_string();
                }
            } else if line.len() + 4 > *room {
                break;
            }
            *room = room.saturating_sub(line.len() + 4);
            lines.push(line);
        }
        let shown = lines.len();
        let rest = self.of.saturating_sub(self.offset + shown);
        let text = match lines.is_empty() {
            true => "[]".to_owned(),
            false => format!("[\n   {}\n  ]", lines.join(",\n   ")),
        };
        if rest == 0 && !self.at_least {
            return (text, None);
        }
        let how = match self.more {
            More::Offset => format!("ask again with offset={}", self.offset + shown),
            More::Otherwise(how) => how.to_owned(),
        };
        match self.at_least {
            true => (text, Some(format!("there are more than these {shown}; {how}"))),
            false => (text, Some(format!("{rest} of {} are not shown; {how}", self.of))),
        }
    }
}

/// Cuts long texts in a value, and says so at their ends.
fn shortened(value: Value, most: usize) -> Value {
    match value {
        Value::String(text) => Value::String(shortened_text(text, most)),
        Value::Array(items) => items.into_iter().map(|item| shortened(item, most)).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (name, shortened(value, most))).collect(),
        other => other,
    }
}

fn shortened_text(mut text: String, most: usize) -> String {
    if text.len() > most {
        let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let rest = text.len() - end;
        text.truncate(end);
        text.push_str(&format!("… ({rest} bytes more)"));
    }
    text
}

/// A text of Stride's own, bounded.
pub fn plain(text: &str, most: usize) -> String {
    shortened_text(escaped(text), most.saturating_sub(40))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(answer: ToolAnswer, most: usize) -> Value {
        let text = answer.text(most);
        assert!(text.len() <= most, "{} of {most}", text.len());
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn an_answer_says_how_much_is_left_out() {
        let items = (0..1000).map(|n| json!(format!("item {n} \u{1b}[2J"))).collect();
        let list = AnswerList::new("calls", items, More::Offset).among(7, 1007, false);
        let answer = parsed(ToolAnswer::default().with("recording", "r1").list(list), 4096);
        let shown = answer["traced"]["calls"].as_array().unwrap();
        assert_eq!(shown[0], "item 0 \\u{1b}[2J");
        let note = format!("{} of 1007 are not shown; ask again with offset={}", 1000 - shown.len(), 7 + shown.len());
        assert_eq!(answer["left_out"]["calls"], note.as_str());
    }

    #[test]
    fn an_item_that_is_too_long_does_not_stop_the_list() {
        let long: Vec<Value> = (0..100).map(|_| json!("x".repeat(1900))).collect();
        let list = AnswerList::new("calls", vec![json!(long), json!("second")], More::Offset);
        let answer = parsed(ToolAnswer::default().list(list), 2048);
        assert!(answer["traced"]["calls"][0].as_str().unwrap().contains("no room"));
        assert_eq!(answer["traced"]["calls"][1], "second");
    }

    #[test]
    fn all_fits() {
        let answer = parsed(ToolAnswer::default().list(AnswerList::new("calls", vec![json!(1)], More::Offset)), 2048);
        assert_eq!(answer, json!({"traced": {"calls": [1]}}));
    }
}
