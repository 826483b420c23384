//! The names of ioctl requests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use stride_uapi::ioctls::{IOCTLS, IOCTLS_AARCH64, IOCTLS_I386};

fn name(table: &[(u32, &'static str)], number: u32) -> Option<&'static str> {
    table.binary_search_by_key(&number, |row| row.0).ok().map(|at| table[at].1)
}

#[test]
fn requests_of_rare_devices() {
    for (number, expected) in [
        // FireWire's letter is '#', which begins a directive where no quotation marks are.
        (0xc028_2300, "FW_CDEV_IOC_GET_INFO"),
        (0x0018_4700, "IOCTL_GNTDEV_MAP_GRANT_REF"),
        (0x0004_4500, "IOCTL_EVTCHN_BIND_VIRQ"),
        (0x0030_5000, "IOCTL_PRIVCMD_HYPERCALL"),
        (0xc020_63a0, "X86_IOC_RDMSR_REGS"),
        (0x8004_4d00, "SOUND_MIXER_READ_VOLUME"),
        (0x8001_660a, "XSDFEC_IS_ACTIVE"),
        (0xc004_6f34, "__NET_ADD_IF_OLD"),
    ] {
        assert_eq!(name(IOCTLS, number), Some(expected));
    }
    assert_eq!(name(IOCTLS_I386, 0xc024_2300), Some("FW_CDEV_IOC_GET_INFO"));
    assert_eq!(name(IOCTLS_AARCH64, 0x4020_aeae), Some("KVM_ARM_VCPU_INIT"));
    // A name that is left out for another does not stand beside that one.
    assert_eq!(name(IOCTLS, 0x4008_6201), Some("DMA_BUF_SET_NAME_B"));
    assert_eq!(name(IOCTLS, 0xc088_4123), Some("SNDRV_PCM_IOCTL_SYNC_PTR"));
}

/// The constants, which the crate has as code.
fn constants() -> BTreeMap<&'static str, u64> {
    let lines = include_str!("../src/consts.rs").lines();
    let constants = lines.filter_map(|line| line.strip_prefix("pub const ")?.strip_suffix(';')?.split_once(": u64 = "));
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
        None => text.parse().unwrap(),
    };
    constants.map(|(name, value)| (name, number(value))).collect()
}

/// The names that headers define with `_IO`, `_IOR` and so on.
fn defined(directory: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            defined(&path, names);
            continue;
        }
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).replace("\\\n", " ");
        for line in text.lines() {
            let Some(rest) = line.trim_start().strip_prefix('#').map(str::trim_start) else { continue };
            let Some((name, body)) = rest.strip_prefix("define").and_then(|rest| rest.trim().split_once([' ', '\t']))
            else {
                continue;
            };
            let body = body.trim_start().trim_start_matches('(');
            let builder = body.split('(').next().unwrap_or_default();
            if !name.contains('(') && ["_IO", "_IOR", "_IOW", "_IOWR", "_IOC"].contains(&builder) && body != builder {
                names.insert(name.to_owned());
            }
        }
    }
}

/// Numbers that each driver uses as it likes have no name.
fn is_private(number: u64) -> bool {
    (0x89e0..=0x89ff).contains(&number)
}

#[test]
fn every_request_of_the_headers_has_a_name() {
    let headers = std::fs::read_dir("/usr/src").into_iter().flatten().flatten().map(|entry| entry.path());
    let wanted = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("linux-headers-6.12.") && name.ends_with("-common") && path.join("include/uapi").is_dir()
    };
    let Some(headers) = headers.filter(wanted).max() else {
        println!("skipped: every_request_of_the_headers_has_a_name: no linux-headers-6.12.*-common in /usr/src");
        return;
    };
    let mut names = BTreeSet::new();
    defined(&headers.join("include/uapi"), &mut names);
    defined(&headers.join("arch/x86/include/uapi"), &mut names);
    let constants = constants();
    // Requests without a value have structs that only other machines or the kernel itself have.
    let known: Vec<(&String, u64)> =
        names.iter().filter_map(|name| Some((name, *constants.get(name.as_str())?))).collect();
    assert!(known.len() > 2000, "{} of {}", known.len(), names.len());
    let nameless: Vec<_> =
        known.iter().filter(|(_, number)| name(IOCTLS, *number as u32).is_none() && !is_private(*number)).collect();
    assert!(nameless.is_empty(), "{nameless:x?}");
    let without: Vec<&String> = names.iter().filter(|name| !constants.contains_key(name.as_str())).collect();
    assert!(without.len() < 60, "{without:?}");
}
