//! Answers of the kernel to requests that need devices, which no program of `tests/syscalls/` can count on.

use std::sync::OnceLock;
use stride_decode::{Decoder, Options, Part};
use stride_event::{Call, CallSet, Limits, Outcome, Peek, Phase, capture};
use stride_output::{Brief, Style};
use stride_syscalls::plan::Plan;
use stride_syscalls::uapi::consts as c;
use stride_syscalls::uapi::ioctls::IOCTLS;
use stride_syscalls::{Abi, ioctl, table};
use stride_test_support::calls::call;

/// The struct, behind the argument.
const AT: u64 = 0x1000;

/// Numbers, one behind the other.
#[derive(Default, Clone)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn u32(mut self, values: &[u32]) -> Bytes {
        values.iter().for_each(|v| self.0.extend(v.to_le_bytes()));
        self
    }

    fn u64(mut self, values: &[u64]) -> Bytes {
        values.iter().for_each(|v| self.0.extend(v.to_le_bytes()));
        self
    }

    fn text(mut self, text: &str, room: usize) -> Bytes {
        let end = self.0.len() + room;
        self.0.extend(text.bytes());
        self.to(end)
    }

    /// Zeros up to this size.
    fn to(mut self, size: usize) -> Bytes {
        assert!(self.0.len() <= size, "{} are too many", self.0.len());
        self.0.resize(size, 0);
        self
    }
}

/// Memory that holds these bytes and no others.
struct Only<'m>(&'m [u8]);

impl Peek for Only<'_> {
    fn peek(&mut self, addr: u64, buf: &mut [u8]) -> usize {
        let from = usize::try_from(addr.wrapping_sub(AT)).unwrap_or(usize::MAX);
        let there = self.0.get(from..).unwrap_or(&[]);
        let n = there.len().min(buf.len());
        buf[..n].copy_from_slice(&there[..n]);
        n
    }
}

/// The call as text, with `-v`: memory before and after it.
fn shown(request: u64, before: &Bytes, after: &Bytes, outcome: Outcome) -> String {
    let mut call: Call = call(7, "ioctl", &[3, request, AT], Outcome::Pending);
    let row = table(Abi::X86_64).get(call.nr).unwrap().row;
    static PLAN: OnceLock<Plan> = OnceLock::new();
    let plan = PLAN.get_or_init(|| Plan::of(row, Abi::X86_64));
    let limits = Limits { text: 32, command_text: 0, elements: 32, received: true };
    capture(plan, row, Phase::Entry, &mut call, &limits, &mut Only(&before.0));
    call.outcome = outcome;
    capture(plan, row, Phase::Exit, &mut call, &limits, &mut Only(&after.0));
    let options = Options { abbrev: CallSet::empty(), ..Options::default() };
    let (mut decoder, mut brief) = (Decoder::default(), Brief::new(Style::default()));
    let text = brief.call(&decoder.decode(&call, Part::Whole, &options, &())).into_owned();
    text.strip_prefix("ioctl(3, ").unwrap_or_else(|| panic!("{text}")).to_string()
}

fn answered(request: u64, before: &Bytes, after: &Bytes) -> String {
    shown(request, before, after, Outcome::Value(0))
}

#[test]
fn a_search_in_a_tree_of_btrfs() {
    let key = |items| Bytes::default().u64(&[5, 256, 300, 0, 1, 0, 1]).u32(&[1, 12, items]);
    let found = key(2).to(104).u64(&[9, 256, 0]).u32(&[1, 4]).u32(&[0]).u64(&[10, 300, 2]).u32(&[99, 0]);
    let asked = "{key={tree_id=BTRFS_FS_TREE_OBJECTID, min_objectid=BTRFS_FIRST_FREE_OBJECTID, max_objectid=300, min_offset=0, \
                 max_offset=1, min_transid=0, max_transid=1, min_type=BTRFS_INODE_ITEM_KEY, max_type=BTRFS_INODE_REF_KEY, \
                 nr_items=10}";
    assert_eq!(
        answered(c::BTRFS_IOC_TREE_SEARCH, &key(10).to(4096), &found.to(4096)),
        format!(
            "BTRFS_IOC_TREE_SEARCH, {asked}}} => {{key={{nr_items=2}}, buf=[{{transid=9, objectid=BTRFS_FIRST_FREE_OBJECTID, \
             offset=0, type=BTRFS_INODE_ITEM_KEY, len=4}}, {{transid=10, objectid=300, offset=2, type=99, len=0}}]}}) = 0"
        )
    );
    // The answer to the newer request may need more room, which the kernel tells.
    let (before, after) = (key(10).to(104).u64(&[16]), key(10).to(104).u64(&[70]));
    assert_eq!(
        shown(c::BTRFS_IOC_TREE_SEARCH_V2, &before, &after, Outcome::Error(c::EOVERFLOW as u32)),
        format!(
            "BTRFS_IOC_TREE_SEARCH_V2, {asked}, buf_size=16}} => {{buf_size=70}}) = -1 EOVERFLOW (Value too large for defined \
             data type)"
        )
    );
}

