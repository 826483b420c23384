//! `-V`: the version, the commit that was built, and what this build can do.

use stride_session::ENGINES;
use stride_syscalls::Abi;

pub fn text() -> String {
    let abis: Vec<String> = Abi::SERVED.iter().map(|abi| format!("{}-bit", 8 * abi.word())).collect();
    let abis = abis.join(", ");
    let engines = ENGINES.map(|engine| engine.name).join(", ");
    let commit = option_env!("STRIDE_COMMIT").unwrap_or("unknown: it was not built in a git repository");
    let linked = if cfg!(target_feature = "crt-static") { "static" } else { "dynamic" };
    format!(
        "stride -- version {}\n\
         A system call tracer with the options and the output of strace.\n\
         Free software under the MIT License or the Apache License 2.0, at your choice; without any warranty.\n\
         \n\
         Commit: {commit}\n\
         Target: {}-linux ({}, {linked})\n\
         Engines: {engines}\n\
         System calls decoded: {abis}\n\
         Recordings: version {}; older ones are read, too\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        env!("STRIDE_TARGET"),
        stride_session::facts::RECORDING_VERSION,
    )
}
