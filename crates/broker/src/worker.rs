//! The process that serves one client.

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};
use stride_engine_ebpf::broker::{AnswerCode, Message, Order, PATIENCE, Prepared, Remains, Reply, Serving, Socket};

/// How messages to the supervisor begin: a client may come; a client is served, whose request follows; the programs could not be loaded, and the
/// reason follows.
pub const READY: u8 = b'r';
pub const SERVES: u8 = b's';
pub const FAILED: u8 = b'f';

/// After each order the client waits so many times as long as the order took. So a client that orders without end gets a quarter of a CPU.
const REST: u32 = 3;
/// The longest such rest.
const LONGEST_REST: Duration = Duration::from_millis(200);
/// The time between two checks whether the rings of a client that has ended are gone, in milliseconds.
const LOOK: u16 = 500;

/// Serves a client, and ends with it. `usual`: the request to get ready for.
pub fn run(control: &Socket, usual: &[u8]) -> ! {
    let status = match serve(control, usual) {
        Ok(()) => 0,
        Err(why) => {
            eprintln!("stride-broker: {why}");
            1
        }
    };
    std::process::exit(status)
}

fn serve(control: &Socket, usual: &[u8]) -> Result<(), String> {
    // The latest request may have become impossible.
    let prepared = Prepared::load(usual).or_else(|_| Prepared::load(&Prepared::usual()));
    let mut prepared = match prepared {
        Ok(prepared) => prepared,
        Err(reply) => {
            return control.send(&[&[FAILED], reply.text.as_bytes()].concat(), &[]).map_err(|_| reply.text);
        }
    };
    let lost = |errno: Errno| format!("the supervisor: {errno}");
    loop {
        control.send(&[READY], &[]).map_err(lost)?;
        let Some(message) = control.receive().map_err(lost)? else { return Ok(()) };
        let Some(client) = Client::of(message) else { continue };
        // (The supervisor has seen that there is something to read.)
        let Ok(Some(Message { bytes: request, .. })) = client.socket.receive() else { continue };
        if !prepared.fits(&request) {
            match Prepared::load(&request) {
                Ok(other) => prepared = other,
                Err(reply) => {
                    let _ = client.socket.answer(reply.code, 0, &reply.text, &[]);
                    continue;
                }
            }
        }
        return match prepared.serve(client.uid, client.gid) {
            Ok(serving) => {
                let _ = control.send(&[&[SERVES], &request[..]].concat(), &[]);
                let remains = client.trace(control, serving)?;
                drop(client);
                wait_for_the_end(control, &remains);
                Ok(())
            }
            Err(reply) => client.socket.answer(reply.code, 0, &reply.text, &[]).map_err(|e| e.to_string()),
        };
    }
}

struct Client {
    socket: Socket,
    uid: u32,
    gid: u32,
}

impl Client {
    /// The client that the supervisor sends: its user and group, and its connection.
    fn of(message: Message) -> Option<Client> {
        let (uid, gid) = message.bytes.split_at_checked(4)?;
        let (uid, gid) = (u32::from_ne_bytes(uid.try_into().ok()?), u32::from_ne_bytes(gid.try_into().ok()?));
        let socket = Socket::new(message.fds.into_iter().next()?);
        socket.set_patience(PATIENCE).ok()?;
        Some(Client { socket, uid, gid })
    }

    /// Does what the client orders, as long as the client and the supervisor are there.
    /// Returns what the client may have left to others.
    fn trace(&self, control: &Socket, mut serving: Serving) -> Result<Remains, String> {
        let pid = self.socket.peer().map_or(0, |(pid, ..)| pid as u64);
        let mut answered = self.socket.answer(AnswerCode::Done, pid, "", &serving.fds()).is_ok();
        while answered {
            let Some(message) = self.next(control) else { break };
            let begun = Instant::now();
            let reply = match Order::of(&message.bytes) {
                Some(order) => serving.obey(order, &message.fds),
                None => Reply::refused("this is no order of Stride"),
            };
            let took = begun.elapsed();
            let fd: Vec<_> = reply.fd.iter().map(AsFd::as_fd).collect();
            answered = self.socket.answer(reply.code, 0, &reply.text, &fd).is_ok();
            std::thread::sleep((took * REST).min(LONGEST_REST));
        }
        serving.end().map_err(|e| e.to_string())
    }

    /// The client's next message. `None`: it is gone, or the supervisor is.
    fn next(&self, control: &Socket) -> Option<Message> {
        loop {
            let wanted = PollFlags::POLLIN;
            let mut polled = [PollFd::new(self.socket.as_fd(), wanted), PollFd::new(control.as_fd(), wanted)];
            match poll(&mut polled, PollTimeout::NONE) {
                Err(Errno::EINTR) => {}
                Ok(_) if polled[1].any() == Some(false) => return self.socket.receive().ok().flatten(),
                _ => return None,
            }
        }
    }
}

/// The client's place stays taken as long as somebody holds its rings: that is memory of the kernel.
fn wait_for_the_end(control: &Socket, remains: &Remains) {
    while remains.are_held() {
        let mut polled = [PollFd::new(control.as_fd(), PollFlags::POLLIN)];
        if !matches!(poll(&mut polled, LOOK), Ok(0) | Err(Errno::EINTR)) {
            return;
        }
    }
}