#[test]
fn what_btrfs_knows_of_devices_and_inodes() {
    let slots = |total, of: &[u64]| Bytes::default().u64(&[1, total]).u64(of);
    assert_eq!(
        answered(c::BTRFS_IOC_SPACE_INFO, &slots(0, &[]), &slots(1, &[c::BTRFS_BLOCK_GROUP_DATA, 100, 7])),
        "BTRFS_IOC_SPACE_INFO, {space_slots=1} => {total_spaces=1, spaces=[{flags=BTRFS_BLOCK_GROUP_DATA, total_bytes=100, \
         used_bytes=7}]}) = 0"
    );
    let stats = Bytes::default().u64(&[1, 3, 0, 0, 8, 0]).to(1032);
    assert_eq!(
        answered(c::BTRFS_IOC_GET_DEV_STATS, &stats, &stats),
        "BTRFS_IOC_GET_DEV_STATS, {devid=makedev(0, 0x1), nr_items=3, flags=0} => {nr_items=3, flags=0, \
         [[BTRFS_DEV_STAT_WRITE_ERRS]=0, [BTRFS_DEV_STAT_READ_ERRS]=8, [BTRFS_DEV_STAT_FLUSH_ERRS]=0]}) = 0"
    );
    // The offset of the path counts from the first offset on.
    let paths =
        Bytes::default().u64(&[256, 64]).to(48).u64(&[AT + 56]).u32(&[50, 0, 1, 0]).u64(&[8]).text("a/b", 8).to(120);
    assert_eq!(
        answered(c::BTRFS_IOC_INO_PATHS, &paths, &paths),
        "BTRFS_IOC_INO_PATHS, {inum=256, size=64, fspath=0x1038} => {fspath={bytes_left=50, bytes_missing=0, elem_cnt=1, \
         elem_missed=0, val=[\"a/b\"]}}) = 0"
    );
    let files = Bytes::default().u64(&[4096, 64]).to(48).u64(&[AT + 56]).u32(&[0, 0, 3, 0]).u64(&[257, 0, 5]).to(120);
    assert_eq!(
        answered(c::BTRFS_IOC_LOGICAL_INO, &files, &files),
        "BTRFS_IOC_LOGICAL_INO, {logical=4096, size=64, flags=0, inodes=0x1038} => {inodes={bytes_left=0, bytes_missing=0, \
         elem_cnt=3, elem_missed=0, val=[{inum=257, offset=0, root=5}]}}) = 0"
    );
}

#[test]
fn the_table_of_a_mapped_device() {
    let head = |targets| {
        let sizes = Bytes::default().u32(&[4, 48, 0, 400, 312, targets, 1]);
        sizes.u32(&[0, 7, 0]).u64(&[0xfd00]).text("disk", 128).to(312)
    };
    let table = head(1).u64(&[0, 8]).u32(&[0, 64]).text("linear", 16).text("8:0 0", 8).to(400);
    assert_eq!(
        answered(c::DM_TABLE_STATUS, &head(0).to(400), &table),
        "DM_TABLE_STATUS, [{version=[4, 48, 0], data_size=400, data_start=312, dev=makedev(0xfd, 0), name=\"disk\", flags=0}] => \
         [{version=[4, 48, 0], data_size=400, data_start=312, dev=makedev(0xfd, 0), name=\"disk\", target_count=1, open_count=1, \
         event_nr=7, flags=0}, {sector_start=0, length=8, status=0, target_type=\"linear\", string=\"8:0 0\"}]) = 0"
    );
}

