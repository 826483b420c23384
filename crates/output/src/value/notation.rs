//! Values that have a notation of their own: characters, addresses, times, modes, signal masks, wait statuses.

use super::Writer;
use crate::spelling::quote::{self, quote};
use crate::spelling::{digits, names};
use crate::{HexStrings, NameStyle, escape_path};
use std::io::Write as _;
use std::net::IpAddr;
use stride_decode::Designation;
use stride_syscalls::sets::process::PTRACE_EVENT;

impl Writer<'_> {
    /// As many digits as fit the width. Zero has no `0x`, as with printf's `%#0*x`.
    pub(super) fn ticks(&mut self, v: u64) {
        self.int(v);
        if v != 0 && self.style.names != NameStyle::Raw {
            self.comment(|w| {
                w.int(v / 100);
                w.out.extend_from_slice(&[b'.', b'0' + (v / 10 % 10) as u8, b'0' + (v % 10) as u8]);
                w.str(" s");
            });
        }
    }

    /// Octal with at least three digits, as permissions are written.
    pub fn octal(&mut self, v: u64) {
        self.out.push(b'0');
        digits::octal(self.out, v, 2);
    }

    pub(super) fn pad_hex(&mut self, raw: u64, width: usize) {
        let from = self.out.len();
        if raw == 0 {
            self.out.resize(from + width, b'0');
            return;
        }
        self.hex(raw);
        let missing = width.saturating_sub(self.out.len() - from);
        self.out.splice(from + 2..from + 2, std::iter::repeat_n(b'0', missing));
    }

    pub(super) fn decimal(&mut self, raw: i128, digits: u8) {
        let one = 10u128.pow(digits.min(38).into());
        if raw < 0 {
            self.out.push(b'-');
        }
        let size = raw.unsigned_abs();
        self.int(size / one);
        if digits > 0 {
            // Writing to memory does not fail.
            let _ = write!(self.out, ".{:0width$}", size % one, width = digits.into());
        }
    }

    /// A character as C has it, with or without the letters for controls: `\n`.
    pub(super) fn character(&mut self, byte: u8, letters: bool) {
        self.out.push(b'\'');
        match byte {
            b'"' => self.out.push(b'"'),
            b'\'' => self.str("\\'"),
            b'\\' => self.str("\\\\"),
            byte => match quote::letter(byte).filter(|_| letters) {
                Some(letter) => self.out.extend_from_slice(&[b'\\', letter]),
                None if quote::is_plain(byte) => self.out.push(byte),
                // Writing to memory does not fail.
                None => _ = write!(self.out, "\\x{byte:02x}"),
            },
        }
        self.out.push(b'\'');
    }

    pub(super) fn identity(&mut self, of: Designation<'_>) {
        let mut bytes = |bytes: &[u8], between: &dyn Fn(usize) -> Option<char>| {
            for (i, byte) in bytes.iter().enumerate() {
                if let Some(between) = between(i) {
                    self.out.push(between as u8);
                }
                // Writing to memory does not fail.
                let _ = write!(self.out, "{byte:02x}");
            }
        };
        match of {
            Designation::Mac(mac) => bytes(mac, &|i| (i > 0).then_some(':')),
            Designation::Uuid(uuid) => bytes(uuid, &|i| matches!(i, 4 | 6 | 8 | 10).then_some('-')),
            Designation::CallSign(letters, station) => {
                self.ascii(letters);
                self.out.push(b'-');
                self.int(station);
            }
            Designation::NoCallSign => self.out.push(b'*'),
            Designation::Family(name) => escape_path(self.out, name, HexStrings::Never),
        }
    }

    /// A wait status, in the notation of the macros that test it. Bits that the macros do not cover follow as a number.
    pub(super) fn wait_status(&mut self, status: u32) {
        let code = (status >> 8) & 0xff;
        let signal = |w: &mut Self, number: u32| match number {
            1..=64 => names::signal(w.out, number as i32),
            _ => w.int(number),
        };
        let mut rest = 0;
        match (status & 0x7f, status & 0x80 != 0) {
            _ if status == 0xffff => self.str("{WIFCONTINUED(s)}"),
            (0, _) => {
                self.str("{WIFEXITED(s) && WEXITSTATUS(s) == ");
                self.int(code);
                self.out.push(b'}');
                rest = status & 0x80;
            }
            (0x7f, true) => return self.hex(status.into()),
            (0x7f, false) => {
                self.str("{WIFSTOPPED(s) && WSTOPSIG(s) == ");
                signal(self, code & 0x7f);
                // Bit 7 marks the stop at a system call (PTRACE_O_TRACESYSGOOD).
                self.str(if code & 0x80 != 0 { " | 0x80}" } else { "}" });
            }
            (number, core) => {
                self.str("{WIFSIGNALED(s) && WTERMSIG(s) == ");
                signal(self, number);
                self.str(if core { " && WCOREDUMP(s)}" } else { "}" });
                rest = status & 0xff00;
            }
        }
        let event = status >> 16;
        if event != 0 {
            self.out.push(b'|');
            self.enumeration(event.into(), &PTRACE_EVENT);
            self.str("<<16");
        }
        if rest != 0 {
            self.out.push(b'|');
            self.hex(rest.into());
        }
    }

    pub(super) fn ip_octets(&mut self, ip: IpAddr) {
        match ip {
            IpAddr::V4(ip) => quote(self.out, &ip.octets(), HexStrings::All),
            IpAddr::V6(ip) => quote(self.out, &ip.octets(), HexStrings::All),
        }
    }

    /// The C call that makes this address, with the struct member that holds it.
    pub(super) fn ip(&mut self, ip: IpAddr, member: Option<&str>) {
        // Writing to memory does not fail.
        let _ = match (ip, member) {
            (IpAddr::V6(ip), member) if embeds_ipv4(ip) => {
                let [.., a, b, c, d] = ip.octets();
                match member {
                    None => write!(self.out, "inet_pton(AF_INET6, \"::{a}.{b}.{c}.{d}\")"),
                    Some(member) => write!(self.out, "inet_pton(AF_INET6, \"::{a}.{b}.{c}.{d}\", &{member})"),
                }
            }
            (IpAddr::V4(ip), _) => write!(self.out, "inet_addr(\"{ip}\")"),
            (IpAddr::V6(ip), None) => write!(self.out, "inet_pton(AF_INET6, \"{ip}\")"),
            (IpAddr::V6(ip), Some(member)) => write!(self.out, "inet_pton(AF_INET6, \"{ip}\", &{member})"),
        };
    }

    /// The file type and the special bits as names, the permissions as a number. Permissions alone, or with an unknown
    /// type, are a bare number.
    pub(super) fn mode(&mut self, raw: u64) {
        const TYPE: u64 = 0o170_000;
        const SPECIAL: [(u64, &str); 3] = [(0o4000, "S_ISUID"), (0o2000, "S_ISGID"), (0o1000, "S_ISVTX")];
        let kind = stride_syscalls::sets::files::FILE_TYPE.name_of(raw & TYPE);
        if kind.is_none() && (raw & TYPE != 0 || raw & 0o7000 == 0) {
            return self.octal(raw);
        }
        let special = SPECIAL.iter().filter(|(bit, _)| raw & bit != 0).map(|(_, name)| *name);
        self.named(
            |w| w.octal(raw),
            |w| {
                for name in kind.into_iter().chain(special) {
                    w.str(name);
                    w.out.push(b'|');
                }
                w.octal(raw & !(TYPE | 0o7000));
            },
        );
    }

    /// The members of a signal set. A set of most signals is written as its complement.
    pub(super) fn sigset(&mut self, mask: &[u8]) {
        let has = |s: usize| mask.get((s - 1) / 8).is_some_and(|b| b & (1 << ((s - 1) % 8)) != 0);
        let total = mask.len() * 8;
        let count: usize = mask.iter().map(|b| b.count_ones() as usize).sum();
        // The beginning of a set says nothing about the signals behind it.
        let inverted = count >= total * 2 / 3 && matches!(total, 32 | 64);
        self.str(if inverted { "~[" } else { "[" });
        let mut first = true;
        for s in 1..=total {
            if has(s) == inverted {
                continue;
            }
            if !first {
                self.out.push(b' ');
            }
            first = false;
            // Inside a set the prefix is left out.
            self.named(|w| w.int(s), |w| names::signal_short(w.out, s as i32));
        }
        self.out.push(b']');
    }
}

/// True if inet_ntop(3) ends this IPv4-compatible address with a dotted quad, which Rust does not.
fn embeds_ipv4(ip: std::net::Ipv6Addr) -> bool {
    let s = ip.segments();
    s[..6].iter().all(|&s| s == 0) && s[6] != 0
}
