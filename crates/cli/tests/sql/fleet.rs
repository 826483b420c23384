//! The questions of docs/fleet.md, asked of runs of two hosts, before and after a deploy.

use super::*;
use serde_json::json;
use stride_test_support::skip;

/// The moment in the document.
const MOMENT: &str = "TIMESTAMP '2026-11-23 12:00:00'";
const DAY: &str = "DATE '2026-11-22'";

/// Each host fails to open a file before the deploy and after it, and `web2` one more file after it. The moment in between, as a database writes it, and the day before.
fn traced_fleet(scratch: &Scratch) -> Result<(String, String), String> {
    std::fs::copy("/bin/cat", scratch.path("nginx")).unwrap();
    let run = |host: &str, files: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--uts", "sh", "-c", "hostname \"$0\" && exec \"$@\"", host, STRIDE]);
        command.args(["--parquet=fleet", "-o", "/dev/null", "./nginx"]).args(files).current_dir(scratch.path(""));
        let output = command.output().map_err(|error| error.to_string())?;
        let err = text(&output.stderr);
        if err.contains("unshare:") || err.contains("hostname:") { Err(err) } else { Ok(()) }
    };
    let moment = |format: &str, offset: &str| {
        let output = Command::new("date").args(["-u", "-d", offset, format]).output().unwrap();
        text(&output.stdout).trim().to_owned()
    };
    run("web1", &["old.conf"])?;
    run("web2", &["old.conf"])?;
    let deploy = moment("+TIMESTAMP '%F %T.%6N'", "now");
    run("web1", &["old.conf"])?;
    run("web2", &["old.conf", "new.conf", "new.conf"])?;
    Ok((deploy, moment("+DATE '%F'", "yesterday")))
}

#[test]
fn two_hosts_before_and_after_a_deploy() {
    if !is_root() {
        skip!("other names of a host need root");
    }
    need!("/usr/bin/unshare", "/usr/bin/python3", "/bin/hostname");
    let duckdb = or_skip!(python::with("duckdb"));
    let scratch = Scratch::new("fleet");
    let (deploy, day) = or_skip!(traced_fleet(&scratch));
    let document = std::fs::read_to_string(root().join("docs/fleet.md")).unwrap();
    assert!(document.contains(MOMENT) && document.contains(DAY));
    let own = scratch.path("fleet.md");
    std::fs::write(&own, document.replace(MOMENT, &deploy).replace(DAY, &day)).unwrap();
    let answers = ask_those_of(&own, &duckdb, "duckdb", &scratch.path("fleet"));
    assert_eq!(answers.len(), 6);
    let new = json!([scratch.path("new.conf").display().to_string(), "ENOENT", "web2", 2]);
    assert_eq!(json!(answers[0].rows), json!([new]), "{:?}", answers[0]);
    let rare = &answers[1].rows[0];
    assert_eq!((&rare[1], &rare[3], &rare[4], &rare[5]), (&new[0], &json!(1), &json!(2), &json!("web2")), "{rare:?}");
    // Both told something after the deploy.
    assert!(answers[2].rows.is_empty(), "{:?}", answers[2]);
    let lost = &answers[3].rows;
    assert_eq!(lost.len(), 2);
    assert!(lost.iter().all(|row| row[1].as_i64() > Some(20) && row[2] == 0 && row[3] == 0), "{lost:?}");
    assert_eq!((answers[4].rows.len(), &answers[4].rows[0][4]), (1, &json!(2)), "{:?}", answers[4]);
    assert!(answers[5].rows.iter().any(|row| row[1] == "execve"), "{:?}", answers[5]);
    need!("/usr/bin/java");
    let spark = or_skip!(python::with("pyspark"));
    assert_eq!(ask_those_of(&own, &spark, "spark", &scratch.path("fleet")), answers);
}
