//! Requests of consoles, their keyboards and fonts: linux/kd.h, linux/keyboard.h.

use crate::uapi::consts as c;
use crate::{Case, Dir, Irregular, Len, Ty, Width, sets, structs};

sets! {
    pub LEDS "LED_???" { LED_SCR, LED_NUM, LED_CAP }
    /// The locks of a keyboard; the upper four bits are their defaults
    pub LOCKS "LED_???" {
        LED_SCR, LED_NUM, LED_CAP, "LED_SCR<<4" = 0x10 in 0x10, "LED_NUM<<4" = 0x20 in 0x20, "LED_CAP<<4" = 0x40 in 0x40
    }
    pub KEYBOARD_TYPE "KB_???" { KB_84, KB_101, KB_OTHER }
    pub MODE "KD_???" { KD_TEXT, KD_GRAPHICS, KD_TEXT0, KD_TEXT1 }
    pub decimal KEYBOARD_MODE "K_???" { K_RAW, K_XLATE, K_MEDIUMRAW, K_UNICODE, K_OFF }
    pub META "K_???" { K_METABIT, K_ESCPREFIX }
    /// The tables with a name of their own
    pub TABLES "K_???" { K_NORMTAB, K_SHIFTTAB, K_ALTTAB, K_ALTSHIFTTAB }
    /// Bit numbers of modifiers: linux/keyboard.h
    pub MODIFIERS "KG_???" { KG_SHIFT, KG_ALTGR, KG_CTRL, KG_ALT, KG_SHIFTL, KG_SHIFTR, KG_CTRLL, KG_CTRLR, KG_CAPSSHIFT }
    pub FONT_OPS "KD_FONT_OP_???" { KD_FONT_OP_SET, KD_FONT_OP_GET, KD_FONT_OP_SET_DEFAULT, KD_FONT_OP_COPY }
    pub FONT_FLAGS "KD_FONT_FLAG_???" { KD_FONT_FLAG_DONT_RECALC, KD_FONT_FLAG_OLD = 0x8000_0000 }
}

const CHAR: Ty = Ty::Custom(Irregular::Character, &Ty::As(Width::W1, &Ty::UInt));
/// The most bytes of a font that are of interest. More are never shown.
const FONT: usize = 8192;

structs! {
    pub REPEAT = kbd_repeat { delay: Ty::Int, period: Ty::Int }
    pub KEYCODE = kbkeycode { scancode: Ty::Hex, keycode: Ty::Hex }
    pub COMPOSED = kbdiacr { diacr: CHAR, base: CHAR, result: CHAR }
    pub COMPOSED_UC = kbdiacruc { diacr: Ty::Hex, base: Ty::Hex, result: Ty::Hex }
    pub GLYPH = unipair { unicode: Ty::Hex, fontpos: Ty::Hex }
    pub GET_MAP = unimapdesc {
        entry_ct: Ty::UInt, entries: Ty::Array(Dir::Out, &Ty::Struct(&GLYPH), Len::Of("entry_ct"))
    }
    pub SET_MAP = unimapdesc {
        entry_ct: Ty::UInt, entries: Ty::Array(Dir::In, &Ty::Struct(&GLYPH), Len::Of("entry_ct"))
    }
    pub MAP_INIT = unimapinit { advised_hashsize: Ty::UInt, advised_hashstep: Ty::UInt, advised_hashlevel: Ty::UInt }
    pub GET_FONT = consolefontdesc {
        charcount: Ty::UInt, charheight: Ty::UInt, chardata: Ty::Bytes(Dir::Out, Len::Fixed(FONT))
    }
    pub SET_FONT = consolefontdesc {
        charcount: Ty::UInt, charheight: Ty::UInt, chardata: Ty::Bytes(Dir::In, Len::Fixed(FONT))
    }
    pub FONT_OP = console_font_op {
        op: Ty::Enum(&FONT_OPS), flags: Ty::Flags(&FONT_FLAGS), width: Ty::UInt, height: Ty::UInt, charcount: Ty::UInt,
        data: Ty::Bytes(Dir::InOut, Len::Fixed(FONT))
    }
}

const LED: Ty = Ty::As(Width::W1, &Ty::Flags(&LEDS));
const LOCK: Ty = Ty::As(Width::W1, &Ty::Flags(&LOCKS));
const TYPE: Ty = Ty::As(Width::W1, &Ty::Enum(&KEYBOARD_TYPE));
const KMODE: Ty = Ty::Custom(Irregular::KeyboardMode, &Ty::UInt);
const PORT: Ty = Ty::Custom(Irregular::GraphicsPort, &Ty::HexLong);

