//! Writes the waits of a call's thread (`--waits`) as JSON.

use super::Json;
use stride_event::{CallWaits, NamedThread, Taker, WaitTimes, Waker};
use stride_syscalls::table;

impl Json<'_> {
    pub fn waits(&mut self, waits: &CallWaits) {
        self.key("waits").object(|j| {
            j.wait_times("in_call", &waits.in_call);
            j.wait_times("before", &waits.before);
            if let Some(sleep) = &waits.longest {
                j.key("sleeps").int(waits.sleeps);
                j.key("longest_ns").int(sleep.time);
                j.key("kind").str(sleep.kind.name());
                if let Some(waker) = &sleep.waker {
                    j.waker(waker);
                }
            }
            j.taker("cpu_taken_by", &waits.taker);
            j.taker("cpu_taken_before", &waits.taker_before);
        });
    }

    /// The times that are not 0, by their kinds.
    fn wait_times(&mut self, key: &str, times: &WaitTimes) {
        self.key(key).object(|j| times.parts().for_each(|(kind, time)| j.key(kind.name()).int(time)));
    }

    pub fn waker(&mut self, waker: &Waker) {
        self.key("waker").object(|j| match waker {
            Waker::Thread(thread, call) => {
                j.thread(thread);
                if let Some((abi, nr)) = call {
                    j.key("call").str(&table(*abi).name(*nr));
                }
            }
            Waker::Interrupt(interrupt) => {
                j.key("interrupt").str(interrupt.word());
                if let Some(device) = interrupt.device() {
                    j.name("device", device);
                }
            }
            Waker::Hidden => j.hidden(),
        });
    }

    fn taker(&mut self, key: &str, taker: &Option<Taker>) {
        if let Some(taker) = taker {
            self.key(key).object(|j| match taker {
                Taker::Thread(thread) => j.thread(thread),
                Taker::Hidden => j.hidden(),
            });
        }
    }

    /// A thread that the user may not see.
    fn hidden(&mut self) {
        self.key("hidden").bool(true);
    }

    /// A thread of another PID namespace has no id, and neither have many wakers of one name.
    fn thread(&mut self, thread: &NamedThread) {
        if thread.tid != 0 {
            self.key("tid").int(thread.tid);
            self.key("pid").int(thread.process);
        }
        self.name("comm", thread.name());
    }
}
