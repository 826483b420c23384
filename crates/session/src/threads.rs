//! The decision for or against further threads in Stride.

/// True if there is more than one CPU for Stride's threads. One CPU would only do the same work later, and change threads in between.
pub fn pay() -> bool {
    std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() > 1)
}
