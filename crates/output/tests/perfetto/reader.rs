//! Reads a trace as Perfetto's importer does, but more strictly: ids that do not resolve and slices that do not nest
//! panic.

use crate::schema::*;
use prost::Message;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Read as _;

#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    Bool(bool),
    Uint(u64),
    Int(i64),
    Text(String),
}

impl From<&str> for Arg {
    fn from(text: &str) -> Arg {
        Arg::Text(text.into())
    }
}

/// A slice, or an instant if there is no end.
#[derive(Clone, Debug)]
pub struct Slice {
    pub track: u64,
    pub name: String,
    pub categories: Vec<String>,
    pub args: BTreeMap<String, Arg>,
    pub begin: u64,
    /// `None` for a slice that did not end.
    pub end: Option<u64>,
    pub instant: bool,
    pub flows: Vec<u64>,
    pub flow_ends: Vec<u64>,
    /// The functions that led to it, outermost first: `name module+offset file:line`.
    pub stack: Vec<String>,
}

impl Slice {
    fn is_wait(&self) -> bool {
        self.categories == ["wait"]
    }
}

#[derive(Default)]
pub struct Read {
    pub slices: Vec<Slice>,
    pub processes: HashMap<u64, ProcessDescriptor>,
    pub threads: HashMap<u64, ThreadDescriptor>,
    pub tracks: HashMap<u64, TrackDescriptor>,
    /// By track.
    pub counters: BTreeMap<u64, Vec<(u64, i64)>>,
    pub sequences: HashSet<u32>,
    /// The number of times that a sequence began or was reset.
    pub cleared: usize,
    /// Wall-clock time minus the time of the trace.
    pub wall_offset: Option<i64>,
}

#[derive(Default)]
struct Sequence {
    valid: bool,
    defaults: TracePacketDefaults,
    clock: Option<u64>,
    names: HashMap<u64, String>,
    categories: HashMap<u64, String>,
    keys: HashMap<u64, String>,
    strings: HashMap<u64, String>,
    functions: HashMap<u64, String>,
    build_ids: HashMap<u64, String>,
    paths: HashMap<u64, String>,
    sources: HashMap<u64, String>,
    mappings: HashMap<u64, String>,
    frames: HashMap<u64, String>,
    callstacks: HashMap<u64, Vec<String>>,
}

/// The entry of a table, which must be there.
fn known<T: Clone>(table: &HashMap<u64, T>, id: u64) -> T {
    table.get(&id).expect("something that is defined").clone()
}

fn define<T>(table: &mut HashMap<u64, T>, id: Option<u64>, value: T) {
    let id = id.filter(|id| *id != 0).expect("an id");
    assert!(table.insert(id, value).is_none(), "an id is given twice");
}

impl Sequence {
    /// Takes in frames and callstacks, each behind what it refers to.
    fn stacks(&mut self, data: InternedData) {
        for mapping in data.mappings {
            let [path] = mapping.path_string_ids[..] else { panic!("a path: {mapping:?}") };
            let build_id = mapping.build_id.map(|id| format!("@{}", known(&self.build_ids, id))).unwrap_or_default();
            define(&mut self.mappings, mapping.iid, known(&self.paths, path) + &build_id);
        }
        for frame in data.frames {
            let mut text = known(&self.functions, frame.function_name_id.expect("a function"));
            assert_eq!(frame.mapping_id.is_some(), frame.rel_pc.is_some(), "{frame:?}");
            if let Some(mapping) = frame.mapping_id {
                text += &format!(" {}+{:#x}", known(&self.mappings, mapping), frame.rel_pc.unwrap());
            }
            if let Some(source) = frame.source_path_iid {
                text += &format!(" {}:{}", known(&self.sources, source), frame.line_number.expect("a line"));
            }
            define(&mut self.frames, frame.iid, text);
        }
        for stack in data.callstacks {
            let frames = stack.frame_ids.iter().map(|id| known(&self.frames, *id)).collect();
            define(&mut self.callstacks, stack.iid, frames);
        }
    }
}

