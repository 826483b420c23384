//! Tracing through a broker: a privileged process loads the programs, and a user without privileges reads what they send.
//!
//! `stride-broker` is that process ([docs/security.md](../../../../docs/security.md) has its threat model). This module has both ends of
//! its socket: [`Connection`] is Stride's, [`Prepared`] and [`Serving`] are the broker's. Everything that goes over the socket is below.
//!
//! The socket is a `SOCK_SEQPACKET`, so each message is read whole. A message is a row of u64s in the machine's own order.
//!
//! 1. The client sends one [`request`] of a fixed size: the settings, no code and no plans. The broker makes the capture plans from the
//!    description in its own binary, loads and attaches, and answers with descriptors of the rings and of the words that both sides share
//!    ([`crate::ring::shared`]). Nothing is traced yet.
//! 2. The client then sends orders of three words ([`Order`]). [`Order::Seed`] comes with a descriptor of /proc/PID/mem, which proves that
//!    the client may trace that process; the kernel side checks the proof (`bpf/guard.h`).
//! 3. When the connection ends, so does tracing.
//!
//! Each message of the client is answered. An answer is a code, a value and a text.

mod client;
mod questions;
mod request;
mod serve;
mod socket;

pub use client::Connection;
pub use questions::{Remains, rings_are_safe};
pub use request::{MACHINE, REQUEST_BYTES, unserved};
pub use serve::{Prepared, Reply, Serving};
pub use socket::{Listener, Message, Socket};

use std::time::Duration;

/// Where the broker listens.
pub const SOCKET: &str = "/run/stride/broker.sock";
/// The environment variable that names another socket.
pub const SOCKET_VARIABLE: &str = "STRIDE_BROKER";
/// How long either side waits for the other's next step.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// How an answer begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum AnswerCode {
    Done = 0,
    /// The text says why.
    Refused = 1,
    /// The broker was built from other sources.
    OtherVersion = 2,
    /// The user has as many traces as are allowed.
    Busy = 3,
    Nobody = 4,
    Ended = 5,
}

impl AnswerCode {
    const ALL: [AnswerCode; 6] = [
        AnswerCode::Done,
        AnswerCode::Refused,
        AnswerCode::OtherVersion,
        AnswerCode::Busy,
        AnswerCode::Nobody,
        AnswerCode::Ended,
    ];

    fn of(word: u64) -> Option<AnswerCode> {
        AnswerCode::ALL.into_iter().find(|&code| code as u64 == word)
    }
}

/// The orders that a client may give while it traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Trace this thread, or all threads of this process. A proof comes with it.
    Seed { id: i32, whole_process: bool, is_command: bool },
    /// Report blocked threads: those found blocked for the second time, or all.
    Look { at_once: bool },
    /// Hand over the counts; of this interval only, which are then forgotten.
    Counts { ended: Option<u32> },
    /// End tracing. What is in the rings stays.
    Detach,
}

impl Order {
    pub const BYTES: usize = 24;

    fn words(self) -> [u64; 3] {
        match self {
            Order::Seed { id, whole_process, is_command } => {
                [1, id as u32 as u64, u64::from(whole_process) | u64::from(is_command) << 1]
            }
            Order::Look { at_once } => [2, u64::from(at_once), 0],
            Order::Counts { ended } => [3, u64::from(ended.is_some()), u64::from(ended.unwrap_or(0))],
            Order::Detach => [4, 0, 0],
        }
    }

    /// `None`: these are no order.
    pub fn of(bytes: &[u8]) -> Option<Order> {
        let bytes: &[u8; Self::BYTES] = bytes.try_into().ok()?;
        let word = |i: usize| bytes[8 * i..8 * i + 8].try_into().map(u64::from_ne_bytes).unwrap_or(0);
        let order = match word(0) {
            1 => Order::Seed {
                id: i32::try_from(word(1)).ok().filter(|&id| id > 0)?,
                whole_process: word(2) & 1 != 0,
                is_command: word(2) & 2 != 0,
            },
            2 => Order::Look { at_once: word(1) != 0 },
            3 => Order::Counts { ended: if word(1) != 0 { Some(u32::try_from(word(2)).ok()?) } else { None } },
            4 => Order::Detach,
            _ => return None,
        };
        // There is one way to say a thing.
        (order.words() == std::array::from_fn(word)).then_some(order)
    }
}

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_as_they_were_written() {
        let orders = [
            Order::Seed { id: 17, whole_process: true, is_command: false },
            Order::Seed { id: i32::MAX, whole_process: false, is_command: true },
            Order::Look { at_once: true },
            Order::Counts { ended: None },
            Order::Counts { ended: Some(0) },
            Order::Detach,
        ];
        for order in orders {
            assert_eq!(Order::of(&bytes(&order.words())), Some(order));
        }
    }

    #[test]
    fn nonsense_is_no_order() {
        for words in [
            [0, 0, 0],
            [1, 0, 0],
            [1, u64::MAX, 0],
            [1, 1, 4],
            [2, 2, 0],
            [2, 1, 1],
            [3, 1, 1 << 32],
            [4, 1, 0],
            [5, 0, 0],
        ] {
            assert_eq!(Order::of(&bytes(&words)), None, "{words:?}");
        }
        assert_eq!(Order::of(&[]), None);
        assert_eq!(Order::of(&[4; 23]), None);
    }
}
