//! Requests of GPIO chips and of the lines that they hand out: linux/gpio.h.

use crate::uapi::consts as c;
use crate::{Case, Dir, Irregular, Ty, When, Width, sets, structs};

sets! {
    /// Flags of a GPIO line, in the first version of the interface.
    pub LINE_FLAGS "GPIOLINE_FLAG_???" {
        GPIOLINE_FLAG_KERNEL, GPIOLINE_FLAG_IS_OUT, GPIOLINE_FLAG_ACTIVE_LOW, GPIOLINE_FLAG_OPEN_DRAIN,
        GPIOLINE_FLAG_OPEN_SOURCE, GPIOLINE_FLAG_BIAS_PULL_UP, GPIOLINE_FLAG_BIAS_PULL_DOWN, GPIOLINE_FLAG_BIAS_DISABLE
    }
    pub HANDLE_FLAGS "GPIOHANDLE_REQUEST_???" {
        GPIOHANDLE_REQUEST_INPUT, GPIOHANDLE_REQUEST_OUTPUT, GPIOHANDLE_REQUEST_ACTIVE_LOW,
        GPIOHANDLE_REQUEST_OPEN_DRAIN, GPIOHANDLE_REQUEST_OPEN_SOURCE, GPIOHANDLE_REQUEST_BIAS_PULL_UP,
        GPIOHANDLE_REQUEST_BIAS_PULL_DOWN, GPIOHANDLE_REQUEST_BIAS_DISABLE
    }
    pub EVENT_FLAGS "GPIOEVENT_REQUEST_???" {
        GPIOEVENT_REQUEST_BOTH_EDGES, GPIOEVENT_REQUEST_RISING_EDGE, GPIOEVENT_REQUEST_FALLING_EDGE
    }
    /// Flags of a GPIO line, in the second version.
    pub V2_FLAGS "GPIO_V2_LINE_FLAG_???" {
        GPIO_V2_LINE_FLAG_USED, GPIO_V2_LINE_FLAG_ACTIVE_LOW, GPIO_V2_LINE_FLAG_INPUT, GPIO_V2_LINE_FLAG_OUTPUT,
        GPIO_V2_LINE_FLAG_EDGE_RISING, GPIO_V2_LINE_FLAG_EDGE_FALLING, GPIO_V2_LINE_FLAG_OPEN_DRAIN,
        GPIO_V2_LINE_FLAG_OPEN_SOURCE, GPIO_V2_LINE_FLAG_BIAS_PULL_UP, GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN,
        GPIO_V2_LINE_FLAG_BIAS_DISABLED, GPIO_V2_LINE_FLAG_EVENT_CLOCK_REALTIME, GPIO_V2_LINE_FLAG_EVENT_CLOCK_HTE
    }
}

const HEX64: Ty = Ty::As(Width::W8, &Ty::HexLong);
const FLAGS64: Ty = Ty::As(Width::W8, &Ty::Flags(&V2_FLAGS));
const BYTES: Ty = Ty::Items(&Ty::As(Width::W1, &Ty::UInt));
const PADDING: Ty = Ty::NonZero(&Ty::Items(&Ty::Hex));
const HAS_ATTRS: When = When::NoneOf("num_attrs", !0, &[0]);
const ATTR: Ty = Ty::Custom(Irregular::GpioAttr, &Ty::Struct(&V2_ATTR));
const CONFIG_ATTR: Ty = Ty::Custom(Irregular::GpioConfigAttr, &Ty::Struct(&V2_CONFIG_ATTR));

