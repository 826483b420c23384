//! The sockets and addresses that a run used, as evidence.

use super::evidence::{HardenEvidence, PortUse, UseOf};
use crate::spelling::quote::shown;
use crate::views::inputs::{Dealing, InputsOfRun};

/// Adds the ports, and the names in the abstract namespace.
pub fn add(files: &InputsOfRun, evidence: &mut HardenEvidence) {
    for ((dealing, address), it) in &files.network.all {
        let used = match address.strip_prefix(b"UNIX @") {
            Some(_) if *dealing == Dealing::Accepted => None,
            Some(name) => Some(evidence.abstract_sockets.entry(format!("@{}", shown(name))).or_default()),
            None => port(*dealing, address)
                .map(|(way, port)| evidence.ports.entry(way).or_default().entry(port).or_default()),
        };
        let Some(used) = used else { continue };
        let add = |used: &mut UseOf, program: &[u8]| used.add(0, &shown(program), dealing.word());
        files.programs.names(&it.users).into_iter().for_each(|program| add(used, program));
        used.times = used.times.saturating_add(it.times);
    }
}

/// The port of an address such as `TCP [::1]:80`.
fn port(dealing: Dealing, address: &[u8]) -> Option<(PortUse, u16)> {
    let address = std::str::from_utf8(address).ok()?;
    let (protocol, address) = address.split_once(' ')?;
    let way = match (protocol, dealing) {
        ("TCP", Dealing::Bound) => PortUse::BindTcp,
        ("TCP", Dealing::Connected | Dealing::Sent) => PortUse::ConnectTcp,
        ("UDP", Dealing::Bound) => PortUse::BindUdp,
        ("UDP", Dealing::Connected | Dealing::Sent) => PortUse::SendUdp,
        _ => return None,
    };
    Some((way, address.rsplit_once(':')?.1.parse().ok()?))
}
