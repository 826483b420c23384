//! Which cgroups are those of containers, and how these are called.
//!
//! The kernel knows no containers. A runtime makes a cgroup for each, whose name has the container's id (`docker-ID.scope`,
//! `cri-containerd-ID.scope`, `libpod-ID.scope`, `/docker/ID`), and keeps the name in a file ([`runtimes`]). No daemon is asked.

mod runtimes;

use crate::containers::runtimes::ContainerName;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirEntryExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use stride_engine_base::container_id;
use stride_event::Glob;

/// Cgroups that are remembered, and the depth to which they are searched for.
const MOST: usize = 1 << 16;
const DEPTH: usize = 32;
/// How often it is looked whether a container got another name.
const LOOK: Duration = Duration::from_secs(1);
/// Characters of an id that are shown, as by `docker ps`; and those of the shortest beginning that stands for an id.
const SHORT: usize = 12;
const BEGINNING: usize = 4;

pub struct Containers {
    patterns: Vec<Glob>,
    /// The patterns as they were given.
    texts: Vec<Vec<u8>>,
    /// Which container a cgroup belongs to, by its id.
    places: HashMap<u64, Place>,
    /// The names of containers whose cgroups are gone, because counts are named at the end.
    gone: HashMap<u64, Arc<str>>,
    /// By the container's id.
    known: HashMap<String, Container>,
    /// Where the state of the machine's runtimes begins.
    state: PathBuf,
    looked: Instant,
}

struct Place {
    container: String,
    /// It is the container's own, not one below that.
    own: bool,
}

struct Container {
    named: ContainerName,
    wanted: bool,
}

/// The consequences of a change.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CgroupChange {
    /// Cgroups that are wanted from now on, or are no longer.
    pub wanted: Vec<u64>,
    pub unwanted: Vec<u64>,
    /// Sentences for the user.
    pub remarks: Vec<String>,
}

impl Containers {
    /// `patterns`: those of the wanted containers. With none, all are only named.
    pub fn new(patterns: &[Vec<u8>]) -> Containers {
        let root = std::env::var_os("STRIDE_STATE_ROOT").map_or_else(|| PathBuf::from("/"), PathBuf::from);
        Containers::of(patterns, root)
    }

    fn of(texts: &[Vec<u8>], state: PathBuf) -> Containers {
        // They were checked before.
        let patterns = texts.iter().filter_map(|text| Glob::parse(text).ok()).collect();
        let (places, gone, known) = Default::default();
        Containers { patterns, texts: texts.to_vec(), places, gone, known, state, looked: Instant::now() }
    }

