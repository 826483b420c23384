//! The file systems on other machines that a process sees.

use stride_decode::{NetworkMount, is_within};
use stride_engine_base::procfs;
use stride_event::Tid;

/// The types of network file systems, as `/proc/PID/mountinfo` has them. Those that a process serves have the name of its program
/// behind `fuse.`.
const NETWORK: [&str; 12] =
    ["nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "lustre", "afs", "gpfs", "beegfs", "orangefs", "coda"];
const SERVED: [&str; 16] = [
    "sshfs",
    "glusterfs",
    "ceph-fuse",
    "s3fs",
    "goofys",
    "rclone",
    "gcsfuse",
    "juicefs",
    "curlftpfs",
    "blobfuse2",
    "mfs",
    "davfs",
    "seaweedfs",
    "geesefs",
    "afpfs",
    "cvmfs2",
];
/// Ways to a 9p server that lead through no network.
const SAME_MACHINE: [&str; 3] = ["trans=virtio", "trans=xen", "trans=fd"];
const MOST_MOUNTS: usize = 100_000;

/// The answer to `Question::NetworkMounts`: for each mount its type and its place, on a line of their own.
pub fn network(tid: Tid) -> Option<String> {
    let text = std::fs::read(procfs::path(tid, "mountinfo")).ok()?;
    Some(chosen(&String::from_utf8_lossy(&text)))
}

/// The mounts of network file systems, and those of other ones below them, which have `-` for their type.
fn chosen(text: &str) -> String {
    let mut points: Vec<&str> = Vec::new();
    let mut answer = String::new();
    for line in text.lines().take(MOST_MOUNTS) {
        let Some(mount) = Mount::parse(line) else { continue };
        let is_below = |point: &&str| is_within(mount.point.as_bytes(), point.as_bytes());
        if mount.is_network() {
            points.push(mount.point);
        } else if !points.iter().any(is_below) {
            continue;
        }
        let kind = if mount.is_network() { mount.kind } else { "-" };
        answer.extend([kind, " ", mount.point, "\n"]);
    }
    answer
}

struct Mount<'a> {
    /// With escapes.
    point: &'a str,
    kind: &'a str,
    options: &'a str,
}

impl Mount<'_> {
    fn parse(line: &str) -> Option<Mount<'_>> {
        let mut fields = line.split(' ');
        let point = fields.nth(4)?;
        let mut behind = fields.skip_while(|field| *field != "-").skip(1);
        let kind = behind.next()?;
        Some(Mount { point, kind, options: behind.nth(1).unwrap_or_default() })
    }

    fn is_network(&self) -> bool {
        match self.kind.strip_prefix("fuse.") {
            Some(served) => SERVED.contains(&served),
            None if self.kind == "9p" => !self.options.split(',').any(|option| SAME_MACHINE.contains(&option)),
            None => NETWORK.contains(&self.kind),
        }
    }
}

/// The mounts of an answer.
pub fn listed(answer: &[u8]) -> Vec<NetworkMount> {
    let mount = |line: &[u8]| {
        let at = line.iter().position(|b| *b == b' ')?;
        let kind = (&line[..at] != b"-").then(|| String::from_utf8_lossy(&line[..at]).into_owned());
        Some(NetworkMount { kind, point: unescaped(&line[at + 1..]) })
    };
    answer.split(|b| *b == b'\n').take(MOST_MOUNTS).filter_map(mount).collect()
}

/// Blanks and the like stand as three octal digits.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, behind @ ..] = rest {
        let digits =
            behind.get(..3).filter(|digits| *first == b'\\' && digits.iter().all(|d| (b'0'..=b'7').contains(d)));
        let value = digits.map(|digits| digits.iter().fold(0u32, |value, digit| value * 8 + u32::from(digit - b'0')));
        bytes.push(value.map_or(*first, |value| value as u8));
        rest = if value.is_some() { &behind[3..] } else { behind };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_and_what_lies_below() {
        let text = "22 1 254:0 / / rw - ext4 /dev/vda rw\n\
            30 22 0:45 / /home/u/my\\040data rw,nosuid shared:1 master:2 - fuse.sshfs host: rw\n\
            31 22 0:46 / /srv rw - nfs4 server:/srv rw,vers=4.2\n\
            32 31 0:47 / /srv/tmp rw - tmpfs none rw\n\
            33 22 0:48 / /host rw - 9p share rw,trans=virtio\n\
            34 22 0:49 / /far rw - 9p share rw,trans=tcp,port=564\n\
            35 22 0:50 / /zip rw - fuse.archivemount x rw\nrubbish\n";
        let answer = chosen(text);
        assert_eq!(answer, "fuse.sshfs /home/u/my\\040data\nnfs4 /srv\n- /srv/tmp\n9p /far\n");
        let mounts = listed(answer.as_bytes());
        assert_eq!(mounts[0].point, b"/home/u/my data");
        assert_eq!(mounts[0].kind.as_deref(), Some("fuse.sshfs"));
        assert_eq!(mounts[2].kind, None);
        assert_eq!(listed(b"\n rubbish\nnfs /a\\0\n").len(), 2);
    }
}
