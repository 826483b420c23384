//! Spellings of other languages (SQL, sysdig, awk, Python), for expressions that are not understood as they stand.
//!
//! Those with one meaning are read as what they mean: `=`, `<>`, `and`, `or`, `not`, `in (...)`, `10ms`, `64K`. None of
//! them is valid in the Common Expression Language, so no valid expression changes its meaning. Those with several
//! meanings, such as `~`, get an answer.

use super::datum::parse_duration;
use super::foreign;
use super::mistake::ExprMistake;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Space,
    Text,
    Number,
    Word,
    Sign,
}

#[derive(Clone, Debug)]
struct Token {
    kind: Kind,
    text: String,
}

impl Token {
    fn sign(text: &str) -> Token {
        Token { kind: Kind::Sign, text: text.into() }
    }

    fn is(&self, text: &str) -> bool {
        self.kind != Kind::Text && self.text.eq_ignore_ascii_case(text)
    }

    fn is_word(&self, text: &str) -> bool {
        self.kind == Kind::Word && self.is(text)
    }

    /// An operand may end here, so that an operator has to follow.
    fn ends_operand(&self) -> bool {
        match self.kind {
            Kind::Text | Kind::Number => true,
            Kind::Word => !["in", "and", "or", "not"].iter().any(|word| self.is(word)),
            Kind::Sign => [")", "]", "}"].contains(&&*self.text),
            Kind::Space => false,
        }
    }

    /// Comparisons end here.
    fn is_between(&self) -> bool {
        ["&&", "||", "?", ":", ","].contains(&&*self.text) && self.kind == Kind::Sign
            || self.is_word("and")
            || self.is_word("or")
    }

    fn opens(&self) -> bool {
        self.kind == Kind::Sign && ["(", "[", "{"].contains(&&*self.text)
    }

    fn closes(&self) -> bool {
        self.kind == Kind::Sign && [")", "]", "}"].contains(&&*self.text)
    }
}

/// Signs of two and more characters come before those of which they consist.
const SIGNS: [&str; 12] = ["===", "==", "=~", "!=", "!~", "<=", ">=", "<>", "&&", "||", "~*", "//"];

/// `None` if a text is not closed.
fn tokens(source: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let run = |test: &dyn Fn(char) -> bool| rest.find(|c| !test(c)).unwrap_or(rest.len());
        let (kind, length) = if first.is_whitespace() {
            (Kind::Space, run(&char::is_whitespace))
        } else if rest.starts_with("//") {
            (Kind::Space, rest.find('\n').unwrap_or(rest.len()))
        } else if let Some(length) = text(rest) {
            (Kind::Text, length?)
        } else if first.is_ascii_digit() {
            (Kind::Number, run(&|c| c.is_ascii_digit() || c == '.'))
        } else if first.is_alphabetic() || first == '_' {
            (Kind::Word, run(&|c| c.is_alphanumeric() || c == '_'))
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            (Kind::Sign, sign.map_or(first.len_utf8(), |sign| sign.len()))
        };
        tokens.push(Token { kind, text: rest[..length].into() });
        rest = &rest[length..];
    }
    Some(tokens)
}

/// The length of the text in quotes at the beginning, if there is one. The inner `None`: it is not closed.
fn text(rest: &str) -> Option<Option<usize>> {
    // (A prefix such as `rb` has two letters at most.)
    let prefix = rest.bytes().take(3).position(|byte| b"\"'".contains(&byte))?;
    if !rest[..prefix].bytes().all(|byte| b"rRbB".contains(&byte)) {
        return None;
    }
    let raw = rest[..prefix].contains(['r', 'R']);
    let quote = &rest[prefix..=prefix];
    let triple = quote.repeat(3);
    let end = if rest[prefix..].starts_with(&triple) { &triple } else { quote };
    let mut at = prefix + end.len();
    loop {
        if rest[at..].starts_with(end) {
            return Some(Some(at + end.len()));
        }
        let mut chars = rest[at..].chars();
        let Some(c) = chars.next() else { return Some(None) };
        at += c.len_utf8();
        if c == '\\' && !raw {
            at += chars.next().map_or(0, char::len_utf8);
        }
    }
}

/// The next token from `at` on that is no blank.
fn next(tokens: &[Token], at: usize) -> Option<usize> {
    (at..tokens.len()).find(|&i| tokens[i].kind != Kind::Space)
}

/// The last token before `at` that is no blank.
fn before(tokens: &[Token], at: usize) -> Option<usize> {
    (0..at).rev().find(|&i| tokens[i].kind != Kind::Space)
}

/// The end of the comparison that begins at `at`: after its last token.
fn end_of(tokens: &[Token], at: usize) -> usize {
    let (mut depth, mut end) = (0_usize, at);
    for (i, token) in tokens.iter().enumerate().skip(at) {
        match token {
            _ if depth == 0 && (token.is_between() || token.closes()) => break,
            _ if token.opens() => depth += 1,
            _ if token.closes() => depth -= 1,
            _ => {}
        }
        if token.kind != Kind::Space {
            end = i + 1;
        }
    }
    end
}

