//! The code that frames run, read once.

use crate::script::identity::identity;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use stride_event::{ScriptFrame, ScriptFrames, ScriptLayout, ThreadMemory};

/// What names the frames of code.
pub trait NamesCode: Sized {
    /// It was read to its end.
    fn is_whole(&self) -> bool;

    /// The memory that it takes.
    fn bytes(&self) -> usize;
}

/// Code by its address, and by the number that tells it from other code at that address.
pub struct KnownCode<C> {
    code: FxHashMap<(u64, u64), Rc<C>>,
    /// The bytes of all of them.
    bytes: usize,
}

impl<C> Default for KnownCode<C> {
    fn default() -> KnownCode<C> {
        KnownCode { code: FxHashMap::default(), bytes: 0 }
    }
}

/// When there is more, all goes.
const MOST: usize = 1 << 15;
const MOST_BYTES: usize = 16 << 20;

impl<C: NamesCode> KnownCode<C> {
    /// The code of a frame, unless other code is at its address by now.
    pub fn get(
        &mut self,
        layout: &ScriptLayout,
        frame: &ScriptFrame,
        memory: &mut dyn ThreadMemory,
        read: impl Fn(&mut dyn ThreadMemory) -> Option<C>,
    ) -> Option<Rc<C>> {
        let identify = |memory: &mut dyn ThreadMemory| identity(layout, frame.code, memory);
        self.get_by((frame.code, frame.identity), memory, identify, read)
    }

    /// What is at an address and had this number, unless something else is there by now.
    pub fn get_by(
        &mut self,
        key: (u64, u64),
        memory: &mut dyn ThreadMemory,
        identify: impl Fn(&mut dyn ThreadMemory) -> Option<u64>,
        read: impl Fn(&mut dyn ThreadMemory) -> Option<C>,
    ) -> Option<Rc<C>> {
        if key.1 == 0 {
            return None;
        }
        if let Some(known) = self.code.get(&key) {
            return Some(known.clone());
        }
        let is_same = |memory: &mut dyn ThreadMemory| identify(memory) == Some(key.1);
        let Some(code) = whole(memory, is_same, &read) else {
            // What names it was copied, or the beginning of that.
            return read(&mut OfCall(memory)).map(Rc::new);
        };
        let code = Rc::new(code);
        self.bytes += code.bytes();
        if self.code.len() >= MOST || self.bytes > MOST_BYTES {
            self.code.clear();
            self.bytes = 0;
        }
        self.code.insert(key, code.clone());
        Some(code)
    }
}

/// Reads all of it, unless other code is at its address by now.
fn whole<C: NamesCode>(
    memory: &mut dyn ThreadMemory,
    is_same: impl Fn(&mut dyn ThreadMemory) -> bool,
    read: impl Fn(&mut dyn ThreadMemory) -> Option<C>,
) -> Option<C> {
    if !memory.is_still() && !is_same(memory) {
        return None;
    }
    let code = read(memory);
    // The code may have gone meanwhile, and its names with it.
    if memory.begin_check() {
        let is_same = is_same(memory);
        memory.end_check();
        is_same.then_some(())?;
    }
    code.filter(C::is_whole)
}

/// The memory that was copied at the moment of the call.
struct OfCall<'a>(&'a mut dyn ThreadMemory);

impl ThreadMemory for OfCall<'_> {
    fn word(&mut self, address: u64) -> Option<u64> {
        self.0.word(address)
    }

    fn read(&mut self, address: u64, to: &mut [u8]) -> usize {
        self.0.read_of_call(address, to)
    }

    fn read_of_call(&mut self, address: u64, to: &mut [u8]) -> usize {
        self.0.read_of_call(address, to)
    }

    fn script(&self, layout: &ScriptLayout) -> Option<ScriptFrames> {
        self.0.script(layout)
    }
}
