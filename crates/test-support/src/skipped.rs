//! Leaving a test where the machine lacks something. The report names the test: `skipped: NAME: why`.

/// The name of the running test, which is the name of its thread.
pub fn test_name() -> String {
    std::thread::current().name().unwrap_or("?").to_owned()
}

/// Reports that the running test, or a part of it, is left out.
pub fn report(why: impl std::fmt::Display) {
    report_of(&test_name(), why);
}

/// The same for a test whose thread does not have its name.
pub fn report_of(test: &str, why: impl std::fmt::Display) {
    println!("skipped: {test}: {why}");
}

/// Leaves the test.
#[macro_export]
macro_rules! skip {
    ($($why:tt)*) => {{
        $crate::skipped::report(format_args!($($why)*));
        return;
    }};
}

/// Leaves the test if a program or a device is missing.
#[macro_export]
macro_rules! need {
    ($($path:literal),*) => {
        $(if !std::path::Path::new($path).exists() {
            $crate::skip!("no {}", $path);
        })*
    };
}

/// Leaves the test where the eBPF engine cannot run. The test's crate must depend on the engine, since this crate does
/// not.
#[macro_export]
macro_rules! need_ebpf {
    () => {
        $crate::or_skip!(stride_engine_ebpf::available())
    };
}

/// The value, or leaves the test and reports the error.
#[macro_export]
macro_rules! or_skip {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(why) => $crate::skip!("{why}"),
        }
    };
}

/// The compiled `tests/programs/NAME.c`, or leaves the test.
#[macro_export]
macro_rules! program {
    ($name:literal) => {
        $crate::or_skip!($crate::compile($name))
    };
}