#[test]
fn the_answer_of_a_trusted_application() {
    let call = |ret, value| {
        let head = Bytes::default().u64(&[AT + 16, 56]).u32(&[1, 2, 0, ret, 4, 1]);
        head.to(40).u64(&[c::TEE_IOCTL_PARAM_ATTR_TYPE_VALUE_INOUT, value, 0, 0])
    };
    assert_eq!(
        answered(c::TEE_IOC_INVOKE, &call(0, 6), &call(3, 9)),
        "TEE_IOC_INVOKE, {buf_len=56, buf_ptr={func=1, session=0x2, cancel_id=0, num_params=1, \
         params=[{attr=TEE_IOCTL_PARAM_ATTR_TYPE_VALUE_INOUT, a=0x6, b=0, c=0}]}} => {buf_ptr={ret=0x3, ret_origin=0x4, \
         num_params=1, params=[{attr=TEE_IOCTL_PARAM_ATTR_TYPE_VALUE_INOUT, a=0x9, b=0, c=0}]}}) = 0"
    );
}

#[test]
fn a_video_device_changes_what_it_was_asked_for() {
    let buffers = |count| Bytes::default().u32(&[count, 1, 1]).to(20);
    assert_eq!(
        answered(c::VIDIOC_REQBUFS, &buffers(8), &buffers(4)),
        "VIDIOC_REQBUFS, {type=V4L2_BUF_TYPE_VIDEO_CAPTURE, memory=V4L2_MEMORY_MMAP, count=8 => 4}) = 0"
    );
    let rates = |seconds| Bytes::default().u32(&[1, 0, 0, seconds, 30]).to(204);
    let parameters = "capability=0, capturemode=0, timeperframe";
    assert_eq!(
        answered(c::VIDIOC_S_PARM, &rates(1), &rates(2)),
        format!(
            "VIDIOC_S_PARM, {{type=V4L2_BUF_TYPE_VIDEO_CAPTURE, parm.capture={{{parameters}=1/30, extendedmode=0, readbuffers=0}}}} \
             => {{parm.capture={{{parameters}=2/30, extendedmode=0, readbuffers=0}}}}) = 0"
        )
    );
    let size = |kind, width| Bytes::default().u32(&[0, c::V4L2_PIX_FMT_GREY as u32, kind, width, 480]).to(44);
    assert_eq!(
        answered(c::VIDIOC_ENUM_FRAMESIZES, &size(0, 0), &size(c::V4L2_FRMSIZE_TYPE_DISCRETE as u32, 640)),
        "VIDIOC_ENUM_FRAMESIZES, {index=0, pixel_format=v4l2_fourcc('G', 'R', 'E', 'Y') /* V4L2_PIX_FMT_GREY */, \
         type=V4L2_FRMSIZE_TYPE_DISCRETE, discrete={width=640, height=480}}) = 0"
    );
}

#[test]
fn numbers_that_the_kernel_replaces() {
    let seconds = |n| Bytes::default().u32(&[n]);
    assert_eq!(answered(c::WDIOC_SETTIMEOUT, &seconds(61), &seconds(60)), "WDIOC_SETTIMEOUT, [61 => 60]) = 0");
    assert_eq!(answered(c::WDIOC_SETTIMEOUT, &seconds(60), &seconds(60)), "WDIOC_SETTIMEOUT, [60]) = 0");
    let range = |len, unit| Bytes::default().u64(&[0, len, unit]);
    assert_eq!(
        answered(c::FITRIM, &range(u64::MAX, 0), &range(4096, 512)),
        "FITRIM, {start=0, len=18446744073709551615 => 4096, minlen=0 => 512}) = 0"
    );
    let part = |start, length| Bytes::default().u32(&[start, length]).u64(&[0x2000]);
    assert_eq!(
        answered(c::MEMREADOOB, &part(0x40, 16), &part(8, 16)),
        "MEMREADOOB, {start=0x40 => 0x8, length=0x10, ptr=0x2000}) = 0"
    );
}

