//! The program to start.

use std::ffi::OsString;

/// The program to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// As typed: a path, or a name to look up in `PATH`.
    pub program: OsString,
    /// `argv` of the program, with `--argv0` applied.
    pub argv: Vec<OsString>,
    /// Changes of the environment, in the order given.
    pub env: Vec<EnvChange>,
    /// The user to run as (`-u`). Without one, the command runs as Stride's user.
    pub user: Option<RunAs>,
}

/// A change of the command's environment (`-E`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvChange {
    /// Sets a variable to a value.
    Set(OsString, OsString),
    /// Removes a variable.
    Remove(OsString),
}

/// `-u`, looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunAs {
    /// The user id.
    pub uid: u32,
    /// The group id.
    pub gid: u32,
    /// Supplementary groups.
    pub groups: Vec<u32>,
}

impl Command {
    /// The environment of the program: Stride's own, changed by `-E`. A changed variable keeps its position.
    pub fn environment(&self, own: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
        let mut env: Vec<(OsString, OsString)> = own.into_iter().collect();
        for change in &self.env {
            match change {
                EnvChange::Set(name, value) => match env.iter_mut().find(|(known, _)| known == name) {
                    Some(variable) => variable.1.clone_from(value),
                    None => env.push((name.clone(), value.clone())),
                },
                EnvChange::Remove(name) => env.retain(|(known, _)| known != name),
            }
        }
        env
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_changes_apply_in_order() {
        let own = [("A", "1"), ("B", "2")].map(|(k, v)| (k.into(), v.into()));
        let command = Command {
            program: "x".into(),
            argv: vec![],
            user: None,
            env: vec![
                EnvChange::Set("A".into(), "3".into()),
                EnvChange::Remove("B".into()),
                EnvChange::Set("C".into(), "".into()),
                EnvChange::Remove("D".into()),
            ],
        };
        let expected = [("A", "3"), ("C", "")].map(|(k, v)| (OsString::from(k), OsString::from(v)));
        assert_eq!(command.environment(own), expected);
    }
}
