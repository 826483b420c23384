//! `--called-from`: calls chosen by the functions that led to them.

use crate::{Error, ere};
use regex::Regex;
use stride_event::{Stack, StackFrame};

/// A regular expression for functions, the files of code that they are in, and files of source.
#[derive(Clone, Debug)]
pub struct FramePattern {
    text: String,
    regex: Regex,
}

impl PartialEq for FramePattern {
    fn eq(&self, other: &FramePattern) -> bool {
        self.text == other.text
    }
}

impl FramePattern {
    pub fn parse(text: &str) -> Result<FramePattern, Error> {
        Ok(FramePattern { text: text.into(), regex: ere::compile(text)? })
    }

    /// True if any frame matches.
    pub fn matches(&self, stack: &Stack) -> bool {
        stack.frames.iter().any(|frame| self.matches_frame(frame))
    }

    fn matches_frame(&self, frame: &StackFrame) -> bool {
        let symbol = frame.symbol.iter().map(|symbol| &symbol.name);
        let functions = symbol.chain(frame.inlined.iter().map(|inlined| &inlined.name));
        let sources = frame.source.iter().chain(frame.inlined.iter().filter_map(|inlined| inlined.source.as_ref()));
        functions.chain(sources.map(|source| &source.file)).any(|text| self.regex.is_match(text))
            || frame.module.as_ref().is_some_and(|module| self.regex.is_match(&String::from_utf8_lossy(&module.path)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use stride_event::{Bottom, CodeFile, InlinedFunction, SourceLine, Symbol};

    #[test]
    fn functions_modules_and_sources() {
        let line = |file: &str| Some(SourceLine { file: file.into(), line: 7 });
        let frame = StackFrame {
            module: Some(Arc::new(CodeFile { path: b"/opt/\xff/prog".as_slice().into(), build_id: [].into() })),
            offset: 1,
            symbol: Some(Symbol { name: "save_all".into(), offset: 1 }),
            source: line("/src/save.c"),
            inlined: [InlinedFunction { name: "save_one".into(), source: line("/src/one.h") }].into(),
        };
        let stack = Stack { frames: [Arc::new(frame)].into(), bottom: Bottom::Reached };
        let matches = |text: &str| FramePattern::parse(text).unwrap().matches(&stack);
        for text in ["^save_all$", "one$", "/prog$", "save\\.c$", "one\\.h$", "^(load|save)_"] {
            assert!(matches(text), "{text}");
        }
        for text in ["^save$", "^prog", "load", "SAVE"] {
            assert!(!matches(text), "{text}");
        }
        let explanation = FramePattern::parse("save(").unwrap_err().to_string();
        assert_eq!(explanation, "regcomp: save(: Unmatched ( or \\(");
    }
}
