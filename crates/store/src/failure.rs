//! The reason why a request to a store failed.

use http::StatusCode;
use std::fmt;
use stride_output::shown;

/// A request that failed. The text has no query, header or key: these may be secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreFailure {
    pub why: String,
    /// To try again is of no use, as long as nobody changes something.
    pub lasts: bool,
    /// The store does not know the object, the upload or the bucket.
    pub is_missing: bool,
}

impl fmt::Display for StoreFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

/// So much of a server's own words is shown.
const LONGEST_WORDS: usize = 200;
/// Codes of refusals that pass. (S3 answers 400 if a connection was idle for too long.)
const PASSING: [&str; 4] = ["RequestTimeout", "SlowDown", "ServerBusy", "OperationAborted"];

impl StoreFailure {
    pub fn lasting(why: impl Into<String>) -> StoreFailure {
        StoreFailure { why: why.into(), lasts: true, is_missing: false }
    }

    pub fn passing(why: impl Into<String>) -> StoreFailure {
        StoreFailure { why: why.into(), lasts: false, is_missing: false }
    }

    /// The failure that an answer tells, if it does. S3 may find out late that an upload cannot be completed, and says so behind status 200.
    pub fn of_answer(status: StatusCode, body: &[u8]) -> Option<StoreFailure> {
        let body = String::from_utf8_lossy(body);
        if status.is_success() && !body.contains("<Error>") {
            return None;
        }
        let words = match (element(&body, "Code"), element(&body, "Message")) {
            (None, _) => String::new(),
            (Some(code), None) => format!(", {code}"),
            (Some(code), Some(message)) => format!(", {code}: {message}"),
        };
        let passes = [408, 409, 429].contains(&status.as_u16())
            || element(&body, "Code").is_some_and(|code| PASSING.contains(&code.as_str()));
        let is_refusal = status.is_client_error() || status.is_redirection();
        let hint = if status.is_redirection() { "; the region or the endpoint may be wrong" } else { "" };
        Some(StoreFailure {
            why: format!("the answer is {status}{words}{hint}"),
            lasts: is_refusal && !passes,
            is_missing: status == StatusCode::NOT_FOUND,
        })
    }
}

/// The first line of the text of an element of XML.
fn element(body: &str, name: &str) -> Option<String> {
    let (_, rest) = body.split_once(&format!("<{name}>"))?;
    let (text, _) = rest.split_once('<')?;
    text.lines().next().filter(|text| !text.is_empty()).map(legible)
}

/// Words of a server, which may be hostile.
pub fn legible(text: &str) -> String {
    let cut: String = text.chars().take(LONGEST_WORDS).collect();
    shown(cut.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers() {
        let of =
            |status: u16, body: &str| StoreFailure::of_answer(StatusCode::from_u16(status).unwrap(), body.as_bytes());
        assert_eq!(of(200, "<ListBucketResult></ListBucketResult>"), None);
        assert_eq!(of(204, ""), None);
        let error = |code: &str, message: &str| {
            format!("<?xml?>\n<Error><Code>{code}</Code><Message>{message}</Message></Error>")
        };
        for (status, body, why, lasts) in [
            (
                403,
                error("AccessDenied", "Access Denied"),
                "the answer is 403 Forbidden, AccessDenied: Access Denied",
                true,
            ),
            (404, error("NoSuchBucket", ""), "the answer is 404 Not Found, NoSuchBucket", true),
            (400, error("RequestTimeout", "idle"), "the answer is 400 Bad Request, RequestTimeout: idle", false),
            (503, error("SlowDown", "x\ny"), "the answer is 503 Service Unavailable, SlowDown: x", false),
            (507, String::new(), "the answer is 507 Insufficient Storage", false),
            (200, error("InternalError", "later"), "the answer is 200 OK, InternalError: later", false),
            (
                301,
                "<html>".into(),
                "the answer is 301 Moved Permanently; the region or the endpoint may be wrong",
                true,
            ),
            (403, error("\u{1b}]0;x\u{7}", &"y".repeat(5000)), "", true),
        ] {
            let failure = of(status, &body).unwrap();
            assert_eq!((failure.lasts, failure.is_missing), (lasts, status == 404), "{failure}");
            assert!(failure.why == why || why.is_empty(), "{failure}");
            assert!(failure.why.len() < 500 && !failure.why.contains('\u{1b}'), "{failure}");
        }
    }
}
