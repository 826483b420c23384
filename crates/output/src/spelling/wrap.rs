//! Reports as text: where lines are broken.

/// Lines are broken before this column.
const WIDTH: usize = 100;

/// Breaks lines at blanks. Blanks at the beginning stay.
pub fn wrapped(text: &str, indent: &str, out: &mut String) {
    let mut column = 0;
    let lead = text.len() - text.trim_start().len();
    for (i, word) in text.trim_start().split(' ').enumerate() {
        let width = word.chars().count();
        if i == 0 {
            out.push_str(&text[..lead]);
            column = lead;
        } else if column + 1 + width > WIDTH {
            out.push('\n');
            out.push_str(indent);
            column = indent.len();
        } else {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out.push('\n');
}
