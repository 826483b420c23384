//! A directory for each test.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The directory for files of tests (`CARGO_TARGET_TMPDIR`). Cargo names it only to integration tests, while they are
/// compiled. It lies beside the directory of the test binary.
pub fn target_tmp() -> PathBuf {
    let test = std::env::current_exe().expect("/proc/self/exe");
    // target/debug/deps/NAME-HASH
    let target = test.ancestors().nth(3).expect("a test lies in target/PROFILE/deps");
    let dir = target.join("tmp");
    std::fs::create_dir_all(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    dir
}

/// The directories that tests of this process have.
static USED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// An empty directory. It stays if the test fails.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        Scratch::below(&target_tmp(), name)
    }

    /// A directory that other users can read.
    pub fn public(name: &str) -> Scratch {
        use std::os::unix::fs::PermissionsExt;
        let scratch = Scratch::below(&std::env::temp_dir(), &format!("stride-{name}"));
        std::fs::set_permissions(&scratch.0, PermissionsExt::from_mode(0o755)).unwrap();
        scratch
    }

    fn below(place: &Path, name: &str) -> Scratch {
        let dir = place.join(format!("{name}-{}", std::process::id()));
        // Tests run at the same time, and would remove one another's files.
        let is_new = USED.lock().unwrap().insert(dir.clone());
        assert!(is_new, "two tests have a directory '{name}'");
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
        Scratch(dir)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn read(&self, name: &str) -> String {
        let bytes = std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
            USED.lock().unwrap().remove(&self.0);
        }
    }
}
