//! Requests of PTP hardware clocks and of counters: linux/ptp_clock.h, linux/counter.h.

use crate::uapi::consts as c;
use crate::{Case, Dir, Irregular, Ty, When, sets, structs};

sets! {
    pub TIMESTAMP_FLAGS "PTP_???" {
        PTP_ENABLE_FEATURE, PTP_RISING_EDGE, PTP_FALLING_EDGE, PTP_STRICT_FLAGS, PTP_EXT_OFFSET
    }
    pub OUTPUT_FLAGS "PTP_PEROUT_???" { PTP_PEROUT_ONE_SHOT, PTP_PEROUT_DUTY_CYCLE, PTP_PEROUT_PHASE }
    pub PIN_FUNCTIONS "PTP_PF_???" { PTP_PF_NONE, PTP_PF_EXTTS, PTP_PF_PEROUT, PTP_PF_PHYSYNC }
    pub COMPONENT "COUNTER_COMPONENT_???" {
        COUNTER_COMPONENT_NONE, COUNTER_COMPONENT_SIGNAL, COUNTER_COMPONENT_COUNT, COUNTER_COMPONENT_FUNCTION,
        COUNTER_COMPONENT_SYNAPSE_ACTION, COUNTER_COMPONENT_EXTENSION
    }
    pub SCOPE "COUNTER_SCOPE_???" { COUNTER_SCOPE_DEVICE, COUNTER_SCOPE_SIGNAL, COUNTER_SCOPE_COUNT }
    /// The last one since Linux 6.15
    pub EVENT "COUNTER_EVENT_???" {
        COUNTER_EVENT_OVERFLOW, COUNTER_EVENT_UNDERFLOW, COUNTER_EVENT_OVERFLOW_UNDERFLOW, COUNTER_EVENT_THRESHOLD,
        COUNTER_EVENT_INDEX, COUNTER_EVENT_CHANGE_OF_STATE, COUNTER_EVENT_CAPTURE, COUNTER_EVENT_DIRECTION_CHANGE = 7
    }
}

const RESERVED: Ty = Ty::NonZero(&Ty::Items(&Ty::Hex));
const DATED: Ty = Ty::Custom(Irregular::PtpTime, &Ty::Struct(&TIME));
const FLAGS: &str = "flags";
const PHASE: u64 = c::PTP_PEROUT_PHASE;
const DUTY: u64 = c::PTP_PEROUT_DUTY_CYCLE;

