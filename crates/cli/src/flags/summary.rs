//! `-S` and `-U`: the columns of the summary, which have many names for historical reasons; and `--by`: its rows.

use super::raw_options::RawOptions;
use super::stop::Stop;
use std::time::Duration;
use stride_filter::did_you_mean;
use stride_session::options::{Column, Key, SortKey, Summary, SummaryLayout};

/// Every spelling of a column, the preferred one first. Spellings have `-`; `_` is accepted too.
const SPELLINGS: &[(&str, Column)] = &[
    ("time", Column::TimePercent),
    ("time-percent", Column::TimePercent),
    ("total-time", Column::TimeTotal),
    ("time-total", Column::TimeTotal),
    ("min-time", Column::TimeMin),
    ("time-min", Column::TimeMin),
    ("shortest", Column::TimeMin),
    ("max-time", Column::TimeMax),
    ("time-max", Column::TimeMax),
    ("longest", Column::TimeMax),
    ("avg-time", Column::TimeAvg),
    ("time-avg", Column::TimeAvg),
    ("wall-total", Column::WallTotal),
    ("total-wall", Column::WallTotal),
    ("wall-min", Column::WallMin),
    ("min-wall", Column::WallMin),
    ("wall-max", Column::WallMax),
    ("max-wall", Column::WallMax),
    ("wall-avg", Column::WallAvg),
    ("avg-wall", Column::WallAvg),
    ("min", Column::WallMin),
    ("p50", Column::P50),
    ("p99", Column::P99),
    ("max", Column::WallMax),
    ("calls", Column::Calls),
    ("count", Column::Calls),
    ("errors", Column::Errors),
    ("error", Column::Errors),
    ("bytes", Column::Bytes),
    ("blocked", Column::Blocked),
    ("runnable", Column::Runnable),
    ("distribution", Column::Distribution),
    ("name", Column::Name),
    ("syscall", Column::Name),
    ("syscall-name", Column::Name),
];

const DEFAULT_COLUMNS: [Column; 6] =
    [Column::TimePercent, Column::TimeTotal, Column::TimeAvg, Column::Calls, Column::Errors, Column::Name];

/// If rows are not syscalls, the calls of a row differ. Percentiles of their times then say more than the mean.
fn default_columns(by: &[Key]) -> Vec<Column> {
    if by == [Key::Syscall] {
        return DEFAULT_COLUMNS.to_vec();
    }
    // A histogram is read by its bars, and the times of a range are known.
    if let Some(range) = by.last().filter(|key| key.is_range()) {
        let bytes = by.iter().any(|key| key.is_about_files()) || *range == Key::Size;
        let bytes = bytes.then_some(Column::Bytes);
        let numbers = [Column::TimePercent, Column::Calls, Column::Errors].into_iter().chain(bytes);
        return numbers.chain([Column::Name, Column::Distribution]).collect();
    }
    let mut columns =
        vec![Column::TimePercent, Column::TimeTotal, Column::P50, Column::P99, Column::Calls, Column::Errors];
    if by.iter().any(|key| key.is_about_files() || *key == Key::Size) {
        columns.push(Column::Bytes);
    }
    columns.push(Column::Name);
    columns
}

/// A table of calls whose waits are measured tells of them in front of the number of calls.
fn with_waits(mut columns: Vec<Column>) -> Vec<Column> {
    let place = columns.iter().position(|column| *column == Column::Calls).unwrap_or(0);
    columns.splice(place..place, [Column::Blocked, Column::Runnable]);
    columns
}

/// True if a key or a column needs the waits of calls.
pub fn needs_waits(raw: &RawOptions) -> bool {
    raw.summarizes()
        && (raw.by.iter().flatten().any(|key| key.needs_waits())
            || raw.summary_columns.iter().flatten().any(|column| column.is_of_waits())
            || matches!(raw.sort, Some(SortKey::By(column)) if column.is_of_waits()))
}

/// The summary that the options ask for.
pub fn settled(raw: &RawOptions) -> Option<Summary> {
    let by = raw.by.clone().unwrap_or_else(|| vec![Key::Syscall]);
    let waits = raw.options.spec.waits;
    let columns = raw.summary_columns.clone().unwrap_or_else(|| {
        let columns = default_columns(&by);
        let is_histogram = by.last().is_some_and(|key| key.is_range());
        if waits && !is_histogram { with_waits(columns) } else { columns }
    });
    raw.summarizes().then(|| Summary {
        only: raw.summary_only,
        exact_times: raw.exact_times,
        every: raw.every,
        layout: SummaryLayout {
            // Some engines know system times only where they count by themselves. Tables of the same calls must be the
            // same.
            wall_clock: raw.wall_clock || by != [Key::Syscall],
            sort: raw.sort.unwrap_or(match by.last() {
                Some(key) if key.is_range() => SortKey::By(Column::Name),
                _ => SortKey::By(Column::TimePercent),
            }),
            columns,
            waits: false,
            overhead: raw.overhead.map_or(0, |overhead| overhead.as_nanos() as u64),
            by,
            json: false,
            width: None,
        },
    })
}

