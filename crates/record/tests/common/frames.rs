//! Makes files by hand and reads them. The tests and the fuzz target (fuzz/) share this file.

use std::io::Cursor;
use stride_record::{MAX_BATCH, Metadata, OpenError, Reader, Recorder};

/// Reads the whole file, with a thread that reads ahead and without, and returns its ending.
pub fn end(file: &[u8]) -> Result<String, OpenError> {
    let mut alone = Reader::open(file)?;
    let mut ahead = Reader::open(Cursor::new(file.to_vec()))?.read_ahead();
    loop {
        // Every item must be printable.
        let item = alone.next_item().map(|item| format!("{item:?}"));
        assert_eq!(item, ahead.next_item().map(|item| format!("{item:?}")));
        assert_eq!((alone.offset(), alone.read()), (ahead.offset(), ahead.read()));
        if item.is_none() {
            break;
        }
    }
    let ending = format!("{:?}", alone.ending());
    assert_eq!(ending, format!("{:?}", ahead.ending()));
    Ok(ending)
}

/// Kinds and contents of a file's frames.
pub fn frames(file: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut all = Vec::new();
    let mut rest = &file[12..];
    while let Some((head, behind)) = rest.split_first_chunk::<13>() {
        let len = u32::from_le_bytes(head[1..5].try_into().unwrap()) as usize;
        all.push((head[0], zstd::bulk::decompress(&behind[..len], MAX_BATCH).unwrap()));
        rest = &behind[len..];
    }
    all
}

pub fn frame(to: &mut Vec<u8>, kind: u8, raw: u32, packed: &[u8]) {
    let mut head = vec![kind];
    head.extend_from_slice(&(packed.len() as u32).to_le_bytes());
    head.extend_from_slice(&raw.to_le_bytes());
    let mut sum = crc32fast::Hasher::new();
    sum.update(&head);
    sum.update(packed);
    to.extend_from_slice(&head);
    to.extend_from_slice(&sum.finalize().to_le_bytes());
    to.extend_from_slice(packed);
}

pub fn assemble(start: &[u8], frames: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut file = start.to_vec();
    for (kind, contents) in frames {
        frame(&mut file, *kind, contents.len() as u32, &zstd::bulk::compress(contents, 1).unwrap());
    }
    file
}

/// Reads the bytes as a file, and as contents of frames with right lengths and checksums.
pub fn read(bytes: &[u8]) {
    let _ = end(bytes);
    let mut start = Vec::new();
    let _ = Recorder::new(&mut start, &Metadata::default()).expect("there is room in memory").flush();
    let first = frames(&start).remove(0);
    let _ = end(&assemble(&start[..12], &[first.clone(), (2, bytes.to_vec())]));
    let _ = end(&assemble(&start[..12], &[first, (3, bytes.to_vec())]));
    let _ = end(&assemble(&start[..12], &[(1, bytes.to_vec())]));
}
