//! The kernel is asked again and again for facts that a program could keep: the time, its id, the position in a file.
//!
//! Each kind of fact has a file, which is a rule of its own but for its name. So there is a finding for each kind, and
//! what it says is about this kind.

mod clock;
mod names;
mod own;
mod position;
mod random;
mod zone;

use crate::counts::index::{Index, Observed};
use crate::report::finding::Candidate;
use crate::rule::{Rule, RuleInfo};
use rustc_hash::FxHashMap;
use stride_syscalls::Syscall;
use stride_track::Tracker;

pub const RULE: RuleInfo = RuleInfo {
    id: "facts",
    title: "asked for again and again",
    explanation: "The kernel is asked again and again for something that the program knows already, or that it could ask for less \
        often. Each kind is a finding of its own.\n\n\
        The clock: clock_gettime(2), gettimeofday(2) and time(2) are usually no calls at all: the vDSO, a piece of the kernel in the \
        program's memory, reads the clock in some 20 ns. Those that a tracer sees are real calls, which take ten times as long. The \
        machine's clock cannot be read from user space (see /sys/devices/system/clocksource/clocksource0/current_clocksource: hpet \
        and acpi_pm cannot, tsc and kvm-clock can), or the program uses syscall(2) or is linked without the vDSO, or it reads a clock \
        of CPU time, which always takes a call.\n\n\
        Random bytes: getrandom(2) for 64 bytes or less on average, at least 1,000 times. With a pool of 4 KiB that is filled when it \
        is empty, one call in hundreds is left. After fork(2), a child must not use its parent's pool.\n\n\
        The process itself: its id, its user, its working directory, its limits, the system's name, or whether a descriptor is a \
        terminal (isatty(3) is an ioctl with TCGETS). A call counts if its answer is the same as the last time, and if one thread \
        repeated it at least sixteen times (TCGETS: for the same open file). Such calls are very cheap, so they are reported only if \
        they are a tenth of all calls. Files in /proc and /sys with such facts are reported as `reopened`.\n\n\
        The position in a file: lseek(2) with offset 0 and SEEK_CUR. A program that reads and writes the file itself knows the \
        position, because each read(2) and write(2) returns by how much it moved. The question counts if a process had asked it for \
        the same open file before, and if it did so at least sixteen times. If other processes move the position of the same open \
        file, the questions may be needed.\n\n\
        The time zone: with TZ unset, glibc's localtime(3), mktime(3) and strftime(3) check each time whether /etc/localtime has \
        changed. All of a process's checks but the first could be saved: if TZ is set, even to the default, the file is read once.\n\n\
        Addresses of hosts: getaddrinfo(3) and gethostbyname(3) read /etc/hosts for each lookup, and check /etc/resolv.conf and /etc/nsswitch.conf, also if the name is in \
        /etc/hosts. Lookups that ask a name server are reported as `name-lookups`.\n\n\
        Example: a logger puts getpid() before each of 10,000 lines. glibc does not keep the id, since a fork could change it; the \
        program can. If each line has the local time as well, that takes 10,000 checks of /etc/localtime; with TZ=:/etc/localtime in \
        the environment there is one.",
    thresholds: &[
        clock::CLOCK_CALLS,
        names::HOST_LOOKUPS,
        own::SAME_FACTS,
        own::SAME_FACTS_PART,
        position::TELLS_PER_FILE,
        random::RANDOM_DRAWS,
        zone::TIME_ZONE_CHECKS,
    ],
    make: || Box::new(Facts::default()),
};

struct Facts {
    kinds: [Box<dyn Rule>; 6],
    /// The kinds that want a call, a bit for each, by the address of its row.
    wanted: FxHashMap<*const Syscall, u8>,
}

impl Default for Facts {
    fn default() -> Facts {
        Facts {
            kinds: [
                Box::new(clock::ClockCalls::default()),
                Box::new(random::RandomBytes::default()),
                Box::new(own::SameFacts::default()),
                Box::new(position::TellAgain::default()),
                Box::new(zone::TimeZone::default()),
                Box::new(names::HostNames::default()),
            ],
            wanted: FxHashMap::default(),
        }
    }
}

impl Rule for Facts {
    fn wants(&self, row: &'static Syscall) -> bool {
        self.kinds.iter().any(|kind| kind.wants(row))
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        let kinds = &mut self.kinds;
        let wanted = *self
            .wanted
            .entry(observed.row)
            .or_insert_with(|| kinds.iter().enumerate().map(|(i, kind)| u8::from(kind.wants(observed.row)) << i).sum());
        for (i, kind) in kinds.iter_mut().enumerate() {
            if wanted & 1 << i != 0 {
                kind.call(observed, index);
            }
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        self.kinds.iter_mut().flat_map(|kind| kind.findings(index, tracker)).collect()
    }
}
