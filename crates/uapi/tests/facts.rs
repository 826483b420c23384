//! A few facts that are known by heart, against the generated tables.

use stride_uapi::{consts, consts_aarch64, consts_i386, errno, numbers, signals};
use stride_uapi::{structs_aarch64 as arm, structs_i386 as i386, structs_x86_64 as x86};

fn call(table: &[(u32, &'static str)], number: u32) -> Option<&'static str> {
    table.iter().find(|(found, _)| *found == number).map(|(_, name)| *name)
}

#[test]
fn constants() {
    assert_eq!(consts::O_CLOEXEC, 0o2000000);
    assert_eq!(consts::AT_FDCWD as i64, -100);
    assert_eq!(consts::AF_INET6, 10);
    assert_eq!(consts::SOCK_STREAM, 1);
    assert_eq!(consts::TCGETS, 0x5401);
    assert_eq!(consts::KVM_RUN, 0xae80);
    assert_eq!(consts::FS_IOC_GETFLAGS, 0x8008_6601);
    assert_eq!(consts::PIDFD_GET_INFO, 0xc058_ff0b); // the struct has 88 bytes since 7.0, and had 72 in 6.18
}

#[test]
fn constants_that_differ() {
    assert_eq!(consts_i386::FS_IOC_GETFLAGS, 0x8004_6601);
    assert_eq!(consts::O_DIRECT, 0o40000);
    assert_eq!(consts_aarch64::O_DIRECT, 0o200000);
    assert_eq!(consts::O_DIRECTORY, 0o200000);
    assert_eq!(consts_aarch64::O_DIRECTORY, 0o40000);
}

#[test]
fn sizes_on_three_abis() {
    let sizes = |x: stride_uapi::Layout, i: stride_uapi::Layout, a: stride_uapi::Layout| (x.size, i.size, a.size);
    assert_eq!(sizes(x86::stat, i386::stat, arm::stat), (144, 64, 128));
    assert_eq!(sizes(x86::timespec, i386::timespec, arm::timespec), (16, 8, 16));
    assert_eq!(sizes(x86::siginfo, i386::siginfo, arm::siginfo), (128, 128, 128));
    assert_eq!(sizes(x86::user_msghdr, i386::user_msghdr, arm::user_msghdr), (56, 28, 56));
    assert_eq!(sizes(x86::k_sigaction, i386::k_sigaction, arm::k_sigaction), (32, 20, 32));
    assert_eq!(sizes(x86::epoll_event, i386::epoll_event, arm::epoll_event), (12, 12, 16));
    assert_eq!(i386::stat64.size, 96);
}

#[test]
fn i386_aligns_long_long_to_four_bytes() {
    assert_eq!(i386::flock64.at("l_start").offset, 4);
    assert_eq!(x86::flock64.at("l_start").offset, 8);
}

#[test]
fn fields() {
    let band = x86::siginfo.at("_sifields._sigpoll._band");
    assert_eq!((band.offset, band.size, band.signed), (16, 8, true));
    assert!(x86::iovec.at("iov_base").pointer);
    assert_eq!(x86::ifreq.at("ifr_ifrn.ifrn_name").count, 16);
    assert_eq!(x86::linux_dirent64.at("d_name").count, 0);
    let fin = x86::tcphdr.at("fin");
    assert_eq!((fin.offset, fin.bits), (13, (0, 1)));
    assert_eq!(x86::tcphdr.get("fine"), None);
}

#[test]
fn system_calls() {
    for (table, read, close, at) in
        [(numbers::X86_64, 0, 3, 262), (numbers::I386, 3, 6, 300), (numbers::AARCH64, 63, 57, 79)]
    {
        assert_eq!(call(table, read), Some("read"));
        assert_eq!(call(table, close), Some("close"));
        assert!(matches!(call(table, at), Some("newfstatat" | "fstatat64")));
        assert_eq!(call(table, 435), Some("clone3"));
        assert_eq!(call(table, 462), Some("mseal"));
        assert_eq!(call(table, 469), Some("file_setattr"));
        assert!(table.is_sorted_by_key(|(number, _)| *number));
    }
    assert_eq!(call(numbers::I386, 403), Some("clock_gettime64"));
}

#[test]
fn errors_and_signals() {
    assert_eq!(errno::ERRNO[1], (2, "ENOENT", "No such file or directory"));
    let restart = errno::ERRNO.iter().find(|(number, ..)| *number == 512);
    assert_eq!(restart, Some(&(512, "ERESTARTSYS", "To be restarted if SA_RESTART is set")));
    // 41 and 58 are second names of other errors.
    assert_eq!(errno::ERRNO.iter().filter(|(number, ..)| *number <= 133).count(), 131);
    assert_eq!(signals::SIGNALS.len(), 31);
    assert_eq!(signals::SIGNALS[8], (9, "SIGKILL"));
}