/// The beginning of the comparison that ends before `at`.
fn begin_of(tokens: &[Token], at: usize) -> usize {
    let (mut depth, mut begin) = (0_usize, at);
    for (i, token) in tokens.iter().enumerate().take(at).rev() {
        match token {
            _ if depth == 0 && (token.is_between() || token.opens() || token.is_word("not")) => break,
            _ if token.closes() => depth += 1,
            _ if token.opens() => depth -= 1,
            _ => {}
        }
        if token.kind != Kind::Space {
            begin = i;
        }
    }
    begin
}

fn whole(tokens: &[Token]) -> String {
    tokens.iter().map(|token| &*token.text).collect::<String>().trim().to_owned()
}

/// The expression in its own language, if it has spellings of others that have one meaning.
pub fn translate(source: &str) -> Option<String> {
    let mut tokens = tokens(source)?;
    let mut changed = false;
    for at in (0..tokens.len()).rev() {
        let operator = before(&tokens, at).is_some_and(|before| tokens[before].ends_operand());
        let follows = next(&tokens, at + 1);
        let token = &tokens[at];
        let spelling = match &*token.text {
            "=" | "===" => "==",
            "<>" => "!=",
            _ if operator && token.is_word("and") => "&&",
            _ if operator && token.is_word("or") => "||",
            _ => "",
        };
        if !spelling.is_empty() {
            tokens[at] = Token::sign(spelling);
        } else if token.kind == Kind::Number
            && let Some(unit) = tokens.get(at + 1).filter(|unit| unit.kind == Kind::Word)
            && let Some(text) = quantity(&token.text, &unit.text)
        {
            tokens.splice(at..at + 2, [Token { kind: Kind::Text, text }]);
        } else if token.is_word("not") && operator && follows.is_some_and(|next| tokens[next].is_word("in")) {
            // `x not in [...]`
            let (begin, end) = (begin_of(&tokens, at), end_of(&tokens, at));
            tokens.insert(end, Token::sign(")"));
            tokens.remove(at);
            tokens.insert(begin, Token::sign("!("));
        } else if token.is_word("not") && !operator && follows.is_some() && !before_dot(&tokens, at) {
            let end = end_of(&tokens, at + 1);
            tokens.insert(end, Token::sign(")"));
            tokens[at] = Token::sign("!(");
            // The parenthesis stands right before the operand.
            tokens.splice(at + 1..follows.unwrap_or(at + 1), []);
        } else if token.is("in") && token.kind == Kind::Word && follows.is_some_and(|next| tokens[next].text == "(") {
            let open = follows.unwrap_or(at);
            let mut depth = 0_usize;
            let close = (open..tokens.len()).find(|&i| {
                depth = depth + usize::from(tokens[i].opens()) - usize::from(tokens[i].closes());
                depth == 0
            });
            let Some(close) = close else { continue };
            tokens[open] = Token::sign("[");
            tokens[close] = Token::sign("]");
        } else {
            continue;
        }
        changed = true;
    }
    changed.then(|| tokens.iter().map(|token| &*token.text).collect())
}

/// A number with a unit: a time, or a size in bytes.
fn quantity(number: &str, unit: &str) -> Option<String> {
    let shift = match unit {
        "K" | "k" | "KiB" => 10,
        "M" | "MiB" => 20,
        "G" | "GiB" => 30,
        _ => {
            let time = format!("{number}{unit}");
            return parse_duration(&time).map(|_| format!("duration(\"{time}\")"));
        }
    };
    let bytes = number.parse::<i64>().ok()?.checked_mul(1 << shift)?;
    Some(bytes.to_string())
}

fn before_dot(tokens: &[Token], at: usize) -> bool {
    before(tokens, at).is_some_and(|before| tokens[before].text == ".")
}

/// Operators that are functions here: their names elsewhere, and here.
const FUNCTIONS: [(&str, &str); 13] = [
    ("contains", "contains"),
    ("icontains", "contains"),
    ("startswith", "startsWith"),
    ("starts_with", "startsWith"),
    ("endswith", "endsWith"),
    ("ends_with", "endsWith"),
    ("matches", "matches"),
    ("regex", "matches"),
    ("like", "like"),
    ("glob", "like"),
    ("~", "like"),
    ("=~", "matches"),
    ("!~", "matches"),
];

