//! Series and their limit.

use super::*;
use stride_event::CallStats;

const READ: (Abi, u64) = (Abi::X86_64, 0);

fn counted(nr: u64, comm: &str, container: Option<&str>, errno: u32, calls: u64) -> Counted {
    let mut tally = CallStats { calls, errors: if errno == 0 { 0 } else { calls }, ..CallStats::default() };
    (0..calls).for_each(|_| tally.add_wall(Some(1_000)));
    Counted {
        call: Some((READ.0, nr)),
        comm: comm.as_bytes().to_vec(),
        container: container.map(Into::into),
        errno,
        tally,
        ..Counted::default()
    }
}

/// The sum of a metric's series whose labels have these values.
fn sum(registry: &Registry, instrument: &Instrument, with: &[&str]) -> u64 {
    let families = registry.families();
    let family = families.iter().find(|family| family.instrument == instrument).unwrap();
    let has = |point: &&Point| with.iter().all(|value| point.labels.iter().any(|(_, label)| &**label == *value));
    let value = |point: &Point| match &point.value {
        PointValue::Count(n) => *n,
        PointValue::Number(n) => *n as u64,
        PointValue::Durations(durations) => durations.count(),
    };
    family.points.iter().filter(has).map(value).sum()
}

#[test]
fn calls_have_the_labels_that_are_known() {
    let mut registry = Registry::new(1_000, ExportLabels::ALL, true, "1", "e");
    registry.merge(&counted(0, "nginx", Some("web"), 0, 5));
    registry.merge(&counted(0, "nginx", Some("web"), 11, 2));
    registry.merge(&counted(1, "sh", None, 0, 1));
    assert_eq!(sum(&registry, &instruments::CALLS, &["read", "nginx", "web"]), 7);
    assert_eq!(sum(&registry, &instruments::DURATION, &["read", "nginx", "web"]), 7);
    assert_eq!(sum(&registry, &instruments::ERRORS, &["read", "EAGAIN", "nginx", "web"]), 2);
    let families = registry.families();
    let without = families[0].points.iter().find(|point| &*point.labels[0].1 == "write").unwrap();
    assert_eq!(without.labels.len(), 2, "no container: {without:?}");
    assert_eq!(sum(&registry, &instruments::FOLDED, &[]), 0);
    assert_eq!(sum(&registry, &instruments::SERIES, &[]), 8 + 2 * 2 + 1);
}

#[test]
fn labels_that_were_not_asked_for_are_left_out() {
    let mut registry = Registry::new(1_000, ExportLabels { thread: false, container: false }, true, "1", "e");
    (0..500).for_each(|n| registry.merge(&counted(0, &format!("worker-{n}"), Some("web"), 0, 1)));
    assert_eq!(sum(&registry, &instruments::CALLS, &["read"]), 500);
    assert_eq!(sum(&registry, &instruments::SERIES, &[]), 8 + 2);
}

#[test]
fn series_are_limited_and_no_call_is_lost() {
    for limit in [FEWEST_SERIES, 1_000] {
        for labels in [ExportLabels::ALL, ExportLabels { thread: true, container: false }] {
            let mut registry = Registry::new(limit, labels, true, "1", "e");
            let mut all = 0;
            for n in 0..3_000u64 {
                let container = (n % 3 == 0).then(|| format!("pod-{}", n % 40));
                registry.merge(&counted(n % 400, &format!("worker-{n}"), container.as_deref(), (n % 50) as u32, 2));
                all += 2;
                assert!(sum(&registry, &instruments::SERIES, &[]) <= limit as u64);
            }
            assert_eq!(sum(&registry, &instruments::CALLS, &[]), all);
            assert_eq!(sum(&registry, &instruments::DURATION, &[]), all);
            assert_eq!(sum(&registry, &instruments::ERRORS, &[]), all / 50 * 49);
            let folded = sum(&registry, &instruments::FOLDED, &[]);
            assert_eq!(sum(&registry, &instruments::CALLS, &["(others)"]), folded, "{limit}");
            assert!(folded > all / 2, "{folded}");
            assert!(sum(&registry, &instruments::CALLS, &["worker-0"]) == 2, "the first ones have a series");
            let families = registry.families();
            let told = |point: &&Point| &*point.labels[0].1 != "(others)" && &*point.labels[1].1 == "(others)";
            assert!(families[0].points.iter().any(|point| told(&point)), "a syscall is told longest");
        }
    }
}

/// Numbers of calls, and names, are a program's choice.
#[test]
fn memory_is_bounded() {
    let mut registry = Registry::new(FEWEST_SERIES, ExportLabels::ALL, true, "1", "e");
    for n in 0..20_000u64 {
        registry.merge(&counted(n * 77_777, &format!("{n}"), Some(&format!("c{n}")), (n % 9_000) as u32, 1));
    }
    assert!(registry.calls.len() + registry.errors.len() + registry.syscalls.len() <= 2 * FEWEST_SERIES);
    assert_eq!(sum(&registry, &instruments::CALLS, &[]), 20_000);
}

#[test]
fn without_durations_there_is_room_for_more_calls() {
    let series = |has_durations| {
        let labels = ExportLabels { thread: false, container: false };
        let mut registry = Registry::new(FEWEST_SERIES, labels, has_durations, "1", "e");
        (0..200).for_each(|nr| registry.merge(&counted(nr, "x", None, 0, 1)));
        let families = registry.families();
        let of = |instrument: &Instrument| families.iter().find(|family| family.instrument == instrument);
        assert_eq!(of(&instruments::DURATION).is_some(), has_durations);
        assert!(registry.series() <= FEWEST_SERIES);
        of(&instruments::CALLS).unwrap().points.len()
    };
    assert!(series(false) > series(true) * 3 / 2, "{} {}", series(false), series(true));
}
