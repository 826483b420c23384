//! One file: whole or absent.
//!
//! A file is written aside, under a name that readers of a directory ignore: it begins with a dot and does not end in `.parquet`. When
//! it is complete and on the disk, it gets its name. If Stride is killed, its file aside stays, and nobody reads it.

use parquet::errors::ParquetError;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::TypePtr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

pub struct TableFile {
    writer: SerializedFileWriter<File>,
    aside: Aside,
    path: PathBuf,
}

/// The file's name until it is complete. The file is removed if it does not get that far.
struct Aside(Option<PathBuf>);

impl Drop for Aside {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = fs::remove_file(path);
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
    /// Begins a file that will be called `name`.
    pub fn create(
        directory: &Path,
        name: &str,
        schema: TypePtr,
        properties: WriterPropertiesPtr,
    ) -> Result<TableFile, FileError> {
        fs::create_dir_all(directory).map_err(|e| FileError::new(directory, e))?;
        let path = directory.join(name);
        if path.exists() {
            return Err(FileError::new(&path, io::ErrorKind::AlreadyExists));
        }
        // Two replays of a recording at the same time are no danger to each other.
        let aside = directory.join(format!(".{name}.{}", std::process::id()));
        let file = File::create(&aside).map_err(|e| FileError::new(&aside, e))?;
        let aside = Aside(Some(aside));
        let writer =
            SerializedFileWriter::new(file, schema, properties).map_err(|e| FileError::of_parquet(&path, e))?;
        Ok(TableFile { writer, aside, path })
    }

    pub fn write(&mut self, rows: &mut crate::row_group::RowGroup) -> Result<(), FileError> {
        rows.write(&mut self.writer).map_err(|e| FileError::of_parquet(&self.path, e))
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
        if let Some(aside) = &self.aside.0 {
            fs::rename(aside, path).map_err(fail)?;
            self.aside.0 = None;
        }
        // The name is on the disk, too.
        if let Some(directory) = path.parent() {
            File::open(directory).and_then(|directory| directory.sync_all()).map_err(fail)?;
        }
        Ok(size)
    }
}
