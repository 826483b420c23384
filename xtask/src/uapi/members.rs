//! The meaning of members of the structs that requests of ioctl(2) lead to: names of flags and of values, descriptors, structs in a row. Headers tell it in
//! ways of their own, and so it is found by convention: the type is an enumeration; constants are defined behind the member, within the struct; its comment
//! names an enumeration, or the beginning of constants (`FOO_*`), or some of them; constants begin with the names of struct and member.

use super::Facts;
use super::dwarf::{Field, Origin, Pointee};
use super::header_text::{CommentWord, HeaderTexts, words};
use super::ioctls::ArgumentKind;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Names and values, in the order of the values.
pub type Names = Vec<(String, u64)>;

/// The meaning of the number in a member.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Meaning {
    Flags(Names),
    Enum(Names),
    /// Structs of this name in a row.
    Structs(String),
    /// The address of as many of these as the other member says.
    Points(Pointee, String),
    Descriptor,
}

/// The most names that a member may have. Longer lists are numbers of products and similar.
const MOST_NAMES: usize = 128;

/// Parts of the names of members that hold flags.
const FLAGGY: &[&str] = &["flag", "mask", "caps", "capab", "feature", "options", "bits"];

/// The last words of the names of members that hold values with names.
const KINDS: &[&str] = &[
    "type",
    "mode",
    "op",
    "operation",
    "cmd",
    "command",
    "kind",
    "status",
    "state",
    "method",
    "format",
    "level",
    "action",
    "class",
    "domain",
    "priority",
    "policy",
    "activate",
    "accel",
    "visual",
    "sync",
    "input",
    "source",
    "filter",
    "event",
    "subclass",
];

/// Parts of the names of members that hold neither flags nor values with names, whatever is said of them.
const AMOUNTS: &[&str] = &[
    "size", "len", "count", "num", "offset", "addr", "ptr", "pad", "reserved", "rsvd", "handle", "width", "height",
    "index", "modifier", "pointer",
];

/// Finds the meanings of all members, numbers them, and gives each member its number. The number 0 stands for no meaning.
pub fn assign(facts: &mut [Facts]) -> Vec<Meaning> {
    let mut table = Vec::new();
    let mut known: BTreeMap<(String, String), u16> = BTreeMap::new();
    let mut texts = HeaderTexts::default();
    for i in 0..facts.len() {
        let wanted = reachable(&facts[i]);
        let (before, rest) = facts.split_at_mut(i);
        let own = &mut rest[0];
        let consts = std::mem::take(&mut own.consts);
        let of = Constants { values: &consts, requests: &own.requests.names, enumerations: &own.enumerations };
        texts.note(own.layouts.values());
        let structs: BTreeSet<String> = own.layouts.keys().cloned().collect();
        for (name, layout) in &mut own.layouts {
            let siblings: Vec<(String, bool)> =
                layout.fields.iter().map(|field| (field.name.clone(), field.count == 1 && field.size <= 8)).collect();
            for field in &mut layout.fields {
                let Some(origin) = field.origin.take().filter(|_| wanted.contains(name)) else { continue };
                let key = (name.clone(), field.name.clone());
                let number = *known.entry(key).or_insert_with(|| {
                    let meaning = meaning(field, &origin, &of, &mut texts)
                        .or_else(|| points(field, &origin, &siblings, &structs, &mut texts));
                    let Some(meaning) = meaning else { return 0 };
                    let same = |names: &Names| {
                        let differs = |other: &Facts, (name, value): &(String, u64)| {
                            other.consts.get(name).is_some_and(|other| other != value)
                        };
                        !before.iter().any(|other| names.iter().any(|item| differs(other, item)))
                    };
                    if let Meaning::Flags(names) | Meaning::Enum(names) = &meaning
                        && !same(names)
                    {
                        return 0;
                    }
                    let at = table.iter().position(|other| *other == meaning).unwrap_or_else(|| {
                        table.push(meaning);
                        table.len() - 1
                    });
                    u16::try_from(at + 1).expect("few meanings")
                });
                field.meaning = number;
            }
        }
        own.consts = consts;
    }
    table
}

