//! `calls`: the calls of a recording.

use super::view::untyped;
use super::{Desk, bounded};
use crate::answer::{AnswerList, More, ToolAnswer};
use crate::arguments::{CallFilter, CallForm, CallsArguments};
use crate::refusal::Refusal;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// Calls are counted up to this number behind those that are shown.
const COUNTED: usize = 2_000_000;
/// Names that `-e` may have. Other expressions are options of another kind, and some write files.
const EXPRESSIONS: [&str; 10] =
    ["trace", "t", "signal", "signals", "s", "status", "fd", "fds", "trace-fds", "trace-fd"];

impl CallFilter {
    /// The options for this filter.
    pub fn options(&self) -> Result<Vec<String>, Refusal> {
        let mut options = Vec::new();
        for expression in &self.expressions {
            if let Some((name, _)) = expression.split_once('=')
                && !EXPRESSIONS.contains(&name.trim_start_matches('!'))
            {
                let fact = format!("The expression {expression:?} is refused");
                let reason = format!("only these choose calls: {}", EXPRESSIONS.join(", "));
                return Err(Refusal::new(fact, reason, "Write an expression such as trace=openat,read"));
            }
            options.push(format!("-e{expression}"));
        }
        let single = [("--where", &self.condition), ("--errno", &self.errno), ("--duration", &self.duration)];
        options.extend(single.iter().filter_map(|(name, value)| Some(format!("{name}={}", value.as_ref()?))));
        options.extend(self.paths.iter().map(|path| format!("--trace-path={path}")));
        match options.iter().find(|option| option.contains('\0')) {
            Some(option) => {
                let fact = format!("The filter {option:?} is refused");
                Err(Refusal::new(fact, "no argument of a program may have a NUL", "Leave the NUL out"))
            }
            None => Ok(options),
        }
    }
}

impl Desk {
    pub async fn calls(&self, request: &CancellationToken, wanted: CallsArguments) -> Result<ToolAnswer, Refusal> {
        let shelved = self.shelf.get(&wanted.recording)?;
        let limit = bounded("limit", wanted.limit.unwrap_or(100) as u64, 1, 1000)? as usize;
        let string_limit = bounded("string_limit", wanted.string_limit.unwrap_or(64).into(), 0, 65_536)?;
        let mut args = wanted.filter.options()?;
        args.push(format!("--string-limit={string_limit}"));
        let is_json = matches!(wanted.form, CallForm::Json);
        // A filter of signals that the client gave comes later, and counts.
        args.insert(0, "--signal=none".into());
        match wanted.form {
            CallForm::Json => args.push("--json".into()),
            CallForm::Lines => {
                args.extend(
                    ["--decode-fds=path", "--always-show-pid", "-ttt", "-T", "--quiet=exit"].map(str::to_owned),
                );
            }
        }
        let offset = wanted.offset.unwrap_or(0);
        let (mut items, mut bytes, mut counted) = (Vec::new(), 0, 0);
        let most = offset.saturating_add(limit);
        let in_time = self
            .view(request, &shelved, args, |line| {
                let counts = match is_json {
                    true => line.starts_with(b"{\"type\":\"call\"") || line.starts_with(b"{\"type\":\"signal\""),
                    false => is_call(line),
                };
                if !counts {
                    return true;
                }
                if (offset..most).contains(&counted) && bytes <= 4 * self.options.answer_bytes {
                    bytes += line.len();
                    items.push(match is_json {
                        true => serde_json::from_slice(line).map(object).unwrap_or_default(),
                        false => Value::from(String::from_utf8_lossy(line)),
                    });
                }
                counted += 1;
                counted < most.saturating_add(COUNTED)
            })
            .await?;
        let at_least = !in_time || counted >= most.saturating_add(COUNTED);
        let answer = ToolAnswer::default().with("recording", shelved.id).with("of", counted).with("offset", offset);
        let list = AnswerList::new(if is_json { "calls" } else { "lines" }, items, More::Offset);
        Ok(answer.list(list.among(offset, counted, at_least)))
    }
}

/// False for a line about the end of a thread, which no option leaves out.
fn is_call(line: &[u8]) -> bool {
    // After the thread and the time.
    !line.is_empty() && !line.splitn(3, |byte| *byte == b' ').nth(2).is_some_and(|rest| rest.starts_with(b"+++ "))
}

/// A call without its type, or a signal with its type.
fn object(object: Value) -> Value {
    if object["type"] == "call" { untyped(object) } else { object }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_choose_calls_and_do_nothing_else() {
        let filter = |expression: &str| CallFilter { expressions: vec![expression.into()], ..CallFilter::default() };
        for refused in ["record=/tmp/x", "output=/tmp/x", "inject=read:error=EIO", "!html=/tmp/x", "-o=/tmp/x"] {
            assert!(filter(refused).options().is_err(), "{refused}");
        }
        assert_eq!(filter("trace=!read").options().unwrap(), ["-etrace=!read"]);
        assert_eq!(filter("%file").options().unwrap(), ["-e%file"]);
    }
}
