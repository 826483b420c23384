//! Metrics that the main thread counts and others read.

use crate::families::{MetricSeries, PointValue};
use crate::instruments;
use crate::registry::Registry;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A copy is handed out again for so long. So clients that ask without end do not keep the main thread from counting.
const FRESH: Duration = Duration::from_millis(250);

#[derive(Clone)]
pub struct SharedRegistry {
    registry: Arc<Mutex<Registry>>,
    latest: Arc<Mutex<Option<Copied>>>,
}

/// A copy, and when it was made.
type Copied = (Instant, Arc<[MetricSeries]>);

impl SharedRegistry {
    pub fn new(registry: Registry) -> SharedRegistry {
        SharedRegistry { registry: Arc::new(Mutex::new(registry)), latest: Arc::default() }
    }

    /// For the main thread, which counts.
    pub fn lock(&self) -> MutexGuard<'_, Registry> {
        locked(&self.registry)
    }

    /// A copy of what was counted, which may be a moment old.
    pub fn families(&self) -> Arc<[MetricSeries]> {
        // (Another reader that comes meanwhile waits here, and not where the main thread counts.)
        let mut latest = locked(&self.latest);
        match &*latest {
            Some((at, families)) if at.elapsed() < FRESH => families.clone(),
            _ => latest.insert((Instant::now(), self.read())).1.clone(),
        }
    }

    /// A copy of all that was counted until now.
    pub fn read(&self) -> Arc<[MetricSeries]> {
        let mut families = self.lock().families();
        families.iter_mut().for_each(MetricSeries::sort);
        families.extend(own_use());
        families.into()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The CPU time and memory that Stride itself has used, as far as the system tells.
fn own_use() -> impl Iterator<Item = MetricSeries> {
    let cpu = getrusage(UsageWho::RUSAGE_SELF).ok().map(|usage| {
        let microseconds = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
        MetricSeries::single(&instruments::CPU_TIME, PointValue::Number(microseconds as f64 / 1e6))
    });
    let memory = resident().map(|bytes| MetricSeries::single(&instruments::MEMORY, PointValue::Count(bytes)));
    cpu.into_iter().chain(memory)
}

fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