/// The structs to which arguments lead, and those that lie in rows within these.
fn reachable(facts: &Facts) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let arguments = facts.requests.arguments(&facts.consts);
    let mut todo: Vec<String> = arguments
        .into_values()
        .flatten()
        .filter_map(|(_, ty)| match ty.kind {
            ArgumentKind::Struct(name) => Some(name),
            _ => None,
        })
        .collect();
    while let Some(name) = todo.pop() {
        let Some(layout) = facts.layouts.get(&name) else { continue };
        if found.insert(name) {
            let origins = layout.fields.iter().filter_map(|field| field.origin.as_ref());
            todo.extend(origins.filter_map(|origin| match (&origin.element, &origin.pointee) {
                (Some(element), _) => Some(element.clone()),
                (_, Some(Pointee::Struct(name))) => Some(name.clone()),
                _ => None,
            }));
        }
    }
    found
}

struct Constants<'f> {
    values: &'f BTreeMap<String, u64>,
    /// Those that are no values of members.
    requests: &'f BTreeSet<String>,
    enumerations: &'f BTreeMap<String, Names>,
}

impl Constants<'_> {
    fn beginning(&self, prefix: &str) -> Names {
        let begin = self.values.range(prefix.to_owned()..).take_while(|(name, _)| name.starts_with(prefix));
        begin.filter(|(name, _)| !self.requests.contains(*name)).map(|(name, value)| (name.clone(), *value)).collect()
    }

    fn named(&self, name: &str) -> Option<(String, u64)> {
        let value = self.values.get(name).filter(|_| !self.requests.contains(name));
        value.map(|&value| (name.to_owned(), value))
    }
}

fn meaning(field: &Field, origin: &Origin, constants: &Constants<'_>, texts: &mut HeaderTexts) -> Option<Meaning> {
    if let (Some(element), true) = (&origin.element, field.count != 1) {
        return (field.count > 1).then(|| Meaning::Structs(element.clone()));
    }
    let name = field.name.rsplit('.').next().unwrap_or(&field.name);
    if field.count != 1 || field.pointer || ![1, 2, 4, 8].contains(&field.size) || origin.element.is_some() {
        return None;
    }
    if let Some(names) = &origin.values {
        return named(name, names.clone());
    }
    if field.size == 4 && (name == "fd" || name.ends_with("_fd") || name.ends_with("dfd") || name == "eventfd") {
        return Some(Meaning::Descriptor);
    }
    if is_amount(name) {
        return None;
    }
    let told = texts.of(origin, name);
    let defined = |names: &[String]| names.iter().filter_map(|name| constants.named(name)).collect::<Names>();
    let (before, behind) = (defined(&told.before), defined(&told.behind));
    if !behind.is_empty() && chosen(&behind, Some(name), told.next.as_deref()) == Some(name) {
        return likely(name, behind);
    }
    if !before.is_empty() && chosen(&before, told.previous.as_deref(), Some(name)) == Some(name) {
        return likely(name, before);
    }
    let words = words(&told.comment);
    let enumerations = words.iter().filter_map(|word| match word {
        CommentWord::Enum(name) => constants.enumerations.get(name).cloned(),
        _ => None,
    });
    let names: Names = enumerations.flatten().collect();
    if names.len() > 1 {
        return named(name, names);
    }
    // Nothing but a beginning, or a mention, says nothing of zero, unless there are names for values.
    let certain = |names: Names| match likely(name, names)? {
        Meaning::Flags(names) => {
            let names: Names = names.into_iter().filter(|name| name.1 != 0).collect();
            (!names.is_empty()).then_some(Meaning::Flags(names))
        }
        meaning => Some(meaning),
    };
    let beginnings = words.iter().filter_map(|word| match word {
        CommentWord::Beginning(prefix) => Some(constants.beginning(prefix)),
        _ => None,
    });
    let names: Names = beginnings.flatten().collect();
    if names.len() > 1 {
        return certain(names);
    }
    let listed: Names = words
        .iter()
        .filter_map(|word| match word {
            CommentWord::Name(name) => constants.named(name),
            _ => None,
        })
        .collect();
    if listed.len() > 1 && beginning(&listed).len() > 3 && chosen(&listed, Some(name), None).is_some() {
        return certain(listed);
    }
    let owner = origin.owner.to_uppercase();
    let member = name.to_uppercase();
    let mut prefixes = vec![format!("{owner}_{member}_")];
    if name.contains("flag") {
        prefixes.extend(["FLAG_", "FLAGS_", "F_"].map(|end| format!("{owner}_{end}")));
    }
    let found = prefixes.iter().map(|prefix| constants.beginning(prefix)).find(|names| names.len() > 1)?;
    certain(found)
}