/// Requests without a row have the members that the kernel's headers tell.
#[test]
fn members_that_headers_tell() {
    let version = |name_len| Bytes::default().u32(&[1, 6, 0, 0]).u64(&[name_len, 0x2000, 0, 0, 0, 0]);
    assert_eq!(
        answered(c::DRM_IOCTL_VERSION, &version(0), &version(4)),
        "DRM_IOCTL_VERSION, {version_major=1, version_minor=6, version_patchlevel=0, name_len=0 => 4, name=0x2000, date_len=0, date=NULL, \
         desc_len=0, desc=NULL}) = 0"
    );
    // A failed call has written nothing.
    assert_eq!(
        shown(
            c::DRM_IOCTL_MODE_OBJ_SETPROPERTY,
            &Bytes::default().u64(&[7]).u32(&[1, 2, 3, 0]),
            &Bytes::default(),
            Outcome::Error(22)
        ),
        "DRM_IOCTL_MODE_OBJ_SETPROPERTY, {value=7, prop_id=1, obj_id=2, obj_type=3}) = -1 EINVAL (Invalid argument)"
    );
    // Texts in arrays of bytes.
    let card = Bytes::default().u32(&[0, 0]).text("Intel", 16).text("HDA", 16).to(376);
    let shown_card = answered(c::SNDRV_CTL_IOCTL_CARD_INFO, &card, &card);
    assert!(
        shown_card.starts_with("SNDRV_CTL_IOCTL_CARD_INFO, {card=0, id=\"Intel\", driver=\"HDA\", name="),
        "{shown_card}"
    );
    let rate = |rate| Bytes::default().u32(&[rate]);
    assert_eq!(answered(c::SNDCTL_DSP_SPEED, &rate(44100), &rate(48000)), "SNDCTL_DSP_SPEED, [44100 => 48000]) = 0");
    // All of them, with any bytes, show something of these, and do not fail.
    let mut seen = 0;
    let has_row =
        |request: u32| ioctl::CASES.iter().map(|case| case.0).chain(ioctl::BARE).any(|row| row == u64::from(request));
    // (The device mapper goes by the sizes in its structs.)
    let is_mapper = |request: u32| u64::from(request) >> 8 & 0xff == c::DM_IOCTL;
    let is_told =
        |request| !has_row(request) && !is_mapper(request) && !ioctl::arguments(Abi::X86_64, request).is_empty();
    for &(request, name) in IOCTLS.iter().filter(|(request, _)| is_told(*request)) {
        let noise = |step| Bytes((0..1 << 14).map(|i: u32| (i.wrapping_mul(step) >> 8) as u8).collect());
        let text = answered(request.into(), &noise(0x9e37), &noise(0x79b9));
        assert!(text.contains(", {") || text.contains(", [") || text.contains(", \""), "{name}: {text}");
        seen += 1;
    }
    assert!(seen > 1500, "{seen}");
    // Memory that is not there.
    let part = Bytes::default().u32(&[1, 6]);
    assert_eq!(
        answered(c::DRM_IOCTL_VERSION, &part, &part),
        "DRM_IOCTL_VERSION, {version_major=1, version_minor=6, ???}) = 0"
    );
    assert_eq!(answered(c::DRM_IOCTL_VERSION, &Bytes::default(), &Bytes::default()), "DRM_IOCTL_VERSION, 0x1000) = 0");
}

