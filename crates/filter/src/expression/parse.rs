//! From text to the syntax tree of the `cel` crate.

use super::field::FIELDS;
use super::mistake::ExprMistake;
use cel::common::ast::{IdedExpr, SourceInfo};

/// Longer expressions are refused before they are parsed.
const LONGEST: usize = 4096;
/// Deeper expressions are refused.
pub const DEEPEST: usize = 64;

/// The tree, and the places of its nodes in the text.
pub fn parse(source: &str) -> Result<(IdedExpr, SourceInfo), ExprMistake> {
    let length = source.chars().count();
    if length > LONGEST {
        return Err(ExprMistake::at(
            source,
            LONGEST,
            format!("the expression has {length} characters, and at most {LONGEST} are allowed"),
        )
        .last());
    }
    if source.trim().is_empty() {
        return Err(ExprMistake::at(source, 0, "the expression is empty; an example is: errno == \"ENOENT\"").last());
    }
    nesting(source)?;
    let parser = cel::Env::default().with_optional_support(false).parser();
    parser.parse_with_source_info(source).map_err(|errors| syntax(source, &errors))
}

/// Refuses expressions that would take the parser deep.
fn nesting(source: &str) -> Result<(), ExprMistake> {
    let (mut depth, mut signs, mut choices) = (0_usize, 0_usize, 0_usize);
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in source.chars().enumerate() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, '?') => choices += 1,
            _ => {}
        }
        signs = match c {
            '!' | '-' => signs + 1,
            c if c.is_whitespace() => signs,
            _ => 0,
        };
        if depth.max(signs).max(choices) > DEEPEST {
            return Err(too_deep(source, at));
        }
    }
    Ok(())
}

fn too_deep(source: &str, at: usize) -> ExprMistake {
    ExprMistake::at(source, at, format!("the expression is nested more than {DEEPEST} levels deep")).last()
}

fn syntax(source: &str, errors: &cel::ParseErrors) -> ExprMistake {
    let fields = fields();
    let Some(error) = errors.errors.first() else {
        return ExprMistake::at(source, 0, format!("the expression is not understood; {fields}")).of_syntax();
    };
    let line = usize::try_from(error.pos.0).unwrap_or(1).saturating_sub(1);
    let column = usize::try_from(error.pos.1).unwrap_or(1).saturating_sub(1);
    let message = error.msg.strip_prefix("Syntax error: ").unwrap_or(&error.msg);
    // The parser lists all that might stand there.
    let message = message.split(" expecting ").next().unwrap_or(message);
    let explanation = format!("the expression is not understood: {}; {fields}", in_words(message));
    ExprMistake::in_line(source.split('\n').nth(line).unwrap_or(""), column, explanation).of_syntax()
}

/// The parser's message in plain words.
fn in_words(message: &str) -> String {
    let quoted = |rest: &str| rest.trim().trim_matches('\'').trim().to_owned();
    let unexpected = ["mismatched input ", "extraneous input ", "no viable alternative at input "];
    if let Some(rest) = message.strip_prefix("token recognition error at: ") {
        let sign = quoted(rest);
        let open = sign.starts_with(['"', '\'']);
        return if open { "a quote is not closed".into() } else { format!("there is no sign '{sign}'") };
    }
    if let Some((what, at)) = message.strip_prefix("missing ").and_then(|rest| rest.split_once(" at ")) {
        let at = if at.contains("<EOF>") { "at the end".into() } else { format!("before '{}'", quoted(at)) };
        return format!("{what} is missing {at}");
    }
    match unexpected.iter().find_map(|start| message.strip_prefix(start)).map(quoted) {
        Some(end) if end == "<EOF>" => "something is missing at the end".into(),
        Some(input) => format!("'{input}' is not expected here"),
        None => message.to_owned(),
    }
}

/// All fields, for messages.
pub fn fields() -> String {
    let names: Vec<&str> = FIELDS.iter().map(|facts| facts.name).collect();
    format!("fields are {} and args.NAME", names.join(", "))
}
