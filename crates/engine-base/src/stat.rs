//! /proc/PID/stat (proc_pid_stat(5)).

/// The fields behind the name, which may hold anything. The first is the letter of the state.
pub fn behind_name(stat: &str) -> Option<&str> {
    stat.rsplit_once(") ").map(|(_, fields)| fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_look_like_fields() {
        assert_eq!(behind_name("7 (a) Z 1 ) S 3 7"), Some("S 3 7"));
        assert_eq!(behind_name(""), None);
    }
}