/// The elements behind a pointer, if another member counts them: `count_fbs` belongs to `fb_id_ptr`, and `num_rsv_msgs` to `rsv_msgs`. Pointers in numbers of 64 bits
/// have their type from the comment.
fn points(
    field: &Field,
    origin: &Origin,
    siblings: &[(String, bool)],
    structs: &BTreeSet<String>,
    texts: &mut HeaderTexts,
) -> Option<Meaning> {
    let (prefix, name) = field.name.rsplit_once('.').map_or(("", &*field.name), |(prefix, name)| (prefix, name));
    let is_number = field.size == 8 && field.count == 1 && !field.signed && !field.pointer;
    let is_pointer = field.pointer && field.count == 1;
    let called = [
        "ptr", "pointer", "array", "list", "handles", "buf", "buffer", "data", "addr", "uptr", "regs", "syncs",
        "relocs", "bos", "ops",
    ];
    if !(is_pointer || is_number && called.contains(&name.rsplit('_').next().unwrap_or(name))) {
        return None;
    }
    let base = ["_ptr", "_pointer", "_array", "_list", "_addr", "_uptr", "_uva"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name);
    let base = base.strip_prefix("ptr_").or(base.strip_prefix("p_")).unwrap_or(base);
    let short = base.strip_suffix("_id").unwrap_or(base);
    let mut bases = vec![base.to_owned(), format!("{base}s"), format!("{short}s"), name.to_owned()];
    bases.extend(base.strip_suffix('s').map(String::from));
    let mut counts = Vec::new();
    for base in &bases {
        counts.extend(["num_", "nr_", "count_", "n_", "num", "nr", "n"].map(|begin| (format!("{begin}{base}"), false)));
        counts.extend(["_count", "_num", "_nr", "_entries"].map(|end| (format!("{base}{end}"), false)));
        counts.extend(["_len", "_size", "_length", "_bytes", "len"].map(|end| (format!("{base}{end}"), true)));
    }
    if ["data", "buf", "buffer"].contains(&base) {
        counts.extend(["size", "len", "length"].map(|name| (name.to_owned(), true)));
    }
    let full = |name: &str| if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
    let (count, in_bytes) = counts.into_iter().find(|(count, _)| {
        let count = full(count);
        siblings.iter().any(|(name, is_number)| *name == count && *is_number)
    })?;
    let told = texts.of(origin, name).comment.to_lowercase();
    // Numbers of bytes stand beside data and ranges, too. And a pair is more than its first number.
    let is_certain = is_pointer || name.ends_with("ptr") || name.ends_with("pointer") || told.contains("pointer");
    if in_bytes && !is_certain || base == "user" || told.contains("pair") {
        return None;
    }
    let pointee = match &origin.pointee {
        Some(pointee) => pointee.clone(),
        None if in_bytes => Pointee::Bytes,
        None => {
            let told = texts.of(origin, name);
            let words: Vec<&str> = told.comment.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
            let named = words.iter().enumerate().find_map(|(i, word)| {
                let is_struct =
                    structs.contains(*word) && (i > 0 && words[i - 1] == "struct" || word.matches('_').count() > 1);
                is_struct.then(|| Pointee::Struct((*word).to_owned()))
            });
            let number = |size| Some(Pointee::Number { size, signed: false });
            let ids = short != base || ["handles", "ids"].contains(&base.rsplit('_').next().unwrap_or(base));
            named.or_else(|| match () {
                _ if words.iter().any(|word| ["__u64", "u64", "uint64_t"].contains(word)) => number(8),
                _ if ids || words.iter().any(|word| ["__u32", "u32", "uint32_t"].contains(word)) => number(4),
                _ => None,
            })?
        }
    };
    match (&pointee, in_bytes) {
        // A number of bytes does not count structs.
        (Pointee::Struct(_) | Pointee::Number { .. }, true) => None,
        (Pointee::Bytes, false) => None,
        _ => Some(Meaning::Points(pointee, count)),
    }
}

