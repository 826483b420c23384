//! Sets of syscalls: `-e trace=`, `-e abbrev=`, `-e verbose=`, `-e raw=`.
//!
//! A member is `[?]` (name | number | `%class` | `/regex` | `all`) `[@ABI]`.

use crate::{Catalog, Error, Named, ere, list, nearest};
use std::sync::LazyLock;
use stride_event::CallSet;
use stride_syscalls::{Abi, Class};

const WHAT: &str = "system call";

/// Classes that may be written without `%`. This spelling is older than regular expressions and the names that made it
/// ambiguous.
const BARE_CLASSES: [&str; 7] = ["desc", "file", "ipc", "memory", "network", "process", "signal"];

/// All classes, in the spelling of members.
static CLASSES: LazyLock<Vec<String>> =
    LazyLock::new(|| Class::ALL.iter().map(|(name, _)| *name).chain(["net"]).map(|name| format!("%{name}")).collect());

/// Parses `text` against the calls of `catalog`.
pub fn parse_syscalls(text: &str, catalog: &Catalog) -> Result<CallSet, Error> {
    let list = list::split(text, WHAT)?;
    let mut set = CallSet::empty();
    for member in list.members {
        let (optional, member) = strip_question_marks(member);
        let selected = Member::parse(member)?.select(&mut set, catalog);
        if !selected && !optional {
            return Err(Error::Invalid { what: WHAT, text: member.into(), suggestion: suggestion(member, catalog) });
        }
    }
    Ok(if list.inverted { set.inverted() } else { set })
}

/// All members that are words: names of calls and classes.
pub fn syscall_members(catalog: &Catalog) -> Vec<&'static str> {
    let mut names: Vec<&str> = catalog.iter().map(|call| call.name).collect();
    names.sort_unstable();
    names.dedup();
    names.extend(CLASSES.iter().map(String::as_str));
    names
}

/// The word that a member without matches probably misspells.
fn suggestion(member: &str, catalog: &Catalog) -> Option<String> {
    let (name, designator) = member.split_at(member.find('@').unwrap_or(member.len()));
    if list::number(name).is_some() || name.starts_with(['/', '!']) {
        return None;
    }
    let known = syscall_members(catalog);
    // The name is correct, but this ABI has no such call.
    if known.contains(&name) {
        return None;
    }
    nearest(name, known.into_iter().chain(BARE_CLASSES)).map(|name| format!("{name}{designator}"))
}

/// Adds the calls without a name. They can be neither asked for nor left out, so they are always included.
pub fn with_nameless(set: CallSet, catalog: &Catalog) -> CallSet {
    let mut nameless = CallSet::all();
    for call in catalog.iter() {
        nameless.remove(call.abi, call.nr);
    }
    set.union(&nameless)
}

/// A leading `?` says that a member without matches is no error.
fn strip_question_marks(member: &str) -> (bool, &str) {
    let rest = member.trim_start_matches('?');
    (rest.len() < member.len(), rest)
}

/// One member of a set.
struct Member<'a> {
    pattern: Pattern<'a>,
    scope: Scope,
}

enum Pattern<'a> {
    All,
    Name(&'a str),
    Number(u64),
    Class(Class),
    Regex(regex::Regex),
    /// `%` and an unknown class.
    UnknownClass,
}

/// The ABIs to which a member is limited.
#[derive(Clone, Copy)]
enum Scope {
    Every,
    Only(Abi),
    /// An ABI that this machine has and Stride does not decode. Its members are valid names, and select nothing.
    Undecoded,
}

impl Scope {
    fn holds(self, abi: Abi) -> bool {
        match self {
            Scope::Every => true,
            Scope::Only(only) => only == abi,
            Scope::Undecoded => false,
        }
    }
}