    /// Finds the containers that run. Returns the wanted ones' cgroups.
    pub fn find(&mut self) -> CgroupChange {
        let mut change = CgroupChange::default();
        let Some(root) = stride_engine_base::cgroup_root() else {
            if !self.patterns.is_empty() {
                change.remarks.push(
                    "no cgroup hierarchy of version 2 is mounted, in which containers could be found: mount it with \
                     `mount -t cgroup2 none /mnt`"
                        .into(),
                );
            }
            return change;
        };
        let mut left = vec![(root.clone(), 0)];
        while let Some((dir, depth)) = left.pop() {
            for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
                if depth < DEPTH && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    let path = entry.path();
                    self.begins(entry.ino(), path.strip_prefix(&root).unwrap_or(&path), &mut change);
                    left.push((path, depth + 1));
                }
            }
        }
        if change.wanted.is_empty() && !self.patterns.is_empty() {
            change.remarks.push(self.nobody());
        }
        change
    }

    fn nobody(&self) -> String {
        let patterns =
            self.texts.iter().map(|text| format!("'{}'", text.escape_ascii())).collect::<Vec<_>>().join(", ");
        let mut names: Vec<&str> = self.known.values().map(|known| &*known.named.name).collect();
        names.sort_unstable();
        let running = match names.len() {
            0 => "None runs that Stride can find".to_owned(),
            n => format!("Running: {}{}", names[..n.min(20)].join(", "), if n > 20 { ", ..." } else { "" }),
        };
        format!("no container matches {patterns} yet, so Stride waits for one. {running}.")
    }

    /// A cgroup was made, or found.
    pub fn begins(&mut self, cgroup: u64, path: &Path, change: &mut CgroupChange) {
        let Some((id, own)) = container_of(path) else { return };
        if self.places.len() >= MOST {
            return;
        }
        let known = match self.known.get(id) {
            Some(known) => known,
            None => {
                let named = runtimes::name(&self.state, id);
                let wanted = wants(&self.patterns, &self.texts, id, &named);
                self.known.entry(id.to_owned()).or_insert(Container { named, wanted })
            }
        };
        if own && known.wanted {
            change.wanted.push(cgroup);
        }
        self.places.insert(cgroup, Place { container: id.to_owned(), own });
    }

    /// A cgroup was removed. All of its processes are gone.
    pub fn ends(&mut self, cgroup: u64, change: &mut CgroupChange) {
        if let Some(name) = self.name(cgroup).filter(|_| self.gone.len() < MOST).cloned() {
            self.gone.insert(cgroup, name);
        }
        let Some(place) = self.places.remove(&cgroup) else { return };
        if !place.own || self.places.values().any(|other| other.own && other.container == place.container) {
            return;
        }
        let Some(was) = self.known.remove(&place.container) else { return };
        if was.wanted {
            change.unwanted.push(cgroup);
            let id = &place.container[..SHORT.min(place.container.len())];
            change.remarks.push(format!("container {} ({id}) has ended", was.named.name));
        }
    }

    /// The name of the container that a cgroup belongs to, or belonged to.
    pub fn name(&self, cgroup: u64) -> Option<&Arc<str>> {
        match self.places.get(&cgroup) {
            Some(place) => self.known.get(&place.container).map(|known| &known.named.name),
            None => self.gone.get(&cgroup),
        }
    }

    /// If it is time, looks whether containers got other names.
    pub fn look(&mut self) -> Option<CgroupChange> {
        if self.looked.elapsed() < LOOK {
            return None;
        }
        self.looked = Instant::now();
        let mut changed = Vec::new();
        for (id, container) in &mut self.known {
            if !container.named.is_stale() {
                continue;
            }
            let named = runtimes::name(&self.state, id);
            if named.name == container.named.name {
                container.named = named;
                continue;
            }
            let wanted = wants(&self.patterns, &self.texts, id, &named);
            let old = std::mem::replace(container, Container { named, wanted });
            changed.push((id.clone(), old));
        }
        let mut change = CgroupChange::default();
        for (id, old) in &changed {
            let new = &self.known[id];
            let own =
                self.places.iter().filter(|(_, place)| place.own && place.container == *id).map(|(&cgroup, _)| cgroup);
            match (old.wanted, new.wanted) {
                (false, true) => change.wanted.extend(own),
                (true, false) => change.unwanted.extend(own),
                _ => {}
            }
            if (old.wanted || new.wanted) && !self.patterns.is_empty() {
                change.remarks.push(format!("container {} is called {} now", old.named.name, new.named.name));
            }
        }
        (!changed.is_empty()).then_some(change)
    }
}

/// True if a container is wanted, by one of its names or by the beginning of its id.
fn wants(patterns: &[Glob], texts: &[Vec<u8>], id: &str, named: &ContainerName) -> bool {
    if patterns.is_empty() {
        return false;
    }
    let names = || std::iter::once(&*named.name).chain(named.aliases.iter().map(String::as_str));
    let is = |glob: &Glob, text: &[u8]| {
        let text = text.strip_prefix(b"!").unwrap_or(text);
        names().any(|name| glob.matches(name.as_bytes())) || text.len() >= BEGINNING && id.as_bytes().starts_with(text)
    };
    Glob::wanted(patterns.iter(), |i, glob| is(glob, &texts[i]))
}

/// The id of the container that a cgroup belongs to, by its path, and whether the cgroup is the container's own.
fn container_of(path: &Path) -> Option<(&str, bool)> {
    let mut last = true;
    for part in path.components().rev() {
        let found = part.as_os_str().to_str().and_then(container_id);
        if let Some(id) = found {
            return Some((id, last));
        }
        last = false;
    }
    None
}