/// Headers tell the meaning of members, too: flags, values, descriptors, structs in a row.
#[test]
fn meanings_that_headers_tell() {
    let create = |handle| Bytes::default().u32(&[handle, 1]);
    assert_eq!(
        answered(c::DRM_IOCTL_SYNCOBJ_CREATE, &create(0), &create(5)),
        "DRM_IOCTL_SYNCOBJ_CREATE, {handle=0 => 5, flags=DRM_SYNCOBJ_CREATE_SIGNALED}) = 0"
    );
    // A struct that has grown has given the request a second number.
    let handle = |fd| Bytes::default().u32(&[7, 3, fd, 0]);
    let shown_handle = "DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, {handle=7, flags=";
    assert!(answered(c::DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &handle(4), &handle(4)).starts_with(shown_handle));
    let grown = handle(4).u64(&[9]);
    let shown_grown = answered(c::DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE_GROWN, &grown, &grown);
    assert!(shown_grown.starts_with(shown_handle) && shown_grown.contains("fd=4, point=9"), "{shown_grown}");
    // Numbers that tell neither direction nor type.
    let header = Bytes::default().to(2);
    assert_eq!(
        answered(c::CDROMREADTOCHDR, &header, &Bytes(vec![1, 12])),
        "CDROMREADTOCHDR, {cdth_trk0=1, cdth_trk1=12}) = 0"
    );
    let region = |offset| Bytes::default().u32(&[32, 7, 2, 0]).u64(&[4096, offset]);
    assert_eq!(
        answered(c::VFIO_DEVICE_GET_REGION_INFO, &Bytes::default().u32(&[32, 0, 2, 0]).to(32), &region(1 << 40)),
        "VFIO_DEVICE_GET_REGION_INFO, {argsz=32, flags=0 => VFIO_REGION_INFO_FLAG_READ|VFIO_REGION_INFO_FLAG_WRITE|\
         VFIO_REGION_INFO_FLAG_MMAP, index=2, cap_offset=0, size=0 => 4096, offset=0 => 1099511627776}) = 0"
    );
    // A number of several requests.
    let map = Bytes::default().u32(&[32, 3]).u64(&[0x7000, 0, 4096]);
    assert_eq!(
        answered(c::VFIO_IOMMU_MAP_DMA, &map, &map),
        "VFIO_DEVICE_PCI_HOT_RESET or VFIO_IOMMU_MAP_DMA, {argsz=32, flags=VFIO_PCI_HOT_RESET_FLAG_DEV_ID|\
         VFIO_PCI_HOT_RESET_FLAG_DEV_ID_OWNED, count=28672, group_fds=[]} or \
         {argsz=32, flags=VFIO_DMA_MAP_FLAG_READ|VFIO_DMA_MAP_FLAG_WRITE, vaddr=0x7000, iova=0, size=4096}) = 0"
    );
    let scrub = |flags| Bytes::default().u32(&[12, flags]).u64(&[99]).to(64);
    assert_eq!(
        answered(c::XFS_IOC_SCRUB_METADATA, &scrub(0), &scrub(2)),
        "XFS_IOC_SCRUB_METADATA, {sm_type=XFS_SCRUB_TYPE_BMBTD, sm_flags=0 => XFS_SCRUB_OFLAG_CORRUPT, sm_ino=99, sm_gen=0, sm_agno=0}) = 0"
    );
    // The numbers behind those that each protocol uses as it likes.
    assert_eq!(answered(0x89e3, &Bytes::default(), &Bytes::default()), "SIOCPROTOPRIVATE+3, 0x1000) = 0");
}

/// Pointers are followed where another member counts what they lead to.
#[test]
fn pointers_that_headers_tell() {
    let resources = |first, ids: [u32; 2]| {
        let pointers = Bytes::default().u64(&[0, AT + 64, 0, 0]);
        pointers.u32(&[0, 2, 0, 0, first, 10, 20, 30]).u32(&ids)
    };
    assert_eq!(
        answered(c::DRM_IOCTL_MODE_GETRESOURCES, &resources(0, [0, 0]), &resources(5, [0, 32])),
        "DRM_IOCTL_MODE_GETRESOURCES, {fb_id_ptr=NULL, crtc_id_ptr=[0, 0 => 32], connector_id_ptr=NULL, encoder_id_ptr=NULL, count_fbs=0, \
         count_crtcs=2, count_connectors=0, count_encoders=0, min_width=0 => 5, max_width=10, min_height=20, max_height=30}) = 0"
    );
    // The kernel's count counts, if it differs.
    let version =
        |name_len, name| Bytes::default().u32(&[1, 6, 0, 0]).u64(&[name_len, AT + 64, 0, 0, 0, 0]).text(name, 16);
    assert_eq!(
        answered(c::DRM_IOCTL_VERSION, &version(16, ""), &version(4, "i915")),
        "DRM_IOCTL_VERSION, {version_major=1, version_minor=6, version_patchlevel=0, name_len=16 => 4, name=\"i915\", date_len=0, \
         date=NULL, desc_len=0, desc=NULL}) = 0"
    );
    // Structs, and more of them than there are in memory.
    let messages = |count| Bytes::default().u64(&[AT + 16]).u32(&[count, 0, 0x100050, 1]).u64(&[0x7000]);
    assert_eq!(
        shown(c::I2C_RDWR, &messages(1), &messages(1), Outcome::Error(c::EIO as u32)),
        "I2C_RDWR, {msgs=[{addr=0x50, flags=I2C_M_TEN, len=1, buf=0x7000}], nmsgs=1}) = -1 EIO (Input/output error)"
    );
    assert_eq!(
        answered(c::I2C_RDWR, &messages(u32::MAX), &messages(u32::MAX)),
        "I2C_RDWR, {msgs=[{addr=0x50, flags=I2C_M_TEN, len=1, buf=0x7000}, ...], nmsgs=4294967295}) = 0"
    );
}

