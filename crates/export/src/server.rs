//! Serves the metrics by HTTP, in threads of its own.

use crate::requests;
use crate::shared::SharedRegistry;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use stride_engine_base::signal::without_signals;

/// So many requests are answered at a time. Prometheus makes one, and so does each further server that watches.
const MOST_AT_A_TIME: usize = 8;
/// No new connection is taken for so long after one could not be (there are no descriptors left).
const PAUSE: Duration = Duration::from_millis(100);
const WAKE_TIME: Duration = Duration::from_millis(200);

/// The server, until it is dropped.
pub struct Server {
    address: SocketAddr,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub fn start(listener: TcpListener, metrics: SharedRegistry) -> io::Result<Server> {
        let address = listener.local_addr()?;
        let over = Arc::new(AtomicBool::new(false));
        let ended = over.clone();
        let run = move || serve(&listener, &metrics, &ended);
        let thread = without_signals(|| thread::Builder::new().name("stride-export".into()).spawn(run))?;
        Ok(Server { address, over, thread: Some(thread) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        // The thread waits for a connection. (If it gets none, it ends with the process.)
        if TcpStream::connect_timeout(&self.address, WAKE_TIME).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

fn serve(listener: &TcpListener, metrics: &SharedRegistry, over: &AtomicBool) {
    let running = Arc::new(AtomicUsize::new(0));
    loop {
        let accepted = listener.accept();
        if over.load(Ordering::Acquire) {
            return;
        }
        let Ok((stream, _)) = accepted else {
            thread::sleep(PAUSE);
            continue;
        };
        let place = Place::take(&running);
        if place.0.load(Ordering::Relaxed) > MOST_AT_A_TIME {
            let _ = stream.set_nonblocking(true).and_then(|()| requests::refuse(stream));
            continue;
        }
        let metrics = metrics.clone();
        let run = move || {
            let _place = place;
            // A client that goes away, or takes too long, harms only itself.
            let _ = requests::answer(stream, &metrics);
        };
        let _ = thread::Builder::new().name("stride-export".into()).spawn(run);
    }
}

/// One of the requests that are being answered.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(running: &Arc<AtomicUsize>) -> Place {
        running.fetch_add(1, Ordering::Relaxed);
        Place(running.clone())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