impl<'a> Member<'a> {
    fn parse(text: &'a str) -> Result<Member<'a>, Error> {
        // The last `@` counts. A name with another `@` before it is not found.
        let (pattern, scope) = match text.rsplit_once('@') {
            None => (text, Scope::Every),
            Some((pattern, designator)) => (pattern, scope_of(designator, text)?),
        };
        Ok(Member { pattern: Pattern::parse(pattern)?, scope })
    }

    /// Adds the member's calls to `set`. Returns false if there are none.
    fn select(&self, set: &mut CallSet, catalog: &Catalog) -> bool {
        if let (Pattern::All, Scope::Every) = (&self.pattern, self.scope) {
            *set = CallSet::all();
            return true;
        }
        // A class exists by its name, whether or not this machine has calls in it.
        let mut found = matches!(self.pattern, Pattern::Class(_));
        for call in catalog.iter().filter(|call| self.pattern.matches(call)) {
            if self.scope.holds(call.abi) {
                set.insert(call.abi, call.nr);
                found = true;
            } else if let Scope::Undecoded = self.scope {
                found = true;
            }
        }
        found
    }
}

impl<'a> Pattern<'a> {
    fn parse(text: &'a str) -> Result<Pattern<'a>, Error> {
        if let Some(regex) = text.strip_prefix('/') {
            return Ok(Pattern::Regex(ere::compile(regex)?));
        }
        if let Some(class) = text.strip_prefix('%') {
            return Ok(class_of(class).map_or(Pattern::UnknownClass, Pattern::Class));
        }
        if text == "all" {
            return Ok(Pattern::All);
        }
        if BARE_CLASSES.contains(&text) {
            return Ok(class_of(text).map_or(Pattern::UnknownClass, Pattern::Class));
        }
        Ok(list::number(text).map_or(Pattern::Name(text), Pattern::Number))
    }

    fn matches(&self, call: &Named) -> bool {
        match self {
            Pattern::All => true,
            Pattern::Name(name) => call.name == *name,
            Pattern::Number(nr) => u64::from(call.nr) == *nr,
            Pattern::Class(class) => call.class.intersects(*class),
            Pattern::Regex(regex) => regex.is_match(call.name),
            Pattern::UnknownClass => false,
        }
    }
}

/// `class` is the text after the first `%`.
fn class_of(class: &str) -> Option<Class> {
    let class = if class == "net" { "network" } else { class };
    Class::ALL.iter().find(|(spelling, _)| *spelling == class).map(|(_, class)| *class)
}

fn scope_of(designator: &str, qualification: &str) -> Result<Scope, Error> {
    let narrow = Abi::SERVED.iter().find(|abi| abi.word() == 4);
    match (designator, Abi::NATIVE) {
        ("64", native) => Ok(Scope::Only(native)),
        ("32", _) => Ok(narrow.map_or(Scope::Undecoded, |abi| Scope::Only(*abi))),
        ("x32", Abi::X86_64) => Ok(Scope::Undecoded),
        _ => Err(Error::Personality { designator: designator.into(), qualification: qualification.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog() -> Catalog {
        let call = |abi, nr, name, class| Named { abi, nr, name, class };
        [
            call(Abi::X86_64, 0, "read", Class::DESC),
            call(Abi::X86_64, 2, "open", Class::DESC.or(Class::FILE)),
            call(Abi::X86_64, 4, "stat", Class::FILE.or(Class::STAT).or(Class::STAT_LIKE)),
            call(Abi::X86_64, 5, "fstat", Class::DESC.or(Class::FSTAT).or(Class::STAT_LIKE)),
            call(Abi::X86_64, 41, "socket", Class::NETWORK),
            call(Abi::X86_64, 80, "chdir", Class::FILE),
            call(Abi::I386, 3, "read", Class::DESC),
            call(Abi::I386, 102, "socketcall", Class::DESC),
        ]
        .into_iter()
        .collect()
    }

    fn parse(text: &str) -> Result<CallSet, Error> {
        parse_syscalls(text, &catalog())
    }

    #[track_caller]
    fn check(text: &str, yes: &[(Abi, u64)], no: &[(Abi, u64)]) {
        let set = parse(text).unwrap();
        for &(abi, nr) in yes {
            assert!(set.contains(abi, nr), "{text}: {abi:?} {nr} is missing");
        }
        for &(abi, nr) in no {
            assert!(!set.contains(abi, nr), "{text}: {abi:?} {nr} is too much");
        }
    }

    #[test]
    fn names_match_on_every_abi_unless_limited() {
        check("read", &[(Abi::X86_64, 0), (Abi::I386, 3)], &[(Abi::X86_64, 3), (Abi::X86_64, 2000)]);
        check("read@64", &[(Abi::X86_64, 0)], &[(Abi::I386, 3)]);
        check("read@32", &[(Abi::I386, 3)], &[(Abi::X86_64, 0)]);
        check("read@x32", &[], &[(Abi::X86_64, 0), (Abi::I386, 3)]);
        check("socketcall", &[(Abi::I386, 102)], &[(Abi::X86_64, 102)]);
    }

    #[test]
    fn inversion_includes_what_has_no_name() {
        check(
            "!read",
            &[(Abi::X86_64, 2), (Abi::X86_64, 999), (Abi::X86_64, 5000)],
            &[(Abi::X86_64, 0), (Abi::I386, 3)],
        );
        check("!!read", &[(Abi::X86_64, 0)], &[(Abi::X86_64, 2)]);
        assert!(parse("all").unwrap().is_all());
        assert!(parse("open,all").unwrap().is_all());
        assert_eq!(parse("none").unwrap(), CallSet::empty());
        assert_eq!(parse("!all").unwrap(), CallSet::empty());
    }

    #[test]
    fn classes() {
        check("%file", &[(Abi::X86_64, 2), (Abi::X86_64, 80)], &[(Abi::X86_64, 0), (Abi::X86_64, 5)]);
        check("file,desc", &[(Abi::X86_64, 80), (Abi::X86_64, 5)], &[(Abi::X86_64, 41)]);
        check("%net", &[(Abi::X86_64, 41)], &[(Abi::X86_64, 0)]);
        check("%stat", &[(Abi::X86_64, 4)], &[(Abi::X86_64, 5)]);
        check("%%stat", &[(Abi::X86_64, 4), (Abi::X86_64, 5)], &[(Abi::X86_64, 80)]);
        // Without `%`, `stat` is the call.
        check("stat", &[(Abi::X86_64, 4)], &[(Abi::X86_64, 5)]);
        // The class exists, although it has no calls here.
        check("%clock", &[], &[(Abi::X86_64, 0)]);
    }

    #[test]
    fn regular_expressions_and_numbers() {
        check("/^f?stat$", &[(Abi::X86_64, 4), (Abi::X86_64, 5)], &[(Abi::X86_64, 0)]);
        check("/", &[(Abi::X86_64, 0), (Abi::I386, 102)], &[(Abi::X86_64, 999)]);
        check("80", &[(Abi::X86_64, 80)], &[(Abi::I386, 80)]);
        check("/re.d@32", &[(Abi::I386, 3)], &[(Abi::X86_64, 0)]);
    }

    #[test]
    fn what_has_no_name_is_always_there() {
        let set = with_nameless(parse("none").unwrap(), &catalog());
        assert!(set.contains(Abi::X86_64, 999) && set.contains(Abi::X86_64, 5000) && set.contains(Abi::I386, 0));
        assert!(!set.contains(Abi::X86_64, 0) && !set.contains(Abi::I386, 3));
    }

    #[test]
    fn a_question_mark_forgives() {
        check("?nonsense,?%nonsense,?/nonsense,?999,read", &[(Abi::X86_64, 0)], &[(Abi::X86_64, 2)]);
        assert!(parse("?nonsense").is_ok());
        assert!(parse("?").is_ok());
    }

    #[test]
    fn errors() {
        for (text, culprit) in [
            ("", ""),
            ("!,,", "!,,"),
            ("nonsense", "nonsense"),
            ("read,nonsense", "nonsense"),
            ("%", "%"),
            ("%not_a_class", "%not_a_class"),
            ("%%file", "%%file"),
            ("/nonsense", "/nonsense"),
            ("0x", "0x"),
            ("-1", "-1"),
            ("999", "999"),
            ("4294967296", "4294967296"),
            ("read,!chdir", "!chdir"),
            ("read,none", "none"),
            ("READ", "READ"),
            ("net", "net"),
            ("creds", "creds"),
            ("read@32@64", "read@32@64"),
            ("socketcall@64", "socketcall@64"),
            (" read", " read"),
        ] {
            let message = parse(text).unwrap_err().to_string();
            assert_eq!(message.split(';').next(), Some(format!("invalid system call '{culprit}'").as_str()));
        }
        for (text, expected) in [
            ("opn", Some("open")),
            ("open64", Some("open")),
            ("read,chdri", Some("chdir")),
            ("?opn,opn@64", Some("open@64")),
            ("READ", Some("read")),
            ("%files", Some("%file")),
            ("%%file", Some("%file")),
            ("files", Some("file")),
            ("net", Some("%net")),
            ("creds", Some("%creds")),
            ("nonsense", None),
            ("%not_a_class", None),
            ("999", None),
            ("/nonsense", None),
            ("read,!chdir", None),
            ("socketcall@64", None),
        ] {
            let message = parse(text).unwrap_err().to_string();
            let expected = expected.map(|expected| format!("did you mean '{expected}'?"));
            assert_eq!(message.split_once("; ").map(|(_, hint)| hint.to_owned()), expected, "{message}");
        }
        let error = parse("chdir,read@42,nonsense").unwrap_err();
        assert_eq!(error.to_string(), "incorrect personality designator '42' in qualification 'read@42'");
        assert!(error.hints_at_help());
        let error = parse("?/read@").unwrap_err();
        assert_eq!(error.to_string(), "incorrect personality designator '' in qualification '/read@'");
        assert_eq!(parse("/+id").unwrap_err().to_string(), "regcomp: +id: Invalid preceding regular expression");
    }
}
