//! Call sites: the places in a program that make a call, the same in each run.

use std::sync::Arc;
use stride_event::{Caller, CallingFunction, Stack, StackFrame};
use stride_output::caller_name;

/// A call site, as a number that is the same in each run of the same files: of the call's name and the frames' files and addresses therein. Each frame counts
/// once, so that a function is not another place each time it is deeper in its own recursion. In a script, only its own functions count, and those of installed packages: to the
/// language's library, one `import` is hundreds of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct SiteKey(u64);

impl SiteKey {
    pub fn of(call: &str, stack: &Stack) -> SiteKey {
        if stack.has_own_script() {
            let own = stack.functions().filter(|(_, is_own)| *is_own);
            return SiteKey::of_frames(call, own.map(|(function, _)| function.frame));
        }
        SiteKey::of_frames(call, stack.frames.iter().map(|frame| &**frame))
    }

    /// The same place in another process.
    pub fn elsewhere(self) -> SiteKey {
        let mut hash = Fnv::new();
        hash.bytes(&self.0.to_le_bytes());
        SiteKey(hash.0)
    }

    /// The same for the frames up to the function that makes the call, whoever called this one.
    pub fn of_caller(call: &str, stack: &Stack) -> SiteKey {
        let Caller::Function(function) = stack.caller() else { return SiteKey::of(call, stack) };
        let is_caller = |frame: &Arc<StackFrame>| std::ptr::eq(&raw const **frame, function.frame);
        let up_to = stack.frames.iter().position(is_caller).map_or(stack.frames.len(), |at| at + 1);
        SiteKey::of_frames(call, stack.frames[..up_to].iter().map(|frame| &**frame))
    }

    fn of_frames<'a>(call: &str, frames: impl Iterator<Item = &'a StackFrame>) -> SiteKey {
        let mut seen: Vec<u64> = Vec::new();
        for frame in frames {
            let mut hash = Fnv::new();
            match (&frame.module, &frame.symbol) {
                (Some(module), _) => {
                    // (In a copy of a directory, a program has another path in each run.)
                    hash.bytes(module.file_name());
                    hash.bytes(&module.build_id);
                    hash.bytes(&frame.offset.to_le_bytes());
                }
                // A function that an interpreter runs, or a JIT compiler made: its address is another one in each run.
                (None, Some(symbol)) => {
                    hash.bytes(symbol.name.as_bytes());
                    hash.bytes(&frame.source.as_ref().map_or(0, |source| source.line).to_le_bytes());
                }
                (None, None) => hash.bytes(b"?"),
            }
            if !seen.contains(&hash.0) {
                seen.push(hash.0);
            }
        }
        let mut hash = Fnv::new();
        hash.bytes(call.as_bytes());
        seen.iter().for_each(|frame| hash.bytes(&frame.to_le_bytes()));
        SiteKey(hash.0)
    }
}

/// The hash of Fowler, Noll and Vo: it never changes, so keys may be kept in files.
pub struct Fnv(pub u64);

impl Fnv {
    pub fn new() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }

    /// Adds bytes, and their number: so `ab`, `c` differs from `a`, `bc`.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.plain(bytes);
        self.plain(&(bytes.len() as u64).to_le_bytes());
    }

    /// Adds bytes.
    pub fn plain(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// The function that makes the call, with its line. `None` if the call is not the program's own: the dynamic loader and the C library before `main`, code that nothing
/// names.
pub fn caller(stack: &Stack) -> Option<String> {
    let began_in_loader = stack.frames.last().and_then(|frame| frame.module.as_ref()).is_some_and(|module| {
        let name = module.file_name();
        name.starts_with(b"ld-") || name.starts_with(b"ld.so") || name.starts_with(b"ld64")
    });
    if began_in_loader || !matches!(stack.caller(), Caller::Function(_)) {
        return None;
    }
    CallingFunction::of(stack, &Clone::clone).map(|caller| caller_name(&caller))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::{Bottom, CodeFile, Symbol};

    fn stack(frames: &[(&str, &str, u64)]) -> Stack {
        let frame = |&(module, name, offset): &(&str, &str, u64)| {
            let module = (!module.is_empty())
                .then(|| Arc::new(CodeFile { path: module.as_bytes().into(), build_id: [].into() }));
            let symbol = (!name.is_empty()).then(|| Symbol { name: name.into(), offset: 1 });
            Arc::new(StackFrame { module, offset, symbol, source: None, inlined: [].into() })
        };
        Stack { frames: frames.iter().map(frame).collect(), bottom: Bottom::Reached }
    }

    #[test]
    fn a_site_is_a_call_and_a_way_to_it() {
        let of = |call: &str, frames: &[(&str, &str, u64)]| SiteKey::of(call, &stack(frames));
        let (load, main) = (("/p", "load", 8), ("/p", "main", 20));
        assert_eq!(of("read", &[load, main]), of("read", &[load, main]));
        assert_ne!(of("read", &[load, main]), of("write", &[load, main]));
        assert_ne!(of("read", &[load, main]), of("read", &[("/p", "load", 9), main]));
        assert_ne!(of("read", &[load, main]), of("read", &[main, load]));
        assert_ne!(of("read", &[load, main]), of("read", &[("/q", "load", 8), main]));
        assert_eq!(of("read", &[load]), of("read", &[("/copy/p", "load", 8)]));
        // Deeper recursion is the same place.
        assert_eq!(of("read", &[load, main]), of("read", &[load, load, load, main]));
        let near = |frames: &[(&str, &str, u64)]| SiteKey::of_caller("read", &stack(frames));
        assert_eq!(near(&[load, main]), near(&[load, ("/p", "main", 30)]));
        assert_ne!(near(&[load, main]), near(&[("/p", "load", 9), main]));
        // Made code lies elsewhere in each run.
        assert_eq!(of("read", &[("", "py::f", 1), main]), of("read", &[("", "py::f", 2), main]));
    }

    #[test]
    fn the_start_of_a_program_is_not_its_own() {
        let libc = ("/lib/libc.so.6", "read", 1);
        assert_eq!(caller(&stack(&[libc, ("/p", "load", 8), ("/p", "_start", 2)])).as_deref(), Some("load (p)"));
        for loader in ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1"] {
            assert_eq!(caller(&stack(&[libc, ("/lib/libx.so", "init", 8), (loader, "_dl_start", 1)])), None);
        }
        assert_eq!(caller(&stack(&[libc])), None);
    }
}
