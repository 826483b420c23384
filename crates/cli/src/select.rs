//! Which calls are shown: `-P`, `--trace-fds`, `-e status`.

use crate::flags::Options;
use std::collections::HashMap;
use stride_decode::{Touch, World, touches};
use stride_event::{Call, Event, FdSet, Tid};
use stride_filter::{PathSet, Status, WordSet};
use stride_proc::Proc;

pub struct Selector {
    paths: PathSet,
    fds: Option<FdSet>,
    status: WordSet<Status>,
    world: Proc,
    /// Whether the call each thread is in was selected when it was entered: by its return the descriptor may be closed.
    chosen: HashMap<Tid, bool>,
}

impl Selector {
    pub fn new(options: &Options) -> Selector {
        Selector {
            paths: options.paths.clone(),
            fds: options.trace_fds.clone(),
            status: options.status,
            world: Proc::paths_only(),
            chosen: HashMap::new(),
        }
    }

    pub fn selects(&mut self, event: &Event<'_>) -> bool {
        if self.paths.is_empty() && self.fds.is_none() {
            return true;
        }
        match event {
            Event::Enter(call) => {
                let yes = self.touched(call);
                self.chosen.insert(call.tid, yes);
                yes
            }
            Event::Exit(call) => self.chosen.remove(&call.tid).unwrap_or_else(|| self.touched(call)),
            _ => true,
        }
    }

    fn touched(&self, call: &Call) -> bool {
        touches(call, &mut |touch| match touch {
            Touch::Path(path) => self.paths.contains_bytes(path),
            Touch::Fd(fd) => {
                fd >= 0 && self.fds.as_ref().is_some_and(|set| set.contains(fd))
                    || !self.paths.is_empty()
                        && self.world.fd(call.tid, fd).is_some_and(|info| self.paths.contains_bytes(&info.path))
            }
        })
    }

    pub fn status(&self, status: Status) -> bool {
        self.status.contains(status)
    }
}
