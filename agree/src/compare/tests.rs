//! Differences between two lines: those that the rules explain, and those that they must not explain.

use super::*;

fn told(first: &str, other: &str) -> String {
    told_of(first, other, [0; 6], 0)
}

fn told_of(first: &str, other: &str, args: [u64; 6], result: i64) -> String {
    match difference((first, other), false, args, result) {
        Difference::None => "none".to_owned(),
        Difference::Known(why) => why.to_owned(),
        Difference::New(what, _) => what,
    }
}

#[test]
fn what_differs_is_told() {
    let names = "the first tracer has no name for a number that the other one names";
    assert_eq!(told("f(1)   = 0", "f(1) = 0"), "none");
    assert_eq!(told("f(0x3 /* X_??? */) = 0", "f(X_A|X_B) = 0"), names);
    assert_eq!(told("f(X_A|0x2) = 0", "f(X_A|X_B) = 0"), names);
    assert_eq!(told("f(X_A|0x2) = 0", "f(X_B|X_C) = 0"), "X_A|0x0 / X_B|X_C");
    assert!(told("f([{a=1}, 2], 3) = 0", "f(0x100000000, 3) = 0").starts_with("the eBPF engine"));
    let cut = "the eBPF engine has not copied the end of an array or a struct";
    assert_eq!(told("f({a=1}, 5000) = 0", "f({a=1, ???}, 5000) = 0"), cut);
    assert_eq!(told("f([1], 5) = 0", "f([1, ...], 5) = 0"), cut);
    assert_eq!(told("f({a=1, b=0}, 5) = 0", "f({a=1}, 5) = 0"), ", / }");
    assert_eq!(told("f({a=1}, 5) = 0", "f({a=1, ???}, 6) = 0"), "0 / 0");
    assert_eq!(told("f({a=\"x\"}) = 0", "f({a=\"y\"...}) = 0"), "a=\"\" / \"\"...");
    assert_eq!(told("f({a=12, ...}) = 0", "f({a=12}) = 0"), ", / }");
}

#[test]
fn known_differences_explain_no_more_than_they_say() {
    let explained = |first: &str, other: &str| told(first, other).contains("first tracer");
    assert!(explained("f(18446744073709551615) = 0", "f(-1) = 0"));
    assert!(!explained("f(18446744073709551615) = 0", "f(-2) = 0"));
    assert!(!explained("f(5) = 0", "f(4294967301) = 0"));
    assert!(explained("f(\"/a/b\"...) = 0", "f(\"/a/b/c\") = 0"));
    assert!(!explained("f(\"/a/b\"...) = 0", "f(\"/a/c/c\") = 0"));
    assert!(explained("f(\"ab\") = 0", "f(\"ab\\0\"...) = 0"));
    assert!(!explained("f(\"ab\") = 0", "f(\"abc\"...) = 0"));
    assert!(explained("select([1]], x) = 1", "select([1], x) = 1"));
    assert!(!explained("f([1]], x) = 1", "f([1], x) = 1"));
}

/// True if a rule explains how two lines of this call differ. Both see the beginning of calls.
fn is_known(first: &str, other: &str, args: [u64; 6], result: i64) -> bool {
    matches!(difference((first, other), true, args, result), Difference::Known(_))
}

fn plain(first: &str, other: &str) -> bool {
    is_known(first, other, [0; 6], 0)
}

