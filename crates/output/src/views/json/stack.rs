//! Stacks as JSON.

use super::Json;
use stride_event::{Bottom, CallingFunction, SourceLine, Stack, StackFrame};

impl Json<'_> {
    pub fn stack(&mut self, stack: &Stack) {
        self.key("stack").array(|j| stack.frames.iter().for_each(|frame| j.object(|j| j.frame(frame))));
        match stack.bottom {
            Bottom::Reached => {}
            Bottom::Limit => self.key("stack_ends").str("limit"),
            Bottom::Unknown => self.key("stack_ends").str("unknown"),
        }
    }

    fn frame(&mut self, frame: &StackFrame) {
        if let Some(module) = &frame.module {
            self.name("module", &module.path);
            if !module.build_id.is_empty() {
                self.key("build_id").octet_string(&module.build_id);
            }
        }
        self.key("offset").hex(frame.offset);
        if let Some(symbol) = &frame.symbol {
            self.key("symbol").str(&symbol.name);
            self.key("symbol_offset").hex(symbol.offset);
        }
        self.source(frame.source.as_ref());
        if !frame.inlined.is_empty() {
            self.key("inlined").array(|j| {
                for inlined in &frame.inlined {
                    j.object(|j| {
                        j.key("symbol").str(&inlined.name);
                        j.source(inlined.source.as_ref());
                    });
                }
            });
        }
    }

    /// The members of a function that makes calls.
    pub fn caller(&mut self, caller: &CallingFunction) {
        if let Some(module) = &caller.module {
            self.name("module", &module.path);
        }
        if let Some(offset) = caller.offset {
            self.key("offset").hex(offset);
        }
        if let Some(function) = &caller.function {
            self.key("function").str(function);
        }
        self.source(caller.source.as_ref());
        if let Some(package) = &caller.package {
            self.key("package").str(package);
        }
    }

    fn source(&mut self, source: Option<&SourceLine>) {
        if let Some(source) = source {
            self.key("file").str(&source.file);
            if source.line > 0 {
                self.key("line").int(source.line);
            }
        }
    }
}
