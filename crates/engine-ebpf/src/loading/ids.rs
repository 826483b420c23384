//! The ids of threads in further objects: the object that is loaded first finds out where the kernel has those of Stride's PID namespace (bpf/ids.h).

/// Gives an open object the place of the ids that the loaded programs know.
macro_rules! share_ids {
    ($open:expr, $programs:expr) => {
        $open.progs.learn_ids.set_autoload(false);
        if let Some(rodata) = $open.maps.rodata_data.as_deref_mut() {
            rodata.nested = $programs.nested().is_some();
        }
        if let (Some(bss), Some((level, numbers))) = ($open.maps.bss_data.as_deref_mut(), $programs.nested()) {
            (bss.pid_level, bss.pid_numbers) = (level, numbers);
        }
    };
}
pub(crate) use share_ids;
