//! Names are searched in one directory after another.

use super::common::{Bounded, Claims, ProcessCounts, base_name, directory, plain};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::opens;
use crate::report::finding::{Candidate, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{CALLS, OTHERS, SEARCHES};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use stride_event::Tid;
use stride_syscalls::{Effect, Syscall, uapi::consts as c};
use stride_track::{ObjectId, Tracker};

const SEARCH_PLACES: Threshold =
    Threshold::count("search-places", 3, "a name that is missing in so many directories is searched for");
const MISSES_PER_PROCESS: Threshold = Threshold::count("misses-per-process", 50, "misses in one process");

pub const RULE: RuleInfo = RuleInfo {
    id: "search-path",
    title: "search path",
    explanation: "A name is looked for in one directory after another, and most attempts fail with ENOENT: libraries \
        along LD_LIBRARY_PATH, modules along PYTHONPATH, PERL5LIB or @INC, headers along -I, commands along PATH, \
        .htaccess in each parent directory.\n\n\
        Successive attempts of a thread to find one name are a search if at least three directories did not have it. A \
        process is reported if at least fifty of its attempts failed. Each failed attempt could be saved by putting the \
        right directory first, or by not searching for that name at all.\n\n\
        Example: with `AllowOverride All` at /, Apache looks for .htaccess in /, /var, /var/www, /var/www/html, and \
        below, for each request: 500 failed opens for 100 requests. `AllowOverride None`, with the rules in the \
        configuration, saves all of them.",
    thresholds: &[SEARCH_PLACES, MISSES_PER_PROCESS],
    make: || Box::new(SearchPath::default()),
};

const ENOENT: u32 = c::ENOENT as u32;
const ENOTDIR: u32 = c::ENOTDIR as u32;

#[derive(Default)]
struct SearchPath {
    /// The search that each thread is in.
    current: Bounded<Tid, Search>,
    groups: Bounded<ChildGroup, Found>,
}

#[derive(Default)]
struct Search {
    pid: Tid,
    misses: Vec<(ObjectId, CallKey)>,
    /// The misses at which a new search may have begun: the path had been tried before, or another file was used. Only
    /// later calls tell, because a directory may stand twice in a path, and ld.so uses its cache before it goes on.
    begins: Vec<usize>,
    line: u64,
    /// The thread has used another file since the last miss.
    turned: bool,
}

/// Searches that are reported together: by the directory that had the name, or by a name that no directory had.
#[derive(PartialEq, Eq, Hash)]
enum ChildGroup {
    In(Box<[u8]>),
    Nowhere(Box<[u8]>),
}

#[derive(Default)]
struct Found {
    searches: u64,
    claims: Claims,
    directories: Bounded<Box<[u8]>, u64>,
    processes: ProcessCounts,
    /// The paths of the longest search.
    example: Vec<ObjectId>,
    line: u64,
}

/// One search has no more attempts than this. More are several searches. (Some hundred directories of Ruby's gems are searched for a library with two endings.)
const MAX_MISSES: usize = 1 << 11;

impl Rule for SearchPath {
    fn wants(&self, row: &'static Syscall) -> bool {
        opens(row) || row.has_effect(Effect::Asks)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let (Some(path), tracker) = (observed.seen.path, observed.tracker) else { return };
        self.current.forget_ended(tracker, |search| !search.misses.is_empty());
        let Some(search) = self.current.entry(observed.call.tid, Search::default) else { return };
        let name = tracker.name(path);
        let missed = matches!(observed.errno(), Some(ENOENT | ENOTDIR));
        let same = search.misses.last().map(|(last, _)| {
            let last = tracker.name(*last);
            // A check of a directory above the last attempt belongs to the search.
            (stem(last) == stem(name), last.strip_prefix(name).is_some_and(|rest| rest.starts_with(b"/")))
        });
        match same {
            Some((true, _)) if missed && search.misses.len() < MAX_MISSES => {
                let latest = search.begins.last().copied().unwrap_or(0);
                let again = search.misses[latest..].iter().any(|(miss, _)| *miss == path);
                if again || std::mem::take(&mut search.turned) {
                    search.begins.push(search.misses.len());
                }
                search.misses.push((path, observed.key));
                return;
            }
            Some((false, true)) => return,
            Some((true, _)) if observed.ok() => {
                let made = opens(observed.row) && observed.open_flags() & c::O_CREAT != 0;
                let search = std::mem::take(search);
                self.ended(search, (!made).then_some(path), tracker);
                return;
            }
            Some((false, false)) if observed.ok() && !search.turned => {
                search.turned = true;
                return;
            }
            Some(_) if search.misses.len() >= SEARCH_PLACES.get() as usize => {
                let search = std::mem::take(search);
                self.ended(search, None, tracker);
            }
            _ => *search = Search::default(),
        }
        if missed && let Some(search) = self.current.get_mut(&observed.call.tid) {
            search.pid = observed.seen.pid;
            search.line = observed.line;
            search.misses.push((path, observed.key));
        }
    }

    fn findings(&mut self, _: &Index, tracker: &Tracker) -> Vec<Candidate> {
        for search in self.current.take().into_values() {
            self.ended(search, None, tracker);
        }
        let groups = along_one_path(std::mem::take(&mut self.groups).take(), tracker);
        let many = groups.into_iter().filter(|(_, found)| {
            let most = found.processes.evidence().map_or(0, |process| process.calls);
            !found.claims.few() && most >= MISSES_PER_PROCESS.get()
        });
        many.map(|(group, found)| found.candidate(&group, tracker)).collect()
    }
}

impl SearchPath {
    /// Decides whether the misses were one search or several. They were one if the name was found at a path that was
    /// not tried before. Else each beginning is a search, and a hit in the end goes to the last: the file has appeared
    /// meanwhile.
    fn ended(&mut self, mut search: Search, mut hit: Option<ObjectId>, tracker: &Tracker) {
        if hit.is_none_or(|hit| search.misses.iter().any(|(miss, _)| *miss == hit)) {
            while let Some(begin) = search.begins.pop() {
                let misses = search.misses.split_off(begin);
                self.searched(&search, &misses, hit.take(), tracker);
            }
        }
        let misses = std::mem::take(&mut search.misses);
        self.searched(&search, &misses, hit, tracker);
    }

    fn searched(&mut self, search: &Search, misses: &[(ObjectId, CallKey)], hit: Option<ObjectId>, tracker: &Tracker) {
        let directories = unique(misses.iter().map(|(path, _)| directory(tracker.name(*path))));
        if directories.len() < SEARCH_PLACES.get() as usize {
            return;
        }
        // A hit that is also a miss was created during the search.
        let hit = hit.filter(|hit| misses.iter().all(|(miss, _)| miss != hit));
        let group = match hit {
            Some(hit) => ChildGroup::In(directory(tracker.name(hit)).into()),
            None => ChildGroup::Nowhere(base_name(tracker.name(misses[0].0)).into()),
        };
        let Some(found) = self.groups.entry(group, Found::default) else { return };
        found.searches += 1;
        for (path, key) in misses {
            found.claims.add(*key, 1);
            if let Some(n) = found.directories.entry(directory(tracker.name(*path)).into(), || 0) {
                *n += 1;
            }
        }
        found.processes.count_calls(search.pid, misses.len() as u64, tracker);
        if misses.len() > found.example.len() {
            found.example = misses.iter().map(|(path, _)| *path).chain(hit).collect();
            found.line = search.line;
        }
    }
}

/// Searches that begin in the same directory go along one path, wherever each name was found. They are one fault, and the one
/// with the most attempts is the example. The names may have directories of their own: `gem/a` and `gem/b` are searched along one path, and so is `other/c`.
fn along_one_path(groups: FxHashMap<ChildGroup, Found>, tracker: &Tracker) -> Vec<(ChildGroup, Found)> {
    let mut order: Vec<_> = groups.into_iter().collect();
    order.sort_by_cached_key(|(_, found)| (Reverse(found.claims.total()), found.line));
    let mut paths: Vec<(ChildGroup, Found)> = Vec::new();
    for (group, found) in order {
        let first = found.first_places(&group, tracker);
        let is_along = |(other, of): &&mut (ChildGroup, Found)| {
            let are_found = [&group, other].iter().all(|group| matches!(group, ChildGroup::In(_)));
            let [place, root] = of.first_places(other, tracker);
            are_found && (place == first[0] || root == first[1])
        };
        match paths.iter_mut().find(is_along) {
            Some((_, of)) => of.add(found),
            None => paths.push((group, found)),
        }
    }
    paths
}

impl Found {
    fn add(&mut self, other: Found) {
        self.searches += other.searches;
        self.claims.add_all(other.claims.iter());
        for (directory, calls) in other.directories.iter() {
            if let Some(n) = self.directories.entry(directory.clone(), || 0) {
                *n += calls;
            }
        }
        self.processes.add_all(&other.processes);
    }

    /// The paths that the longest search did not find.
    fn tried(&self, group: &ChildGroup) -> &[ObjectId] {
        let hit = usize::from(matches!(group, ChildGroup::In(_)));
        &self.example[..self.example.len() - hit]
    }

    /// The directory that was searched first, and the same without the directories that all attempts have in common at their ends.
    fn first_places<'t>(&self, group: &ChildGroup, tracker: &'t Tracker) -> [&'t [u8]; 2] {
        let mut places = self.tried(group).iter().map(|path| directory(tracker.name(*path)));
        let Some(first) = places.next() else { return [b""; 2] };
        let end = places.fold(first, |end, place| common_end(end, place));
        [first, &first[..first.len() - end.len()]]
    }

    fn candidate(self, group: &ChildGroup, tracker: &Tracker) -> Candidate {
        let tried = self.tried(group);
        let mut order = unique(tried.iter().map(|path| directory(tracker.name(*path))));
        if let ChildGroup::In(place) = group {
            // This directory had the name with another ending.
            order.retain(|tried| **tried != **place);
        }
        let shown = if order.len() > 6 { 3 } else { order.len() };
        let places = order.iter().take(shown).map(|place| plain(place)).collect::<Vec<_>>().join(", ");
        let places = match order.len() - shown {
            0 => places.into(),
            n => say!("{places} and {} more", OTHERS.of(n as u64)),
        };
        let name = plain(base_name(tracker.name(*self.example.last().unwrap_or(&tried[0]))));
        let searches = match self.searches {
            1 => "one search".into(),
            n => say!("{} searches", SEARCHES.of(n)),
        };
        let failed = self.claims.total();
        let sentence = match group {
            ChildGroup::In(place) => say!(
                "{} attempts failed in {} along a path, such as the one for {name}: not in {}; found in {}.",
                CALLS.of(failed),
                searches,
                places,
                plain(place),
            ),
            ChildGroup::Nowhere(_) => say!(
                "{name} was looked for and not found in {}: {} attempts failed in {}.",
                places,
                CALLS.of(failed),
                searches,
            ),
        };
        let evidence = order.iter().map(|place| {
            let calls = self.directories.get(*place).copied().unwrap_or(0);
            Evidence::new(EvidenceKind::Path, *place, calls)
        });
        let mut evidence: Vec<_> = evidence.take(4).collect();
        if let Some(first) = evidence.first_mut() {
            first.line = Some(self.line);
        }
        evidence.extend(self.processes.evidence());
        Candidate {
            sentence,
            evidence,
            advice: match group {
                ChildGroup::In(_) => {
                    "Put the directory that has it first, or take directories that never have it out of the path \
                    (LD_LIBRARY_PATH, PYTHONPATH, PERL5LIB, -I, PATH); name the file by its full path. If the program itself goes along the path for the \
                    same names again, let it remember where each was found."
                        .into()
                }
                ChildGroup::Nowhere(name) if &**name == b".htaccess" => {
                    "Set AllowOverride None and put the rules into the \
                    server's configuration, or allow it only below the directory that needs it."
                        .into()
                }
                ChildGroup::Nowhere(_) => {
                    "Remember that it does not exist, or create it, or turn off the feature that searches \
                                      for it."
                        .into()
                }
            },
            confidence: Confidence::Likely,
            claims: self.claims.list(),
            estimate: match group {
                ChildGroup::In(_) => "every attempt before the one that found it".into(),
                ChildGroup::Nowhere(_) => "every attempt".into(),
            },
            ..Candidate::default()
        }
    }
}

