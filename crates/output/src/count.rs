//! Counts in words.

pub use stride_event::grouped;

/// `1 call lost`, `1,204 calls lost`.
pub fn calls_lost(n: u64) -> String {
    format!("{} {} lost", grouped(n), if n == 1 { "call" } else { "calls" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_many() {
        assert_eq!(calls_lost(1), "1 call lost");
        assert_eq!(calls_lost(1204), "1,204 calls lost");
    }
}
