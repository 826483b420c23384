//! libssl, as the man pages of OpenSSL declare it.

use super::{Prototype, INT, LONG, POINTER, SIZE, TEXT, VOID, WordType, function};

pub const FUNCTIONS: &[Prototype] = &[
    function("SSL_CTX_free", &[("ctx", POINTER)], VOID),
    function("SSL_CTX_load_verify_locations", &[("ctx", POINTER), ("CAfile", TEXT), ("CApath", TEXT)], INT),
    function("SSL_CTX_new", &[("method", POINTER)], POINTER),
    function("SSL_CTX_use_PrivateKey_file", &[("ctx", POINTER), ("file", TEXT), ("type", INT)], INT),
    function("SSL_CTX_use_certificate_chain_file", &[("ctx", POINTER), ("file", TEXT)], INT),
    function("SSL_CTX_use_certificate_file", &[("ctx", POINTER), ("file", TEXT), ("type", INT)], INT),
    function("SSL_accept", &[("ssl", POINTER)], INT),
    function("SSL_connect", &[("ssl", POINTER)], INT),
    function("SSL_ctrl", &[("ssl", POINTER), ("cmd", INT), ("larg", LONG), ("parg", POINTER)], LONG),
    function("SSL_do_handshake", &[("ssl", POINTER)], INT),
    function("SSL_free", &[("ssl", POINTER)], VOID),
    function("SSL_get_error", &[("ssl", POINTER), ("ret", INT)], INT),
    function("SSL_get_fd", &[("ssl", POINTER)], INT),
    function("SSL_get_verify_result", &[("ssl", POINTER)], LONG),
    function("SSL_get_version", &[("ssl", POINTER)], TEXT),
    function("SSL_new", &[("ctx", POINTER)], POINTER),
    function("SSL_peek", &[("ssl", POINTER), ("buf", POINTER), ("num", INT)], INT),
    function("SSL_pending", &[("ssl", POINTER)], INT),
    function("SSL_read", &[("ssl", POINTER), ("buf", POINTER), ("num", INT)], INT),
    function("SSL_read_ex", &[("ssl", POINTER), ("buf", POINTER), ("num", SIZE), ("readbytes", POINTER)], INT),
    function("SSL_set_fd", &[("ssl", POINTER), ("fd", INT)], INT),
    function("SSL_shutdown", &[("ssl", POINTER)], INT),
    function("SSL_state_string_long", &[("ssl", POINTER)], TEXT),
    function("SSL_write", &[("ssl", POINTER), ("buf", WordType::Buffer(2)), ("num", INT)], INT),
    function("SSL_write_ex", &[("ssl", POINTER), ("buf", WordType::Buffer(2)), ("num", SIZE), ("written", POINTER)], INT),
];
