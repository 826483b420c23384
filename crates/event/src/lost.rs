/// What an engine could not report, because it came faster than it could be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    pub calls: u64,
    /// Starts and ends of threads.
    pub threads: u64,
    pub signals: u64,
}

impl Lost {
    pub fn is_none(&self) -> bool {
        *self == Lost::default()
    }
}