structs! {
    pub TIME = ptp_clock_time { sec: Ty::I64, nsec: Ty::UInt, reserved: Ty::NonZero(&Ty::Hex) }
    pub CAPS = ptp_clock_caps {
        max_adj: Ty::Int, n_alarm: Ty::Int, n_ext_ts: Ty::Int, n_per_out: Ty::Int, pps: Ty::Int, n_pins: Ty::Int,
        cross_timestamping: Ty::Int, adjust_phase: Ty::Int, max_phase_adj: Ty::Custom(Irregular::Nanoseconds, &Ty::Int),
        rsv: RESERVED
    }
    pub TIMESTAMP = ptp_extts_request { index: Ty::UInt, flags: Ty::Flags(&TIMESTAMP_FLAGS) }
    pub TIMESTAMP2 = ptp_extts_request { index: Ty::UInt, flags: Ty::Flags(&TIMESTAMP_FLAGS), rsv: RESERVED }
    pub OUTPUT = ptp_perout_request {
        phase: Ty::Struct(&TIME) => When::AnySet(FLAGS, &[PHASE]), start: DATED => When::NoneOf(FLAGS, PHASE, &[PHASE]),
        period: Ty::Struct(&TIME), index: Ty::UInt, flags: Ty::Flags(&OUTPUT_FLAGS),
        on: Ty::Struct(&TIME) => When::AnySet(FLAGS, &[DUTY])
    }
    pub OUTPUT2 = ptp_perout_request {
        phase: Ty::Struct(&TIME) => When::AnySet(FLAGS, &[PHASE]), start: DATED => When::NoneOf(FLAGS, PHASE, &[PHASE]),
        period: Ty::Struct(&TIME), index: Ty::UInt, flags: Ty::Flags(&OUTPUT_FLAGS),
        on: Ty::Struct(&TIME) => When::AnySet(FLAGS, &[DUTY]), rsv: RESERVED => When::NoneOf(FLAGS, DUTY, &[DUTY])
    }
    pub OFFSETS = ptp_sys_offset {
        n_samples: Ty::UInt, rsv: RESERVED,
        ts: Ty::Reply(&Ty::Custom(Irregular::PtpSamples, &Ty::Items(&DATED)))
    }
    pub TRIPLES = ptp_sys_offset_extended {
        n_samples: Ty::UInt, clockid: Ty::ClockId, rsv: RESERVED,
        ts: Ty::Reply(&Ty::Custom(Irregular::PtpTriples, &Ty::Items(&DATED)))
    }
    pub PRECISE = ptp_sys_offset_precise {
        device: DATED, sys_realtime: DATED, sys_monoraw: Ty::Struct(&TIME), rsv: RESERVED
    }
    pub GET_PIN = ptp_pin_desc {
        index: Ty::UInt, name: Ty::Reply(&Ty::CStr), func: Ty::Reply(&Ty::Enum(&PIN_FUNCTIONS)), chan: Ty::Reply(&Ty::UInt)
    }
    pub GET_PIN2 = ptp_pin_desc {
        index: Ty::UInt, rsv: RESERVED, name: Ty::Reply(&Ty::CStr), func: Ty::Reply(&Ty::Enum(&PIN_FUNCTIONS)),
        chan: Ty::Reply(&Ty::UInt)
    }
    pub SET_PIN = ptp_pin_desc { index: Ty::UInt, func: Ty::Enum(&PIN_FUNCTIONS), chan: Ty::UInt }
    pub SET_PIN2 = ptp_pin_desc { index: Ty::UInt, func: Ty::Enum(&PIN_FUNCTIONS), chan: Ty::UInt, rsv: RESERVED }
    pub PART = counter_component { r#type: Ty::Enum(&COMPONENT), scope: Ty::Enum(&SCOPE), parent: Ty::UInt, id: Ty::UInt }
    pub WATCH = counter_watch { component: Ty::Struct(&PART), event: Ty::Enum(&EVENT), channel: Ty::UInt }
}

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::PTP_CLOCK_GETCAPS, Ty::Ptr(Dir::Out, &Ty::Struct(&CAPS))),
    Case(c::PTP_CLOCK_GETCAPS2, Ty::Ptr(Dir::Out, &Ty::Struct(&CAPS))),
    Case(c::PTP_EXTTS_REQUEST, Ty::Ptr(Dir::In, &Ty::Struct(&TIMESTAMP))),
    Case(c::PTP_EXTTS_REQUEST2, Ty::Ptr(Dir::In, &Ty::Struct(&TIMESTAMP2))),
    Case(c::PTP_PEROUT_REQUEST, Ty::Ptr(Dir::In, &Ty::Struct(&OUTPUT))),
    Case(c::PTP_PEROUT_REQUEST2, Ty::Ptr(Dir::In, &Ty::Struct(&OUTPUT2))),
    Case(c::PTP_ENABLE_PPS, Ty::HexLong),
    Case(c::PTP_ENABLE_PPS2, Ty::HexLong),
    Case(c::PTP_SYS_OFFSET, Ty::Exchange(&OFFSETS)),
    Case(c::PTP_SYS_OFFSET2, Ty::Exchange(&OFFSETS)),
    Case(c::PTP_PIN_GETFUNC, Ty::Exchange(&GET_PIN)),
    Case(c::PTP_PIN_GETFUNC2, Ty::Exchange(&GET_PIN2)),
    Case(c::PTP_PIN_SETFUNC, Ty::Ptr(Dir::In, &Ty::Struct(&SET_PIN))),
    Case(c::PTP_PIN_SETFUNC2, Ty::Ptr(Dir::In, &Ty::Struct(&SET_PIN2))),
    Case(c::PTP_SYS_OFFSET_PRECISE, Ty::Ptr(Dir::Out, &Ty::Struct(&PRECISE))),
    Case(c::PTP_SYS_OFFSET_PRECISE2, Ty::Ptr(Dir::Out, &Ty::Struct(&PRECISE))),
    Case(c::PTP_SYS_OFFSET_PRECISE_CYCLES, Ty::Ptr(Dir::Out, &Ty::Struct(&PRECISE))),
    Case(c::PTP_SYS_OFFSET_EXTENDED, Ty::Exchange(&TRIPLES)),
    Case(c::PTP_SYS_OFFSET_EXTENDED2, Ty::Exchange(&TRIPLES)),
    Case(c::PTP_SYS_OFFSET_EXTENDED_CYCLES, Ty::Exchange(&TRIPLES)),
    Case(c::COUNTER_ADD_WATCH_IOCTL, Ty::Ptr(Dir::In, &Ty::Struct(&WATCH))),
];

/// The requests whose argument has no meaning.
pub const BARE: &[u64] = &[c::COUNTER_ENABLE_EVENTS_IOCTL, c::COUNTER_DISABLE_EVENTS_IOCTL];