structs! {
    pub CHIP = gpiochip_info { name: Ty::CStr, label: Ty::CStr, lines: Ty::UInt }
    pub LINE_IN = gpioline_info { line_offset: Ty::UInt }
    pub LINE_OUT = gpioline_info { flags: Ty::Flags(&LINE_FLAGS), name: Ty::CStr, consumer: Ty::CStr }
    pub OFFSET = gpio_line_offset { offset: Ty::UInt }
    pub HANDLE_IN = gpiohandle_request {
        lines: Ty::UInt, lineoffsets: Ty::Custom(Irregular::FirstItems("lines"), &Ty::Items(&Ty::UInt)),
        flags: Ty::Flags(&HANDLE_FLAGS), default_values: Ty::Custom(Irregular::FirstItems("lines"), &BYTES),
        consumer_label: Ty::CStr
    }
    pub HANDLE_OUT = gpiohandle_request { fd: Ty::Fd }
    pub EVENT_IN = gpioevent_request {
        lineoffset: Ty::UInt, handleflags: Ty::Flags(&HANDLE_FLAGS), eventflags: Ty::Flags(&EVENT_FLAGS), consumer_label: Ty::CStr
    }
    pub EVENT_OUT = gpioevent_request { fd: Ty::Fd }
    pub VALUES = gpiohandle_data { values: BYTES }
    pub CONFIG = gpiohandle_config { flags: Ty::Flags(&HANDLE_FLAGS), default_values: BYTES }
    pub V2_ATTR = gpio_v2_line_attribute { id: Ty::UInt, padding: Ty::Hex, flags: FLAGS64 }
    pub V2_CONFIG_ATTR = gpio_v2_line_config_attribute { attr: Ty::Struct(&V2_ATTR), mask: HEX64 }
    pub V2_LINE_IN = gpio_v2_line_info { offset: Ty::UInt }
    pub V2_LINE_OUT = gpio_v2_line_info {
        name: Ty::CStr, consumer: Ty::CStr, flags: FLAGS64, num_attrs: Ty::UInt,
        attrs: Ty::Custom(Irregular::FirstItems("num_attrs"), &Ty::Items(&ATTR)) => HAS_ATTRS, padding: PADDING
    }
    pub V2_CONFIG = gpio_v2_line_config {
        flags: FLAGS64, num_attrs: Ty::UInt, padding: PADDING,
        attrs: Ty::Custom(Irregular::FirstItems("num_attrs"), &Ty::Items(&CONFIG_ATTR)) => HAS_ATTRS
    }
    pub V2_REQUEST_IN = gpio_v2_line_request {
        num_lines: Ty::UInt, offsets: Ty::Custom(Irregular::FirstItems("num_lines"), &Ty::Items(&Ty::UInt)),
        consumer: Ty::CStr, config: Ty::Struct(&V2_CONFIG), event_buffer_size: Ty::NonZero(&Ty::UInt), padding: PADDING
    }
    pub V2_REQUEST_OUT = gpio_v2_line_request { fd: Ty::Fd }
    pub V2_VALUES = gpio_v2_line_values { bits: HEX64, mask: HEX64 }
    pub V2_VALUES_IN = gpio_v2_line_values { mask: HEX64 }
    pub V2_VALUES_OUT = gpio_v2_line_values { bits: HEX64 }
}

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::GPIO_GET_CHIPINFO_IOCTL, Ty::Ptr(Dir::Out, &Ty::Struct(&CHIP))),
    Case(c::GPIO_GET_LINEINFO_IOCTL, Ty::Turn(&LINE_IN, &LINE_OUT)),
    Case(c::GPIO_GET_LINEINFO_WATCH_IOCTL, Ty::Turn(&LINE_IN, &LINE_OUT)),
    Case(c::GPIO_GET_LINEINFO_UNWATCH_IOCTL, Ty::Ptr(Dir::In, &Ty::Struct(&OFFSET))),
    Case(c::GPIO_GET_LINEHANDLE_IOCTL, Ty::Turn(&HANDLE_IN, &HANDLE_OUT)),
    Case(c::GPIO_GET_LINEEVENT_IOCTL, Ty::Turn(&EVENT_IN, &EVENT_OUT)),
    Case(c::GPIOHANDLE_GET_LINE_VALUES_IOCTL, Ty::Ptr(Dir::Out, &Ty::Struct(&VALUES))),
    Case(c::GPIOHANDLE_SET_LINE_VALUES_IOCTL, Ty::Ptr(Dir::In, &Ty::Struct(&VALUES))),
    Case(c::GPIOHANDLE_SET_CONFIG_IOCTL, Ty::Ptr(Dir::In, &Ty::Struct(&CONFIG))),
    Case(c::GPIO_V2_GET_LINEINFO_IOCTL, Ty::Turn(&V2_LINE_IN, &V2_LINE_OUT)),
    Case(c::GPIO_V2_GET_LINEINFO_WATCH_IOCTL, Ty::Turn(&V2_LINE_IN, &V2_LINE_OUT)),
    Case(c::GPIO_V2_GET_LINE_IOCTL, Ty::Turn(&V2_REQUEST_IN, &V2_REQUEST_OUT)),
    Case(c::GPIO_V2_LINE_GET_VALUES_IOCTL, Ty::Turn(&V2_VALUES_IN, &V2_VALUES_OUT)),
    Case(c::GPIO_V2_LINE_SET_VALUES_IOCTL, Ty::Ptr(Dir::In, &Ty::Struct(&V2_VALUES))),
    Case(c::GPIO_V2_LINE_SET_CONFIG_IOCTL, Ty::Ptr(Dir::In, &Ty::Struct(&V2_CONFIG))),
];
