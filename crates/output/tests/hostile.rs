//! Any registers and any memory: every syscall of every ABI is captured, decoded and written without a panic.

use stride_decode::Options;
use stride_event::{Call, Event, Limits, Outcome, Peek, Phase, capture};
use stride_output::{Layout, Show, Sink, TextView};
use stride_syscalls::plan::Plan;
use stride_syscalls::{Abi, table};

/// Pseudo-random numbers (xorshift).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A register. Small numbers, bit patterns and addresses are more frequent than by chance.
    fn word(&mut self) -> u64 {
        match self.next() % 8 {
            0 => 0,
            1 => self.next() % 40,
            2 => u64::MAX,
            3 => 1 << (self.next() % 64),
            4 => self.next() >> 32,
            5 => (self.next() % 16 * 4096).wrapping_sub(8),
            6 => 0x1000 + self.next() % 256,
            _ => self.next(),
        }
    }
}

/// Memory of such words, with holes in every other page.
struct Memory(Noise);

impl Peek for Memory {
    fn peek(&mut self, addr: u64, buf: &mut [u8]) -> usize {
        let to_hole = 8192 - (addr % 8192) as usize;
        let n = buf.len().min(to_hole.saturating_sub(4096));
        for chunk in buf[..n].chunks_mut(8) {
            let word = self.0.word().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        n
    }
}

fn call(noise: &mut Noise, abi: Abi, nr: u32) -> Call {
    let entry = table(abi).get(nr.into()).expect("a number of the table");
    let plan = Plan::of(entry.row, abi);
    let limits = Limits { text: 32, elements: 32, received: true };
    let mut memory = Memory(Noise(noise.next() | 1));
    let args = std::array::from_fn(|_| abi.cut(noise.word()));
    let mut call = Call { tid: 7, abi, nr: nr.into(), args, sp: noise.word(), ..Call::default() };
    capture(&plan, entry.row, Phase::Entry, &mut call, &limits, &mut memory);
    call.outcome = match noise.next() % 4 {
        0 => Outcome::Error((noise.next() % 140) as u32),
        1 => Outcome::Error(516),
        2 => Outcome::Gone,
        _ => Outcome::Value(noise.word() as i64),
    };
    capture(&plan, entry.row, Phase::Exit, &mut call, &limits, &mut memory);
    call
}

fn view(options: Options) -> TextView {
    let layout = Layout { column: 40, ..Layout::default() };
    TextView::new(
        layout,
        options,
        Box::new(()),
        0,
        Show::default(),
        Sink::new("nowhere", Box::new(std::io::sink()), false),
    )
}

#[test]
fn nothing_panics() {
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let mut brief = view(Options::default());
    let mut long = view(Options { abbrev: stride_event::CallSet::empty(), ..Options::default() });
    for abi in Abi::ALL {
        for entry in table(abi).iter() {
            for _ in 0..100 {
                let call = call(&mut noise, abi, entry.nr);
                let state = format!("{abi:?} {} {:x?} {:?}", entry.row.name, call.args, call.outcome);
                let shown = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    brief.event(&Event::Enter(&call));
                    brief.event(&Event::Exit(&call));
                    long.event(&Event::Exit(&call));
                    brief.flush();
                    long.flush();
                }));
                assert!(shown.is_ok(), "{state}");
            }
        }
    }
}

/// Random numbers are no requests of ioctl(2), so each is tried by name.
#[test]
fn no_request_of_ioctl_panics() {
    let mut noise = Noise(0x2545_f491_4f6c_dd1d);
    let mut long = view(Options { abbrev: stride_event::CallSet::empty(), ..Options::default() });
    let mut brief = view(Options::default());
    for abi in Abi::ALL {
        let entry = table(abi).by_name("ioctl").next().expect("every ABI has ioctl");
        let plan = Plan::of(entry.row, abi);
        let limits = Limits { text: 32, elements: 32, received: true };
        for case in &stride_syscalls::ioctl::CASES {
            for _ in 0..20 {
                let mut memory = Memory(Noise(noise.next() | 1));
                let args = [3, case.0, abi.cut(noise.word()), 0, 0, 0];
                let mut call = Call { tid: 7, abi, nr: entry.nr.into(), args, ..Call::default() };
                capture(&plan, entry.row, Phase::Entry, &mut call, &limits, &mut memory);
                call.outcome = if noise.next().is_multiple_of(3) { Outcome::Error(22) } else { Outcome::Value(0) };
                capture(&plan, entry.row, Phase::Exit, &mut call, &limits, &mut memory);
                let shown = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    long.event(&Event::Exit(&call));
                    brief.event(&Event::Exit(&call));
                }));
                assert!(shown.is_ok(), "{abi:?} {:x?} {:?}", call.args, call.outcome);
            }
        }
    }
}
