//! Decoders that need code, one file per topic. The row's shape declares the memory that they may read.

use crate::{Cx, Siblings, Value, generic};
use stride_event::Phase;
use stride_syscalls::{Dir, Irregular, Len, Note, Ty};

mod aio;
mod answers;
mod bpf;
mod caps;
mod cmsg;
mod dated;
pub mod dev;
mod dirents;
mod environ;
mod fcntl;
mod file_handle;
pub mod filter;
mod futex;
pub mod inet;
pub(crate) mod ioctl;
pub mod iovec;
mod ipc;
mod keys;
mod limits;
mod memory;
mod mount;
mod msghdr;
mod names;
mod netlink;
mod notify;
mod offset;
mod open_how;
mod perf;
pub mod poll;
mod prctl;
mod process;
mod ptrace;
mod rseq;
mod sched;
mod sigevent;
pub mod siginfo;
pub mod sigset;
pub mod sockaddr;
mod socket;
mod sockopt;
mod system;
mod time;
mod uring;
mod xattr;

/// A value in a register or a scalar member. Usually it is a pointer whose target was captured by the shape.
pub fn held<'a>(cx: &Cx<'a>, which: Irregular, shape: &Ty, raw: u64, siblings: Siblings) -> Value<'a> {
    match which {
        // files, paths, fcntl
        Irregular::Dirents64 => dirents::decode64(cx, raw),
        Irregular::Dirents => dirents::decode_long(cx, raw),
        Irregular::OldDirent => dirents::decode_old(cx, raw),
        Irregular::PathOut => names::decode(cx, raw),
        Irregular::OffsetChange => offset::change(cx, shape, raw),
        Irregular::SplitOffset => offset::split(cx, raw),
        Irregular::FileHandle => file_handle::decode(cx, shape, raw),
        Irregular::MemfdName => names::memfd_name(cx, raw),
        Irregular::UpToPage if cx.arg("size") > 4096 => Value::Addr(raw),
        // mount, xattr, notify, aio, keys
        Irregular::XattrValue => xattr::value(cx, shape, raw, siblings),
        Irregular::XattrList => xattr::list(cx, raw),
        Irregular::KeySerial => keys::serial(cx, raw),
        Irregular::KeyDefault => keys::default(cx, raw),
        Irregular::KeyError => keys::error(raw),
        Irregular::KeyText => keys::text(cx, raw),
        Irregular::KeyData => keys::data(cx, raw),
        Irregular::KeyCaps => keys::capabilities(cx, raw),
        Irregular::KeyOtherInfo => keys::other_info(cx, shape, raw, siblings),
        Irregular::PkeyData(length) => keys::pkey(cx, shape, length, raw),
        Irregular::LandlockRuleset => keys::landlock_ruleset(cx, shape, raw, siblings),
        Irregular::LsmIds => keys::lsm_ids(cx, shape, raw, siblings),
        Irregular::LsmContexts => keys::lsm_contexts(cx, raw),
        Irregular::LsmContext => keys::lsm_context(cx, raw),
        Irregular::FanotifyInit => notify::init(cx, raw),
        Irregular::FanotifyDir => notify::dir(cx, raw, siblings),
        Irregular::Iocbs => aio::iocbs(cx, shape, raw, siblings),
        Irregular::IocbCancel => aio::cancelled(cx, raw),
        Irregular::IocbPriority => aio::iocb_priority(cx, raw),
        Irregular::IocbVector => aio::vector(cx, shape, raw, siblings),
        Irregular::IocbVectorLen => aio::vector_len(raw),
        Irregular::IoPriority => aio::priority(cx, raw),
        Irregular::UringFd => uring::ring(cx, raw),
        Irregular::UringOpcode => uring::opcode(cx, raw),
        Irregular::UringFdOrSkip => uring::fd_or_skip(cx, raw),
        Irregular::UringProbe => uring::probe(cx, raw),
        Irregular::UringLimit => uring::limit(cx, raw, siblings),
        Irregular::UringWorkers => uring::workers(cx, raw),
        Irregular::UringEntry => uring::entry(cx, raw),
        Irregular::UringOffset => uring::offset(cx, raw, siblings),
        Irregular::UringQuery => uring::query(cx, raw),
        Irregular::CountedByArg(count) => uring::counted(cx, shape, raw, count),
        Irregular::WithArg(name, min, max) => uring::with_arg(cx, shape, raw, name, (min, max), siblings),
        Irregular::Change => aio::change(cx, shape, raw, siblings),
        Irregular::Changed(member) => answers::changed(cx, shape, raw, member, siblings),
        Irregular::FilledIn(member) => answers::filled_in(cx, shape, raw, member, siblings),
        Irregular::MountFlags => mount::flags(cx, raw),
        Irregular::MountType => mount::fstype(cx, raw),
        Irregular::MountData => mount::data(cx, raw),
        Irregular::FsString => mount::fs_string(cx, raw),
        Irregular::FsBlob => mount::fs_blob(cx, raw),
        Irregular::SwapFlags => mount::swap_flags(cx, raw),
        Irregular::QuotaOp => mount::quota_op(cx, raw),
        Irregular::StatmountReq => mount::statmount_req(cx, raw),
        Irregular::ListmountReq => mount::listmount_req(cx, raw),
        Irregular::Ids(room) => mount::ids(cx, shape, raw, room),
        Irregular::ListnsReq => mount::listns_req(cx, raw),
        Irregular::Statmount => mount::statmount(cx, raw),
        Irregular::StatmountStr => mount::statmount_str(cx, raw, siblings),
        Irregular::StatmountStrs(count) => mount::statmount_strs(cx, raw, count, siblings),

        // process, prctl, creds, limits, bpf, system
        Irregular::Environ => environ::decode(cx, raw),
        Irregular::Reaped => process::reaped(cx, shape, raw, siblings),
        Irregular::WaitStatus => Value::WaitStatus(raw as u32),
        Irregular::WaitId => process::wait_id(cx, raw, siblings),
        Irregular::CloneFlags => process::clone_flags(cx, raw),
        Irregular::WideSignal => process::wide_signal(raw),
        Irregular::SveLength => prctl::vector_length(cx, raw, &stride_syscalls::sets::prctl::SVE),
        Irregular::SmeLength => prctl::vector_length(cx, raw, &stride_syscalls::sets::prctl::SME),
        Irregular::TaggedAddr => prctl::tagged_addr(cx, raw),
        Irregular::RiscvVector => prctl::riscv_vector(cx, raw),
        Irregular::PtracerPid => prctl::ptracer_pid(cx, raw),
        Irregular::CString(max) => prctl::c_string(cx, shape, raw, max),
        Irregular::BpfAttr(within, base) => bpf::attr(cx, shape, raw, within, base),
        Irregular::BpfCode => bpf::code(cx, raw),
        Irregular::BpfLog => bpf::log(cx, shape, raw, siblings),
        Irregular::KernelVersion => bpf::kernel_version(cx, raw),
        Irregular::NumaNode => bpf::numa_node(cx, raw),
        Irregular::IteratedMap => bpf::iterated_map(cx, raw),
        Irregular::BpfInfo => bpf::info(cx, raw, siblings),
        Irregular::Filled(count, shift) => bpf::filled(cx, shape, raw, count, shift, siblings),
        Irregular::InFull if cx.abbrev => Value::Addr(raw),
        Irregular::PerfAttr => perf::attr(cx, raw),
        Irregular::UserOffset => ptrace::user_offset(cx, raw),
        Irregular::RegsetOut => ptrace::regset(cx, raw, false),
        Irregular::RegsetIn => ptrace::regset(cx, raw, true),
        Irregular::SeccompMetadata => ptrace::seccomp_metadata(cx, raw),
        Irregular::SyscallInfo => ptrace::syscall_info(cx, shape, raw),
        Irregular::SeccompInstructions if cx.failed() => Value::Addr(raw),
        Irregular::SeccompInstructions => {
            let n = cx.ret().unwrap_or(0).max(0) as u64;
            filter::instructions(cx, Phase::Exit, raw, n, filter::Runs::OnCalls).unwrap_or(Value::Addr(raw))
        }
        Irregular::SeccompFilter => filter::program(cx, raw, filter::Runs::OnCalls),
        Irregular::CloneReply => process::clone_reply(cx, raw),
        Irregular::PidBy(sibling, kinds) => process::id_by(cx, raw, sibling, kinds, siblings),
        Irregular::FdOf(pid) => process::fd_of(cx, pid, raw),
        Irregular::FdOfPidfd(pidfd) => process::fd_of_pidfd(cx, pidfd, raw),
        Irregular::Limit => limits::decode(cx, shape, raw),
        Irregular::Persona => system::persona(cx, raw),
        Irregular::LdtEntry => system::ldt_entry(cx, shape, raw, siblings),
        Irregular::PadHex(width) => Value::PadHex { raw, width },
        Irregular::OrMinusOne if raw == u64::from(u32::MAX) => Value::Int(-1),
        Irregular::NumberedInt => system::numbered(cx, shape, raw),
        Irregular::Between(min, max) => system::between(cx, shape, raw, min, max, siblings),
        Irregular::ThreadAreaOut => system::thread_area_out(cx, shape, raw),
        Irregular::HexBytes => system::hex_bytes(generic::held(cx, shape, raw, siblings)),
        Irregular::KexecFlags => system::kexec_flags(cx, raw),
        Irregular::ThreadArea => system::thread_area(cx, shape, raw),
        Irregular::CapData => caps::decode(cx, raw, if shape.needs_exit() { Phase::Exit } else { Phase::Entry }),
        // memory, sched, signal, time, futex
        Irregular::NodeMask => memory::nodes(cx, shape, raw, siblings),
        Irregular::MaskWord => memory::mask_word(cx, raw),
        Irregular::Residency => memory::residency(raw),
        Irregular::NodeOrError => memory::node_or_error(raw),
        Irregular::NodesOrErrors if raw != 0 && cx.arg("count") == 0 => Value::Array(&[], crate::Tail::End),
        Irregular::NodesOrErrors => generic::held(cx, shape, raw, siblings),
        Irregular::PageOffset => memory::page_offset(raw),
        Irregular::CpuSet => sched::cpus(cx, shape, raw, siblings),
        Irregular::SchedAttr => sched::attr(cx, shape, raw),
        Irregular::Siginfo => siginfo::held(cx, shape, raw),
        Irregular::SigMask => sigset::word(cx, raw),
        Irregular::PendingSignals => sigset::pending(cx, shape, raw, siblings),
        Irregular::SigFrame => sigset::frame(cx, false),
        Irregular::OldSigFrame => sigset::frame(cx, true),
        Irregular::Resumed => sigset::resumed(cx),
        Irregular::Handler => sigset::handler(cx, raw),
        Irregular::Remaining => time::remaining(cx, shape, raw, siblings),
        Irregular::Moment => time::moment(cx, raw),
        Irregular::FutexWakeOp => futex::wake_op(cx, raw),
        Irregular::FutexWaiters => futex::waiters(cx, shape, raw, siblings),
        Irregular::Rseq => rseq::held(cx, raw),
        Irregular::RseqSection => rseq::section(cx, raw),
        // socket, sockopt, poll, ipc
        Irregular::SockType => socket::kind(cx, raw),
        Irregular::Numbered => Value::Numbered(cx.keep(generic::held(cx, shape, raw, siblings))),
        Irregular::PacketProtocol => socket::packet_protocol(cx, raw),
        Irregular::LenChange => socket::len_change(cx, raw),
        Irregular::PollFds => poll::fds(cx, raw),
        Irregular::FdSet => poll::fd_set(cx, raw),
        Irregular::Timeout => poll::timeout(cx, raw, shape),
        Irregular::IpcFlags => ipc::flags(cx, raw),
        Irregular::ShmFlags => ipc::shm_flags(cx, raw),
        Irregular::IpcKey => ipc::key(raw),
        Irregular::IpcCall => ipc::call(cx, raw),
        Irregular::IpcOp => ipc::op(cx, raw, shape),
        Irregular::MsgBuf => ipc::message(cx, raw, dir(shape)),
        Irregular::Ifindex => inet::ifindex(cx, raw as u32),
        Irregular::Msghdr => msghdr::one(cx, raw, dir(shape)),
        Irregular::Mmsghdr => msghdr::many(cx, raw, Dir::In, len(shape)),
        Irregular::MmsghdrOut => msghdr::many(cx, raw, Dir::Out, len(shape)),
        Irregular::Bits => netlink::value::bits(cx, raw, shape, 0),
        Irregular::BitsFromOne => netlink::value::bits(cx, raw, shape, 1),
        Irregular::RouteFamily => netlink::value::route_family(raw),
        Irregular::BitsOfByte(from, to) => netlink::value::bits_of_byte(cx, shape, raw, [from, to], siblings),
        Irregular::NetlinkProtocol => netlink::protocol(raw),
        Irregular::Payload => msghdr::payload(cx, raw, dir(shape)),
        Irregular::SockoptGet => sockopt::get(cx, raw, len(shape)),
        Irregular::SockoptSet => sockopt::set(cx, raw),
        Irregular::SockFilter => sockopt::filter(cx, raw),

        // ioctl
        Irregular::IoctlRequest => ioctl::request(cx, raw),
        Irregular::IoctlUnknown => ioctl::unknown(cx, shape, raw),
        Irregular::UffdFeatures => ioctl::misc::uffd_features(cx, raw, siblings),
        Irregular::Keycode => ioctl::input::keycode(cx, shape, raw, siblings),
        Irregular::RtcParam => ioctl::misc::rtc_param(cx, raw),
        Irregular::Dedupe => ioctl::files::dedupe(cx, raw),
        Irregular::DedupeStatus => ioctl::files::dedupe_status(raw),
        Irregular::Fiemap => ioctl::files::fiemap(cx, raw),
        Irregular::Label => ioctl::files::label(cx, shape, raw),
        Irregular::InterfaceName => ioctl::net::interface_name(cx, raw),
        Irregular::Ifconf => ioctl::net::ifconf(cx, raw),
        Irregular::Entropy => ioctl::misc::entropy(cx, raw),
        Irregular::UdmabufList => ioctl::misc::udmabuf_list(cx, raw),
        Irregular::Nanoseconds => ioctl::misc::nanoseconds(cx, raw),
        Irregular::KvmCpuid => ioctl::virtual_machine::cpuid(cx, raw, dir(shape)),
        Irregular::KvmRegisters => ioctl::virtual_machine::registers(cx, raw, dir(shape)),
        Irregular::NumberReply => ioctl::misc::number_reply(cx, shape, raw),
        Irregular::CallNumber(arch) => ioctl::process::call_number(cx, raw, arch, siblings),
        Irregular::ErrorNumber => ioctl::process::error_number(raw),
        Irregular::Notification => ioctl::process::notification(cx, raw),
        Irregular::PerfPrograms => ioctl::process::perf_programs(cx, raw),
        Irregular::Character => ioctl::console::character(raw),
        Irregular::Pitch => ioctl::console::pitch(cx, raw),
        Irregular::Tone => ioctl::console::tone(cx, raw),
        Irregular::GraphicsPort => ioctl::console::port(cx, raw),
        Irregular::KeyboardMode => ioctl::console::mode(cx, raw),
        Irregular::KeyboardEntry => ioctl::console::entry(cx, raw, dir(shape)),
        Irregular::KeyboardString => ioctl::console::string(cx, raw, dir(shape)),
        Irregular::Composed(unicode) => ioctl::console::composed(cx, raw, dir(shape), unicode),
        Irregular::ScreenMap => ioctl::console::screen_map(cx, raw, dir(shape)),
        Irregular::Glyph => ioctl::console::glyph(cx, raw),
        Irregular::Font => ioctl::console::font(cx, raw, dir(shape)),
        Irregular::FontOp => ioctl::console::font_op(cx, raw),
        Irregular::DriveCommand => ioctl::disk::command(cx, raw),
        Irregular::Joined(more) => answers::joined(cx, shape, raw, more),
        Irregular::Answer(fixed) => answers::answer(cx, shape, raw, fixed),
        Irregular::FourCc => ioctl::video::four_characters(cx, shape, raw),
        Irregular::ControlId(flags) => ioctl::video::control_id(cx, raw, flags),
        Irregular::VideoControls(get) => ioctl::video::controls(cx, raw, get),
        Irregular::VideoBufferFlags => ioctl::video::buffer_flags(cx, raw),
        Irregular::UnsignedDate => cx.dated(Value::UInt(raw), raw as i64, 0, 9),
        Irregular::Thousandths => ioctl::btrfs::thousandths(cx, raw),
        Irregular::Most(name) => ioctl::btrfs::most(cx, shape, raw, name, siblings),
        Irregular::Unusual(usual) if cx.abbrev && raw == usual => Value::Absent,
        Irregular::QgroupInherit => ioctl::btrfs::qgroup_inherit(cx, raw),
        Irregular::TreeSearch(v2) => ioctl::btrfs::tree_search(cx, raw, v2),
        Irregular::Spaces => ioctl::btrfs::spaces(cx, raw),
        Irregular::InodePaths => ioctl::btrfs::inode_paths(cx, raw),
        Irregular::InodesOfExtent => ioctl::btrfs::inodes(cx, raw),
        Irregular::SupportedFeatures => ioctl::btrfs::supported_features(cx, raw),
        Irregular::MapperRequest => ioctl::mapper::request(cx, raw),
        Irregular::TeeCall => ioctl::tee::call(cx, shape, raw),
        Irregular::ScsiCommand => ioctl::scsi::command(cx, raw),
        Irregular::Microseconds => ioctl::misc::microseconds(cx, raw),

        // These only declare what is captured or looked up, or are handled above. They are shown as their shape.
        Irregular::LinkTarget
        | Irregular::UpToPage
        | Irregular::Untouched
        | Irregular::InFull
        | Irregular::OrMinusOne
        | Irregular::Unusual(_)
        | Irregular::OfTerminal => generic::held(cx, shape, raw, siblings),
        // Decoded in memory: see `inline`.
        Irregular::DatedNsec
        | Irregular::Dated
        | Irregular::DatedTime
        | Irregular::FileTime
        | Irregular::OpenHowMode
        | Irregular::Sigevent
        | Irregular::Ip
        | Irregular::SockaddrStorage
        | Irregular::NetOrder
        | Irregular::NetEtherType
        | Irregular::Mac
        | Irregular::FamilyAddress(_)
        | Irregular::MdbAddress
        | Irregular::McastDirections
        | Irregular::InetDiagId
        | Irregular::ControlChars
        | Irregular::Counted(..)
        | Irregular::CountedText(..)
        | Irregular::FirstItems(..)
        | Irregular::PtpSamples
        | Irregular::PtpTriples
        | Irregular::PtpTime
        | Irregular::VolumeName
        | Irregular::FirstOfSigned(_)
        | Irregular::Rows(_)
        | Irregular::Fraction
        | Irregular::Uuid
        | Irregular::DeviceStats
        | Irregular::GpioAttr
        | Irregular::GpioConfigAttr
        | Irregular::HardwareAddr => generic::held(cx, shape, raw, siblings),
    }
}