fn is_amount(member: &str) -> bool {
    AMOUNTS.iter().any(|word| member.contains(word)) || member == "id" || member.ends_with("_id")
}

/// The member, of two, to which the constants between them belong, by the words of the names.
fn chosen<'n>(names: &Names, first: Option<&'n str>, second: Option<&'n str>) -> Option<&'n str> {
    fn singular(word: &str) -> &str {
        word.strip_suffix(['s', 'S']).unwrap_or(word)
    }
    let matching = |member: &str| {
        let has = |word: &&str| {
            let word = singular(word).to_uppercase();
            word.len() > 1 && names.iter().all(|(name, _)| name.split('_').any(|part| singular(part) == word))
        };
        member.split('_').filter(has).count()
    };
    let holds_names = |member: &str| {
        FLAGGY.iter().any(|word| member.contains(word)) || KINDS.contains(&member.rsplit('_').next().unwrap_or(member))
    };
    let able = |member: Option<&'n str>| member.filter(|member| !is_amount(member));
    let score = |member: Option<&str>| member.map_or(0, matching);
    let (first, second) = (able(first), able(second));
    // Single bits between flags and something else are the flags.
    let are_bits = names.len() > 2 && names.iter().all(|(_, value)| value.count_ones() == 1);
    if are_bits && first.is_some_and(|member| member.contains("flag")) {
        return first;
    }
    match score(first).cmp(&score(second)) {
        Ordering::Greater => first,
        Ordering::Less => second,
        Ordering::Equal => first.filter(|member| holds_names(member)).or(second.filter(|member| holds_names(member))),
    }
}

/// Flags or values that the text around a member tells. They may belong to something else, and a wrong name is worse than none.
fn likely(member: &str, names: Names) -> Option<Meaning> {
    let mut values: Vec<u64> = names.iter().map(|name| name.1).collect();
    let all = values.len();
    values.sort_unstable();
    values.dedup();
    // These are constants of several kinds.
    let is_mixed = (all - values.len()) * 5 > all;
    let are_of_flags = names.iter().any(|(name, _)| name.split('_').any(|part| part == "FLAG" || part == "FLAGS"));
    if is_mixed || are_of_flags && !member.contains("flag") {
        return None;
    }
    // A flag of the value 0 is the number of a bit, or a value among others.
    const NO_FLAG: &[&str] = &["NONE", "OFF", "DEFAULT", "NO"];
    let is_no_flag = |name: &str| name.split('_').any(|part| NO_FLAG.contains(&part));
    named(member, names).filter(|meaning| match meaning {
        Meaning::Flags(names) => names.iter().all(|(name, value)| *value != 0 || is_no_flag(name)),
        _ => true,
    })
}

