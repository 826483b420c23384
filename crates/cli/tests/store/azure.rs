//! `--parquet=az://...`: Azure's Blob Storage.

use super::common::*;
use super::server::{StoreServer, script, without_proxies};
use super::{contents, packages, python, rows};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The version that the tests were written with.
const AZURITE: &str = "azurite@3.35.0";

/// Azurite's documents name this account and its key.
const ACCOUNT: &str = "devstoreaccount1";
const KEY: &str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// A server of Azure's, which keeps its files in this directory.
fn server(directory: &Path) -> Result<StoreServer, String> {
    let azurite = packages::installed(&AZURITE.replace('@', "-"), |place| {
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(place).arg(AZURITE);
        npm
    })?;
    let mut command = Command::new(python::with("azure-storage-blob")?);
    command.arg(script("azure.py")).arg(azurite.join("node_modules/.bin/azurite-blob")).arg(directory);
    StoreServer::start(command, "Azurite")
}

fn run(port: u16, key: &str, scratch: &Scratch, args: &[&str]) -> Run {
    let mut command = bare_stride();
    without_proxies(&mut command);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("AZURE_")) {
        command.env_remove(name);
    }
    command.env("AZURE_STORAGE_ENDPOINT", format!("http://127.0.0.1:{port}/{ACCOUNT}"));
    command.env("AZURE_STORAGE_ACCOUNT_NAME", ACCOUNT).env("AZURE_STORAGE_ACCOUNT_KEY", key);
    command.env("XDG_CACHE_HOME", scratch.path("cache"));
    command.args(args).current_dir(scratch.path(""));
    Run::of(command)
}

#[test]
fn azure_gets_the_files_of_a_directory() {
    let scratch = Scratch::new("store-azure");
    fs::create_dir(scratch.path("server")).unwrap();
    let mut server = match server(&scratch.path("server")) {
        Ok(server) => server,
        Err(why) => skip!("no server of Azure's: {why}"),
    };
    server.bucket("traces");
    let port = server.port;
    let traced = run(port, KEY, &scratch, &["-f", "--record=rec", "sh", "-c", "cat /etc/passwd >copy; cat none"]);
    assert_eq!(traced.code(), Some(1), "{traced:?}");
    for to in ["az://traces/of/builds", "dir"] {
        let replay = run(port, KEY, &scratch, &["--replay=rec", "--parquet", to]);
        assert_eq!(replay.code(), Some(0), "{replay:?}");
    }
    server.save("traces", &scratch.path("objects"));
    let expected = contents(&scratch.path("dir"));
    assert_eq!(contents(&scratch.path("objects/of/builds")), expected);
    assert_eq!(contents(&scratch.path("objects")).len(), expected.len());
    assert!(rows(&scratch.path("objects/of/builds"), "calls").len() > 100);
    assert!(contents(&scratch.path("cache")).is_empty());

    // A run is not written twice; and without a container or the right key, nothing runs.
    let other = KEY.replace('E', "F");
    for (to, key, said) in [
        ("az://traces/of/builds", KEY, "this run is in the store already"),
        ("az://nobody/of", KEY, "the answer is 404 Not Found, ContainerNotFound"),
        ("az://traces/other", &other, "the answer is 403 Forbidden"),
    ] {
        let refused = run(port, key, &scratch, &["--replay=rec", "--parquet", to]);
        assert_eq!(refused.code(), Some(1), "{refused:?}");
        assert!(refused.err.contains(said), "{refused:?}");
    }
    server.save("traces", &scratch.path("at-the-end"));
    assert_eq!(contents(&scratch.path("at-the-end")), contents(&scratch.path("objects")));
}
