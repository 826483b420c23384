//! zlib, as its manual declares it.

use super::{Prototype, INT, POINTER, SIZE, TEXT, UINT, WordType, function};

pub const FUNCTIONS: &[Prototype] = &[
    function("adler32", &[("adler", SIZE), ("buf", POINTER), ("len", UINT)], SIZE),
    function("compress", &[("dest", POINTER), ("destLen", POINTER), ("source", POINTER), ("sourceLen", SIZE)], INT),
    function("compress2", &[("dest", POINTER), ("destLen", POINTER), ("source", POINTER), ("sourceLen", SIZE), ("level", INT)], INT),
    function("crc32", &[("crc", SIZE), ("buf", POINTER), ("len", UINT)], SIZE),
    function("deflate", &[("strm", POINTER), ("flush", INT)], INT),
    function("deflateEnd", &[("strm", POINTER)], INT),
    function("deflateInit2_", &[("strm", POINTER), ("level", INT), ("method", INT), ("windowBits", INT), ("memLevel", INT), ("strategy", INT), ("version", TEXT), ("stream_size", INT)], INT),
    function("deflateInit_", &[("strm", POINTER), ("level", INT), ("version", TEXT), ("stream_size", INT)], INT),
    function("deflateReset", &[("strm", POINTER)], INT),
    function("gzclose", &[("file", POINTER)], INT),
    function("gzdopen", &[("fd", INT), ("mode", TEXT)], POINTER),
    function("gzopen", &[("path", TEXT), ("mode", TEXT)], POINTER),
    function("gzread", &[("file", POINTER), ("buf", POINTER), ("len", UINT)], INT),
    function("gzwrite", &[("file", POINTER), ("buf", WordType::Buffer(2)), ("len", UINT)], INT),
    function("inflate", &[("strm", POINTER), ("flush", INT)], INT),
    function("inflateEnd", &[("strm", POINTER)], INT),
    function("inflateInit2_", &[("strm", POINTER), ("windowBits", INT), ("version", TEXT), ("stream_size", INT)], INT),
    function("inflateInit_", &[("strm", POINTER), ("version", TEXT), ("stream_size", INT)], INT),
    function("inflateReset", &[("strm", POINTER)], INT),
    function("uncompress", &[("dest", POINTER), ("destLen", POINTER), ("source", POINTER), ("sourceLen", SIZE)], INT),
    function("zlibVersion", &[], TEXT),
];
