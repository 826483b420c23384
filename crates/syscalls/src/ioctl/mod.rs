//! The requests of ioctl(2), by the kind of file: what the third argument is, and which requests have none.

mod block;
pub mod btrfs;
mod clock;
pub mod console;
mod devices;
mod disk;
mod files;
mod gpio;
mod infrared;
pub mod input;
pub mod keyboard_names;
pub mod mapper;
mod meaning;
#[rustfmt::skip]
mod members;
mod misc;
mod net;
mod process;
pub mod scsi;
pub mod tee;
pub mod told;
pub mod tty;
mod tun;
pub mod twins;
pub mod userfault;
pub mod video;
pub mod video_names;
pub mod virtual_machine;
mod volumes;

use crate::uapi::ioctls::{IOCTL_ARGS, IOCTLS};
use crate::uapi::{IOCTL_ARGS_OF, IOCTLS_OF, IoctlArg};
use crate::{Abi, Case};

pub use devices::{MNT_NS, NS_TYPES, RTC_PARAM_IN, RTC_PARAM_OUT};
pub use disk::{COMMAND as DRIVE_COMMAND, STATUS as DRIVE_STATUS};
pub use files::{DEDUPE, DEDUPE_IN, DEDUPE_OUT, DEDUPE_STATUS, FIEMAP_EXTENT, FIEMAP_IN, FIEMAP_OUT};
pub use gpio::V2_FLAGS as GPIO_V2_FLAGS;
pub use misc::{UDMABUF_ITEM, UDMABUF_LIST};
pub use net::{ARPHRD, IFCONF, IFREQ_ADDR};
pub use process::{NOTIFICATION, PIDFD_INFO, PIDFD_INFO_MASK};

/// The name of a request. A number that several requests share has all their names, with " or " between.
pub fn name(abi: Abi, number: u32) -> Option<&'static str> {
    let find = |table: &'static [(u32, &'static str)]| {
        table.binary_search_by_key(&number, |row| row.0).ok().map(|at| table[at].1)
    };
    find(IOCTLS_OF[abi as usize]).or_else(|| find(IOCTLS))
}

/// The type behind the argument of a request, as the kernel's headers say: number, direction (1: the kernel reads it, 2: it writes it), type. Requests that
/// share the number may have different types. None: the headers do not say that.
pub fn arguments(abi: Abi, number: u32) -> &'static [(u32, u8, IoctlArg)] {
    let find = |table: &'static [(u32, u8, IoctlArg)]| {
        let from = table.partition_point(|row| row.0 < number);
        let count = table[from..].iter().take_while(|row| row.0 == number).count();
        &table[from..from + count]
    };
    match find(IOCTL_ARGS_OF[abi as usize]) {
        [] => find(IOCTL_ARGS),
        own => own,
    }
}

const GROUPS: &[&[Case]] = &[
    tty::CASES,
    files::CASES,
    gpio::CASES,
    net::CASES,
    block::CASES,
    btrfs::CASES,
    devices::CASES,
    disk::CASES,
    clock::CASES,
    console::CASES,
    infrared::CASES,
    process::CASES,
    mapper::CASES,
    scsi::CASES,
    tee::CASES,
    tun::CASES,
    video::CASES,
    virtual_machine::CASES,
    volumes::CASES,
    input::CASES,
    &input::AXES,
    userfault::CASES,
    misc::CASES,
];
const BARE_GROUPS: &[&[u64]] = &[
    tty::BARE,
    files::BARE,
    block::BARE,
    btrfs::BARE,
    devices::BARE,
    clock::BARE,
    console::BARE,
    mapper::BARE,
    scsi::BARE,
    volumes::BARE,
    misc::BARE,
];

const COUNT: usize = {
    let (mut n, mut i) = (0, 0);
    while i < GROUPS.len() {
        n += GROUPS[i].len();
        i += 1;
    }
    n
};

/// Every request whose argument is more than a number.
pub static CASES: [Case; COUNT] = {
    let mut all = [GROUPS[0][0]; COUNT];
    let (mut n, mut i) = (0, 0);
    while i < GROUPS.len() {
        let mut j = 0;
        while j < GROUPS[i].len() {
            all[n] = GROUPS[i][j];
            n += 1;
            j += 1;
        }
        i += 1;
    }
    all
};

const BARE_COUNT: usize = {
    let (mut n, mut i) = (0, 0);
    while i < BARE_GROUPS.len() {
        n += BARE_GROUPS[i].len();
        i += 1;
    }
    n
};

/// Requests that take no argument.
pub static BARE: [u64; BARE_COUNT] = {
    let mut all = [0; BARE_COUNT];
    let (mut n, mut i) = (0, 0);
    while i < BARE_GROUPS.len() {
        let mut j = 0;
        while j < BARE_GROUPS[i].len() {
            all[n] = BARE_GROUPS[i][j];
            n += 1;
            j += 1;
        }
        i += 1;
    }
    all
};
