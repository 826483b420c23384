//! Macro constants: list the macros of a group, let clang evaluate each, read the values back.

use super::{
    Abi, dwarf, groups,
    headers::Source,
    ioctls::{self, Macros, RequestNames},
    with_ext,
};
use anyhow::{Context, Result, bail};
use object::{Object, ObjectSection, ObjectSymbol};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const PREFIX: &str = "stride_value_of_";
const SECTION: &str = "stride";

/// One line defines one macro. `(x)|0` compiles only for integers: pointers, strings, floats, types and statements
/// fail, and their lines are dropped.
const DEFINE: &str = "#define STRIDE_VALUE(n) __attribute__((used, section(\"stride\"))) \
                      const unsigned long long stride_value_of_##n = (unsigned long long)((n)|0);\n";

/// The constants of a group, and which of them are ioctl requests.
pub fn evaluate(
    abi: Abi,
    source: &Source,
    group: &[String],
    base: &Path,
) -> Result<(BTreeMap<String, u64>, RequestNames)> {
    let work = base.parent().context("a group has a directory")?;
    let head = groups::text(group);
    let main = with_ext(base, "macros.c");
    fs::write(&main, &head)?;
    let output = source.clang(abi, work).args(["-E", "-dM"]).arg(&main).output().context("cannot run clang")?;
    let listing = String::from_utf8_lossy(&output.stdout);
    let mut names: Vec<String> = listing.lines().filter_map(candidate).map(String::from).collect();
    names.sort();

    let main = with_ext(base, "values.c");
    let object = with_ext(base, "values.o");
    let first = head.lines().count() + DEFINE.lines().count() + 1;
    // An error in one line can hide the error of the next, so the loop compiles again.
    for _ in 0..20 {
        let lines: String = names.iter().map(|name| format!("STRIDE_VALUE({name})\n")).collect();
        fs::write(&main, format!("{head}{DEFINE}{lines}"))?;
        let output = source.clang(abi, work).arg("-c").arg(&main).arg("-o").arg(&object).output()?;
        if output.status.success() {
            let mut values = values(&object)?;
            let mut requests = Macros::parse(&listing).requests(&values);
            let main = with_ext(base, "requests.c");
            fs::write(&main, head.clone() + &ioctls::asking(requests.names.iter().chain(&requests.spare)))?;
            let output = source.clang(abi, work).args(["-E", "-P"]).arg(&main).output()?;
            let text = String::from_utf8_lossy(&output.stdout);
            let mut types = ioctls::told(&text);
            for (name, ty) in ioctls::enumerated(&text) {
                types.extend(ty.map(|ty| (name.clone(), ty)));
                requests.names.insert(name);
            }
            requests.types = dwarf::arguments(abi, source, group, base, &types)?;
            requests.tell(&mut values);
            return Ok((values, requests));
        }
        let log = String::from_utf8_lossy(&output.stderr);
        let rejected = rejected(&log, &main.to_string_lossy(), first, names.len());
        if rejected.is_empty() {
            bail!("cannot tell which constant clang rejects in {}:\n{log}", main.display());
        }
        let mut index = 0;
        names.retain(|_| {
            index += 1;
            !rejected.contains(&(index - 1))
        });
    }
    bail!("clang keeps rejecting constants in {}", main.display())
}

/// The name of an object-like macro that may be a constant.
fn candidate(line: &str) -> Option<&str> {
    let (name, body) = line.strip_prefix("#define ")?.split_once(' ')?;
    // `_X` is internal unless it is a request, `X(` takes arguments, an empty body is a header guard.
    let odd = name.starts_with('_') && !body.starts_with("_IO") || name.contains('(') || body.trim().is_empty();
    // Macros that are statements, strings or attributes would confuse the parser.
    let code = without_chars(body).contains(['{', '}', ';', '"', '#', '\'']);
    // Macros of the C library or the compiler, not of the kernel, and our own.
    let foreign = name.starts_with("STRIDE_")
        || ["linux", "unix", "i386", "offsetof", "NULL", "true", "false", "bool"].contains(&name)
        || ["INT", "UINT", "SIZE_", "PTRDIFF_", "SIG_ATOMIC_", "WCHAR_", "WINT_"].iter().any(|prefix| {
            name.starts_with(prefix) && (name.ends_with("_MAX") || name.ends_with("_MIN") || name.ends_with("_WIDTH"))
        });
    (!odd && !code && !foreign).then_some(name)
}

/// The definition without its `'x'` constants, which are integers, whatever the character is.
fn without_chars(body: &str) -> String {
    let mut bare = String::new();
    let mut rest = body;
    while let Some((before, after)) = rest.split_once('\'') {
        bare.push_str(before);
        match after.split_once('\'') {
            Some((_, behind)) => rest = behind,
            None => return bare + "'",
        }
    }
    bare + rest
}

/// The indexes of the lines that clang reports, in errors and in the expansions that led to them.
pub fn rejected(log: &str, main: &str, first: usize, count: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for line in log.lines().filter(|line| line.contains(": error: ")) {
        let number = line.strip_prefix(main).and_then(|rest| rest.strip_prefix(':')?.split(':').next()?.parse().ok());
        if let Some(index) = number.and_then(|number: usize| number.checked_sub(first)).filter(|&index| index < count) {
            found.insert(index);
        }
    }
    found
}

fn values(object: &Path) -> Result<BTreeMap<String, u64>> {
    let data = fs::read(object)?;
    let file = object::File::parse(&*data)?;
    let Some(section) = file.section_by_name(SECTION) else {
        return Ok(BTreeMap::new());
    };
    let bytes = section.data()?;
    let moved: BTreeSet<u64> = section.relocations().map(|(offset, _)| offset).collect();
    let mut found = BTreeMap::new();
    for symbol in file.symbols() {
        let Some(name) = symbol.name().ok().and_then(|name| name.strip_prefix(PREFIX)) else {
            continue;
        };
        let at = symbol.address() as usize;
        if moved.contains(&symbol.address()) {
            continue; // an address, not a number
        }
        let value = bytes.get(at..at + 8).context("a constant lies outside its section")?;
        found.insert(name.to_string(), u64::from_le_bytes(value.try_into()?));
    }
    Ok(found)
}