/// The packets of a file, inflated.
pub fn packets(bytes: &[u8]) -> Vec<TracePacket> {
    let parse = |bytes: &[u8]| {
        let trace = Trace::decode(bytes).expect("a trace");
        assert_eq!(trace.encoded_len(), bytes.len(), "there are fields that the schema does not have");
        trace.packet
    };
    let inflate = |packet: TracePacket| {
        assert!(packet.encoded_len() < 512 << 10, "as large as the schema allows");
        let Some(deflated) = &packet.compressed_packets else { return vec![packet] };
        let mut inflated = Vec::new();
        flate2::read::ZlibDecoder::new(&deflated[..]).read_to_end(&mut inflated).expect("what zlib has deflated");
        parse(&inflated)
    };
    parse(bytes).into_iter().flat_map(inflate).collect()
}

pub fn read(bytes: &[u8]) -> Read {
    let mut read = Read::default();
    let mut sequences: HashMap<u32, Sequence> = HashMap::new();
    let mut open: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut resolved: Vec<(u64, Slice, Type)> = Vec::new();
    let mut primary = None;
    for packet in packets(bytes) {
        let id = packet.trusted_packet_sequence_id.expect("a sequence");
        assert_ne!(id, 0);
        read.sequences.insert(id);
        let sequence = sequences.entry(id).or_default();
        let flags = packet.sequence_flags.unwrap_or_default();
        if flags & SEQ_INCREMENTAL_STATE_CLEARED != 0 {
            read.cleared += 1;
            *sequence = Sequence { valid: true, ..Sequence::default() };
        }
        if flags & SEQ_NEEDS_INCREMENTAL_STATE != 0 {
            assert!(sequence.valid, "state is needed that is not there");
        }
        if let Some(defaults) = packet.trace_packet_defaults {
            assert!(flags != 0);
            sequence.defaults = defaults;
        }
        if let Some(mut data) = packet.interned_data {
            assert!(flags != 0);
            let intern = |table: &mut HashMap<u64, String>, new: Vec<InternedString>| {
                new.into_iter().for_each(|string| define(table, string.iid, string.name.expect("a string")));
            };
            intern(&mut sequence.names, std::mem::take(&mut data.event_names));
            intern(&mut sequence.categories, std::mem::take(&mut data.event_categories));
            intern(&mut sequence.keys, std::mem::take(&mut data.debug_annotation_names));
            intern(&mut sequence.strings, std::mem::take(&mut data.debug_annotation_string_values));
            intern(&mut sequence.functions, std::mem::take(&mut data.function_names));
            intern(&mut sequence.build_ids, std::mem::take(&mut data.build_ids));
            intern(&mut sequence.paths, std::mem::take(&mut data.mapping_paths));
            intern(&mut sequence.sources, std::mem::take(&mut data.source_paths));
            sequence.stacks(data);
        }
        if let Some(snapshot) = packet.clock_snapshot {
            let at = |id: u32| snapshot.clocks.iter().find(|c| c.clock_id == Some(id));
            let monotonic = at(3).and_then(|c| c.timestamp).expect("the monotonic clock");
            if let Some(real) = at(1) {
                read.wall_offset = Some(real.timestamp.expect("a time") as i64 - monotonic as i64);
            }
            if let Some(own) = at(64) {
                assert_eq!((own.is_incremental, own.timestamp), (Some(true), Some(monotonic)));
                sequence.clock = Some(monotonic);
            }
            primary = primary.or(snapshot.primary_trace_clock);
            assert_eq!(primary, Some(BuiltinClock::Monotonic as i32), "the first snapshot names the trace's clock");
            continue;
        }
        let Some(stamp) = packet.timestamp else { continue };
        let clock = packet.timestamp_clock_id.or(sequence.defaults.timestamp_clock_id).expect("a clock");
        let at = match clock {
            3 => stamp,
            64 => {
                let clock = sequence.clock.as_mut().expect("a snapshot of the sequence's clock");
                *clock = clock.checked_add(stamp).expect("a sane time");
                *clock
            }
            _ => panic!("clock {clock}"),
        };
        if let Some(descriptor) = packet.track_descriptor {
            let uuid = descriptor.uuid.filter(|uuid| *uuid != 0).expect("a track's id");
            match (&descriptor.process, &descriptor.thread) {
                (Some(process), None) => drop(read.processes.insert(uuid, process.clone())),
                (None, Some(thread)) => drop(read.threads.insert(uuid, thread.clone())),
                _ => {}
            }
            read.tracks.insert(uuid, descriptor);
        }
        let Some(event) = packet.track_event else { continue };
        let default = sequence.defaults.track_event_defaults.as_ref().and_then(|d| d.track_uuid);
        let track = event.track_uuid.or(default).expect("a track");
        let kind = event.r#type();
        if kind == Type::Counter {
            read.counters.entry(track).or_default().push((at, event.counter_value.expect("a value")));
            continue;
        }
        let arg = |a: &DebugAnnotation| {
            let value = match (a.bool_value, a.uint_value, a.int_value, &a.string_value, a.string_value_iid) {
                (Some(v), None, None, None, None) => Arg::Bool(v),
                (None, Some(v), None, None, None) => Arg::Uint(v),
                (None, None, Some(v), None, None) => Arg::Int(v),
                (None, None, None, Some(v), None) => Arg::Text(v.clone()),
                (None, None, None, None, Some(v)) => Arg::Text(known(&sequence.strings, v)),
                _ => panic!("an annotation with one value: {a:?}"),
            };
            (known(&sequence.keys, a.name_iid.expect("a key")), value)
        };
        let slice = Slice {
            track,
            name: match event.name_iid {
                Some(id) => known(&sequence.names, id),
                None => event.name().to_owned(),
            },
            categories: event
                .category_iids
                .iter()
                .map(|id| known(&sequence.categories, *id))
                .chain(event.categories.iter().cloned())
                .collect(),
            args: event.debug_annotations.iter().map(arg).collect(),
            begin: at,
            end: None,
            instant: kind == Type::Instant,
            flows: event.flow_ids.clone(),
            flow_ends: event.terminating_flow_ids.clone(),
            stack: event.callstack_iid.map(|id| known(&sequence.callstacks, id)).unwrap_or_default(),
        };
        assert!(kind == Type::SliceEnd || !slice.name.is_empty(), "a name");
        resolved.push((at, slice, kind));
    }
    // Equal times stay in the order of the file.
    resolved.sort_by_key(|(at, ..)| *at);
    for (at, slice, kind) in resolved {
        assert!(read.tracks.contains_key(&slice.track), "track {} is described", slice.track);
        let stack = open.entry(slice.track).or_default();
        match kind {
            Type::SliceBegin => {
                assert!(stack.is_empty(), "calls of a thread follow one another: {slice:?}");
                stack.push(read.slices.len());
                read.slices.push(slice);
            }
            Type::SliceEnd => {
                let begun = &mut read.slices[stack.pop().expect("a slice that ends has begun")];
                begun.end = Some(at);
                begun.args.extend(slice.args);
            }
            Type::Instant => read.slices.push(slice),
            _ => panic!("an event of another type"),
        }
    }
    for counter in read.counters.values() {
        assert!(counter.is_sorted_by_key(|(at, _)| *at));
    }
    read
}

