use super::Sink;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, sync_channel};
use stride_test_support::written::Disk;

fn behind(to: impl Write + Send + 'static) -> Sink {
    Sink::new("there", Box::new(to), false).behind()
}

#[test]
fn a_thread_writes_buffers_in_order() {
    let disk = Disk::default();
    let mut sink = behind(disk.clone());
    let mut expected = String::new();
    for i in 0..1000 {
        let line = format!("line {i}\n");
        expected.push_str(&line);
        let mut buffer = line.into_bytes();
        sink.write(&mut buffer).unwrap();
        assert!(buffer.is_empty());
    }
    sink.flush().unwrap();
    assert_eq!(disk.text(), expected);
    sink.write(&mut b"end".to_vec()).unwrap();
    drop(sink);
    assert_eq!(disk.text(), expected + "end");
}

/// Writes when the test lets it.
struct Gate(Receiver<()>, Disk);

impl Write for Gate {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.0.recv().map_err(io::Error::other)?;
        self.1.write(piece)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn few_buffers_wait() {
    let (open, gate) = sync_channel(0);
    let disk = Disk::default();
    let mut sink = behind(Gate(gate, disk.clone()));
    sink.write(&mut b"a".to_vec()).unwrap();
    sink.write(&mut b"b".to_vec()).unwrap();
    assert_eq!(disk.text(), "");
    let third = std::thread::spawn(move || {
        sink.write(&mut b"c".to_vec()).unwrap();
        sink
    });
    open.send(()).unwrap();
    let mut sink = third.join().unwrap();
    assert_eq!(disk.text().get(..1), Some("a"));
    let rest = std::thread::spawn(move || [(), ()].map(|()| open.send(()).unwrap()));
    sink.flush().unwrap();
    rest.join().unwrap();
    assert_eq!(disk.text(), "abc");
}

#[test]
fn the_first_error_of_a_thread_is_told_once() {
    let disk = Disk::of(3);
    let mut sink = behind(disk.clone());
    let told =
        (0..100).filter(|_| sink.write(&mut b"ab".to_vec()).is_err()).count() + usize::from(sink.flush().is_err());
    assert_eq!((told, disk.text().as_str()), (1, "ab"));
    let mut sink = behind(Disk::of(1));
    sink.write(&mut b"ab".to_vec()).unwrap();
    assert_eq!(sink.flush().unwrap_err().to_string(), "there: No space left on device");
    assert!(sink.flush().is_ok());
}
