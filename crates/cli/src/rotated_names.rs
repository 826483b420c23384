//! Checks before the run that the files of `--rotate` can get other names while Stride runs.

use crate::views;
use anyhow::{Result, bail};
use stride_session::{NamedFile, Options, Use};

/// Checks that the files that `--rotate` limits can be rotated.
pub fn check(options: &Options) -> Result<()> {
    let Some(rotation) = options.rotation else { return Ok(()) };
    let named = views::named_files(options);
    let rotated: Vec<_> = named.iter().filter(|file| views::can_be_rotated(options, &file.option)).collect();
    if rotated.is_empty() {
        bail!("--rotate has no file to rotate: give -o FILE or --record=FILE as well");
    }
    // With -ff, the names are those of threads, which are not known yet.
    let separate = |file: &NamedFile<'_>| options.output_separately && matches!(file.how, Use::Trace);
    rotated.iter().filter(|file| !separate(file)).try_for_each(|file| rotation.check(&named, &file.option, file.path))
}
