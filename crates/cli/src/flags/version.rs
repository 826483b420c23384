//! `-V`.

pub fn text() -> String {
    let abis = if cfg!(target_arch = "x86_64") { "64-bit, 32-bit" } else { "64-bit" };
    format!(
        "stride -- version {}\n\
         A system call tracer with the options and the output of strace.\n\
         Free software under the MIT License or the Apache License 2.0, at your choice; without any warranty.\n\
         \n\
         Target: {}-linux\n\
         System calls decoded: {abis}\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
    )
}