fn unique<'a>(directories: impl Iterator<Item = &'a [u8]>) -> Vec<&'a [u8]> {
    let mut seen = FxHashSet::default();
    directories.filter(|directory| seen.insert(*directory)).collect()
}

/// The last directories of both paths, with the slashes before them.
fn common_end<'a>(one: &'a [u8], other: &[u8]) -> &'a [u8] {
    let same = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    let end = &one[one.len() - same..];
    end.iter().position(|b| *b == b'/').map_or(&[], |slash| &end[slash..])
}

/// A name without its endings: searches for foo.so and foo.py are one.
fn stem(path: &[u8]) -> &[u8] {
    let name = base_name(path);
    match name.iter().skip(1).position(|b| *b == b'.') {
        Some(dot) => &name[..=dot],
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::{common_end, stem};

    #[test]
    fn endings_do_not_count() {
        assert_eq!(stem(b"/lib/POSIX.pmc"), stem(b"/usr/lib/POSIX.pm"));
        assert_eq!(stem(b"/var/.htaccess"), b".htaccess");
        assert_eq!(stem(b"/usr/bin/cc"), b"cc");
        assert_eq!(stem(b"/"), b"");
    }

    #[test]
    fn paths_end_alike_in_whole_directories() {
        assert_eq!(common_end(b"/usr/lib/gem", b"/opt/lib/gem"), b"/lib/gem");
        assert_eq!(common_end(b"/usr/mylib/gem", b"/opt/lib/gem"), b"/gem");
        assert_eq!(common_end(b"/usr/lib", b"/usr/share"), b"");
    }
}
