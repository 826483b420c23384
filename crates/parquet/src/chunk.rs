//! Makes column chunks: the pages of a column of a row group.
//!
//! The crate `parquet` makes those of numbers. Texts come here, because their columns know already which texts come again, while the crate would hash and
//! compare them once more, row by row. Columns without any value come here as well.

use crate::column::{ColumnKind, ROWS_OF_PAGE, zstd_level};
use crate::hybrid;
use crate::presence::Presence;
use crate::texts::TextValues;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, PageType};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::ByteArray;
use parquet::errors::Result;
use parquet::file::metadata::{ColumnChunkMetaData, PageEncodingStats};
use parquet::file::page_index::offset_index::{OffsetIndexMetaData, PageLocation};
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use std::io;
use std::ops::Range;
use zstd::bulk::Compressor;

/// A page of texts ends behind this size.
const PAGE_SIZE: usize = if cfg!(test) { 1 << 12 } else { 1 << 20 };
/// Statistics have so many bytes of the smallest and of the largest text.
const LONGEST_BOUND: usize = 64;

/// Makes chunks one after the other. Its memory is used again.
pub struct ChunkMaker {
    compressor: Compressor<'static>,
    page: Vec<u8>,
    /// The values of a page, which come behind its levels.
    values: Vec<u8>,
}

/// A chunk that is complete, and its description.
pub struct ColumnChunk {
    pub bytes: Bytes,
    pub description: ColumnCloseResult,
}

impl ChunkMaker {
    pub fn new() -> io::Result<ChunkMaker> {
        let compressor = Compressor::new(zstd_level().compression_level())?;
        Ok(ChunkMaker { compressor, page: Vec::new(), values: Vec::new() })
    }

    /// Makes the chunk of a column of texts, or of one without any value.
    pub fn chunk(
        &mut self,
        column: ColumnDescPtr,
        kind: ColumnKind,
        rows: usize,
        present: &Presence,
        texts: &TextValues,
    ) -> Result<ColumnChunk> {
        let mut sink = TrackedWrite::new(Vec::new());
        let mut pages = Pages::new(&mut self.compressor, &mut sink);
        let with_dictionary = kind == ColumnKind::Word && texts.fit_dictionary();
        if with_dictionary {
            self.page.clear();
            texts.all().for_each(|text| put_plain(&mut self.page, text));
            pages.dictionary(&self.page, texts.count())?;
        }
        let width = hybrid::width_of(texts.count().saturating_sub(1));
        let (mut row, mut rest) = (0, texts.rows());
        while row < rows {
            let mut end = rows.min(row + ROWS_OF_PAGE);
            self.values.clear();
            if with_dictionary {
                let (these, others) = rest.split_at(present.count_in(row..end));
                self.values.push(width as u8);
                hybrid::put(&mut self.values, these, width);
                rest = others;
            } else {
                let full = (row..end).find(|&row| {
                    if let Some((&text, others)) = rest.split_first().filter(|_| present.has(row)) {
                        put_plain(&mut self.values, texts.get(text));
                        rest = others;
                    }
                    self.values.len() >= PAGE_SIZE
                });
                end = full.map_or(end, |last| last + 1);
            }
            self.page.clear();
            present.put(&mut self.page, row..end);
            self.page.extend_from_slice(&self.values);
            let encoding = if with_dictionary { Encoding::RLE_DICTIONARY } else { Encoding::PLAIN };
            pages.data(&self.page, row..end, encoding)?;
            row = end;
        }
        let description = pages.close(column, kind, rows, present, texts)?;
        Ok(ColumnChunk { bytes: sink.into_inner()?.into(), description })
    }
}

/// The pages of a chunk that were written so far.
struct Pages<'c> {
    compressor: &'c mut Compressor<'static>,
    writer: SerializedPageWriter<'c, Vec<u8>>,
    has_dictionary: bool,
    /// The data pages.
    locations: Vec<PageLocation>,
    encodings: Vec<PageEncodingStats>,
    written: u64,
    uncompressed: usize,
}

