//! The upload of one file, request by request.

use crate::client::StoreClient;
use crate::failure::StoreFailure;
use crate::spool::SpooledFile;
use bytes::Bytes;
use object_store::multipart::PartId;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Larger files go in parts. A part is in memory until the store has it.
const PART: u64 = 8 << 20;

pub struct Upload<'a> {
    client: &'a StoreClient,
    below: &'a str,
    bytes: u64,
    file: File,
    parts: Option<Parts>,
}

struct Parts {
    id: String,
    done: Vec<PartId>,
}

/// The state after a request that succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UploadStep {
    Goes,
    /// The store has the file.
    Done,
}

impl<'a> Upload<'a> {
    pub fn open(client: &'a StoreClient, spool: &Path, file: &'a SpooledFile) -> io::Result<Upload<'a>> {
        let opened = File::open(spool.join(&file.below))?;
        Ok(Upload { client, below: &file.below, bytes: file.bytes, file: opened, parts: None })
    }

    /// Makes the next request. After a failure, the same request is made again by the next call, or all of them.
    pub fn step(&mut self) -> Result<UploadStep, StoreFailure> {
        let done = self.request();
        if done.as_ref().is_err_and(|failure| failure.is_missing) {
            // The store does not know the upload any more. (It may be complete already, and is then written again.)
            self.parts = None;
        }
        done
    }

    fn request(&mut self) -> Result<UploadStep, StoreFailure> {
        if self.bytes <= PART {
            self.client.put(self.below, self.read(0)?)?;
            return Ok(UploadStep::Done);
        }
        let Some(parts) = &self.parts else {
            self.parts = Some(Parts { id: self.client.begin(self.below)?, done: Vec::new() });
            return Ok(UploadStep::Goes);
        };
        let number = parts.done.len();
        let at = number as u64 * PART;
        if at >= self.bytes {
            self.client.complete(self.below, &parts.id, parts.done.clone())?;
            self.parts = None;
            return Ok(UploadStep::Done);
        }
        let part = self.client.put_part(self.below, &parts.id, number, self.read(at)?)?;
        if let Some(parts) = &mut self.parts {
            parts.done.push(part);
        }
        Ok(UploadStep::Goes)
    }

    fn read(&self, at: u64) -> Result<Bytes, StoreFailure> {
        let mut bytes = vec![0; (self.bytes - at).min(PART) as usize];
        self.file.read_exact_at(&mut bytes, at).map_err(|e| StoreFailure::lasting(stride_output::why(&e)))?;
        Ok(bytes.into())
    }

    /// Has the store forget the parts that it has.
    pub fn give_up(&mut self) {
        if let Some(parts) = self.parts.take() {
            let _ = self.client.give_up(self.below, &parts.id);
        }
    }
}
