//! Reports in Markdown, as GitHub and GitLab read it.
//!
//! Names come from the traced program. So every character that could be markup is written as its number, and names are
//! code, in which nobody is mentioned (`@name`).

use std::fmt::Write;

/// The text, of which nothing is taken as markup.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '<' | '>' | '|' | '`' | '*' | '_' | '[' | ']' | '~' | '\\' | '#' | '@' | '$' | '!' => {
                let _ = write!(out, "&#{};", c as u32);
            }
            // A line of its own could begin a list or a heading.
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// The text as code.
pub fn code(text: &str) -> String {
    format!("<code>{}</code>", plain(text))
}

/// A table. Cells are Markdown. Columns whose head begins with a blank are numbers, and stand on the right.
pub fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &mut dyn Iterator<Item = String>| format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
    let mut out = line(&mut heads.iter().map(|head| head.trim_start().to_owned()));
    out += &line(&mut heads.iter().map(|head| if head.starts_with(' ') { "---:" } else { ":---" }.to_owned()));
    for row in rows {
        out += &line(&mut row.iter().cloned());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_markup() {
        let hostile = "|`*_[a](b)<b>@octocat\n# head";
        assert_eq!(code(hostile), "<code>&#124;&#96;&#42;&#95;&#91;a&#93;(b)&#60;b&#62;&#64;octocat &#35; head</code>");
    }

    #[test]
    fn a_table_has_a_line_for_each_row() {
        let rows = [vec!["1".into(), code("a|b")]];
        assert_eq!(
            table(&[" calls", "name"], &rows),
            "| calls | name |\n| ---: | :--- |\n| 1 | <code>a&#124;b</code> |\n"
        );
    }
}