impl<'c> Pages<'c> {
    fn new(compressor: &'c mut Compressor<'static>, sink: &'c mut TrackedWrite<Vec<u8>>) -> Pages<'c> {
        let writer = SerializedPageWriter::new(sink);
        let (locations, encodings) = Default::default();
        Pages { compressor, writer, has_dictionary: false, locations, encodings, written: 0, uncompressed: 0 }
    }

    fn dictionary(&mut self, page: &[u8], texts: usize) -> Result<()> {
        let buf = self.compressor.compress(page)?.into();
        let encoding = Encoding::PLAIN;
        self.has_dictionary = true;
        self.write(Page::DictionaryPage { buf, num_values: texts as u32, encoding, is_sorted: false }, page.len())
            .map(drop)
    }

    fn data(&mut self, page: &[u8], rows: Range<usize>, encoding: Encoding) -> Result<()> {
        let data = Page::DataPage {
            buf: self.compressor.compress(page)?.into(),
            num_values: rows.len() as u32,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let offset = self.written as i64;
        let size = self.write(data, page.len())?;
        self.locations.push(PageLocation {
            offset,
            compressed_page_size: size as i32,
            first_row_index: rows.start as i64,
        });
        Ok(())
    }

    /// Writes a page. Returns its size.
    fn write(&mut self, page: Page, uncompressed: usize) -> Result<u64> {
        let (page_type, encoding) = (page.page_type(), page.encoding());
        match self.encodings.last_mut().filter(|pages| (pages.page_type, pages.encoding) == (page_type, encoding)) {
            Some(pages) => pages.count += 1,
            None => self.encodings.push(PageEncodingStats { page_type, encoding, count: 1 }),
        }
        let written = self.writer.write_page(CompressedPage::new(page, uncompressed))?;
        self.written += written.bytes_written;
        self.uncompressed += written.uncompressed_size;
        Ok(written.bytes_written)
    }

    fn close(
        mut self,
        column: ColumnDescPtr,
        kind: ColumnKind,
        rows: usize,
        present: &Presence,
        texts: &TextValues,
    ) -> Result<ColumnCloseResult> {
        self.writer.close()?;
        let data = self.encodings.iter().filter(|pages| pages.page_type == PageType::DATA_PAGE);
        let encodings = data.map(|pages| pages.encoding).chain([Encoding::PLAIN, Encoding::RLE]).collect();
        let mut metadata = ColumnChunkMetaData::builder(column)
            .set_compression(Compression::ZSTD(zstd_level()))
            .set_encodings(encodings)
            .set_page_encoding_stats(self.encodings)
            .set_total_compressed_size(self.written as i64)
            .set_total_uncompressed_size(self.uncompressed as i64)
            .set_num_values(rows as i64)
            .set_data_page_offset(self.locations.first().map_or(0, |page| page.offset))
            .set_dictionary_page_offset(self.has_dictionary.then_some(0));
        if let Some(statistics) = statistics(kind, (rows - present.count()) as u64, texts) {
            metadata = metadata.set_statistics(statistics);
        }
        Ok(ColumnCloseResult {
            bytes_written: self.written,
            rows_written: rows as u64,
            metadata: metadata.build()?,
            bloom_filter: None,
            column_index: None,
            offset_index: Some(OffsetIndexMetaData {
                page_locations: self.locations,
                unencoded_byte_array_data_bytes: None,
            }),
        })
    }
}

/// A text with its length before it.
fn put_plain(out: &mut Vec<u8>, text: &[u8]) {
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text);
}

fn statistics(kind: ColumnKind, missing: u64, texts: &TextValues) -> Option<Statistics> {
    let missing = Some(missing);
    Some(match kind {
        ColumnKind::Time | ColumnKind::Measure | ColumnKind::Number => {
            Statistics::int64(None, None, None, missing, false)
        }
        ColumnKind::Id => Statistics::int32(None, None, None, missing, false),
        ColumnKind::Flag => Statistics::boolean(None, None, None, missing, false),
        ColumnKind::Word => {
            let (least, greatest) = (texts.all().min(), texts.all().max());
            let (least, greatest) =
                (least.map(|text| (below(text), text)), greatest.and_then(|text| Some((above(text)?, text))));
            let bytes = |bound: &(Vec<u8>, &[u8])| ByteArray::from(bound.0.clone());
            let is_exact = |bound: &Option<(Vec<u8>, &[u8])>| bound.as_ref().is_some_and(|(bound, text)| bound == text);
            Statistics::ByteArray(
                ValueStatistics::new(least.as_ref().map(bytes), greatest.as_ref().map(bytes), None, missing, false)
                    .with_min_is_exact(is_exact(&least))
                    .with_max_is_exact(is_exact(&greatest)),
            )
        }
        // Nobody asks for a range of them.
        ColumnKind::Text => return None,
    })
}

/// The text, or the beginning of a long one, which is less.
fn below(text: &[u8]) -> Vec<u8> {
    text[..whole_characters(text)].to_vec()
}

/// The text, or one that is greater than all that begin as a long one does. None, if all of its characters are beyond ASCII.
fn above(text: &[u8]) -> Option<Vec<u8>> {
    let mut bound = below(text);
    if bound.len() < text.len() {
        let last = bound.iter().rposition(|byte| *byte < 0x7f)?;
        bound.truncate(last + 1);
        bound[last] += 1;
    }
    Some(bound)
}

/// The bytes of a bound, which ends between two characters.
fn whole_characters(text: &[u8]) -> usize {
    let is_boundary = |at: usize| text.get(at).is_none_or(|byte| byte & 0xc0 != 0x80);
    (0..=text.len().min(LONGEST_BOUND)).rev().find(|at| is_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::{TableColumns, TableField, properties, schema};
    use crate::row_group::{RowCells, RowGroup, TableRow, WrittenTable};
    use parquet::file::reader::FileReader;
    use parquet::file::serialized_reader::SerializedFileReader;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::record::Field;

    /// The same value in both kinds of columns of texts.
    struct BothRow<'r>(Option<&'r [u8]>);

    enum Both {}

    impl WrittenTable for Both {
        const COLUMNS: TableColumns = TableColumns {
            name: "both",
            fields: &[TableField {
                name: "text",
                contents: "",
                cells: &[("_word", ColumnKind::Word), ("_text", ColumnKind::Text)],
            }],
        };
    }

    impl TableRow for BothRow<'_> {
        type Table = Both;

        fn put(self, to: &mut RowCells<'_>) {
            to.word(ColumnKind::Word, None, self.0);
            to.text(ColumnKind::Text, self.0);
        }
    }

