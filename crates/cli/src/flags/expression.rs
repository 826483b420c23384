//! `-e [NAME=]VALUE`: another spelling of options. Without a name, `trace` is meant.

use super::flag::Given;
use super::lookup;
use super::stop::Stop;
use super::table;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use stride_filter::nearest;
use stride_session::options::Spelling;

/// The option that an expression stands for. An unknown name is taken as part of a value for `trace`, which reports the
/// error.
pub fn resolve(expression: &OsStr) -> Result<Given, Stop> {
    let bytes = expression.as_bytes();
    if let Some(at) = bytes.iter().position(|b| *b == b'=') {
        let found = std::str::from_utf8(&bytes[..at]).ok().and_then(lookup::qualifier);
        if let Some((flag, name)) = found {
            let value = Some(OsString::from_vec(bytes[at + 1..].to_vec()));
            return Ok(Given { flag, spelling: Spelling::Qualifier(name), value });
        }
        // No syscall's name contains `=`.
        let name = String::from_utf8_lossy(&bytes[..at]);
        if let Some(similar) = nearest(&name, table::all().flat_map(|flag| flag.qualifiers.iter().copied())) {
            let expression = expression.to_string_lossy();
            return Err(Stop::fail(format!("invalid system call '{expression}'; did you mean '{similar}='?")));
        }
    }
    let (flag, name) = lookup::qualifier("trace")
        .ok_or_else(|| Stop::fail("internal error: the option table lacks 'trace'; please report this"))?;
    Ok(Given { flag, spelling: Spelling::Qualifier(name), value: Some(expression.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_the_default() {
        let given = resolve(OsStr::new("s=io")).unwrap();
        assert_eq!((given.flag.long, given.text().as_ref()), (Some("signal"), "io"));
        let given = resolve(OsStr::new("!read")).unwrap();
        assert_eq!((given.flag.long, given.text().as_ref()), (Some("trace"), "!read"));
        let given = resolve(OsStr::new("foo=bar")).unwrap();
        assert_eq!((given.flag.long, given.text().as_ref()), (Some("trace"), "foo=bar"));
    }
}
