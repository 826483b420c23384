//! Compiles the eBPF programs and generates their skeletons; the first holds the Rust mirror of wire.h.

use libbpf_cargo::SkeletonBuilder;
use std::path::PathBuf;

fn main() {
    let arch = match std::env::var("CARGO_CFG_TARGET_ARCH").as_deref() {
        Ok("aarch64") => "arm64",
        _ => "x86",
    };
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for object in ["stride", "survey", "files"] {
        SkeletonBuilder::new()
            .source(format!("src/bpf/{object}.bpf.c"))
            .clang_args([&format!("-D__TARGET_ARCH_{arch}"), "-Wall", "-Wno-unused-function", "-mcpu=v3"])
            .build_and_generate(out.join(format!("{object}.skel.rs")))
            .unwrap_or_else(|e| panic!("building the eBPF programs (is clang installed?): {e:#}"));
    }
    println!("cargo:rerun-if-changed=src/bpf");
}
