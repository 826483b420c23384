//! One file: whole or absent.
//!
//! A file is written under a temporary name that readers of a directory ignore: it begins with a dot and does not end
//! in `.parquet`. When it is complete and on the disk, it gets its name. If Stride is killed, the file with the
//! temporary name stays, and nobody reads it.

use crate::chunk::ChunkMaker;
use crate::row_group::RowGroup;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::TypePtr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use stride_output::own_file::OwnDirectory;

pub struct TableFile {
    writer: SerializedFileWriter<File>,
    temporary: TemporaryName,
    name: String,
    path: PathBuf,
}

/// The file's name until it is complete. The file is removed if it does not get that far.
struct TemporaryName {
    directory: OwnDirectory,
    name: Option<PathBuf>,
}

impl Drop for TemporaryName {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = self.directory.remove(name);
        }
    }
}

/// An error of the operating system, and the file that it concerns.
#[derive(Debug)]
pub struct FileError {
    pub path: PathBuf,
    pub error: io::Error,
}

impl FileError {
    pub fn new(path: &Path, error: impl Into<io::Error>) -> FileError {
        FileError { path: path.to_path_buf(), error: error.into() }
    }

    fn of_parquet(path: &Path, error: ParquetError) -> FileError {
        let error = match error {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(error) => *error,
                Err(other) => io::Error::other(other),
            },
            other => io::Error::other(other),
        };
        FileError::new(path, error)
    }
}

impl TableFile {
    /// Begins a file that will be called `name`, in a directory below the one that the user named.
    pub fn create(
        named: &Path,
        below: &Path,
        name: &str,
        schema: TypePtr,
        properties: WriterPropertiesPtr,
    ) -> Result<TableFile, FileError> {
        fs::create_dir_all(named).map_err(|e| FileError::new(named, e))?;
        let directory = OwnDirectory::open(named, below).map_err(|(path, e)| FileError::new(&path, e))?;
        let path = named.join(below).join(name);
        if directory.has(name) {
            return Err(FileError::new(&path, io::ErrorKind::AlreadyExists));
        }
        // Two replays of a recording at the same time are no danger to each other.
        let (file, temporary) = directory
            .create(&format!(".{name}.{}", std::process::id()))
            .map_err(|e| FileError::new(&path.with_file_name(format!(".{name}")), e))?;
        let temporary = TemporaryName { directory, name: Some(temporary) };
        let writer =
            SerializedFileWriter::new(file, schema, properties).map_err(|e| FileError::of_parquet(&path, e))?;
        Ok(TableFile { writer, temporary, name: name.to_owned(), path })
    }

    pub fn write(&mut self, rows: &mut RowGroup, maker: &mut ChunkMaker) -> Result<(), FileError> {
        rows.write(maker, &mut self.writer).map_err(|e| FileError::of_parquet(&self.path, e))
    }

    /// The bytes so far.
    pub fn size(&self) -> u64 {
        self.writer.bytes_written() as u64
    }

    /// Completes the file and gives it its name. Returns the number of its bytes.
    pub fn finish(mut self) -> Result<u64, FileError> {
        let path = &self.path;
        self.writer.finish().map_err(|e| FileError::of_parquet(path, e))?;
        let size = self.writer.bytes_written() as u64;
        let fail = |e: io::Error| FileError::new(path, e);
        self.writer.inner().sync_all().map_err(fail)?;
        let directory = &self.temporary.directory;
        if let Some(temporary) = &self.temporary.name {
            directory.rename(temporary, &self.name).map_err(fail)?;
            self.temporary.name = None;
        }
        // The name is on the disk, too.
        self.temporary.directory.sync().map_err(fail)?;
        Ok(size)
    }
}