/// The path of a record, which ends with a NUL.
pub fn path(bytes: &[u8]) -> &Path {
    let path = bytes.split(|b| *b == 0).next().unwrap_or_default();
    Path::new(OsStr::from_bytes(path.strip_prefix(b"/").unwrap_or(path)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_test_support::Scratch;

    fn id(digit: char) -> String {
        digit.to_string().repeat(64)
    }

    #[test]
    fn cgroups_of_containers() {
        let a = id('a');
        for (path, own) in [
            (format!("system.slice/docker-{a}.scope"), true),
            (format!("docker/{a}"), true),
            (format!("docker/{a}/init.scope"), false),
            (
                format!(
                    "kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod1234.slice/cri-containerd-{a}.scope"
                ),
                true,
            ),
            (format!("kubepods/burstable/pod1234-5678/{a}"), true),
            (format!("machine.slice/libpod-{a}.scope/container"), false),
            (format!("system.slice/crio-{a}.scope"), true),
            (format!("system.slice:nerdctl:{a}"), true),
        ] {
            assert_eq!(container_of(Path::new(&path)), Some((&a[..], own)), "{path}");
        }
        for path in ["system.slice/nginx.service", &format!("machine.slice/libpod-conmon-{a}.scope"), &a[1..], ""] {
            assert_eq!(container_of(Path::new(path)), None, "{path}");
        }
        // In a container within a container, the inner one counts.
        let nested = format!("docker/{}/docker/{a}", id('b'));
        assert_eq!(container_of(Path::new(&nested)), Some((&a[..], true)));
    }

    fn docker(root: &Path, id: &str, name: &str) {
        let dir = root.join("var/lib/docker/containers").join(id);
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("config.v2.json"), format!("{{\"Name\":\"/{name}\",\"Config\":{{\"Labels\":null}}}}"))
            .unwrap();
    }

    #[test]
    fn beginnings_renamings_and_ends() {
        let scratch = Scratch::new("containers");
        let (a, b) = (id('a'), id('b'));
        docker(&scratch.path(""), &a, "web");
        docker(&scratch.path(""), &b, "db");
        let mut containers = Containers::of(&[b"web".to_vec()], scratch.path(""));
        let mut change = CgroupChange::default();
        containers.begins(1, Path::new(&format!("docker/{a}")), &mut change);
        containers.begins(2, Path::new(&format!("docker/{a}/sub")), &mut change);
        containers.begins(3, Path::new(&format!("docker/{b}")), &mut change);
        containers.begins(4, Path::new("system.slice"), &mut change);
        assert_eq!(change, CgroupChange { wanted: vec![1], ..CgroupChange::default() });
        let name = |containers: &Containers, cgroup| containers.name(cgroup).map(|name| name.to_string());
        assert_eq!(
            [1, 2, 3, 4].map(|cgroup| name(&containers, cgroup)),
            [Some("web".into()), Some("web".into()), Some("db".into()), None]
        );

        // web is taken out of service, and db takes its name.
        docker(&scratch.path(""), &a, "web-old");
        docker(&scratch.path(""), &b, "web");
        containers.looked -= LOOK;
        let mut change = containers.look().unwrap();
        change.remarks.sort();
        assert_eq!((change.wanted, change.unwanted), (vec![3], vec![1]));
        assert_eq!(change.remarks, ["container db is called web now", "container web is called web-old now"]);
        assert_eq!(name(&containers, 2).as_deref(), Some("web-old"));

        let mut change = CgroupChange::default();
        containers.ends(2, &mut change);
        containers.ends(1, &mut change);
        assert_eq!(change, CgroupChange::default());
        containers.ends(3, &mut change);
        assert_eq!(
            change,
            CgroupChange {
                unwanted: vec![3],
                remarks: vec!["container web (bbbbbbbbbbbb) has ended".into()],
                ..CgroupChange::default()
            }
        );
        assert!(containers.known.is_empty() && containers.places.is_empty());
        // Counts are named when all is over.
        assert_eq!(
            [1, 3, 4].map(|cgroup| name(&containers, cgroup)),
            [Some("web-old".into()), Some("web".into()), None]
        );
    }

    #[test]
    fn wanted_by_names_and_ids() {
        let named = |name: &str, aliases: &[&str]| ContainerName {
            name: name.into(),
            aliases: aliases.iter().map(|alias| alias.to_string()).collect(),
            source: None,
        };
        let wants = |texts: &[&str], named: &ContainerName| {
            let texts: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
            let globs: Vec<Glob> = texts.iter().map(|text| Glob::parse(text).unwrap()).collect();
            super::wants(&globs, &texts, &format!("0123{}", "a".repeat(60)), named)
        };
        let pod = named("web-1/nginx", &["web-1", "nginx"]);
        for texts in [&["web-1"][..], &["nginx"], &["web-*/nginx"], &["0123a"], &["x", "nginx"], &["!x"]] {
            assert!(wants(texts, &pod), "{texts:?}");
        }
        for texts in [&["web"][..], &["012"], &["123a"], &["!nginx"], &["web*", "!0123"]] {
            assert!(!wants(texts, &pod), "{texts:?}");
        }
    }
}
