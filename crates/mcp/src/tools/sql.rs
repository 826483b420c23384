//! `sql`: questions about a recording's tables.
//!
//! Stride has no database. DuckDB is used where it is installed, as a child process: the command `duckdb`, or a Python with the module. The tables become a database of their own first, by
//! statements that stand here. Questions are asked of that database by another process, which opens it for reading only, and has no access to any other file.

use super::{Desk, bounded};
use crate::answer::{AnswerList, More, ToolAnswer};
use crate::arguments::SqlArguments;
use crate::child::{ChildExtent, ChildLimits, ChildTask, Cut, LineCutter};
use crate::options::in_path;
use crate::refusal::{Refusal, cancelled};
use crate::shelf::Shelved;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const TABLES: [&str; 5] = ["calls", "processes", "stacks", "losses", "traces"];
/// For each question. External access cannot be allowed again.
const SETTINGS: &str = "SET memory_limit = '1GB'; SET threads = 2; SET temp_directory = ''; SET autoinstall_known_extensions = false; \
     SET autoload_known_extensions = false; SET enable_external_access = false;";
/// No setting can be changed after this. The command duckdb has an order that does the same.
const LOCK: &str = "SET lock_configuration = true;";
const LONGEST_SQL: usize = 64 << 10;
/// Tables of a recording are made in this time.
const MAKING: Duration = Duration::from_secs(300);
const SCRIPT: &str = include_str!("sql.py");
/// The script's exit status if the module is missing.
const NO_MODULE: i32 = 4;

/// A DuckDB that is installed.
enum Duck {
    Command(PathBuf),
    Python(PathBuf),
}

impl Duck {
    fn found(named: Option<&Path>) -> Result<Duck, Refusal> {
        let found = named.map(Path::to_owned).or_else(|| in_path("duckdb")).or_else(|| in_path("python3"));
        let found = found.ok_or_else(|| missing("neither duckdb nor python3 is in PATH"))?;
        let is_python = found.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"));
        Ok(if is_python { Duck::Python(found) } else { Duck::Command(found) })
    }

    fn task(&self, cwd: PathBuf, python: &[&str], command: &[&str]) -> ChildTask {
        let (program, args) = match self {
            Duck::Python(program) => (program, [&["-c", SCRIPT], python].concat()),
            Duck::Command(program) => (program, [&["-init", "/dev/null", "-bail"], command].concat()),
        };
        ChildTask {
            program: program.clone(),
            args: args.into_iter().map(OsString::from).collect(),
            cwd: Some(cwd),
            input: None,
            extent: ChildExtent::All,
        }
    }

    /// Reads the tables below the working directory into a database.
    fn make(&self, cwd: PathBuf, database: &str) -> ChildTask {
        let table = |name: &&str| {
            format!(
                "CREATE TABLE {name} AS SELECT * FROM read_parquet('{name}/**/*.parquet', hive_partitioning = true);"
            )
        };
        let statements: String = TABLES.iter().map(table).collect();
        self.task(cwd, &["make", database, &statements], &[database, "-c", &statements])
    }

    fn ask(&self, cwd: PathBuf, database: &str, sql: &str, rows: usize) -> ChildTask {
        let python = ["ask", database, sql, &rows.to_string(), &format!("{SETTINGS} {LOCK}")];
        // (The last order forbids orders such as `.shell`, and locks the settings.)
        let command =
            ["-readonly", "-cmd", ".mode jsonlines", "-cmd", SETTINGS, "-cmd", ".safe_mode", database, "-c", sql];
        self.task(cwd, &python, &command)
    }
}

fn missing(reason: &str) -> Refusal {
    let next = "Ask the user to install DuckDB (`pip install duckdb`, or the command duckdb from duckdb.org), or to start stride-mcp with \
                --duckdb=PATH. `summary` and `calls` answer many questions without it";
    Refusal::new("SQL needs DuckDB, and there is none", reason, next)
}

