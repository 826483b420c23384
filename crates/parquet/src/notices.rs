//! Sentences about an object store.

use std::path::Path;
use stride_event::quantity::{bytes, count};
use stride_output::shell_word;
use stride_store::{DeliveryEnd, StoreAddress, StoreKind};

/// Said once, when a request has failed.
pub fn away(address: &StoreAddress, why: &str) -> String {
    format!("Can't write to {address}: {why}; Stride tries again")
}

/// Calls that are in no table.
pub fn dropped(calls: u64) -> String {
    format!(
        "{}: the spool was full, because the store took too little",
        count(calls, "call was dropped", "calls were dropped")
    )
}

/// The files and bytes that the store has: the end of a sentence that begins with the number of calls.
pub fn delivered(ended: &DeliveryEnd) -> String {
    let again = match ended.again {
        0 => String::new(),
        n => format!(", {} made again", count(n, "request was", "requests were")),
    };
    format!("{} ({}) as Parquet{again}", count(ended.files, "file", "files"), bytes(ended.bytes))
}

pub fn undelivered(address: &StoreAddress, spool: &Path, ended: &DeliveryEnd) -> Option<String> {
    let why = ended.why.as_deref()?;
    let left = count(ended.left.len() as u64, "file", "files");
    let size = bytes(ended.left_bytes());
    let command = command(address, &shell_word(spool.as_os_str().as_encoded_bytes()));
    Some(format!(
        "{left} ({size}) were not delivered to {address}: {why}\nThey are in {}, and this delivers them:\n{command}",
        spool.display()
    ))
}

/// The command that delivers the files of a spool.
fn command(address: &StoreAddress, spool: &str) -> String {
    let bucket = address.bucket.split('@').next().unwrap_or_default();
    let prefix = &address.prefix;
    let to = |scheme: &str| shell_word(format!("{scheme}://{bucket}/{prefix}").as_bytes());
    match address.kind {
        StoreKind::S3 => format!("aws s3 cp --recursive --exclude '*' --include '*.parquet' {spool} {}", to("s3")),
        StoreKind::Google => format!("gcloud storage rsync --recursive {spool} {}", to("gs")),
        StoreKind::Azure => {
            let (bucket, prefix) = (shell_word(bucket.as_bytes()), shell_word(prefix.as_bytes()));
            format!(
                "az storage blob upload-batch -d {bucket} --destination-path {prefix} -s {spool} --pattern '*.parquet'"
            )
        }
    }
}