    /// Writes row groups to one file, and reads them.
    fn there_and_back(groups: &[Vec<Option<String>>]) -> Vec<Option<String>> {
        let table = Both::COLUMNS;
        let mut file =
            SerializedFileWriter::new(Vec::new(), schema(&table).unwrap(), properties(&table).into()).unwrap();
        let (mut maker, mut rows) = (ChunkMaker::new().unwrap(), RowGroup::new(&table));
        for group in groups {
            group.iter().for_each(|text| rows.add(BothRow(text.as_ref().map(|text| text.as_bytes()))));
            rows.write(&mut maker, &mut file).unwrap();
        }
        let reader = SerializedFileReader::new(Bytes::from(file.into_inner().unwrap())).unwrap();
        let text = |field: &Field| match field {
            Field::Str(text) => Some(text.clone()),
            Field::Null => None,
            other => panic!("{other}"),
        };
        let row = |row: Result<parquet::record::Row>| {
            let both: Vec<_> = row.unwrap().get_column_iter().map(|(_, field)| text(field)).collect();
            assert_eq!(both[0], both[1]);
            both[0].clone()
        };
        reader.get_row_iter(None).unwrap().map(row).collect()
    }

    #[test]
    fn texts_come_back() {
        let few = |i: usize| Some(format!("text {}", i % 7));
        let gaps = |i: usize| (i % 11 < 5).then(|| "again and ".repeat(i % 13));
        // More than a dictionary takes.
        let all = |i: usize| (!i.is_multiple_of(5)).then(|| format!("{i:099}"));
        let late = |i: usize| (i > 290_000).then(|| i.to_string());
        for text in [few, gaps, all, late, |_| None] {
            let groups: Vec<Vec<_>> = [1, 1_000, 300_000].map(|rows| (0..rows).map(text).collect()).into();
            assert_eq!(there_and_back(&groups), groups.concat());
        }
    }

    #[test]
    fn bounds_of_long_texts_are_short() {
        assert_eq!((below(b"a"), above(b"a")), (b"a".to_vec(), Some(b"a".to_vec())));
        let text = [&b"x"[..].repeat(62)[..], "äöü".as_bytes()].concat();
        assert_eq!(below(&text), text[..64]);
        let greater = above(&text).unwrap();
        assert_eq!(greater, [&b"x"[..].repeat(61)[..], b"y"].concat());
        assert!(below(&text) < text && text < greater);
        assert_eq!(above("ä".repeat(40).as_bytes()), None);
    }
}
