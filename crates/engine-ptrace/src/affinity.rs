//! Running where the tracee runs.

use stride_event::{Ns, Tid};

#[derive(Debug)]
pub struct Affinity {}

impl Affinity {
    pub fn new() -> Affinity {
        Affinity {}
    }

    pub fn at_stop(&mut self, _tid: Tid, _now: Ns) {}

    pub fn forget(&mut self, _tid: Tid) {}
}