/// The right spelling of something that has no single meaning, or no meaning here.
pub fn answer(source: &str) -> Option<ExprMistake> {
    let tokens = tokens(source)?;
    let mistake = |at: usize, explanation: String| {
        let place = tokens[..at].iter().map(|token| token.text.chars().count()).sum();
        Some(ExprMistake::at(source, place, explanation))
    };
    for (at, token) in tokens.iter().enumerate() {
        let operator = before(&tokens, at).is_some_and(|before| tokens[before].ends_operand());
        if !operator {
            continue;
        }
        if token.is("&") || token.is("|") {
            let (sign, twice) = (&token.text, token.text.repeat(2));
            let explanation = format!(
                "there is no '{sign}': '{twice}' joins conditions, and flags are a list of names: \"O_CREAT\" in args.flags"
            );
            return mistake(at, explanation);
        }
        let Some((_, function)) = FUNCTIONS.iter().find(|(name, _)| token.is(name)) else { continue };
        let Some(operand) = next(&tokens, at + 1) else { continue };
        if token.kind == Kind::Word && tokens[operand].text == "(" && before_dot(&tokens, at) {
            continue;
        }
        let of = whole(&tokens[begin_of(&tokens, at)..at]);
        let of = foreign::ours(&of).unwrap_or(&of).to_owned();
        let not = if token.is("!~") { "!" } else { "" };
        let right = &tokens[operand];
        let inner = if right.kind == Kind::Text { right.text.trim_matches(['"', '\'']) } else { &right.text };
        let (function, inner) = if *function == "like" { pattern(inner) } else { (*function, inner) };
        return mistake(at, format!("there is no operator '{}': write {not}{of}.{function}(\"{inner}\")", token.text));
    }
    None
}

/// The function and its argument for a pattern of the shell or of SQL. Without stars, a regular expression may be
/// meant.
fn pattern(text: &str) -> (&'static str, &str) {
    let stars = ['*', '%'];
    let inner = text.trim_matches(stars);
    match (text.starts_with(stars), text.ends_with(stars)) {
        _ if inner.contains(['*', '?', '[', '^', '$', '\\', '|']) => ("matches", text),
        (true, true) => ("contains", inner),
        (true, false) => ("endsWith", inner),
        (false, true) => ("startsWith", inner),
        (false, false) => ("matches", text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_with_one_meaning() {
        for (theirs, ours) in [
            ("name = 'read'", "name == 'read'"),
            ("name <> \"read\"", "name != \"read\""),
            ("name == 'a' and ret > 0 OR pid = 1", "name == 'a' && ret > 0 || pid == 1"),
            ("not name == 'read' and ret > 0", "!(name == 'read') && ret > 0"),
            ("NOT (a or b)", "!((a || b))"),
            ("(not a) or not not b", "(!(a)) || !(!(b))"),
            ("not(a)", "!((a))"),
            ("name not in ['a', 'b'] and ret > 0", "!(name  in ['a', 'b']) && ret > 0"),
            ("duration > 10ms && duration<1.5s", "duration > duration(\"10ms\") && duration<duration(\"1.5s\")"),
            ("bytes >= 64K and bytes < 1MiB", "bytes >= 65536 && bytes < 1048576"),
            ("duration > 1h30m", "duration > duration(\"1h30m\")"),
            ("name in ('a', \"b)\")", "name in ['a', \"b)\"]"),
            ("a ? b = 1 : not c", "a ? b == 1 : !(c)"),
        ] {
            assert_eq!(translate(theirs).as_deref(), Some(ours), "{theirs}");
        }
        for untouched in [
            "name == 'a = b and not 10ms'",
            "args.and == 1",
            "pid == 10u",
            "path == r'a\\' // and = ~",
            "'''and' =''' == path",
            "x in [1, 2] && !(a <= 3)",
            "name == 'not closed",
            "args.not.x == 1e3",
            "",
        ] {
            assert_eq!(translate(untouched), None, "{untouched}");
        }
    }

    #[test]
    fn spellings_that_get_an_answer() {
        for (theirs, explanation) in [
            ("comm ~ \"redis*\"", "there is no operator '~': write comm.startsWith(\"redis\")"),
            ("comm ~ '*dis*' && true", "there is no operator '~': write comm.contains(\"dis\")"),
            ("comm ~ 'redis'", "there is no operator '~': write comm.matches(\"redis\")"),
            ("true && comm =~ '^r'", "there is no operator '=~': write comm.matches(\"^r\")"),
            ("comm !~ '^r'", "there is no operator '!~': write !comm.matches(\"^r\")"),
            ("fd.name contains etc", "there is no operator 'contains': write path.contains(\"etc\")"),
            ("(path startswith '/etc')", "there is no operator 'startswith': write path.startsWith(\"/etc\")"),
            ("path like '%.so'", "there is no operator 'like': write path.endsWith(\".so\")"),
            ("args.flags & 2", "there is no '&': '&&' joins conditions"),
        ] {
            let answer = answer(theirs).unwrap_or_else(|| panic!("{theirs}")).to_string();
            assert!(answer.starts_with(explanation), "{theirs}: {answer}");
        }
        assert!(answer("path.contains('~') && path.matches('a')").is_none());
    }

    /// Whatever is given, the search ends soon.
    #[test]
    fn very_long_expressions() {
        for piece in ["not ", "(", ")", "a and ", "in (", "10ms ", "~", "'", "x not in ", "é=", "\\"] {
            let source = piece.repeat(4096 / piece.len());
            let _ = (translate(&source), answer(&source));
        }
    }
}
