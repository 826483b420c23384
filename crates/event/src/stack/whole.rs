//! Stacks of which all functions are known.

use crate::{Bottom, Stack, StackFrame};

/// The beginnings of frames that stand for several tasks or for a coroutine, without their functions. Those of single tasks have their coroutines behind them.
const TASKS: [&str; 2] = ["[awaited by ", "[a coroutine whose code is gone]"];
const SHOWN_TASKS: [&str; 2] = ["[awaited by a task]", "[awaited by the task "];

impl Stack {
    /// True if every function that led to the call is known.
    pub fn is_whole(&self) -> bool {
        self.bottom == Bottom::Reached && !self.frames.iter().any(|frame| frame.stands_for_unknown())
    }
}

impl StackFrame {
    /// True for a frame that stands for functions of a script which are not known, as `stacks` makes them: `[python: more frames]`, `[awaited by 3 tasks]`.
    fn stands_for_unknown(&self) -> bool {
        let name = self.symbol.as_ref().map_or("", |symbol| &symbol.name);
        let begins_with = |marks: &[&str]| marks.iter().any(|mark| name.starts_with(mark));
        // HotSpot's own routines have a capital.
        let language = || name.strip_prefix('[')?.split_once(": ").map(|(language, _)| language);
        let is_language = language().is_some_and(|language| language.bytes().all(|byte| byte.is_ascii_lowercase()));
        let stands = is_language || begins_with(&TASKS) && !begins_with(&SHOWN_TASKS);
        stands && self.module.is_none() && self.source.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SourceLine, Symbol};
    use std::sync::Arc;

    fn is_whole(name: &str, source: Option<&str>) -> bool {
        let source = source.map(|file| SourceLine { file: file.into(), line: 1 });
        let symbol = Some(Symbol { name: name.into(), offset: 0 });
        let frame = StackFrame { module: None, offset: 0, symbol, source, inlined: Box::default() };
        Stack { frames: [Arc::new(frame)].into(), bottom: Bottom::Reached }.is_whole()
    }

    #[test]
    fn frames_that_stand_for_others() {
        for mark in [
            "[python: frames that were not read]",
            "[node: a function that is gone]",
            "[awaited by tasks that were not read]",
            "[awaited by 3 tasks]",
            "[a coroutine whose code is gone]",
        ] {
            assert!(!is_whole(mark, None), "{mark}");
            // A function may have any name.
            assert!(is_whole(mark, Some("app.py")), "{mark}");
        }
        for known in
            ["[awaited by a task]", "[awaited by the task one]", "[HotSpot: StubRoutines (1)]", "[]", "check", ""]
        {
            assert!(is_whole(known, None), "{known}");
        }
        let empty = |bottom| Stack { frames: [].into(), bottom };
        assert!(empty(Bottom::Reached).is_whole());
        assert!(!empty(Bottom::Limit).is_whole() && !empty(Bottom::Unknown).is_whole());
    }
}
