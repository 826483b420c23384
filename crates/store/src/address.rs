//! Addresses such as `s3://bucket/prefix`.

use std::fmt;

/// A place in an object store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreAddress {
    pub kind: StoreKind,
    /// As in the address.
    scheme: String,
    /// The bucket; in Azure the container, which may have the account behind an `@`.
    pub bucket: String,
    /// The part of all names that comes first, without slashes at its ends. It may be empty.
    pub prefix: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    S3,
    Google,
    Azure,
}

const SCHEMES: [(&str, StoreKind); 6] = [
    ("s3", StoreKind::S3),
    ("s3a", StoreKind::S3),
    ("gs", StoreKind::Google),
    ("az", StoreKind::Azure),
    ("abfs", StoreKind::Azure),
    ("abfss", StoreKind::Azure),
];
/// A name in a store has at most 1,024 bytes, and those of files need some.
const LONGEST_PREFIX: usize = 512;

impl StoreAddress {
    /// Reads an address. `None`: it is a path, and no address. The error says what is wrong with it.
    pub fn parse(given: &str) -> Option<Result<StoreAddress, String>> {
        let (scheme, rest) = given.split_once("://")?;
        let is_scheme = !scheme.is_empty() && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
        is_scheme.then(|| Self::of(scheme, rest))
    }

    fn of(scheme: &str, rest: &str) -> Result<StoreAddress, String> {
        let known = SCHEMES.iter().find(|(name, _)| *name == scheme);
        let &(scheme, kind) =
            known.ok_or_else(|| format!("'{scheme}://' is none of s3://, gs://, az:// (or abfs://) and file://"))?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(format!("it has no bucket, as in {scheme}://BUCKET/PREFIX"));
        }
        let of_account = |b| kind == StoreKind::Azure && b == b'@';
        let is_bucket = |b: u8| b.is_ascii_alphanumeric() || b".-_".contains(&b) || of_account(b);
        let is_alphanumeric = |at: Option<&u8>| at.is_some_and(u8::is_ascii_alphanumeric);
        let bytes = bucket.as_bytes();
        if !bytes.iter().copied().all(is_bucket) || !is_alphanumeric(bytes.first()) || !is_alphanumeric(bytes.last()) {
            return Err("the bucket is none: its name has letters, digits, dots, hyphens and underscores".into());
        }
        let prefix = prefix.trim_matches('/');
        if prefix.len() > LONGEST_PREFIX {
            return Err(format!("the prefix is longer than {LONGEST_PREFIX} bytes"));
        }
        if prefix.chars().any(char::is_control) {
            return Err("the prefix has a control character".into());
        }
        let parts = prefix.split('/');
        if !prefix.is_empty() && parts.into_iter().any(|part| ["", ".", ".."].contains(&part)) {
            return Err("the prefix has a part that is empty, '.' or '..'".into());
        }
        Ok(StoreAddress { kind, scheme: scheme.into(), bucket: bucket.into(), prefix: prefix.into() })
    }

    /// The name in the store of a file with this path below the prefix.
    pub fn name(&self, below: &str) -> String {
        if self.prefix.is_empty() { below.to_owned() } else { format!("{}/{below}", self.prefix) }
    }
}

impl fmt::Display for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.bucket)?;
        if self.prefix.is_empty() { Ok(()) } else { write!(f, "/{}", self.prefix) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read() {
        for (given, kind, bucket, prefix, shown) in [
            ("s3://b/p", StoreKind::S3, "b", "p", "s3://b/p"),
            ("s3a://b/p/q/", StoreKind::S3, "b", "p/q", "s3a://b/p/q"),
            ("s3://my.bucket-1", StoreKind::S3, "my.bucket-1", "", "s3://my.bucket-1"),
            ("gs://b_c///p//", StoreKind::Google, "b_c", "p", "gs://b_c/p"),
            ("az://c/é ü=%2F", StoreKind::Azure, "c", "é ü=%2F", "az://c/é ü=%2F"),
            (
                "abfs://c@a.dfs.core.windows.net/x",
                StoreKind::Azure,
                "c@a.dfs.core.windows.net",
                "x",
                "abfs://c@a.dfs.core.windows.net/x",
            ),
        ] {
            let address = StoreAddress::parse(given).unwrap().unwrap();
            assert_eq!((address.kind, address.bucket.as_str(), address.prefix.as_str()), (kind, bucket, prefix));
            assert_eq!(address.to_string(), shown);
        }
        for path in ["", "dir", "/dir", "./s3:/b", "a b://c", "://x", "dir/x:y"] {
            assert_eq!(StoreAddress::parse(path), None, "{path}");
        }
        let name = |given: &str| StoreAddress::parse(given).unwrap().unwrap().name("calls/x");
        assert_eq!((name("s3://b").as_str(), name("s3://b/p/").as_str()), ("calls/x", "p/calls/x"));
    }

    #[test]
    fn what_is_refused() {
        let long = format!("s3://b/{}", "x".repeat(513));
        for (given, why) in [
            ("s4://b", "'s4://' is none of"),
            ("https://b/p", "'https://' is none of"),
            ("s3://", "no bucket"),
            ("s3:///p", "no bucket"),
            ("s3://my bucket", "the bucket is none"),
            ("s3://..", "the bucket is none"),
            ("s3://user@host/p", "the bucket is none"),
            ("s3://b\n/p", "the bucket is none"),
            ("s3://host:9000/p", "the bucket is none"),
            ("s3://b/../c", "'..'"),
            ("s3://b/./c", "'..'"),
            ("s3://b/a//c", "empty"),
            ("s3://b/a\nc", "control character"),
            (&long, "longer than 512 bytes"),
        ] {
            let message = StoreAddress::parse(given).unwrap().unwrap_err();
            assert!(message.contains(why), "{given}: {message}");
        }
    }
}
