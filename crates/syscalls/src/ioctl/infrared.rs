//! Requests of infrared receivers and senders: linux/lirc.h.

use crate::uapi::consts as c;
use crate::{Case, Dir, Len, Ty, sets};

sets! {
    pub MODES "LIRC_MODE_???" { LIRC_MODE_RAW, LIRC_MODE_PULSE, LIRC_MODE_MODE2, LIRC_MODE_SCANCODE, LIRC_MODE_LIRCCODE }
    pub FEATURES "LIRC_CAN_???" {
        LIRC_CAN_SEND_RAW, LIRC_CAN_SEND_PULSE, LIRC_CAN_SEND_MODE2, LIRC_CAN_SEND_LIRCCODE, LIRC_CAN_SET_SEND_CARRIER,
        LIRC_CAN_SET_SEND_DUTY_CYCLE, LIRC_CAN_SET_TRANSMITTER_MASK, LIRC_CAN_REC_RAW, LIRC_CAN_REC_PULSE,
        LIRC_CAN_REC_MODE2, LIRC_CAN_REC_SCANCODE, LIRC_CAN_REC_LIRCCODE, LIRC_CAN_SET_REC_CARRIER,
        LIRC_CAN_MEASURE_CARRIER, LIRC_CAN_USE_WIDEBAND_RECEIVER, LIRC_CAN_SET_REC_TIMEOUT, LIRC_CAN_GET_REC_RESOLUTION,
        LIRC_CAN_SET_REC_CARRIER_RANGE
    }
}

const GET: Ty = Ty::Array(Dir::Out, &Ty::UInt, Len::Fixed(1));
const SET: Ty = Ty::Array(Dir::In, &Ty::UInt, Len::Fixed(1));
const GET_MODE: Ty = Ty::Array(Dir::Out, &Ty::Enum(&MODES), Len::Fixed(1));
const SET_MODE: Ty = Ty::Array(Dir::In, &Ty::Enum(&MODES), Len::Fixed(1));

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::LIRC_GET_FEATURES, Ty::Array(Dir::Out, &Ty::Flags(&FEATURES), Len::Fixed(1))),
    Case(c::LIRC_GET_SEND_MODE, GET_MODE),
    Case(c::LIRC_GET_REC_MODE, GET_MODE),
    Case(c::LIRC_GET_REC_RESOLUTION, GET),
    Case(c::LIRC_GET_REC_TIMEOUT, GET),
    Case(c::LIRC_GET_MIN_TIMEOUT, GET),
    Case(c::LIRC_GET_MAX_TIMEOUT, GET),
    Case(c::LIRC_GET_LENGTH, GET),
    Case(c::LIRC_SET_SEND_MODE, SET_MODE),
    Case(c::LIRC_SET_REC_MODE, SET_MODE),
    Case(c::LIRC_SET_SEND_CARRIER, SET),
    Case(c::LIRC_SET_REC_CARRIER, SET),
    Case(c::LIRC_SET_REC_CARRIER_RANGE, SET),
    Case(c::LIRC_SET_SEND_DUTY_CYCLE, SET),
    Case(c::LIRC_SET_REC_TIMEOUT, SET),
    Case(c::LIRC_SET_REC_TIMEOUT_REPORTS, SET),
    Case(c::LIRC_SET_MEASURE_CARRIER_MODE, SET),
    Case(c::LIRC_SET_WIDEBAND_RECEIVER, SET),
    Case(c::LIRC_SET_TRANSMITTER_MASK, Ty::Array(Dir::In, &Ty::Hex, Len::Fixed(1))),
];
