//! The quantities that findings tell. Scripts read them by their names, which stay the same from version to version.

#[derive(PartialEq, Debug)]
pub struct Quantity {
    /// The name in JSON, with the unit if the number has one.
    pub name: &'static str,
    pub kind: QuantityKind,
    /// A clause without a full stop.
    pub means: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QuantityKind {
    Count,
    /// An average, which may be a fraction.
    Mean,
    /// Bytes that a sentence tells in full.
    Bytes,
    /// Bytes that a sentence tells in a larger unit.
    Size,
    /// Nanoseconds.
    Time,
    /// The number of a process, a thread or a descriptor.
    Id,
}

macro_rules! quantities {
    ($($id:ident = $kind:ident $name:literal: $means:literal;)*) => {
        $(pub const $id: Quantity = Quantity { name: $name, kind: QuantityKind::$kind, means: $means };)*
        /// All quantities.
        pub const ALL: &[Quantity] = &[$($id),*];
    };
}

quantities! {
    AT_A_TIME = Count "at_a_time": "requests under way at a time, at most";
    BATCHES = Count "batches": "groups of requests that began together";
    BUFFER = Bytes "buffer_bytes": "the size of a buffer";
    BYTES = Size "bytes": "bytes in all";
    CALLS = Count "calls": "calls of the kind that the sentence is about";
    CHILDREN = Count "children": "child processes";
    CONNECTIONS = Count "connections": "connections";
    DESCRIPTORS = Count "descriptors": "descriptors";
    DIRECTORIES = Count "directories": "directories";
    DIRECTORY_CHECKS = Count "directory_checks": "checks of directories for the paths below them";
    EACH = Bytes "each_bytes": "the size of one transfer or mapping";
    EARLIER = Time "earlier_ns": "how long before the end of tracing";
    ENDED_PID = Id "ended_pid": "a process that has ended";
    ENDED_TID = Id "ended_tid": "a thread that has ended";
    EXTENT = Size "extent_bytes": "the part of a file that was read, from its beginning";
    FD = Id "fd": "a descriptor";
    FILES = Count "files": "open files, sockets or pipes; a file that is opened again counts again";
    HELD = Time "held_ns": "the time in which threads had what they had waited for";
    HELD_IN_CALL = Time "held_in_call_ns": "the part of that time in one kind of call";
    HELD_UP = Count "held_up": "answers that came late";
    HIGHEST_FD = Count "highest_fd": "the highest number of a descriptor";
    HOLDER = Id "holder": "a thread that holds a lock";
    IN_ALL = Bytes "all_bytes": "bytes of all these transfers";
    IN_A_ROW = Count "in_a_row": "calls that came right after another";
    LASTED = Time "lasted_ns": "the time from first to last";
    LATE = Count "late": "questions that had to be asked twice";
    LATE_FOR = Time "late_ns": "the time that those took";
    LEAST = Bytes "least_bytes": "the smallest of these sizes";
    LINES = Count "lines": "writes of a single line";
    LONGEST_WAIT = Time "longest_wait_ns": "the longest of these waits";
    MEAN_BATCH = Time "mean_batch_ns": "how long each batch took on average";
    MEAN_BYTES = Mean "mean_bytes": "bytes on average";
    MEAN_CALLS = Mean "mean_calls": "calls on average";
    MEAN_LIFE = Time "mean_life_ns": "how long each lived on average";
    MEAN_MESSAGES = Mean "mean_messages": "messages on average";
    MEAN_READY = Mean "mean_ready": "descriptors that were ready on average";
    MEAN_START = Time "mean_start_ns": "how long each took to start on average";
    MEAN_WAIT = Time "mean_wait_ns": "how long each waited on average";
    MISSED = Count "missed": "waits that ended at once";
    MOST = Bytes "most_bytes": "the largest of these sizes";
    MOST_IN_A_ROW = Count "most_in_a_row": "the most of these calls without another in between";
    OTHERS = Count "others": "other things for which much the same is true";
    OTHERS_LIVED = Time "others_lived_ns": "the longest life of the others";
    OTHER_PID = Id "other_pid": "a process that is waited for";
    OVERLAPPING = Count "overlapping": "writes over what another process had written, or into the same page";
    PACE = Time "pace_ns": "the time from one try to the next";
    PAUSES = Count "pauses": "sleeps after a failure";
    PID = Id "pid": "a process";
    PLACES = Count "places": "places in memory";
    PIPES = Count "pipes": "pipes";
    PROCESSES = Count "processes": "processes";
    QUEUED = Count "queued": "requests that waited until a server was done with another one";
    READS = Count "reads": "how often a file was read";
    REFUSED = Count "refused": "calls that were refused";
    REPEATED = Count "repeated": "calls or questions with the same answer as before";
    REQUESTS = Count "requests": "requests";
    REQUESTS_IN_ALL = Count "requests_in_all": "requests on all connections";
    RETURNS = Count "returns": "times that memory was given back and asked for again";
    RUN = Time "run_ns": "the duration of the run";
    SAME_QUESTION = Count "same_question": "how often the most frequent question was asked";
    SEARCHES = Count "searches": "searches";
    SENDS = Count "sends": "sends of little";
    SERVERS = Count "servers": "peers to which requests were made";
    SYNCS = Count "syncs": "calls that wait until data is stored";
    THREADS = Count "threads": "threads";
    TID = Id "tid": "a thread";
    TIMES = Count "times": "how often";
    TRANSACTIONS = Count "transactions": "journals that were made and removed again";
    TURNS = Count "turns": "calls that came after one of another process";
    UNANSWERED = Count "unanswered": "questions without an answer";
    UNANSWERED_FOR = Time "unanswered_ns": "the time that those took";
    UNLOCKS = Count "unlocks": "unlocks that woke a thread for the next one";
    UNREAD = Bytes "unread_bytes": "bytes that lie unread in a socket";
    WAITED = Time "waited_ns": "the time spent waiting";
    WAITING = Count "waiting": "threads that were waiting";
    WAKES = Count "wakes": "calls that woke a thread";
    WAKES_BY_ONE = Count "wakes_by_one": "calls of one thread that woke another";
    WORKERS = Count "workers": "processes that were started for one job";
    WORKER_LIVED = Time "worker_lived_ns": "how long the worker lived that lived longest";
    WRITERS = Count "writers": "processes that write to the file";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_unit() {
        for quantity in ALL {
            let unit = match quantity.kind {
                QuantityKind::Time => quantity.name.ends_with("_ns"),
                QuantityKind::Bytes | QuantityKind::Size => quantity.name.ends_with("bytes"),
                QuantityKind::Mean => quantity.name.starts_with("mean_"),
                QuantityKind::Count | QuantityKind::Id => {
                    !quantity.name.contains("_ns") && !quantity.name.contains("bytes")
                }
            };
            assert!(unit, "{}", quantity.name);
            assert_eq!(ALL.iter().filter(|it| it.name == quantity.name).count(), 1, "{}", quantity.name);
            assert!(!quantity.means.ends_with('.'), "{}", quantity.name);
        }
    }
}
