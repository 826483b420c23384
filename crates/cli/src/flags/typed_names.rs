//! The names by which the user gave options, for messages about them.

/// The options that were given: the long names of each, and how it was written last.
#[derive(Clone, Debug, Default)]
pub struct TypedNames(Vec<(Vec<&'static str>, String)>);

/// Whoever writes the same options in another way wants the same.
impl PartialEq for TypedNames {
    fn eq(&self, _: &TypedNames) -> bool {
        true
    }
}

impl TypedNames {
    pub fn note(&mut self, longs: impl Iterator<Item = &'static str>, spelling: &str) {
        let longs: Vec<&'static str> = longs.collect();
        self.0.retain(|(known, _)| *known != longs);
        // (`-e inject=` is a spelling of --inject.)
        self.0.push((longs, spelling.trim_end_matches('=').to_owned()));
    }

    /// The one of these options that the user gave, as the user wrote it. Options are written `--one/--other`; the first that was given counts.
    /// If none was, all stay.
    pub fn name(&self, options: &str) -> String {
        let given = |long: &str| self.0.iter().find(|(longs, _)| longs.contains(&long));
        let first = options.split('/').find_map(|option| given(option.strip_prefix("--")?));
        first.map_or_else(|| options.to_owned(), |(_, spelling)| spelling.clone())
    }
}
