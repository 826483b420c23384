//! The names of containers, from the files in which runtimes keep their state.
//!
//! These files may be those of an ordinary user (rootless Podman), so nothing in them is trusted: they are read up to a limit, only
//! if they are files, and names are cut and stripped of what a terminal might act on.

use serde_json::Value;
use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Bytes of a file that are read, and of a name that are kept.
const FILE: u64 = 4 << 20;
const NAME: usize = 128;

/// How a container is called.
#[derive(Clone, Debug)]
pub struct ContainerName {
    /// The name that is shown. `POD/CONTAINER` in Kubernetes, and the beginning of the id if there is no name.
    pub name: Arc<str>,
    /// Other names by which it may be asked for.
    pub aliases: Vec<String>,
    /// Where the name is from, and when that was written.
    pub source: Option<(PathBuf, SystemTime)>,
}

impl ContainerName {
    /// True if the file with the name was written since the name was read, or did not exist then.
    pub fn is_stale(&self) -> bool {
        self.source.as_ref().is_none_or(|(path, written)| modified(path) != Some(*written))
    }
}

/// `root`: the machine's root directory.
pub fn name(root: &Path, id: &str) -> ContainerName {
    let found = docker(root, id).or_else(|| containerd(root, id)).or_else(|| storage(root, id));
    found.unwrap_or_else(|| ContainerName { name: id[..12.min(id.len())].into(), aliases: Vec::new(), source: None })
}

/// Docker: a file with the name, and with the labels of Kubernetes and of Compose.
fn docker(root: &Path, id: &str) -> Option<ContainerName> {
    let path = data_root(root).join("containers").join(id).join("config.v2.json");
    let (state, written) = read(&path)?;
    let labels = &state["Config"]["Labels"];
    let name = state["Name"].as_str().map(|name| name.trim_start_matches('/'));
    named(name, |label| labels[label].as_str(), path, written)
}

/// Where Docker keeps its state, which its configuration may change.
fn data_root(root: &Path) -> PathBuf {
    let configured = read(&root.join("etc/docker/daemon.json"));
    let configured = configured.as_ref().and_then(|(config, _)| config["data-root"].as_str());
    root.join(configured.unwrap_or("/var/lib/docker").trim_start_matches('/'))
}

/// containerd, also that of Kubernetes and of nerdctl: the container's configuration, in a directory for each namespace.
fn containerd(root: &Path, id: &str) -> Option<ContainerName> {
    let tasks = root.join("run/containerd/io.containerd.runtime.v2.task");
    fs::read_dir(tasks).ok()?.flatten().find_map(|space| oci(&space.path().join(id).join("config.json")))
}

/// Podman and CRI-O: the container's configuration, and for Podman a list of names for each user.
fn storage(root: &Path, id: &str) -> Option<ContainerName> {
    let homes =
        fs::read_dir(root.join("home")).into_iter().flatten().flatten().map(|home| home.path().join(".local/share"));
    let all = [root.join("run"), root.join("var/lib"), root.join("root/.local/share")].into_iter().chain(homes);
    all.map(|base| base.join("containers/storage/overlay-containers")).find_map(|dir| {
        let listed = ["containers.json", "volatile-containers.json"].into_iter().find_map(|list| {
            let path = dir.join(list);
            let (state, written) = read(&path)?;
            let own = state.as_array()?.iter().find(|container| container["id"].as_str() == Some(id))?;
            let name = own["names"][0].as_str()?.to_owned();
            // CRI-O's names there are made of those of the pod.
            if name.starts_with("k8s_") {
                return None;
            }
            named(Some(&name), |_| None, path, written)
        });
        listed.or_else(|| oci(&dir.join(id).join("userdata/config.json")))
    })
}

/// A configuration as the Open Container Initiative has it: with annotations.
fn oci(path: &Path) -> Option<ContainerName> {
    let (state, written) = read(path)?;
    let labels = &state["annotations"];
    named(None, |label| labels[label].as_str(), path.to_owned(), written)
}

