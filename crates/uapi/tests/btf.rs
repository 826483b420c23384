//! The layouts against the running kernel's own description of its types.

#[path = "btf/reader.rs"]
mod reader;

use stride_uapi::structs_x86_64::ALL;

/// Names that mean something else inside the kernel, or that a configuration changes.
const OTHER_MEANING: &[(&str, &str)] = &[
    ("kvm_stats_desc", "the kernel embeds the name after it"),
    ("taskstats", "grown after 6.12, at the end; netlink sends its size along"),
    ("xfs_attrlist", "the last member has one element in the header for programs, and none in the kernel"),
    ("xfs_attrlist_ent", "the last member has one element in the header for programs, and none in the kernel"),
    ("virtio_balloon_config", "grown after 6.12; a device's memory, not a call's"),
];

/// Structs that programs pass with their size and that grow at the end: a running kernel may know less of them.
const GROWING: &[&str] = &["landlock_ruleset_attr", "pidfd_info"];

#[test]
#[cfg(target_arch = "x86_64")]
fn layouts_agree_with_the_running_kernel() {
    let Ok(data) = std::fs::read("/sys/kernel/btf/vmlinux") else {
        println!("skipped: no BTF");
        return;
    };
    let kernel = reader::structs(&data).expect("the kernel's BTF is well-formed");
    let (mut compared, mut members) = (0, 0);
    let mut wrong = Vec::new();
    for layout in ALL {
        let Some(theirs) = kernel.get(layout.name) else {
            continue;
        };
        compared += 1;
        if OTHER_MEANING.iter().any(|(name, _)| *name == layout.name) {
            continue;
        }
        let grown = GROWING.contains(&layout.name) && theirs.size < layout.size;
        if theirs.size != layout.size && !grown {
            wrong.push(format!("{}: {} here, {} in the kernel", layout.name, layout.size, theirs.size));
        }
        for (name, bits) in &theirs.members {
            // Newer kernels give padding a purpose, so what is left of it moves.
            if ["pad", "res", "unused"].iter().any(|spare| name.trim_start_matches('_').starts_with(spare)) {
                continue;
            }
            // Members get new names at times, and a union's newer ones are not here: no complaint.
            let Some(ours) = layout.get(name) else {
                continue;
            };
            members += 1;
            let here = u32::from(ours.offset) * 8 + u32::from(ours.bits.0);
            if here != *bits {
                wrong.push(format!("{}.{name}: bit {here} here, {bits} in the kernel", layout.name));
            }
        }
    }
    println!("compared {compared} structs, {members} members");
    assert!(compared > 300, "only {compared} structs are in both");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
