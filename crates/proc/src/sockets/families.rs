//! The families of generic netlink, by their numbers: linux/genetlink.h.

use crate::sockets::netlink::{Netlink, attributes};
use rustix::net::netlink::GENERIC;
use std::collections::{HashMap, HashSet};
use stride_syscalls::uapi::consts as c;

/// The families that the kernel has named.
#[derive(Default)]
pub struct Families {
    names: HashMap<u16, Vec<u8>>,
    /// Numbers that were of no family. They are not asked for again.
    missed: HashSet<u16>,
}

impl Families {
    /// The kernel is asked when a number is not known: a module may have been loaded meanwhile.
    pub fn name(&mut self, id: u16) -> Option<Vec<u8>> {
        if !self.names.contains_key(&id) && self.missed.insert(id) {
            self.ask();
        }
        self.names.get(&id).cloned()
    }

    fn ask(&mut self) -> Option<()> {
        // struct genlmsghdr: a command and its version
        let request = [c::CTRL_CMD_GETFAMILY as u8, 1, 0, 0];
        Netlink::open(GENERIC)?.ask(c::GENL_ID_CTRL, &request, c::NLM_F_DUMP as u16, |body| {
            let (mut id, mut name) = (None, None);
            attributes(body.get(request.len()..).unwrap_or(&[]), |kind, value| match (kind, value) {
                (c::CTRL_ATTR_FAMILY_ID, &[low, high, ..]) => id = Some(u16::from_ne_bytes([low, high])),
                (c::CTRL_ATTR_FAMILY_NAME, value) => {
                    name = Some(value[..value.iter().position(|&b| b == 0).unwrap_or(value.len())].to_vec());
                }
                _ => {}
            });
            if let (Some(id), Some(name)) = (id, name) {
                self.names.insert(id, name);
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_has_a_family_that_tells_of_families() {
        if Netlink::open(GENERIC).is_none() {
            return;
        }
        let mut families = Families::default();
        assert_eq!(families.name(c::GENL_ID_CTRL as u16).as_deref(), Some(&b"nlctrl"[..]));
        assert_eq!(families.name(0xffff), None);
        assert!(families.missed.contains(&0xffff));
    }
}
