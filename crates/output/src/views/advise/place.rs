//! The file and line at which other tools show a finding.

use stride_advise::Finding;
use stride_event::SourceLine;

/// The line of source from which most of the calls come, with its file as seen from `home`.
pub fn place(finding: &Finding, home: Option<&str>) -> Option<SourceLine> {
    let source = finding.callers.shares.iter().find_map(|(caller, _)| caller.source.clone())?;
    let below = home.and_then(|home| source.file.strip_prefix(home.trim_end_matches('/'))?.strip_prefix('/'));
    Some(SourceLine { file: below.map_or_else(|| source.file.clone(), Into::into), line: source.line })
}
