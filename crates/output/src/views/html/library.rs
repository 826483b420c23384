//! Functions of libraries, with their calls and times.

use super::data;
use super::top::{Top, Weighed};
use crate::spelling::legible::legible;
use std::cmp::Reverse;
use std::sync::Arc;
use stride_event::{LibraryCall, Ns};

const ROOM: usize = 1 << 12;
const SHOWN: usize = 500;
const NAME: usize = 240;

#[derive(Default)]
struct Times {
    calls: u64,
    time: Ns,
    most: Ns,
}

impl Weighed for Times {
    fn merge(&mut self, other: &Times) {
        self.calls += other.calls;
        self.time = self.time.saturating_add(other.time);
        self.most = self.most.max(other.most);
    }

    fn weight(&self) -> u64 {
        self.time.max(self.calls)
    }
}

pub struct Library(Top<Arc<str>, Times>);

impl Default for Library {
    fn default() -> Library {
        Library(Top::new(ROOM))
    }
}

impl Library {
    pub fn add(&mut self, call: &LibraryCall) {
        if call.is_counted_here() {
            let time = call.duration().unwrap_or(0);
            self.0.get((&*call.function.name).into()).merge(&Times { calls: 1, time, most: time });
        }
    }

    pub fn data(self) -> data::LibraryData {
        let (mut all, _, more) = self.0.into_parts();
        all.sort_by(|(a, x), (b, y)| {
            (Reverse(x.time), Reverse(x.calls), a).cmp(&(Reverse(y.time), Reverse(y.calls), b))
        });
        let more = more + all.len().saturating_sub(SHOWN) as u64;
        let row = |(name, times): (Arc<str>, Times)| data::LibraryRow {
            name: legible(name.as_bytes(), NAME),
            calls: times.calls,
            time: times.time,
            most: times.most,
        };
        data::LibraryData { rows: all.into_iter().take(SHOWN).map(row).collect(), more }
    }
}
