//! Writes row groups to files. This takes tenths of a second, so a thread does it, while events are taken in.

use crate::chunk::ChunkMaker;
use crate::column::{TableColumns, properties, schema};
use crate::destination::TableStore;
use crate::file::{FileError, TableFile};
use crate::place::TracePlace;
use crate::row_group::{RowGroup, WrittenTable};
use crate::tables::{self, Calls};
use parquet::file::properties::WriterPropertiesPtr;
use parquet::schema::types::TypePtr;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

/// A file is complete from this size on.
const FILE_SIZE: u64 = if cfg!(test) { 1 << 16 } else { 128 << 20 };

/// Rows for a table.
struct Group {
    table: usize,
    day: i64,
    rows: RowGroup,
    /// No more rows come for this table.
    last: bool,
}

/// The files that got their names.
#[derive(Clone, Copy, Default, Debug)]
pub struct Written {
    /// The calls in them.
    pub calls: u64,
    pub bytes: u64,
}

/// The writer has stopped. [`FileWriter::end`] says why.
#[derive(Debug)]
pub struct Failed;

/// The thread that writes.
pub struct FileWriter {
    place: Arc<TracePlace>,
    /// Groups are handed over one at a time, so no more than one waits.
    to: Option<SyncSender<Group>>,
    /// Written rows come back, to be filled again.
    spare: Receiver<(usize, RowGroup)>,
    thread: Option<JoinHandle<(Written, Result<(), FileError>)>>,
}

impl FileWriter {
    /// Starts the thread. It has the signal mask of the caller.
    pub fn start(place: Arc<TracePlace>, store: Option<Arc<TableStore>>) -> io::Result<FileWriter> {
        let (to, from) = sync_channel(0);
        let (give, spare) = sync_channel(tables::ALL.len());
        let mut files = tables::ALL.map(|table| TableFiles::new(&place, store.as_ref(), table));
        let directory = place.directory.clone();
        let run = move || {
            let mut written = Written::default();
            let result = write_all(&directory, &mut files, store.as_deref(), &from, &give, &mut written);
            (written, result)
        };
        let thread = Builder::new().name("stride-parquet".into()).spawn(run)?;
        Ok(FileWriter { place, to: Some(to), spare, thread: Some(thread) })
    }

    /// Writes rows as a row group. `rows` is empty after that.
    pub fn write(&mut self, table: usize, day: i64, rows: &mut RowGroup, last: bool) -> Result<(), Failed> {
        let mut spare = self.spare.try_iter().find(|(of, _)| *of == table).map(|(_, rows)| rows);
        let rows = std::mem::replace(rows, spare.take().unwrap_or_else(|| RowGroup::new(&tables::ALL[table])));
        let to = self.to.as_ref().ok_or(Failed)?;
        to.send(Group { table, day, rows, last }).map_err(|_| Failed)
    }

    /// Waits for the thread. Files that are not complete are removed.
    pub fn end(&mut self) -> (Written, Result<(), FileError>) {
        self.to = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(_)) => {
                let panicked = io::Error::other("the thread that writes has panicked; please report this");
                (Written::default(), Err(FileError::new(&self.place.directory, panicked)))
            }
            None => (Written::default(), Ok(())),
        }
    }
}

impl Drop for FileWriter {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

fn write_all(
    directory: &Path,
    files: &mut [TableFiles],
    store: Option<&TableStore>,
    from: &Receiver<Group>,
    give: &SyncSender<(usize, RowGroup)>,
    written: &mut Written,
) -> Result<(), FileError> {
    let mut maker = ChunkMaker::new().map_err(|e| FileError::new(directory, e))?;
    for Group { table, day, mut rows, last } in from {
        let is_calls = tables::ALL[table].name == Calls::COLUMNS.name;
        if let Some(store) = store.filter(|_| is_calls) {
            let open = files.iter().filter_map(|of| of.file.as_ref()).map(TableFile::size).sum();
            if !store.has_room(open)? {
                store.drop_calls(rows.count() as u64);
                rows.clear();
            }
        }
        let mut complete = Written::default();
        let result = files[table].write(day, &mut rows, last, &mut maker, &mut complete);
        written.bytes += complete.bytes;
        written.calls += if is_calls { complete.calls } else { 0 };
        result?;
        let _ = give.try_send((table, rows));
    }
    Ok(())
}

/// The files of a table.
struct TableFiles {
    place: Arc<TracePlace>,
    store: Option<Arc<TableStore>>,
    table: TableColumns,
    format: Option<(TypePtr, WriterPropertiesPtr)>,
    file: Option<TableFile>,
    /// The rows in the file.
    rows: u64,
    day: i64,
    /// Files so far.
    count: u32,
}

impl TableFiles {
    fn new(place: &Arc<TracePlace>, store: Option<&Arc<TableStore>>, table: TableColumns) -> TableFiles {
        let (place, store) = (place.clone(), store.cloned());
        TableFiles { place, store, table, format: None, file: None, rows: 0, day: 0, count: 0 }
    }

    /// Writes a row group. `complete` gets the rows and bytes of each file that is complete.
    fn write(
        &mut self,
        day: i64,
        rows: &mut RowGroup,
        last: bool,
        maker: &mut ChunkMaker,
        complete: &mut Written,
    ) -> Result<(), FileError> {
        if self.day != day {
            self.complete(complete)?;
            self.day = day;
        }
        if rows.count() > 0 || last && self.count == 0 {
            let count = rows.count() as u64;
            let file = match &mut self.file {
                Some(file) => file,
                None => self.open()?,
            };
            if count > 0 {
                file.write(rows, maker)?;
            }
            self.rows += count;
        }
        if last || self.file.as_ref().is_some_and(|file| file.size() >= self.full_size()) {
            self.complete(complete)?;
        }
        Ok(())
    }

    /// A file is complete from this size on.
    fn full_size(&self) -> u64 {
        self.store.as_ref().map_or(FILE_SIZE, |store| store.file_size(FILE_SIZE))
    }

    /// Begins the next file.
    fn open(&mut self) -> Result<&mut TableFile, FileError> {
        let below = self.place.partition(self.table.name, self.day);
        let (schema, properties) = match &self.format {
            Some(format) => format.clone(),
            None => {
                let schema = schema(&self.table);
                let schema = schema.map_err(|e| FileError::new(&self.place.directory, io::Error::other(e)))?;
                self.format.insert((schema, Arc::new(properties(&self.table)))).clone()
            }
        };
        let file =
            TableFile::create(&self.place.directory, &below, &self.place.file_name(self.count), schema, properties)?;
        self.count += 1;
        Ok(self.file.insert(file))
    }

    fn complete(&mut self, complete: &mut Written) -> Result<(), FileError> {
        if let Some(file) = self.file.take() {
            let below = self.place.partition(self.table.name, self.day).join(self.place.file_name(self.count - 1));
            let bytes = file.finish()?;
            if let Some(store) = &self.store {
                store.add(&below, bytes);
            }
            complete.bytes += bytes;
            complete.calls += std::mem::take(&mut self.rows);
        }
        Ok(())
    }
}
