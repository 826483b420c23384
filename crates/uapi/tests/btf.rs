//! The layouts against the running kernel's own description of its types.

#[path = "btf/reader.rs"]
mod reader;

use stride_uapi::structs_x86_64::ALL;

/// Names that mean something else inside the kernel, or that a configuration changes.
const OTHER_MEANING: &[(&str, &str)] = &[
    ("kvm_stats_desc", "the kernel embeds the name after it"),
    ("virtio_balloon_config", "grown after 6.12; a device's memory, not a call's"),
];

#[test]
#[cfg(target_arch = "x86_64")]
fn sizes_agree_with_the_running_kernel() {
    let Ok(data) = std::fs::read("/sys/kernel/btf/vmlinux") else {
        println!("skipped: no BTF");
        return;
    };
    let kernel = reader::sizes(&data).expect("the kernel's BTF is well-formed");
    let mut compared = 0;
    let mut wrong = Vec::new();
    for layout in ALL {
        let Some(&size) = kernel.get(layout.name) else { continue };
        compared += 1;
        let excused = OTHER_MEANING.iter().any(|(name, _)| *name == layout.name);
        if size != layout.size && !excused {
            wrong.push(format!("{}: {} here, {size} in the kernel", layout.name, layout.size));
        }
    }
    println!("compared {compared} structs");
    assert!(compared > 300, "only {compared} structs are in both");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