/// A value in captured memory.
pub fn inline<'a>(
    cx: &Cx<'a>,
    which: Irregular,
    shape: &Ty,
    phase: Phase,
    addr: u64,
    size: usize,
    siblings: Siblings,
) -> Option<Value<'a>> {
    match which {
        // files, paths, fcntl
        Irregular::DatedNsec => dated::seconds_nsec(cx, phase, addr, size),
        Irregular::Dated => dated::seconds(cx, phase, addr, size),
        Irregular::DatedTime => dated::time(cx, shape, phase, addr),
        Irregular::FileTime => dated::file_time(cx, shape, phase, addr),
        Irregular::OpenHowMode => open_how::mode(cx, phase, addr, siblings),

        // mount, xattr, notify, aio, keys

        // process, prctl, creds, limits, bpf, system
        Irregular::HexBytes => Some(system::hex_bytes(generic::inline(cx, shape, phase, addr, size, siblings)?)),

        // memory, sched, signal, time, futex
        Irregular::SigMask => sigset::inline(cx, phase, addr, size),
        Irregular::Sigevent => sigevent::inline(cx, phase, addr),
        Irregular::Siginfo => siginfo::inline(cx, phase, addr),
        // socket, sockopt, poll, ipc
        Irregular::NetOrder => netlink::value::net_order(cx, cx.read(phase, addr, size)?),
        Irregular::NetEtherType => netlink::value::ether_type(cx, phase, addr),
        Irregular::Mac => cx.read(phase, addr, size).map(|bytes| inet::mac(cx, bytes)),
        Irregular::FamilyAddress(member) => netlink::value::family_address(cx, phase, addr, size, member, siblings),
        Irregular::McastDirections => netlink::value::mcast_directions(cx, phase, addr),
        Irregular::MdbAddress => netlink::value::mdb_address(cx, phase, addr),
        Irregular::InetDiagId => match siblings {
            Siblings::Struct(_, base, _) => netlink::value::inet_diag_id(cx, phase, addr, base),
            Siblings::Args => None,
        },
        Irregular::Ip => inet::ip(cx.read(phase, addr, size)?),
        Irregular::SockaddrStorage => cx.read(phase, addr, size).map(|bytes| sockaddr::value(cx, bytes)),

        // ioctl
        Irregular::ControlChars => ioctl::tty::control_chars(cx, phase, addr, size),
        Irregular::Counted(count, hex) => ioctl::counted(cx, phase, addr, size, count, hex, siblings),
        Irregular::CountedText(member) => {
            let len = ioctl::count(cx, member, phase, siblings) as usize;
            ioctl::text(cx, phase, addr, size, len)
        }
        Irregular::VolumeName => {
            let len = ioctl::misc::name_length(cx, phase, siblings)?;
            ioctl::text(cx, phase, addr, size, len)
        }
        Irregular::FirstItems(member) => {
            let used = ioctl::count(cx, member, phase, siblings);
            ioctl::first_items(cx, shape, phase, addr, size, used, siblings)
        }
        Irregular::FirstOfSigned(member) => {
            let used = ioctl::misc::signed_count(cx, member, phase, siblings)?;
            ioctl::first_items(cx, shape, phase, addr, size, used, siblings)
        }
        Irregular::PtpSamples => {
            let used = ioctl::clock::times(cx, phase, siblings);
            ioctl::first_items(cx, shape, phase, addr, size, used, siblings)
        }
        Irregular::Rows(columns) => ioctl::misc::rows(cx, shape, phase, addr, size, columns.into(), siblings),
        Irregular::Fraction => ioctl::video::fraction(cx, phase, addr),
        Irregular::Uuid => ioctl::btrfs::uuid(cx, phase, addr),
        Irregular::DeviceStats => ioctl::btrfs::device_stats(cx, phase, addr, size, siblings),
        Irregular::PtpTime => dated::clock_time(cx, shape, phase, addr),
        Irregular::PtpTriples => ioctl::clock::triples(cx, shape, phase, addr, size, siblings),
        Irregular::GpioAttr => ioctl::gpio::attr(cx, phase, addr),
        Irregular::GpioConfigAttr => ioctl::gpio::config_attr(cx, phase, addr),
        Irregular::HardwareAddr => ioctl::net::hardware(cx, phase, addr),

        // `held` lists every decoder without a wildcard, so a forgotten one does not compile.
        _ => None,
    }
}