#[test]
fn members_that_the_kernel_answers_are_those_behind_the_arrow() {
    // A device's id is what the program asks for.
    let device = Bytes::default().u64(&[5, 0, 0, 7, 9]).to(4096);
    let answer = "BTRFS_IOC_DEV_INFO, {devid=makedev(0, 0x5)} => {bytes_used=7, total_bytes=9, path=\"\"}) = 0";
    assert_eq!(answered(c::BTRFS_IOC_DEV_INFO, &device, &device), answer);
    let ranges = |count: u32| Bytes::default().u64(&[1, 2]).u32(&[count, 0]).u64(&[3, 4, 5, 0]);
    let asked = "BTRFS_IOC_FILE_EXTENT_SAME or FIDEDUPERANGE, {src_offset=1, src_length=2,";
    assert_eq!(answered(c::FIDEDUPERANGE, &ranges(0), &ranges(0)), format!("{asked} dest_count=0, info=[]}}) = 0"));
    assert_eq!(
        answered(c::FIDEDUPERANGE, &ranges(1), &ranges(1)),
        format!(
            "{asked} dest_count=1, info=[{{dest_fd=3, dest_offset=4}}]}} => {{info=[{{bytes_deduped=5, \
             status=FILE_DEDUPE_RANGE_SAME}}]}}) = 0"
        )
    );
    let version = Bytes::default().u32(&[c::TEE_IMPL_ID_OPTEE as u32, 1, 3]);
    assert_eq!(
        answered(c::TEE_IOC_VERSION, &version, &version),
        "TEE_IOC_VERSION, {impl_id=TEE_IMPL_ID_OPTEE, gen_caps=TEE_GEN_CAP_GP|TEE_GEN_CAP_PRIVILEGED, \
         impl_caps=TEE_OPTEE_CAP_TZ}) = 0"
    );
}