#[test]
fn names_stand_only_for_numbers() {
    assert!(plain("f(1) = 0x8 (flags 0x8)", "f(1) = 0x8 (flags 0x8 /* FD_??? */)"));
    assert!(!plain("f(1) = 0x8 (flags 0x8)", "f(1) = 0x8 (flags 0x9 /* FD_??? */)"));
    assert!(plain("f({id=X_CLASS+0x9dc}) = 0", "f({id=X_CID_A}) = 0"));
    assert!(!plain("f({id=X_CLASS+0x9dc}) = 0", "f({id=3}) = 0"));
    assert!(plain("ioctl(1, _IOC(_IOC_NONE, 0, 0x3, 0), 0x1) = 0", "ioctl(1, SCSI_IOCTL_X, 0x1) = 0"));
    assert!(!plain("ioctl(1, _IOC(_IOC_NONE, 0, 0x3, 0), 0x1) = 0", "ioctl(1, 3, 0x1) = 0"));
    assert!(!plain("f(..., 2) = 0", "f(X_A, 2) = 0"));
    assert!(plain("f(0xffffffffffffffeb /* F_??? */) = 0", "f(0xffffffeb /* F_??? */) = 0"));
    assert!(!plain("f(0xffffffffffffffeb /* F_??? */) = 0", "f(0xffffffeb /* G_??? */) = 0"));
    assert!(plain("f(X_A|0xffffffffffffff40) = 0", "f(X_A|0xffffff40) = 0"));
    assert!(!plain("f(X_A|0xffffffffffffff40) = 0", "f(X_B|0xffffff40) = 0"));
    assert!(plain("f(X_A|0x112 /* X_??? */) = 0", "f(X_A|0x112) = 0"));
    assert!(!plain("f(0x112 /* X_??? */) = 0", "f(0x112) = 0"));
    assert!(plain(
        "ioctl(1, {flags=TEE_IOCTL_SHM_MAPPED|TEE_IOCTL_SHM_POOL|0x80}) = 0",
        "ioctl(1, {flags=TEE_IOCTL_SHM_MAPPED|0xa0}) = 0"
    ));
    assert!(!plain(
        "ioctl(1, {flags=TEE_IOCTL_SHM_MAPPED|TEE_IOCTL_SHM_DMA_BUF}) = 0",
        "ioctl(1, {flags=TEE_IOCTL_SHM_MAPPED|0x2}) = 0"
    ));
    assert!(plain("f({n=5 => 5}) = 0", "f({n=5}) = 0"));
    assert!(!plain("f({n=5 => 6}) = 0", "f({n=5}) = 0"));
}

#[test]
fn types_have_one_flag() {
    let flags = |first: &str, other: &str| {
        plain(&format!("bpf({{btf_flags={first}}}) = 0"), &format!("bpf({{btf_flags={other}}}) = 0"))
    };
    assert!(flags("BPF_F_RDONLY|BPF_F_TOKEN_FD|0x20", "BPF_F_TOKEN_FD|0x28"));
    assert!(!flags("BPF_F_RDONLY|0x20", "BPF_F_TOKEN_FD|0x8"));
    assert!(!flags("BPF_F_RDONLY", "BPF_F_WRONLY"));
    assert!(!plain("bpf({map_flags=BPF_F_RDONLY|0x20}) = 0", "bpf({map_flags=0x28}) = 0"));
}

#[test]
fn protocols_have_the_number_that_the_program_passes() {
    let pair = |first: &str, other: &str| {
        plain(
            &format!("socketpair(AF_X, SOCK_RAW, {first}, NULL) = 0"),
            &format!("socketpair(AF_X, SOCK_RAW, {other}, NULL) = 0"),
        )
    };
    assert!(pair("768", "htons(ETH_P_ALL)"));
    assert!(pair("1728706677", "htons(0x75f8 /* ETH_P_??? */)"));
    assert!(!pair("1728706677", "htons(0xf875 /* ETH_P_??? */)"));
    assert!(pair("18446744073709551417", "0xffffff39 /* AF_??? */"));
    assert!(!pair("18446744073709551417", "0xffffff38 /* AF_??? */"));
    assert!(!plain("socket(AF_X, SOCK_RAW, 768) = 0", "socket(AF_X, SOCK_RAW, htons(0x3)) = 0"));
}