fn named<'a>(
    name: Option<&'a str>,
    label: impl Fn(&str) -> Option<&'a str>,
    path: PathBuf,
    written: SystemTime,
) -> Option<ContainerName> {
    let any = |labels: [&str; 2]| labels.into_iter().find_map(&label).map(clean).filter(|name| !name.is_empty());
    let pod = any(["io.kubernetes.pod.name", "io.kubernetes.cri.sandbox-name"]);
    let space = any(["io.kubernetes.pod.namespace", "io.kubernetes.cri.sandbox-namespace"]);
    let container = any(["io.kubernetes.container.name", "io.kubernetes.cri.container-name"]);
    let name =
        name.map(clean).or_else(|| any(["nerdctl/name", "io.container.manager.name"])).filter(|name| !name.is_empty());
    let mut aliases: Vec<String> = any(["com.docker.compose.service", "nerdctl/name"]).into_iter().collect();
    let shown = match (pod, container) {
        (Some(pod), container) => {
            let shown = container.as_ref().map_or_else(|| pod.clone(), |container| format!("{pod}/{container}"));
            aliases.extend(space.map(|space| format!("{space}/{shown}")));
            aliases.extend(name);
            aliases.extend(container);
            aliases.push(pod);
            shown
        }
        (None, Some(container)) => name.unwrap_or(container),
        (None, None) => name?,
    };
    Some(ContainerName { name: shown.into(), aliases, source: Some((path, written)) })
}

/// A name without what a terminal might act on, cut to a sensible length.
fn clean(name: &str) -> String {
    name.chars().take(NAME).map(|c| if c.is_ascii_graphic() { c } else { '?' }).collect()
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

fn read(path: &Path) -> Option<(Value, SystemTime)> {
    // Something that is no file must not make Stride wait.
    let file: File = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path).ok()?;
    let meta = file.metadata().ok().filter(|meta| meta.is_file())?;
    let mut bytes = Vec::new();
    file.take(FILE).read_to_end(&mut bytes).ok()?;
    Some((serde_json::from_slice(&bytes).ok()?, meta.modified().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_test_support::Scratch;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn files_of_all_runtimes() {
        let scratch = Scratch::new("runtimes");
        let root = scratch.path("");
        let ids = ["a", "b", "c", "d", "e", "f"].map(|digit| digit.repeat(64));
        write(&root, "etc/docker/daemon.json", r#"{"data-root":"/data/docker"}"#);
        write(
            &root,
            &format!("data/docker/containers/{}/config.v2.json", ids[0]),
            r#"{"Name":"/shop_web_1","Config":{"Labels":{"com.docker.compose.service":"web"}}}"#,
        );
        write(
            &root,
            &format!("run/containerd/io.containerd.runtime.v2.task/k8s.io/{}/config.json", ids[1]),
            r#"{"annotations":{"io.kubernetes.cri.container-name":"nginx","io.kubernetes.cri.sandbox-name":"web-1",
            "io.kubernetes.cri.sandbox-namespace":"shop"}}"#,
        );
        write(
            &root,
            "home/ann/.local/share/containers/storage/overlay-containers/containers.json",
            &format!(
                r#"[{{"id":"{}","names":["quiet_fox"]}},{{"id":"{}","names":["k8s_nginx_web-1"]}}]"#,
                ids[2], ids[3]
            ),
        );
        write(
            &root,
            &format!("run/containers/storage/overlay-containers/{}/userdata/config.json", ids[3]),
            r#"{"annotations":{"io.kubernetes.container.name":"nginx","io.kubernetes.pod.name":"web-2"}}"#,
        );
        write(&root, &format!("data/docker/containers/{}/config.v2.json", ids[4]), "{\"Name\":\"/a\\u001b[31m\\nb\"}");
        let found = |i: usize| name(&root, &ids[i]);
        assert_eq!(&*found(0).name, "shop_web_1");
        assert_eq!(found(0).aliases, ["web"]);
        assert_eq!(&*found(1).name, "web-1/nginx");
        assert_eq!(found(1).aliases, ["shop/web-1/nginx", "nginx", "web-1"]);
        assert_eq!(&*found(2).name, "quiet_fox");
        assert_eq!(&*found(3).name, "web-2/nginx");
        assert_eq!(&*found(4).name, "a?[31m?b");
        assert_eq!(&*found(5).name, "ffffffffffff");
    }
}
