//! Combines many paths into a few lines: the paths of one directory share a line unless one of them stands out.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// Paths below a directory, or one path.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The directory with a slash at its end, if there are several.
    pub name: Rc<[u8]>,
    /// The indices of the group's items.
    pub items: Vec<usize>,
    pub weight: f64,
}

/// Splits the items by their directories until there are `most` groups, or until no useful split is left.
pub fn groups(items: &[(Rc<[u8]>, f64)], most: usize) -> Vec<Group> {
    let mut open = BinaryHeap::from([Open(whole(items, (0..items.len()).collect(), 0))]);
    let mut done = Vec::new();
    while let Some(Open(group)) = open.pop() {
        if group.items.len() == 1 {
            done.push(group);
            continue;
        }
        let parts = apart(items, &group);
        // A split is useful if its parts fit into the remaining groups, and if one part stands out or there are at most
        // three.
        let room = most.saturating_sub(done.len() + open.len());
        let heavy = parts.iter().map(|part| part.weight).fold(0.0, f64::max);
        let telling = parts.len() <= room && (heavy * 2.0 >= group.weight || parts.len() <= 3);
        if telling || matches!(&*group.name, b"" | b"/") {
            open.extend(parts.into_iter().map(Open))
        } else {
            done.push(group)
        }
    }
    done.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.name.cmp(&b.name)));
    done
}

/// A group that may still be split. The heaviest group is the greatest. There may be as many groups as paths.
struct Open(Group);

impl PartialEq for Open {
    fn eq(&self, other: &Open) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Open) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Open {
    fn cmp(&self, other: &Open) -> Ordering {
        self.0.weight.total_cmp(&other.0.weight).then_with(|| other.0.name.cmp(&self.0.name))
    }
}

/// A group of all items under the longest directory that they share, which has at least `known` bytes.
fn whole(items: &[(Rc<[u8]>, f64)], members: Vec<usize>, known: usize) -> Group {
    let weight = members.iter().map(|&i| items[i].1).sum();
    let first = members.first().map(|&i| items[i].0.clone()).unwrap_or_default();
    if members.len() <= 1 {
        return Group { name: first, items: members, weight };
    }
    let shared = members.iter().fold(first.len(), |shared, &i| {
        let same = first.iter().zip(items[i].0.iter()).take_while(|(a, b)| a == b).count();
        shared.min(same)
    });
    let end = first[..shared].iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1);
    Group { name: Rc::from(&first[..end.max(known)]), items: members, weight }
}

/// Splits a group by the next part of the paths.
fn apart(items: &[(Rc<[u8]>, f64)], group: &Group) -> Vec<Group> {
    let skip = group.name.len();
    let next = |i: usize| {
        let rest = &items[i].0[skip..];
        rest.iter().position(|b| *b == b'/').map_or(rest, |at| &rest[..=at])
    };
    let mut members = group.items.clone();
    // Items that are no paths share no directory.
    members.sort_by(|a, b| next(*a).cmp(next(*b)));
    let parts = members.chunk_by(|a, b| next(*a) == next(*b));
    parts.map(|part| whole(items, part.to_vec(), skip)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(items: &[(&str, f64)], most: usize) -> Vec<String> {
        let items: Vec<_> = items.iter().map(|(name, weight)| (Rc::from(name.as_bytes()), *weight)).collect();
        let describe = |g: &Group| format!("{} {}", String::from_utf8_lossy(&g.name), g.items.len());
        groups(&items, most).iter().map(describe).collect()
    }

    #[test]
    fn what_stands_out_stands_alone() {
        let many: Vec<(String, f64)> = (0..100).map(|i| (format!("/usr/lib/np/{}/{i}.py", i % 5), 1.0)).collect();
        let mut items: Vec<(&str, f64)> = many.iter().map(|(name, weight)| (name.as_str(), *weight)).collect();
        assert_eq!(grouped(&items, 5), ["/usr/lib/np/ 100"]);
        items.push(("/etc/passwd", 500.0));
        items.push(("/etc/group", 2.0));
        items.push(("pipe", 3.0));
        assert_eq!(grouped(&items, 5), ["/etc/passwd 1", "/usr/lib/np/ 100", "pipe 1", "/etc/group 1"]);
        assert_eq!(grouped(&[], 5), [""; 0]);
        assert_eq!(grouped(&[("/a", 1.0)], 5), ["/a 1"]);
    }

    /// An algorithm that looks at all remaining items for each item would take many minutes.
    #[test]
    fn very_many_that_share_no_directory() {
        let items: Vec<_> = (0..400_000).map(|i| (Rc::from(format!("/{i}").as_bytes()), 1.0)).collect();
        assert_eq!(groups(&items, 5).len(), items.len());
    }

    #[test]
    fn nothing_is_lost() {
        let items = [
            ("", 1.0),
            ("/", 1.0),
            ("//", 0.0),
            ("/a", 0.0),
            ("/a/", 2.0),
            ("/a/b", f64::MAX),
            ("/a/b/c", 1.0),
            ("x/y", 1.0),
        ];
        let items: Vec<_> = items.iter().map(|(name, weight)| (Rc::from(name.as_bytes()), *weight)).collect();
        for most in 0..10 {
            let mut all: Vec<usize> = groups(&items, most).into_iter().flat_map(|group| group.items).collect();
            all.sort_unstable();
            assert_eq!(all, (0..items.len()).collect::<Vec<_>>());
        }
    }
}