/// The kernel fills in a tree's id that the program leaves zero.
#[test]
fn the_tree_of_an_inode_is_an_answer_if_nobody_asked_for_it() {
    let lookup = |tree: u64| Bytes::default().u64(&[tree, 256]).text("dir/", 4080);
    let answer = |before: u64| {
        let text = answered(c::BTRFS_IOC_INO_LOOKUP, &lookup(before), &lookup(5));
        text.split_once(" => ").unwrap().1.to_owned()
    };
    assert_eq!(answer(0), r#"{treeid=BTRFS_FS_TREE_OBJECTID, name="dir/"}) = 0"#);
    assert_eq!(answer(5), r#"{name="dir/"}) = 0"#);
    let slots = |total| Bytes::default().u64(&[0, total]);
    let spaces = |total| answered(c::BTRFS_IOC_SPACE_INFO, &slots(0), &slots(total));
    assert_eq!(spaces(0), "BTRFS_IOC_SPACE_INFO, {space_slots=0} => {total_spaces=0, spaces=[]}) = 0");
    assert_eq!(spaces(3), "BTRFS_IOC_SPACE_INFO, {space_slots=0} => {total_spaces=3}) = 0");
}

#[test]
fn members_that_drivers_leave_zero_are_left_out() {
    let device = |capabilities: u32| {
        let memory =
            Bytes::default().text("drv", 16).text("card", 32).text("bus", 32).u32(&[1, 1, capabilities]).to(104);
        answered(c::VIDIOC_QUERYCAP, &memory, &memory)
    };
    assert!(device(0).ends_with("capabilities=V4L2_CAP_VIDEO_CAPTURE}) = 0"), "{}", device(0));
    assert!(device(2).ends_with("device_caps=V4L2_CAP_VIDEO_OUTPUT}) = 0"), "{}", device(2));
    let overlay = |alpha: u32| {
        let memory = Bytes::default().u32(&[c::V4L2_BUF_TYPE_VIDEO_OVERLAY as u32]).to(56).u32(&[alpha]).to(208);
        answered(c::VIDIOC_G_FMT, &memory, &memory)
    };
    assert!(!overlay(0).contains("global_alpha"), "{}", overlay(0));
    assert!(overlay(7).contains("global_alpha=0x7}"), "{}", overlay(7));
    let format = |size: u32| {
        let memory = Bytes::default().u32(&[c::V4L2_BUF_TYPE_SDR_CAPTURE as u32, 0, 0x3231_5544, size]).to(208);
        answered(c::VIDIOC_G_FMT, &memory, &memory)
    };
    assert!(!format(0).contains("buffersize"), "{}", format(0));
    assert!(format(7).contains("buffersize=7}"), "{}", format(7));
}

#[test]
fn a_list_of_interfaces_has_no_length_below_zero() {
    let list = |len: u32| {
        let memory = Bytes::default().u32(&[len, 0]).u64(&[AT + 16]).to(56);
        answered(c::SIOCGIFCONF, &memory, &memory)
    };
    assert_eq!(list(0), "SIOCGIFCONF, {ifc_len=0, ifc_buf=[]}) = 0");
    assert_eq!(list(-40i32 as u32), "SIOCGIFCONF, {ifc_len=-40, ifc_buf=0x1010}) = 0");
}

#[test]
fn fonts_without_characters_have_no_bytes() {
    let font = |count: u32| {
        let memory = Bytes::default().u32(&[count | 16 << 16, 0]).u64(&[AT + 16]).text("aaaa", 32);
        answered(c::PIO_FONTX, &memory, &memory)
    };
    assert_eq!(font(0), r#"PIO_FONTX, {charcount=0, charheight=16, chardata=""}) = 0"#);
    assert!(font(1).contains(r#"charcount=1, charheight=16, chardata="\x61\x61"#), "{}", font(1));
}

#[test]
fn what_has_no_name_has_the_prefix_of_its_names() {
    let api = Bytes::default().u64(&[0xaa, 0, 0x18c4]);
    let shown = answered(c::UFFDIO_API, &api, &api);
    assert!(shown.contains("ioctls=0x18c4 /* _UFFDIO_??? */"), "{shown}");
    let features = Bytes::default().u32(&[1 << 24]);
    assert_eq!(
        answered(c::LIRC_GET_FEATURES, &features, &features),
        "LIRC_GET_FEATURES, [LIRC_CAN_SET_REC_CARRIER]) = 0"
    );
}

#[test]
fn how_far_the_replacement_of_a_device_is() {
    let status = |progress, started| {
        let memory = Bytes::default().u64(&[1, 0, 1, progress, started, 0, 7, 8]).to(2600);
        let text = answered(c::BTRFS_IOC_DEV_REPLACE, &memory, &memory);
        let (_, status) = text.split_once("progress_1000=").unwrap_or_else(|| panic!("{text}"));
        status.split_once(", time_stopped").unwrap().0.to_owned()
    };
    assert_eq!(status(0, 0), "0 /* 0.0% */, time_started=0");
    assert_eq!(status(5, 1), "5 /* 0.5% */, time_started=1 /* 1970-01-01T00:00:01+0000 */");
    assert_eq!(
        status(1000, u64::MAX),
        "1000 /* 100.0% */, time_started=18446744073709551615 /* 1969-12-31T23:59:59+0000 */"
    );
    assert_eq!(status(1001, 1 << 60), "1001, time_started=1152921504606846976");
}

/// An edit of partitions has its struct whatever it is.
#[test]
fn the_memory_of_an_edit_of_partitions() {
    let edit = |op: u32| {
        let to = AT + 24;
        let edit =
            Bytes::default().u32(&[op, 0, 9, 0]).u64(&[to, 1, 2]).u32(&[3]).text("dev", 64).text("vol", 64).to(176);
        answered(c::BLKPG, &edit, &edit)
    };
    let data = r#"flags=0, datalen=9, data={start=1, length=2, pno=3, devname="dev", volname="vol"}}) = 0"#;
    assert_eq!(edit(1), format!("BLKPG, {{op=BLKPG_ADD_PARTITION, {data}"));
    assert_eq!(edit(3), format!("BLKPG, {{op=BLKPG_RESIZE_PARTITION, {data}"));
    assert_eq!(edit(9), format!("BLKPG, {{op=0x9 /* BLKPG_??? */, {data}"));
}

#[test]
fn flags_of_btrfs_that_headers_have_had_since_linux_7() {
    let range = Bytes::default().u64(&[0, 0, 4 | 8]).u32(&[0, 0]).to(48);
    let shown = answered(c::BTRFS_IOC_DEFRAG_RANGE, &range, &range);
    assert!(shown.contains("flags=BTRFS_DEFRAG_RANGE_COMPRESS_LEVEL|BTRFS_DEFRAG_RANGE_NOCOMPRESS,"), "{shown}");
    let features = Bytes::default().u64(&[0, 0, 3 << 16]).to(24);
    let shown = answered(c::BTRFS_IOC_GET_FEATURES, &features, &features);
    let flags = "incompat_flags=BTRFS_FEATURE_INCOMPAT_SIMPLE_QUOTA|BTRFS_FEATURE_INCOMPAT_REMAP_TREE}";
    assert!(shown.contains(flags), "{shown}");
}

/// The read-ahead of a block device is a `long`, and the device's size is an `unsigned long`.
#[test]
fn numbers_of_block_devices_have_their_signs() {
    let number = Bytes::default().u64(&[u64::MAX]);
    assert_eq!(answered(c::BLKFRAGET, &number, &number), "BLKFRAGET, [-1]) = 0");
    assert_eq!(answered(c::BLKRAGET, &number, &number), "BLKRAGET, [-1]) = 0");
    assert_eq!(answered(c::BLKGETSIZE, &number, &number), "BLKGETSIZE, [18446744073709551615]) = 0");
}

#[test]
fn axes_have_the_members_within_the_size_of_the_request() {
    let memory = Bytes::default().u32(&[1, 2, 3, 4, 5, 6]);
    let axis =
        |request: u64, size: u64, memory: &Bytes| answered(request & !(0x3fff << 16) | size << 16, memory, memory);
    for (request, name) in [(0x8018_4540, "EVIOCGABS(ABS_X)"), (0x4018_45c0, "EVIOCSABS(ABS_X)")] {
        let old = "value=1, minimum=2, maximum=3, fuzz=4, flat=5";
        assert_eq!(axis(request, 20, &memory), format!("{name}, {{{old}}}) = 0"));
        assert_eq!(axis(request, 24, &memory), format!("{name}, {{{old}, resolution=6}}) = 0"));
        assert_eq!(axis(request, 16, &memory), format!("{name}, 0x1000) = 0"));
        // The kernel takes no more than it knows.
        assert_eq!(axis(request, 14331, &memory), format!("{name}, {{{old}, resolution=6, ...}}) = 0"));
        assert_eq!(axis(request, 20, &Bytes::default().u32(&[1, 2, 3, 4])), format!("{name}, 0x1000) = 0"));
    }
}

/// A name must not take away the bytes that a request without a name has.
#[test]
fn requests_with_names_alone_are_dumped_as_those_without_names() {
    let described = |request: u64| {
        ioctl::CASES.iter().any(|case| case.0 == request)
            || ioctl::BARE.contains(&request)
            || !ioctl::arguments(Abi::X86_64, request as u32).is_empty()
    };
    let kind = |request: u64| request >> 8 & 0xff;
    let size = |request: u64| request >> 16 & 0x3fff;
    let memory = Bytes::default().u64(&[0x0102030405060708; 64]);
    let mut seen = 0;
    for &(request, name) in IOCTLS {
        let request = u64::from(request);
        // The device mapper goes by the sizes in its structs. The others have decoders, and grow, or are macros of a
        // size.
        let decoded = kind(request) == c::DM_IOCTL
            || name == "PIDFD_GET_INFO"
            || name.starts_with("NS_MNT_GET_")
            || name.starts_with("EVIO");
        if decoded || size(request) == 0 || size(request) > 256 || described(request) {
            continue;
        }
        // The direction and the size of the request, with a kind and a number that have no name.
        let nameless = request & !0xffff | 0xfe07;
        let [named, nameless] = [request, nameless]
            .map(|request| answered(request, &memory, &memory).rsplit_once(", ").unwrap().1.to_string());
        assert_eq!(named, nameless, "{name}");
        assert!(named.starts_with("\"\\x08"), "{name}: {named}");
        seen += 1;
    }
    assert!(seen > 80, "{seen}");
}