#[test]
fn bytes_of_messages_are_the_same_bytes() {
    let of = |first: &str, other: &str| {
        plain(
            &format!("f([{{iov_base={first}, iov_len=6}}]) = 0"),
            &format!("f([{{iov_base={other}, iov_len=6}}]) = 0"),
        )
    };
    assert!(of(r#""\x00\x6c""#, r#""\0l""#));
    assert!(!of(r#""\x00\x6c""#, r#""\0m""#));
    assert!(of("{nlmsg_len=108, nlmsg_type=0}", r#""l\0\0\0\0\0""#));
    assert!(of("[{nlmsg_len=108, nlmsg_type=0}, {nlmsg_len=5}]", r#""l\0\0\0\0\0""#));
    assert!(!of("{nlmsg_len=109, nlmsg_type=0}", r#""l\0\0\0\0\0""#));
    assert!(!of("{nlmsg_len=108, nlmsg_type=0}", "0x7ffc00001000"));
}

#[test]
fn memory_that_is_there_is_shown() {
    let sets = |nfds: u64, set: &str| {
        let line = |set: &str| format!("select({nfds}, {set}, NULL, NULL, NULL) = -1 EINVAL (Invalid argument)");
        is_known(&line("0x100000000000"), &line(set), [nfds, 0x1000_0000_0000, 0, 0, 0, 0], -22)
    };
    assert!(sets(1 << 30, "[1 2]"));
    assert!(!sets(64, "[1 2]"));
    let control = |length: u64, other: &str| {
        let line = |control: &str| format!("sendmsg(1, {{msg_control={control}, msg_controllen={length}}}, 0) = 0");
        is_known(&line("0x100000000000"), &line(other), [0; 6], 0)
    };
    assert!(control(593_035_385, "[{cmsg_len=7}, ...]"));
    assert!(!control(24, "[{cmsg_len=7}, ...]"));
    assert!(!control(593_035_385, "NULL"));
    let vectors = |count: u64| {
        let line = |end: &str| {
            format!("readv(1, [{{iov_base=NULL, iov_len=0}}, {end}], {count}) = -1 EINVAL (Invalid argument)")
        };
        is_known(&line("{iov_base=NULL, iov_len=0}, {iov_base=NULL, iov_len=0}"), &line("..."), [0; 6], -22)
    };
    assert!(vectors(137_438_953_472));
    assert!(!vectors(1024));
}

#[test]
fn what_no_kernel_does_is_told_by_the_call() {
    let sent = |count: u64, other: &str| {
        is_known(
            "sendfile(1, 2, [7], 0) = 20",
            &format!("sendfile(1, 2, [{other}], 0) = 20"),
            [1, 2, 3, count, 0, 0],
            20,
        )
    };
    assert!(sent(0, "7 => 7"));
    assert!(!sent(20, "7 => 7"));
    assert!(!sent(0, "8 => 8"));
    let entries = |address: u64, result: i64| {
        is_known(
            "getdents(1, NULL /* 0+ entries */, 9) = 1",
            "getdents(1, NULL, 9) = 1",
            [1, address, 9, 0, 0, 0],
            result,
        )
    };
    assert!(entries(0, 24));
    assert!(!entries(0, 0));
    assert!(!entries(8, 24));
    let option = |length: u64| {
        is_known(
            "setsockopt(3, SOL_TIPC, X, [45], 1) = 3",
            "setsockopt(3, SOL_TIPC, X, 0x100001e68000, 1) = 3",
            [3, 0, 0, 0, length, 0],
            3,
        )
    };
    assert!(option(1));
    assert!(option(0x9ba0_8aa1));
    assert!(!option(4));
    let handle = |address: u64| {
        let line = |id: &str| format!(r#"name_to_handle_at(0, "a", NULL, {id}, 0) = 0"#);
        is_known(&line("0x100002030010"), &line("[9]"), [0, 1, address, 2, 0, 0], 0)
    };
    assert!(handle(0));
    assert!(!handle(1));
    let attributes = |size: u64, address: u64| {
        let first =
            format!("perf_event_open({{type=1, size={size}, ...}}, 0, 0, 0, 0) = -1 ENOEXEC (Exec format error)");
        let other = "perf_event_open(0x100000000f81, 0, 0, 0, 0) = -1 ENOEXEC (Exec format error)";
        is_known(&first, other, [address, 0, 0, 0, 0, 0], -8)
    };
    assert!(attributes(5000, 0x1000_0000_0000));
    assert!(attributes(0, 0x1000_0000_6fc8));
    assert!(!attributes(112, 0x1000_0000_0000));
}

#[test]
fn members_are_left_out_only_where_a_rule_says_so() {
    assert!(plain("bpf(X, {a=1, b=0}, 54) = 0", "bpf(X, {a=1}, 54) = 0"));
    assert!(!plain("bpf(X, {a=1, b=2}, 54) = 0", "bpf(X, {a=1}, 54) = 0"));
    let pointer =
        |size: u64| is_known(r#"bpf(X, {b=""}, 5) = 0"#, "bpf(X, {b=0x2a68000}, 5) = 0", [0, 0, size, 0, 0, 0], 0);
    assert!(pointer(5));
    assert!(!pointer(8));
    let entries = |result: i64| {
        let (first, other) =
            ("lsm_get_self_attr({id=1} => [{id=2}, {id=0}], 0) = 1", "lsm_get_self_attr({id=1} => [{id=2}], 0) = 1");
        is_known(first, other, [0; 6], result)
    };
    assert!(entries(1));
    assert!(!entries(2));
    let number = |size: u64| {
        is_known("bpf(X, {a={b=1}}, 9) = 0", "bpf(X, {a={b=1, c=0x2a68}}, 9) = 0", [0, 0, size, 0, 0, 0], 0)
    };
    assert!(number(22));
    assert!(!number(24));
    let waited = |timeout: u64| {
        is_known(
            "recvmmsg(3, [], 0, 0, NULL) = 0 (Timeout)",
            "recvmmsg(3, [], 0, 0, NULL) = 0",
            [3, 1, 0, 0, timeout, 0],
            0,
        )
    };
    assert!(waited(0));
    assert!(!waited(1));
}

#[test]
fn a_full_line_is_cut_and_another_is_not() {
    let numbers = |to: u32| (0..to).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    let of = |first: u32, call: &str| {
        plain(
            &format!("{call}(400, [], NULL, NULL, NULL) = 9 (in [{}]])", numbers(first)),
            &format!("{call}(400, [], NULL, NULL, NULL) = 9 (in [{}], left {{tv_sec=1, tv_usec=2}})", numbers(400)),
        )
    };
    assert!(of(300, "select"));
    assert!(!of(30, "select"));
    assert!(!of(300, "poll"));
}

#[test]
fn memory_of_requests_is_that_of_calls_that_succeed() {
    let request = |name: &str, result: i64| {
        let line = |memory: &str| format!("ioctl(1, {name}, {memory}) = {result}");
        is_known(&line("0x1000015c8000"), &line("{a=1} => {b=2}"), [1, 2, 0x1000_015c_8000, 0, 0, 0], result)
    };
    assert!(request("X_GET", 0));
    assert!(!request("X_GET", -22));
    assert!(request("SIOCSARP", -22));
    assert!(request("TUNSETIFF", -22));
    let clock = |count: u64| {
        let line = |memory: &str| format!("io_uring_register(1, IORING_REGISTER_CLOCK, {memory}, {count}) = 0");
        is_known(&line("0x1000015c8000"), &line("{a=1}"), [1, 29, 0x1000_015c_8000, count, 0, 0], 0)
    };
    assert!(clock(1));
    assert!(clock(1 << 40 | 1));
    assert!(!clock(2));
}

#[test]
fn members_and_arguments_that_the_kernel_does_not_read() {
    assert!(plain("f({a=1, b=2}) = 0", "f({a=1, reserved=0x2e4000, b=2}) = 0"));
    assert!(!plain("f({a=1, b=2}) = 0", "f({a=1, reserved=0, b=2}) = 0"));
    assert!(plain("f({a=1, b=2}) = 0", "f({a=1, reserved=0x1, reserved2=0x8e00, b=2}) = 0"));
    assert!(!plain("f({a=1, b=2}) = 0", "f({a=1, reserved=0x1, c=5, b=2}) = 0"));
    assert!(!plain("f({a=1, b=2}) = 0", "f({a=1, c=5, b=2}) = 0"));
    assert!(plain(
        "futex(0x80000, 0xffffff81 /* FUTEX_??? */, 5) = 1",
        "futex(0x80000, 0xffffff81 /* FUTEX_??? */, 5, 0x2, NULL, 0x4) = 1"
    ));
    assert!(!plain("futex(0x80000, FUTEX_WAKE, 5) = 1", "futex(0x80000, FUTEX_WAKE, 5, 0x2, NULL, 0x4) = 1"));
    assert!(plain("ioctl(-100, TUNSETGROUP, 0x3) = 1", "ioctl(-100, TUNSETGROUP, 3) = 1"));
    assert!(!plain("ioctl(-100, TUNSETPERSIST, 0x3) = 1", "ioctl(-100, TUNSETPERSIST, 3) = 1"));
    assert!(plain("f(0) = 0", "f(NULL) = 0"));
    assert!(!plain("f(NULL) = 0", "f(0) = 0"));
    let filter = |length: u64, first: &str, other: &str| {
        let line = |set: &str| format!("setsockopt(0, SOL_RAW, ICMP_FILTER, {set}, {length}) = 0");
        is_known(&line(first), &line(other), [0, 255, 1, 7, length, 0], 0)
    };
    assert!(filter(3, "[0x18 /* ICMP_??? */ 0x19 /* ICMP_??? */]", "[]"));
    assert!(filter(3, "~[ICMP_ECHO]", "[ICMP_REDIRECT]"));
    assert!(!filter(4, "[0x18 /* ICMP_??? */ 0x19 /* ICMP_??? */]", "[]"));
    let message = |address: &str| {
        let line = |base: &str| format!("f([{{iov_base={base}, iov_len=35}}]) = 0");
        plain(&line("{nlmsg_len=5}"), &line(address))
    };
    assert!(message("0x100000006ff0"));
    assert!(!message("0x100000000000"));
    let attributes = |size: u32| {
        let first = format!("sched_setattr(1, {{size=8}} => {{size={size}}}, 2) = -1 E2BIG (Argument list too long)");
        plain(&first, "sched_setattr(1, {size=8}, 2) = -1 E2BIG (Argument list too long)")
    };
    assert!(attributes(8));
    assert!(!attributes(56));
    let texts = |room: u64| {
        let line = |text: &str| format!("statmount({{size=0}}, {{size=900, fs_type={text}}}, 5, 0) = 0");
        is_known(&line("0x59"), &line(r#""""#), [0, 1, room, 0, 0, 0], 0)
    };
    assert!(texts(512));
    assert!(!texts(1024));
    let statistics = |items: u32| {
        let line = |end: &str| format!("ioctl(1, BTRFS_IOC_GET_DEV_STATS, {{nr_items={items}, [0, 1{end}]}}) = 0");
        plain(&line(", ..."), &line(""))
    };
    assert!(statistics(6));
    assert!(!statistics(5));
}

#[test]
fn formats_and_scopes_have_names_for_what_they_are() {
    let format = |other: &str| {
        let line =
            |end: &str| format!("ioctl(3, X, {{dataformat=v4l2_fourcc('S', '4', '0', '1'){end}, buffersize=2}}) = 0");
        plain(&line(""), &line(other))
    };
    assert!(format(" /* V4L2_PIX_FMT_SE401 */"));
    assert!(!format(" /* 5 */"));
    assert!(!format(" 5"));
    let scope =
        |first: &str, other: &str| plain(&format!("f({{scope={first}}}) = 0"), &format!("f({{scope={other}}}) = 0"));
    assert!(scope("-0x1 /* TIPC_???_SCOPE */", "-TIPC_ZONE_SCOPE"));
    assert!(!scope("-0x2 /* TIPC_???_SCOPE */", "-TIPC_ZONE_SCOPE"));
    assert!(scope("-0xffffff80 /* TIPC_???_SCOPE */", "-0x80 /* TIPC_???_SCOPE */"));
    assert!(!scope("-0xffffff81 /* TIPC_???_SCOPE */", "-0x80 /* TIPC_???_SCOPE */"));
    let device = |name: &str, other: &str| {
        plain(&format!("ioctl(3, {name}, [-2]) = 0"), &format!("ioctl(3, {name}, [{other}]) = 0"))
    };
    assert!(device("TIOCGDEV", "4294967294"));
    assert!(!device("TIOCGDEV", "4294967295"));
    assert!(!device("TIOCGPGRP", "4294967294"));
    let buffer = |other: &str| {
        plain("ioctl(3, {flags=V4L2_BUF_FLAG_INPUT|0x1}) = 0", &format!("ioctl(3, {{flags={other}}}) = 0"))
    };
    assert!(buffer("V4L2_BUF_FLAG_M2M_HOLD_CAPTURE_BUF|0x1"));
    assert!(!buffer("V4L2_BUF_FLAG_DONE|0x1"));
}

#[test]
fn sets_and_messages_are_hidden_only_where_memory_ends() {
    let set = |at: u64, length: u64| {
        let line = |set: &str| format!("sched_setaffinity(1, {length}, {set}) = 0");
        is_known(&line("[0 7 8]"), &line(&format!("{at:#x}")), [1, length, at, 0, 0, 0], 0)
    };
    assert!(set(0x1000_0000_6f64, 157));
    assert!(!set(0x1000_0000_6f64, 156));
    let message = |at: u64| {
        let line = |end: &str| format!("sendmmsg(1, [{{msg_hdr={{}}}}, {end}], 2, 0) = 1");
        plain(&line(&format!("... /* {at:#x} */")), &line("{msg_hdr={msg_name=NULL}}"))
    };
    assert!(message(0x1000_0000_6fc7));
    assert!(!message(0x1000_0000_6fc0));
    assert!(!message(0x1000_0000_6fc9));
    let pages = |count: u64, call: &str| {
        let line = |end: &str| format!("{call}(5, {count}, [0x1, {end}], 0) = -1 ENOSR (Out of streams resources)");
        is_known(&line("0x2, 0x3"), &line("..."), [5, count, 0, 0, 0, 0], -63)
    };
    assert!(pages(1 << 38, "move_pages"));
    assert!(!pages((1 << 38) + 40, "move_pages"));
    assert!(!pages(40, "move_pages"));
    assert!(!pages(1 << 38, "process_madvise"));
}

#[test]
fn a_short_value_of_an_option_is_bytes() {
    let unknown = |other: &str| {
        let line = |value: &str| format!("setsockopt(1, SOL_TIPC, 0x8f /* TIPC_??? */, {value}, 2) = 0");
        is_known(&line("[209]"), &line(other), [1, 271, 0x8f, 0, 2, 0], 0)
    };
    assert!(unknown(r#""\321\0""#));
    assert!(!unknown(r#""\321\1""#));
    assert!(!unknown(r#""""#));
    let there = |at: u64| {
        let line = |value: &str| format!("getsockopt(1, SOL_TIPC, 0x8f /* TIPC_??? */, {value}, [71]) = 0");
        plain(&line("[607997773]"), &line(&format!("{at:#x}")))
    };
    assert!(there(0x1000_0000_6ff9));
    assert!(!there(0x1000_0000_6000));
    let known = |length: u64| {
        let line = |value: &str| format!("getsockopt(1, SOL_NETLINK, NETLINK_RX_RING, {value}, [{length}]) = 0");
        plain(&line("[577266208]"), &line("0x100000400000"))
    };
    assert!(known(3));
    assert!(!known(4));
    let key = |option: u64, length: u64| {
        let line = |value: &str| format!("setsockopt(3, SOL_TCP, X, {value}, {length}) = 0");
        is_known(
            &line("{addr={sa_family=AF_INET}, keylen=0}"),
            &line("0x100000e70000"),
            [3, 6, option, 0, length, 0],
            0,
        )
    };
    assert!(key(38, 287));
    assert!(!key(38, 288));
    assert!(!key(37, 287));
}

#[test]
fn answers_have_the_bytes_that_the_kernel_tells() {
    let query = |name: &str, size: u64| {
        let line = |more: &str| {
            format!(
                "io_uring_register(0, X, {{query_op={name}, size={size}, query_data={{a=0{more}}}, next_entry=NULL}}, 0) = 0"
            )
        };
        plain(&line(", b=0"), &line(""))
    };
    assert!(query("IO_URING_QUERY_OPCODES", 40));
    assert!(!query("IO_URING_QUERY_OPCODES", 48));
    assert!(!query("IO_URING_QUERY_SCQ", 40));
    let unknown = |size: u64| {
        let line = |data: &str| {
            format!("io_uring_register(0, X, {{query_op=0x5a, size={size}, {data}next_entry=NULL}}, 0) = 0")
        };
        plain(&line(""), &line("query_data=0x100003c90000, "))
    };
    assert!(unknown(0));
    assert!(!unknown(8));
    let cookie = |member: &str, size: u64| {
        let line = |more: &str| format!("bpf(X, {{a={{b=1{more}}}}}, {size}) = 0");
        is_known(&line(""), &line(&format!(", {member}=0")), [0, 0, size, 0, 0, 0], 0)
    };
    assert!(cookie("cookie", 20));
    assert!(!cookie("cookie", 24));
    assert!(!cookie("prog_fd", 20));
    let mapping = |room: u64| {
        let line = |map: &str| format!("statmount({{size=0}}, {{size=900, mnt_uidmap={map}}}, 5, 0) = 0");
        is_known(&line("0"), &line(r#"["", ???]"#), [0, 1, room, 0, 0, 0], 0)
    };
    assert!(mapping(512));
    assert!(!mapping(1024));
}

#[test]
fn results_have_the_notes_of_their_own_calls() {
    let control = |name: &str, note: &str| {
        let line = |note: &str| format!("prctl(PR_GET_SPECULATION_CTRL, {name}) = 4{note}");
        is_known(&line(note), &line(""), [53, 4, 0, 0, 0, 0], 4)
    };
    assert!(control("0x4284 /* PR_SPEC_??? */", " (Timeout)"));
    assert!(control("0x4284 /* PR_SPEC_??? */", " ()"));
    assert!(!control("PR_SPEC_STORE_BYPASS", " (PR_SPEC_DISABLE)"));
    let created = |request: &str| {
        plain(&format!("ioctl(1, {request}) = 2"), &format!("ioctl(1, {request}) = 2 ({{index=1, count=2}})"))
    };
    assert!(created("_IOC(_IOC_READ|_IOC_WRITE, 0x56, 0x5c, 0xf8), 0x1000025a8270"));
    assert!(!created("VIDIOC_CREATE_BUFS, 0x1000025a8270"));
    let ready = |to: u32, left: &str| {
        let numbers = (0..to).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
        let line = |end: &str| format!("pselect6(400, [], NULL, NULL, NULL, NULL) = 9 (in [{numbers}]{end})");
        plain(&line(""), &line(left))
    };
    assert!(ready(300, ", left {tv_sec=1, tv_nsec=8}"));
    assert!(ready(300, ", out [5]"));
    assert!(!ready(30, ", out [5]"));
    let changed = |at: u64| plain(&format!("f({at:#x}) = 1"), "f({count=3} => {count=4}) = 1");
    assert!(changed(0x1000_009a_efe0));
    assert!(!changed(0x1000_009a_0000));
    let empty =
        |first: &str| plain(&format!("_sysctl({{name={first}, nlen=0}}) = 0"), "_sysctl({name=[], nlen=0}) = 0");
    assert!(empty("0x5c00"));
    assert!(!empty("[1]"));
}

#[test]
fn texts_and_numbers_of_nothing_are_told_by_their_members() {
    let text = |member: &str, first: &str| {
        plain(&format!("bpf(X, {{{member}={first}, n=0}}, 56) = 0"), &format!("bpf(X, {{{member}=0x4, n=0}}, 56) = 0"))
    };
    assert!(text("buf", r#""""#));
    assert!(!text("buf", r#""a""#));
    assert!(!text("license", r#""""#));
    let pages = |member: &str, other: &str| {
        let line = |number: &str| format!("ioctl(1, X, {{{member}={number}}}) = 0");
        plain(&line("16137707078272051131"), &line(other))
    };
    assert!(pages("mapped", "-2309036995437500485"));
    assert!(!pages("mapped", "-2309036995437500486"));
    assert!(!pages("copy", "-2309036995437500485"));
    let control = |first: &str| {
        let line = |id: &str| format!("ioctl(1, X, {{id={id}}}) = 0");
        plain(&line(first), &line("V4L2_CTRL_FLAG_NEXT_CTRL"))
    };
    assert!(control("V4L2_CTRL_FLAG_NEXT_CTRL|0 /* V4L2_CID_??? */"));
    assert!(!control("V4L2_CTRL_FLAG_NEXT_CTRL|V4L2_CID_GAIN"));
    let bare =
        |request: &str| plain(&format!("ioctl(1, {request}, 0x7b0000) = 0"), &format!("ioctl(1, {request}) = 0"));
    assert!(bare("DM_MPATH_PROBE_PATHS"));
    assert!(!bare("TIOCEXCL"));
    let flags = |first: &str, other: &str| {
        let line = |flags: &str| format!("ioctl(1, X, {{lo_flags={flags}, n=1}}) = 0");
        plain(&line(first), &line(other))
    };
    assert!(flags("LO_FLAGS_USE_AOPS|0x20", "0x22 /* LO_FLAGS_??? */"));
    assert!(!flags("LO_FLAGS_READ_ONLY|0x20", "0x21 /* LO_FLAGS_??? */"));
    assert!(plain("bpf({btf_flags=BPF_F_RDONLY|0x20}) = 0", "bpf({btf_flags=0x28 /* BPF_F_??? */}) = 0"));
    assert!(!plain("bpf({btf_flags=BPF_F_RDONLY|0x20}) = 0", "bpf({btf_flags=0x8 /* BPF_F_??? */}) = 0"));
}