/// Flags or values, by the member's name and by the numbers.
fn named(member: &str, mut names: Names) -> Option<Meaning> {
    names.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    // Ends of lists, and masks of several bits, are no values. Of two names of a value, the first counts.
    const ENDS: &[&str] = &["_MAX", "_NUM", "_COUNT", "_LAST", "_NR", "_END", "_LIMIT", "_MIN", "_OFFSET", "_SHIFT"];
    const ALL_FLAGS: &[&str] = &["_ALL", "_VALID", "_MASK"];
    let is_flaggy = FLAGGY.iter().any(|word| member.contains(word));
    let is_end = |name: &str| {
        ENDS.iter().any(|end| name.ends_with(end))
            || name.contains("_MAX_")
            || is_flaggy && ALL_FLAGS.iter().any(|end| name.ends_with(end))
    };
    names.retain(|(name, _)| !name.starts_with('_') && !is_end(name));
    names.dedup_by_key(|name| name.1);
    if names.is_empty() || names.len() > MOST_NAMES {
        return None;
    }
    let is_bit = |value: u64| value.count_ones() <= 1;
    let bits: Vec<u64> = names.iter().map(|name| name.1).filter(|value| value.count_ones() == 1).collect();
    let rest = names.iter().filter(|name| !is_bit(name.1)).count();
    let highest = names.last().map_or(0, |name| name.1);
    // A few names for several bits do not make an enumeration, if the values leave gaps.
    let are_bits = bits.len() > 2 && (rest == 0 || rest < bits.len() && highest > 2 * names.len() as u64 + 1);
    Some(match is_flaggy || are_bits {
        true => {
            // A name for several bits says that these are a value among the flags. Its bits have no names of their own then.
            let of_values = names.iter().filter(|name| !is_bit(name.1)).fold(0, |bits, name| bits | name.1);
            names.retain(|name| is_bit(name.1) && name.1 & of_values == 0);
            Meaning::Flags(names)
        }
        false => Meaning::Enum(names),
    })
    .filter(|meaning| !matches!(meaning, Meaning::Flags(names) if names.is_empty()))
}

/// How all names begin, up to an underscore.
pub fn beginning(names: &Names) -> &str {
    let Some((first, _)) = names.first() else { return "" };
    let same = |other: &str| first.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let common = names.iter().map(|(name, _)| same(name)).min().unwrap_or(0);
    first[..common].rfind('_').map_or("", |end| &first[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_values() {
        let names = |values: &[u64]| values.iter().map(|value| (format!("X_{value}"), *value)).collect::<Names>();
        assert!(matches!(named("kind", names(&[0, 1, 2, 3])), Some(Meaning::Enum(_))));
        assert!(matches!(named("kind", names(&[1, 2, 4])), Some(Meaning::Flags(_))));
        assert!(matches!(named("kind", names(&[1, 2])), Some(Meaning::Enum(_))));
        // Names of several bits.
        assert!(matches!(named("kind", names(&[1, 2, 3, 8, 16])), Some(Meaning::Flags(_))));
        // 3 is a third value of two bits.
        assert_eq!(named("flags", names(&[1, 2, 3, 4])), Some(Meaning::Flags(names(&[4]))));
        assert_eq!(named("flags", names(&[1, 2, 3])), None);
        assert_eq!(likely("flags", names(&[0, 1, 2])), None);
        assert_eq!(likely("kind", vec![("X_FLAG_A".into(), 1), ("X_FLAG_B".into(), 2)]), None);
        assert_eq!(likely("kind", vec![("X_A".into(), 1), ("X_B".into(), 2), ("Y_A".into(), 1)]), None);
        let off = vec![("X_NONE".to_owned(), 0), ("X_A".to_owned(), 1), ("X_B".to_owned(), 2)];
        assert_eq!(likely("flags", off.clone()), Some(Meaning::Flags(off)));
        assert_eq!(named("flags", vec![("X_MAX".into(), 4)]), None);
        let flags = vec![("X_FLAG_A".to_owned(), 1)];
        assert_eq!(chosen(&flags, Some("op"), Some("flags")), Some("flags"));
        assert_eq!(chosen(&flags, Some("mode"), Some("other")), Some("mode"));
        assert_eq!(chosen(&flags, Some("handle"), Some("other")), None);
        assert_eq!(beginning(&vec![("ABC_DE_F".into(), 0), ("ABC_DX".into(), 1)]), "ABC_");
    }
}
