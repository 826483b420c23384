//! The calls that a table counts.

use crate::model::sample::SampleKey;
use std::sync::Arc;

/// The row that was gone into, and those before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopScope {
    pub pid: Option<i32>,
    pub comm: Option<Arc<str>>,
    pub call: Option<Arc<str>>,
    pub errno: Option<Arc<str>>,
    pub path: Option<Arc<str>>,
}

impl TopScope {
    /// True if the calls with this key are among those that are looked at.
    pub fn has(&self, key: &SampleKey) -> bool {
        fn is<T: PartialEq>(wanted: &Option<T>, given: &T) -> bool {
            wanted.as_ref().is_none_or(|wanted| wanted == given)
        }
        is(&self.pid, &key.pid)
            && is(&self.call, &key.call)
            // Only tables of counts have these.
            && (key.errno.is_empty() && !key.path.is_empty() || is(&self.errno, &key.errno))
            && (key.path.is_empty() || is(&self.path, &key.path))
    }

    /// `redis-server (812) > read > /var/lib/x`
    pub fn title(&self) -> String {
        let process = self.pid.map(|pid| format!("{} ({pid})", self.comm.as_deref().unwrap_or("?")));
        let rest = [&self.errno, &self.call, &self.path].into_iter().flatten().map(|part| part.to_string());
        process.into_iter().chain(rest).collect::<Vec<_>>().join(" > ")
    }
}
