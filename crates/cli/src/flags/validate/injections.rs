//! The rules that change calls, ready for the engine.

use crate::flags::stop::Warn;
use std::hash::{BuildHasher, RandomState};
use stride_event::{ErrnoSet, InjectedResult, Injection};
use stride_filter::InjectionRule;

/// The errors that a call can return to a program: their negative values are its results.
const ERRORS: u64 = ErrnoSet::MAX as u64;

/// Chooses the seeds that were not given, and tells them.
pub fn settled(rules: Vec<InjectionRule>, warn: Warn) -> Vec<Injection> {
    let settle = |InjectionRule { mut injection, wants_seed }: InjectionRule| {
        if let (Some(chance), true) = (&mut injection.chance, wants_seed) {
            // Half of the bits are easier to type.
            chance.seed = RandomState::new().hash_one(0) & u64::from(u32::MAX);
            warn(format!(
                "prob={} without seed=: add seed={} to change the same calls again",
                chance.probability, chance.seed
            ));
        }
        if let Some(InjectedResult::Value(value)) = injection.result
            && let errno @ 1..=ERRORS = value.wrapping_neg()
        {
            warn(format!("Inadvertent injection of error {errno} is possible for retval={value}"));
        }
        injection
    };
    rules.into_iter().map(settle).collect()
}

#[cfg(test)]
mod tests {
    use crate::flags::parser::options_of;
    use crate::flags::validate::tests::warnings;
    use stride_event::{Chance, InjectedResult};

    #[test]
    fn a_seed_is_chosen_and_told() {
        let message = warnings(&["-e", "fault=read:prob=0.5", "x"]);
        assert!(message[0].starts_with("prob=0.5 without seed=: add seed="), "{message:?}");
        assert_eq!(warnings(&["-e", "fault=read:prob=0.5:seed=7", "x"]), [""; 0]);
        let options = options_of(&["--fault=read:prob=0.5:seed=7", "--inject=write:retval=-1", "x"]);
        assert_eq!(options.spec.injections[0].chance, Some(Chance { probability: 0.5, seed: 7 }));
        assert_eq!(options.spec.injections[1].result, Some(InjectedResult::Value(u64::MAX)));
    }

    #[test]
    fn values_that_look_like_errors() {
        assert_eq!(
            warnings(&["-e", "inject=read:retval=0xfffffffffffff001", "x"]),
            ["Inadvertent injection of error 4095 is possible for retval=18446744073709547521"]
        );
        assert_eq!(warnings(&["-e", "inject=read:retval=0xfffffffffffff000", "x"]), [""; 0]);
    }
}
