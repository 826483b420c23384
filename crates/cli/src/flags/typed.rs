//! The names by which the user gave options, for messages about them.

use super::flag::{Flag, Given};

/// The options that were given, each as it was written last.
#[derive(Clone, Debug, Default)]
pub struct Typed(Vec<(&'static Flag, String)>);

/// Whoever writes the same options in another way wants the same.
impl PartialEq for Typed {
    fn eq(&self, _: &Typed) -> bool {
        true
    }
}

impl Typed {
    pub fn note(&mut self, given: &Given) {
        // (`-e inject=` is a spelling of --inject.)
        let spelling = given.spelling.to_string().trim_end_matches('=').to_owned();
        self.0.retain(|(flag, _)| flag.long != given.flag.long || flag.short != given.flag.short);
        self.0.push((given.flag, spelling));
    }

    /// The one of these options that the user gave, as the user wrote it. Options are written `--one/--other`; the first that was given counts.
    /// If none was, all stay.
    pub fn name(&self, options: &str) -> String {
        let given = |long: &str| self.0.iter().find(|(flag, _)| flag.longs().any(|own| own == long));
        let first = options.split('/').find_map(|option| given(option.strip_prefix("--")?));
        first.map_or_else(|| options.to_owned(), |(_, spelling)| spelling.clone())
    }
}

#[cfg(test)]
mod tests {
    use crate::flags::parser::options_of;

    #[test]
    fn options_have_the_names_that_were_typed() {
        for (words, options, name) in [
            (&["--fault=read", "x"][..], "--inject/--fault", "--fault"),
            (&["-e", "inject=read:error=EIO", "x"], "--inject/--fault", "-e inject"),
            (&["-u", "root", "--comm=x"], "--all/--comm/--user", "--comm"),
            (&["-u", "root"], "--all/--comm/--user", "-u"),
            (&["x"], "--inject/--fault", "--inject/--fault"),
        ] {
            assert_eq!(options_of(words).typed.name(options), name, "{words:?}");
        }
    }
}
