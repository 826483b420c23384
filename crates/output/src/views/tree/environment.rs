//! The names of the variables with which programs are executed and their parents were not. Values may be secret, and
//! are not kept.

use crate::spelling::legible::legible;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::rc::Rc;
use stride_event::Tid;

/// The variables that are kept for all living processes together, and of one program.
const MOST: usize = 1 << 18;
const OF_PROGRAM: usize = 1 << 12;
/// The names in a change, and the bytes of each.
const NAMES: usize = 12;
const NAME: usize = 48;

/// The names of a program's variables, sorted, each with a hash of its value.
pub struct Environment(Vec<(Box<[u8]>, u64)>);

impl Environment {
    /// `None` if there are more variables than a program has.
    fn of<'v>(variables: impl ExactSizeIterator<Item = &'v [u8]>) -> Option<Environment> {
        if variables.len() > OF_PROGRAM {
            return None;
        }
        let mut all: Vec<(Box<[u8]>, u64)> = variables
            .map(|variable| {
                let (name, value) =
                    variable.split_at(variable.iter().position(|b| *b == b'=').unwrap_or(variable.len()));
                let mut hasher = DefaultHasher::new();
                hasher.write(name);
                hasher.write(value);
                (name[..name.len().min(NAME)].into(), hasher.finish())
            })
            .collect();
        // Shells set it to each program that they execute.
        all.retain(|(name, _)| **name != *b"_");
        all.sort_unstable();
        all.dedup_by(|a, b| a.0 == b.0);
        Some(Environment(all))
    }
}

/// The difference between two environments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnvironmentChange {
    /// Names behind `+`, `-` or `~`.
    pub names: Vec<String>,
    /// Names beyond those.
    pub more: usize,
}

impl EnvironmentChange {
    fn between(old: &Environment, new: &Environment) -> EnvironmentChange {
        let mut change = EnvironmentChange::default();
        let (mut old, mut new) = (old.0.iter().peekable(), new.0.iter().peekable());
        loop {
            let (sign, name) = match (old.peek(), new.peek()) {
                (None, None) => break,
                (Some(before), Some(after)) if before.0 == after.0 => {
                    let same = before.1 == after.1;
                    let name = &before.0;
                    old.next();
                    new.next();
                    if same {
                        continue;
                    }
                    ('~', name)
                }
                (Some(before), after) if after.is_none_or(|after| before.0 < after.0) => {
                    let name = &before.0;
                    old.next();
                    ('-', name)
                }
                (_, Some(after)) => {
                    let name = &after.0;
                    new.next();
                    ('+', name)
                }
                (Some(_), None) => break,
            };
            if change.names.len() < NAMES {
                change.names.push(format!("{sign}{}", legible(name, NAME)));
            } else {
                change.more += 1;
            }
        }
        change
    }
}

/// The environments of the living.
#[derive(Default)]
pub struct Environments {
    of: HashMap<Tid, OfProcess>,
    kept: usize,
}

#[derive(Clone, Default)]
struct OfProcess {
    /// The variables of its parent when it was forked.
    inherited: Option<Rc<Environment>>,
    own: Option<Rc<Environment>>,
}

impl OfProcess {
    fn size(&self) -> usize {
        self.own.as_ref().map_or(0, |own| own.0.len())
    }
}

impl Environments {
    pub fn forked(&mut self, parent: Tid, child: Tid) {
        let inherited = self.of.get(&parent).and_then(|parent| parent.own.clone());
        self.set(child, OfProcess { own: inherited.clone(), inherited });
    }

    /// The process executes a program with these variables. Returns what differs from its parent's.
    pub fn executed<'v>(
        &mut self,
        process: Tid,
        variables: impl ExactSizeIterator<Item = &'v [u8]>,
    ) -> Option<EnvironmentChange> {
        let inherited = self.of.get(&process).and_then(|of| of.inherited.clone());
        let own = Environment::of(variables).map(Rc::new);
        let change = inherited.as_ref().zip(own.as_ref()).map(|(old, new)| EnvironmentChange::between(old, new));
        self.set(process, OfProcess { inherited, own });
        change.filter(|change| !change.names.is_empty())
    }

    pub fn ended(&mut self, process: Tid) {
        if let Some(of) = self.of.remove(&process) {
            self.kept -= of.size();
        }
    }

    fn set(&mut self, process: Tid, of: OfProcess) {
        self.ended(process);
        if self.kept + of.size() <= MOST && self.of.len() < MOST {
            self.kept += of.size();
            self.of.insert(process, of);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn executed(all: &mut Environments, process: Tid, variables: &[&str]) -> String {
        let variables: Vec<&[u8]> = variables.iter().map(|variable| variable.as_bytes()).collect();
        all.executed(process, variables.into_iter()).map(|change| change.names.join(" ")).unwrap_or_default()
    }

    #[test]
    fn changes_against_the_parent() {
        let mut all = Environments::default();
        assert_eq!(executed(&mut all, 1, &["A=1", "B=2", "C=3"]), "", "nobody knows what its parent had");
        all.forked(1, 2);
        assert_eq!(executed(&mut all, 2, &["B=2", "C=4", "D=5"]), "-A ~C +D");
        // Of several programs in turn, the last one counts.
        assert_eq!(executed(&mut all, 2, &["A=1", "B=2", "C=3"]), "");
        // A child that executes nothing has what its parent has.
        all.forked(2, 3);
        all.forked(3, 4);
        all.ended(2);
        assert_eq!(executed(&mut all, 4, &["A=1", "B=2", "C=3", "E\x1b="]), "+E\\x1b");
        all.ended(1);
        all.ended(3);
        all.ended(4);
        assert_eq!((all.kept, all.of.len()), (0, 0));
    }

    #[test]
    fn very_many_are_bounded() {
        let mut all = Environments::default();
        let variables: Vec<String> = (0..1000).map(|i| format!("V{i}={i}")).collect();
        let variables: Vec<&str> = variables.iter().map(String::as_str).collect();
        for process in 1..1000 {
            executed(&mut all, process, &variables);
            assert!(all.kept <= MOST);
        }
        all.forked(1, 5000);
        let change = all.executed(5000, [].into_iter()).unwrap_or_default();
        assert!(change.names.is_empty() || change.names.len() + change.more == 1000);
        assert!(Environment::of(vec![&b"A=1"[..]; OF_PROGRAM + 1].into_iter()).is_none());
    }
}