/// A list of keys, each at most once.
pub fn keys(text: &str) -> Result<Vec<Key>, Stop> {
    let mut keys = Vec::new();
    for name in text.split(',') {
        let known = Key::ALL.map(Key::name);
        let key = Key::ALL.into_iter().find(|key| key.name() == name).ok_or_else(|| {
            let hint = did_you_mean(name, known);
            let the = if hint.is_empty() { "; the" } else { " The" };
            Stop::usage(format!("--by: unknown key '{name}'{hint}{the} keys are {}", known.join(", ")))
        })?;
        if keys.contains(&key) {
            return Err(Stop::usage(format!("--by: the key '{name}' is given twice; give it once")));
        }
        keys.push(key);
    }
    Ok(keys)
}

/// Shorter intervals would take more time than they are worth.
pub const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);

/// A name for each column.
pub fn column_names() -> impl Iterator<Item = &'static str> {
    let first = |i: usize| SPELLINGS[..i].iter().all(|(_, earlier)| *earlier != SPELLINGS[i].1);
    (0..SPELLINGS.len()).filter(move |i| first(*i)).map(|i| SPELLINGS[i].0)
}

/// The end of a message about an unknown column.
fn suggestion(text: &str, none_too: bool) -> String {
    let known = SPELLINGS.iter().map(|(spelling, _)| *spelling);
    let hint = did_you_mean(&text.replace('_', "-"), known.chain(none_too.then_some("none")));
    if !hint.is_empty() {
        return hint;
    }
    let names: Vec<&str> = column_names().chain(none_too.then_some("none")).collect();
    format!("; it may be {}", names.join(", "))
}

fn column(text: &str) -> Option<Column> {
    let text = text.replace('_', "-");
    SPELLINGS.iter().find(|(spelling, _)| *spelling == text).map(|(_, column)| *column)
}

pub fn sort_key(text: &str) -> Result<SortKey, Stop> {
    match text {
        "none" | "nothing" => Ok(SortKey::Nothing),
        _ => column(text)
            .map(SortKey::By)
            .ok_or_else(|| Stop::usage(format!("invalid sortby: '{text}'{}", suggestion(text, true)))),
    }
}

/// A list of columns, each at most once. The column of names is always included.
pub fn columns(text: &str) -> Result<Vec<Column>, Stop> {
    let mut columns = Vec::new();
    let mut rest = text;
    loop {
        let (name, tail) = rest.split_once(',').map_or((rest, None), |(name, tail)| (name, Some(tail)));
        let column = column(name)
            .ok_or_else(|| Stop::usage(format!("unknown column name: '{name}'{}", suggestion(name, false))))?;
        if columns.contains(&column) {
            return Err(Stop::usage(format!(
                "call summary column has been provided more than once: '{name}' (-U option residual: '{rest}')"
            )));
        }
        columns.push(column);
        match tail {
            Some(tail) => rest = tail,
            None => break,
        }
    }
    if !columns.contains(&Column::Name) {
        columns.push(Column::Name);
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(result: Result<Vec<Column>, Stop>) -> String {
        match result {
            Err(Stop::Fail { message, hint: true }) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn lists_of_columns() {
        assert_eq!(columns("calls,syscall_name,wall-max"), Ok(vec![Column::Calls, Column::Name, Column::WallMax]));
        assert_eq!(columns("calls"), Ok(vec![Column::Calls, Column::Name]));
    }

    #[test]
    fn mistakes_in_them() {
        assert!(message(columns("time,,name")).starts_with("unknown column name: ''; it may be time, total-time, "));
        assert_eq!(message(columns("TIME")), "unknown column name: 'TIME'; did you mean 'time'?");
        assert!(message(columns("none")).starts_with("unknown column name: 'none'; it may be time, total-time, "));
        assert_eq!(
            message(columns("time,time_percent,time_total")),
            "call summary column has been provided more than once: 'time_percent' \
             (-U option residual: 'time_percent,time_total')"
        );
    }

    #[test]
    fn lists_of_keys() {
        assert_eq!(keys("comm,syscall"), Ok(vec![Key::Comm, Key::Syscall]));
        for (text, what) in [
            ("", "--by: unknown key ''; the keys are syscall, path, "),
            ("pid,PID", "--by: unknown key 'PID'; did you mean 'pid'? The keys are "),
            ("path,sycall", "--by: unknown key 'sycall'; did you mean 'syscall'? The keys are "),
            ("fd,fd", "--by: the key 'fd' is given twice; give it once"),
        ] {
            match keys(text) {
                Err(Stop::Fail { message, .. }) => assert!(message.starts_with(what), "{message}"),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(default_columns(&[Key::Syscall]), DEFAULT_COLUMNS);
        assert!(default_columns(&[Key::Comm, Key::Size]).contains(&Column::Bytes));
        assert!(!default_columns(&[Key::Comm]).contains(&Column::Bytes));
    }

    #[test]
    fn sort_keys() {
        assert_eq!(sort_key("nothing"), Ok(SortKey::Nothing));
        assert_eq!(sort_key("min_time"), Ok(SortKey::By(Column::TimeMin)));
        assert!(sort_key("syscall_names").is_err());
        assert_eq!(sort_key("cals"), Err(Stop::usage("invalid sortby: 'cals'; did you mean 'calls'?")));
        let Err(Stop::Fail { message, hint: true }) = sort_key("x") else { panic!() };
        assert!(
            message.starts_with("invalid sortby: 'x'; it may be time, total-time, ") && message.ends_with(", none")
        );
    }
}