impl Desk {
    pub async fn sql(&self, request: &CancellationToken, wanted: SqlArguments) -> Result<ToolAnswer, Refusal> {
        let shelved = self.shelf.get(&wanted.recording)?;
        let rows = bounded("rows", wanted.rows.unwrap_or(100) as u64, 1, 1000)? as usize;
        let seconds = bounded("time_limit_s", wanted.time_limit_s.unwrap_or(30), 1, 300)?;
        let sql = wanted.sql.trim();
        // (The command duckdb takes a statement that begins with a full stop for an order to itself.)
        if sql.is_empty() || sql.len() > LONGEST_SQL || sql.starts_with('.') || sql.contains('\0') {
            let reason = format!("the text must be a SELECT statement of at most {LONGEST_SQL} bytes");
            return Err(Refusal::new("The question was not asked", reason, "Write one SELECT statement"));
        }
        let duck = Duck::found(self.options.duckdb.as_deref())?;
        let database = self.database(request, &shelved, &duck).await?;
        let task = duck.ask(self.shelf.dir().to_owned(), &database, sql, rows);
        let (mut lines, mut items, mut bytes, mut more) = (LineCutter::default(), Vec::new(), 0, false);
        let mut take = |line: &[u8]| {
            more = items.len() >= rows || bytes > 4 * self.options.answer_bytes;
            if more || line.is_empty() {
                return !more;
            }
            bytes += line.len();
            items.push(serde_json::from_slice::<Value>(line).unwrap_or_else(|_| String::from_utf8_lossy(line).into()));
            true
        };
        let time = Duration::from_secs(seconds);
        let (status, cut, message) = self.ask_duck(request, task, time, |part| lines.add(part, &mut take)).await?;
        if cut == Some(Cut::TimeOver) {
            let reason = format!("it took longer than {seconds} s");
            return Err(Refusal::new(
                "The question was given up",
                reason,
                "Ask for less, or give a larger time_limit_s",
            ));
        }
        if status != 0 && cut.is_none() {
            let next = "Correct the statement. Only the tables of the recording can be read, and nothing can be written; `DESCRIBE calls` has the columns";
            return Err(Refusal::new("DuckDB refuses the question", message, next));
        }
        let of = items.len() + usize::from(more);
        let list =
            AnswerList::new("rows", items, More::Otherwise("use LIMIT and OFFSET, fewer columns, or add rows up"));
        Ok(ToolAnswer::default().with("recording", shelved.id).list(list.among(0, of, more)))
    }

    /// The file of the recording's database, which is made at the first question.
    async fn database(&self, request: &CancellationToken, shelved: &Shelved, duck: &Duck) -> Result<String, Refusal> {
        let dir = self.shelf.dir();
        let path = dir.join(format!("{}.duckdb", shelved.id));
        let name = path.display().to_string();
        if path.exists() {
            return Ok(name);
        }
        let _alone = self.making.lock().await;
        if path.exists() {
            return Ok(name);
        }
        // Another server may use the same directory.
        let own = format!("{}.{}", shelved.id, std::process::id());
        let (tables, half) = (dir.join(format!("{own}.tables")), dir.join(format!("{own}.duckdb")));
        let tidy = || {
            let _ = std::fs::remove_dir_all(&tables);
            let _ = std::fs::remove_file(&half);
        };
        tidy();
        let failed =
            |reason: String| Refusal::new("The tables could not be made", reason, "Ask `summary` or `calls` instead");
        let args = vec![format!("--parquet={}", tables.display())];
        let in_time = self.view(request, shelved, args, |_| true).await;
        let made = match in_time {
            Ok(true) => {
                let task = duck.make(tables.clone(), &half.display().to_string());
                match self.ask_duck(request, task, MAKING, |_| true).await? {
                    (0, None, _) => std::fs::rename(&half, &path).map_err(|error| failed(error.to_string())),
                    (_, Some(_), _) => Err(failed("the recording is too long: the time was over".into())),
                    (_, _, message) => Err(failed(message)),
                }
            }
            Ok(false) => Err(failed("the recording is too long: the time was over".into())),
            Err(refusal) => Err(refusal),
        };
        tidy();
        made.map(|()| name)
    }

    async fn ask_duck(
        &self,
        request: &CancellationToken,
        task: ChildTask,
        time: Duration,
        take: impl FnMut(&[u8]) -> bool,
    ) -> Result<(i32, Option<Cut>, String), Refusal> {
        let _place = self.views.acquire().await.map_err(|_| cancelled())?;
        let ended = task.run(ChildLimits { cancelled: request, time, file: None }, take).await;
        let mut ended = ended.map_err(|error| missing(&error.to_string()))?;
        if ended.cut == Some(Cut::Cancelled) {
            return Err(cancelled());
        }
        if ended.status == NO_MODULE && ended.cut.is_none() {
            return Err(missing("python3 has no module duckdb, and no command duckdb is in PATH"));
        }
        let message = String::from_utf8_lossy(ended.errors.bytes()).trim().to_owned();
        if ended.status == crate::keeper::NOT_STARTED && ended.cut.is_none() {
            return Err(missing(&message));
        }
        Ok((ended.status, ended.cut, message))
    }
}