/// The direction of a shape that is a pointer.
fn dir(shape: &Ty) -> Dir {
    match *shape {
        Ty::Ptr(dir, _) | Ty::Array(dir, ..) | Ty::Table(dir, ..) | Ty::Bytes(dir, _) | Ty::Buffer(dir, ..) => dir,
        _ => Dir::In,
    }
}

/// The length of a shape that has one.
fn len(shape: &Ty) -> Len {
    match *shape {
        Ty::Array(_, _, len) | Ty::Table(_, _, len, _) | Ty::Bytes(_, len) | Ty::Buffer(_, len, _) => len,
        _ => Len::Fixed(1),
    }
}

/// The note in parentheses behind a return value.
pub fn note<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    match cx.row.note? {
        Note::Fcntl => fcntl::note(cx),
        Note::Ioctl => ioctl::note(cx),
        Note::Prctl => prctl::note(cx),
        Note::IoPriority => aio::priority_note(cx),
        Note::Persona => Some(Value::Styled(cx.keep(system::persona(cx, cx.ret()? as u64)))),
        Note::Membarrier => system::membarrier_note(cx),
        Note::ThreadArea => system::thread_area_note(cx),
        Note::SchedPolicy => sched::policy(cx),
        Note::Signal => cx.ret().filter(|v| (1..=64).contains(v)).map(|v| Value::Signal(v as i32)),
        Note::Disposition => sigset::previous(cx),
        Note::Mask => sigset::returned(cx, "mask"),
        Note::OldMask => sigset::returned(cx, "old mask"),
        Note::ClockState => time::state(cx),
        Note::Moment => time::now(cx),
        Note::Ready => poll::poll_note(cx),
        Note::ReadySets => poll::select_note(cx),
        Note::TimeLeft => poll::recvmmsg_note(cx),
        Note::Namespaces(flags) => process::namespaces(cx, flags),
    }
}