impl Read {
    /// Slices that are calls, in the order of their beginning.
    pub fn calls(&self) -> Vec<&Slice> {
        self.slices.iter().filter(|s| !s.instant && !s.is_wait()).collect()
    }

    /// The waits of a thread.
    pub fn waits_of(&self, tid: i64) -> Vec<&Slice> {
        let is_of_thread = |wait: &&Slice| {
            let parent = self.tracks[&wait.track].parent_uuid.expect("waits belong to a thread");
            self.threads[&parent].tid == Some(tid)
        };
        self.slices.iter().filter(|slice| slice.is_wait()).filter(is_of_thread).collect()
    }

    pub fn instants(&self) -> Vec<&Slice> {
        self.slices.iter().filter(|s| s.instant).collect()
    }

    /// The events on a thread's track.
    pub fn of_thread(&self, tid: i64) -> Vec<&Slice> {
        let is = |track: &u64| self.threads.get(track).is_some_and(|thread| thread.tid == Some(tid));
        self.slices.iter().filter(|slice| is(&slice.track)).collect()
    }

    /// The slice around a mark.
    pub fn around(&self, mark: &Slice) -> Option<&Slice> {
        let holds = |slice: &Slice| slice.begin <= mark.begin && slice.end.is_none_or(|end| mark.begin < end);
        self.slices.iter().find(|slice| slice.track == mark.track && !slice.instant && holds(slice))
    }

    /// Flows from slice to slice.
    pub fn flows(&self) -> Vec<(&Slice, &Slice)> {
        let mut from: HashMap<u64, &Slice> = HashMap::new();
        let mut flows = Vec::new();
        for slice in &self.slices {
            for flow in &slice.flows {
                assert!(from.insert(*flow, slice).is_none(), "a flow begins once");
            }
            for flow in &slice.flow_ends {
                flows.extend(from.remove(flow).map(|from| (from, slice)));
            }
        }
        flows
    }
}
