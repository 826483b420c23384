//! The arguments of calls as JSON. What is known when a call is entered is kept until the call returns or its thread
//! goes.

use super::Json;
use rustc_hash::FxHashMap;
use stride_decode::{Decoded, Decoder, Options, Part, Resolver, Value};
use stride_event::{Call, Ns, SIGINFO_SIZE, Tid};
use stride_syscalls::Abi;
use stride_track::Tracker;

/// Decodes calls, and writes their arguments.
pub struct CallArguments {
    decoder: Decoder,
    options: Options,
    resolver: Box<dyn Resolver>,
    /// The call that each thread is in, if its entry was noted. A finished call leaves its memory to the next.
    begun: FxHashMap<Tid, Begun>,
    /// The bytes that the arguments of all threads take.
    kept: usize,
}

/// A call that was entered.
#[derive(Default)]
struct Begun {
    in_flight: bool,
    /// The arguments that are known at entry.
    args: Vec<u8>,
    head: Head,
}

/// The parts of a call that do not change between entry and return.
#[derive(Clone, Copy)]
pub struct Head {
    pub nr: u64,
    pub abi: Abi,
    pub ip: u64,
    pub entered: Option<Ns>,
    /// `-e raw`.
    pub raw: bool,
}

impl Default for Head {
    fn default() -> Head {
        Head { nr: 0, abi: Abi::NATIVE, ip: 0, entered: None, raw: false }
    }
}

/// Limits: the threads whose calls are kept from entry to return, the bytes of arguments kept for all threads, and the
/// bytes that one thread keeps between its calls.
const MAX_BEGUN: usize = 1 << 18;
const MAX_KEPT: usize = 64 << 20;
const MAX_SPARE: usize = 1 << 12;

impl CallArguments {
    pub fn new(options: Options, resolver: Box<dyn Resolver>) -> CallArguments {
        CallArguments { decoder: Decoder::default(), options, resolver, begun: FxHashMap::default(), kept: 0 }
    }

    pub fn head(&self, call: &Call) -> Head {
        let raw = self.options.raw.contains(call.abi, call.nr);
        Head { nr: call.nr, abi: call.abi, ip: call.ip, entered: call.entered, raw }
    }

    /// True if the thread is in a call whose entry was noted.
    pub fn is_in_call(&self, tid: Tid) -> bool {
        self.begun.get(&tid).is_some_and(|begun| begun.in_flight)
    }

    /// Notes what is known at entry. Later the answers may differ, or the call may never return.
    pub fn enter(&mut self, call: &Call, tracker: &Tracker) {
        let mut begun = self.begun.remove(&call.tid).unwrap_or_default();
        self.kept -= begun.args.capacity();
        begun.args.clear();
        if self.begun.len() >= MAX_BEGUN || self.kept > MAX_KEPT {
            // The arguments will be shown at return.
            return;
        }
        begun.head = self.head(call);
        begun.in_flight = true;
        let decoded = self.decoder.decode(call, Part::Entry, &self.options, &*self.resolver);
        let mut json = Json { descriptors: Some((tracker, call.tid)), ..Json::new(&mut begun.args) };
        json.begin_args(begun.head.raw);
        json.args(&decoded, begun.head.raw);
        self.kept += begun.args.capacity();
        self.begun.insert(call.tid, begun);
    }

    /// Writes the arguments of a call that has returned, as an object, or as an array with `-e raw`. The decoded call
    /// has its result.
    pub fn exit<'a>(&'a mut self, call: &'a Call, tracker: &Tracker, out: &mut Vec<u8>) -> (Head, Decoded<'a>) {
        let mut head = self.head(call);
        let mut json = Json { descriptors: Some((tracker, call.tid)), ..Json::new(out) };
        let mut part = Part::Whole;
        if let Some(begun) = self.begun.get_mut(&call.tid).filter(|begun| begun.in_flight) {
            begun.in_flight = false;
            head.entered = begun.head.entered;
            // The descriptors were looked up when the call was entered.
            if self.options.fds || self.options.pids {
                json.out.extend_from_slice(&begun.args);
                part = Part::Rest;
            }
            if begun.args.capacity() > MAX_SPARE {
                self.kept -= begun.args.capacity();
                begun.args = Vec::new();
            }
        }
        if part == Part::Whole {
            json.begin_args(head.raw);
        }
        let decoded = self.decoder.decode(call, part, &self.options, &*self.resolver);
        json.args(&decoded, head.raw);
        json.end_args(head.raw);
        (head, decoded)
    }

    /// A thread goes. If it is in a call, that call will not return: writes the arguments that are known.
    pub fn leave(&mut self, tid: Tid, out: &mut Vec<u8>) -> Option<Head> {
        let begun = self.begun.get_mut(&tid).filter(|begun| begun.in_flight)?;
        begun.in_flight = false;
        out.extend_from_slice(&begun.args);
        Json::new(out).end_args(begun.head.raw);
        Some(begun.head)
    }

    /// The call of thread `old` goes on as a call of `tid` ([`stride_event::Event::Superseded`]).
    pub fn superseded(&mut self, tid: Tid, old: Tid, call: Option<&Call>, tracker: &Tracker) {
        match self.begun.remove(&old) {
            Some(begun) if begun.in_flight => {
                self.forget(tid);
                self.begun.insert(tid, begun);
            }
            over => {
                self.kept -= over.map_or(0, |begun| begun.args.capacity());
                call.into_iter().for_each(|call| self.enter(&Call { tid, ..call.clone() }, tracker));
            }
        }
    }

    pub fn forget(&mut self, tid: Tid) {
        self.kept -= self.begun.remove(&tid).map_or(0, |begun| begun.args.capacity());
    }

    /// The `siginfo_t` of a signal, decoded.
    pub fn siginfo<'a>(&'a mut self, tid: Tid, info: &'a [u8; SIGINFO_SIZE]) -> Value<'a> {
        self.decoder.siginfo(tid, info, &self.options, &*self.resolver)
    }
}