/// Fonts, screen maps and colour maps
const GET_BYTES: Ty = Ty::Custom(Irregular::HexBytes, &Ty::Bytes(Dir::Out, Len::Fixed(FONT)));
const SET_BYTES: Ty = Ty::Custom(Irregular::HexBytes, &Ty::Bytes(Dir::In, Len::Fixed(FONT)));
const GET_SCREEN: Ty = Ty::Custom(Irregular::HexBytes, &Ty::Bytes(Dir::Out, Len::Fixed(256)));
const SET_SCREEN: Ty = Ty::Custom(Irregular::HexBytes, &Ty::Bytes(Dir::In, Len::Fixed(256)));
const GET_COLOURS: Ty = Ty::Custom(Irregular::HexBytes, &Ty::Bytes(Dir::Out, Len::Fixed(48)));
const SET_COLOURS: Ty = Ty::Custom(Irregular::HexBytes, &Ty::Bytes(Dir::In, Len::Fixed(48)));

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::KIOCSOUND, Ty::Custom(Irregular::Pitch, &Ty::ULong)),
    Case(c::KDMKTONE, Ty::Custom(Irregular::Tone, &Ty::UInt)),
    Case(c::KDGETLED, Ty::Array(Dir::Out, &LED, Len::Fixed(1))),
    Case(c::KDSETLED, LED),
    Case(c::KDGKBTYPE, Ty::Array(Dir::Out, &TYPE, Len::Fixed(1))),
    Case(c::KDADDIO, PORT),
    Case(c::KDDELIO, PORT),
    Case(c::KDSETMODE, Ty::As(Width::W4, &Ty::Enum(&MODE))),
    Case(c::KDGETMODE, Ty::Array(Dir::Out, &Ty::Enum(&MODE), Len::Fixed(1))),
    Case(c::GIO_SCRNMAP, GET_SCREEN),
    Case(c::PIO_SCRNMAP, SET_SCREEN),
    Case(c::KDGKBMODE, Ty::Array(Dir::Out, &KMODE, Len::Fixed(1))),
    Case(c::KDSKBMODE, KMODE),
    Case(c::KDGKBENT, Ty::Custom(Irregular::KeyboardEntry, &Ty::Buffer(Dir::InOut, Len::Fixed(4), 4))),
    Case(c::KDSKBENT, Ty::Custom(Irregular::KeyboardEntry, &Ty::Buffer(Dir::In, Len::Fixed(4), 4))),
    Case(c::KDGKBSENT, Ty::Custom(Irregular::KeyboardString, &Ty::Buffer(Dir::InOut, Len::Fixed(513), 513))),
    Case(c::KDSKBSENT, Ty::Custom(Irregular::KeyboardString, &Ty::Buffer(Dir::In, Len::Fixed(513), 513))),
    Case(c::KDGKBDIACR, Ty::Custom(Irregular::Composed(false), &Ty::Buffer(Dir::Out, Len::Fixed(772), 772))),
    Case(c::KDSKBDIACR, Ty::Custom(Irregular::Composed(false), &Ty::Buffer(Dir::In, Len::Fixed(772), 772))),
    Case(c::KDGKBDIACRUC, Ty::Custom(Irregular::Composed(true), &Ty::Buffer(Dir::Out, Len::Fixed(3076), 3076))),
    Case(c::KDSKBDIACRUC, Ty::Custom(Irregular::Composed(true), &Ty::Buffer(Dir::In, Len::Fixed(3076), 3076))),
    Case(c::KDGETKEYCODE, Ty::Ptr(Dir::InOutAlways, &Ty::Struct(&KEYCODE))),
    Case(c::KDSETKEYCODE, Ty::Ptr(Dir::In, &Ty::Struct(&KEYCODE))),
    Case(c::KDSIGACCEPT, Ty::Custom(Irregular::WideSignal, &Ty::ULong)),
    Case(c::KDKBDREP, Ty::Turn(&REPEAT, &REPEAT)),
    Case(c::GIO_FONT, GET_BYTES),
    Case(c::PIO_FONT, SET_BYTES),
    Case(c::KDGKBMETA, Ty::Array(Dir::Out, &Ty::Enum(&META), Len::Fixed(1))),
    Case(c::KDSKBMETA, Ty::As(Width::W4, &Ty::Enum(&META))),
    Case(c::KDGKBLED, Ty::Array(Dir::Out, &LOCK, Len::Fixed(1))),
    Case(c::KDSKBLED, LOCK),
    Case(c::GIO_UNIMAP, Ty::Ptr(Dir::In, &Ty::Struct(&GET_MAP))),
    Case(c::PIO_UNIMAP, Ty::Ptr(Dir::In, &Ty::Struct(&SET_MAP))),
    Case(c::PIO_UNIMAPCLR, Ty::Ptr(Dir::In, &Ty::Struct(&MAP_INIT))),
    Case(c::GIO_UNISCRNMAP, Ty::Custom(Irregular::ScreenMap, &Ty::Buffer(Dir::Out, Len::Fixed(512), 512))),
    Case(c::PIO_UNISCRNMAP, Ty::Custom(Irregular::ScreenMap, &Ty::Buffer(Dir::In, Len::Fixed(512), 512))),
    Case(c::GIO_FONTX, Ty::Custom(Irregular::Font, &Ty::Ptr(Dir::InOut, &Ty::Struct(&GET_FONT)))),
    Case(c::PIO_FONTX, Ty::Custom(Irregular::Font, &Ty::Ptr(Dir::In, &Ty::Struct(&SET_FONT)))),
    Case(c::GIO_CMAP, GET_COLOURS),
    Case(c::PIO_CMAP, SET_COLOURS),
    Case(c::KDFONTOP, Ty::Custom(Irregular::FontOp, &Ty::Ptr(Dir::InOut, &Ty::Struct(&FONT_OP)))),
];

/// The requests whose argument has no meaning.
pub const BARE: &[u64] = &[c::KDENABIO, c::KDDISABIO, c::KDMAPDISP, c::KDUNMAPDISP, c::PIO_FONTRESET];
