//! Calls and their time, by kind of call and object.

use crate::counts::by_thread::KindTally;
use rustc_hash::FxHashMap;
use stride_syscalls::Abi;
use stride_track::ObjectId;

/// Calls of one kind on one object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CallKey {
    pub abi: Abi,
    pub nr: u32,
    /// The path that the call names, else the object of its descriptor. All clients of one port count as one; each pipe
    /// is one.
    pub object: Option<ObjectId>,
}

/// The kind of a call.
type Kind = (Abi, u32);

/// The tallies of one object lie next to each other in memory, because calls on an object come together: open, fstat,
/// read, close. In one large map, each of these would wait for memory.
#[derive(Default)]
pub struct Tallies {
    /// By the number of the object. A thing has few kinds of calls, which are searched one by one.
    by_object: Vec<Vec<(Kind, KindTally)>>,
    others: FxHashMap<Kind, KindTally>,
    entries: usize,
}

/// Beyond this many kinds of calls about things, calls are counted without their thing. A normal run never has so many;
/// a hostile one may.
const MAX_ENTRIES: usize = if cfg!(test) { 1 << 10 } else { 1 << 21 };

impl Tallies {
    pub fn has_room_for(&self, key: CallKey) -> bool {
        key.object.is_none() || self.entries < MAX_ENTRIES || self.get(key).is_some()
    }

    pub fn of(&mut self, CallKey { abi, nr, object }: CallKey) -> &mut KindTally {
        let Some(object) = object else { return self.others.entry((abi, nr)).or_default() };
        if self.by_object.len() <= object.index() {
            self.by_object.resize_with(object.index() + 1, Vec::new);
        }
        let kinds = &mut self.by_object[object.index()];
        let at = kinds.iter().position(|(kind, _)| *kind == (abi, nr)).unwrap_or_else(|| {
            self.entries += 1;
            // Most things have one kind of call, and a list would begin with room for four.
            if kinds.is_empty() {
                kinds.reserve_exact(1);
            }
            kinds.push(((abi, nr), KindTally::default()));
            kinds.len() - 1
        });
        &mut kinds[at].1
    }

    pub fn get(&self, CallKey { abi, nr, object }: CallKey) -> Option<&KindTally> {
        let Some(object) = object else { return self.others.get(&(abi, nr)) };
        let kinds = self.by_object.get(object.index())?;
        kinds.iter().find(|(kind, _)| *kind == (abi, nr)).map(|(_, tally)| tally)
    }

    pub fn iter(&self) -> impl Iterator<Item = (CallKey, &KindTally)> {
        let with_object = self.by_object.iter().enumerate().flat_map(|(object, kinds)| {
            let object = Some(ObjectId::of_index(object));
            kinds.iter().map(move |((abi, nr), tally)| (CallKey { abi: *abi, nr: *nr, object }, tally))
        });
        let others = self.others.iter();
        others.map(|((abi, nr), tally)| (CallKey { abi: *abi, nr: *nr, object: None }, tally)).chain(with_object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_call_for_each_object() {
        let mut tallies = Tallies::default();
        let key = |nr, object: Option<usize>| CallKey { abi: Abi::X86_64, nr, object: object.map(ObjectId::of_index) };
        let keys = [key(0, None), key(0, Some(5)), key(1, Some(5)), key(0, Some(2)), key(0, Some(0))];
        for (times, key) in (1..).zip(keys) {
            (0..times).for_each(|_| tallies.of(key).add(7, 10));
        }
        for (times, key) in (1..).zip(keys) {
            assert_eq!(tallies.get(key).unwrap().cost.calls, times);
        }
        assert!(tallies.get(key(1, Some(2))).is_none() && tallies.get(key(0, Some(99))).is_none());
        let mut all: Vec<_> = tallies.iter().map(|(key, tally)| (tally.cost.calls, key)).collect();
        all.sort_by_key(|(calls, _)| *calls);
        assert_eq!(all, (1..).zip(keys).collect::<Vec<_>>());
    }

    #[test]
    fn memory_is_bounded() {
        let mut tallies = Tallies::default();
        let key = |object| CallKey { abi: Abi::X86_64, nr: 0, object: Some(ObjectId::of_index(object)) };
        for object in 0..2 * MAX_ENTRIES {
            if tallies.has_room_for(key(object)) {
                tallies.of(key(object)).add(7, 10);
            }
        }
        assert_eq!(tallies.iter().count(), MAX_ENTRIES);
        assert!(tallies.has_room_for(key(0)) && !tallies.has_room_for(key(MAX_ENTRIES)));
    }
}
