//! Values that consist of others: lists, arrays and structs, with a mark for elements that are left out.

use super::Writer;
use crate::NameStyle;
use stride_decode::{Member, Tail, Value};

impl Writer<'_> {
    pub(super) fn list(&mut self, items: &[Value<'_>], between: &str) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.str(between);
            }
            self.value(item);
        }
    }

    pub(super) fn tail(&mut self, empty: bool, tail: Tail) {
        match tail {
            Tail::End => {}
            Tail::More => self.str(if empty { "..." } else { ", ..." }),
            Tail::Unknown => self.str(if empty { "???" } else { ", ???" }),
            Tail::Unread(addr) => {
                self.str(if empty { "... /* " } else { ", ... /* " });
                self.hex(addr);
                self.str(" */");
            }
        }
    }

    pub(super) fn strukt(&mut self, members: &[Member<'_>], tail: Tail) {
        self.out.push(b'{');
        for (i, m) in members.iter().enumerate() {
            if i > 0 {
                self.str(", ");
            }
            match m.value {
                Value::Ip(ip @ std::net::IpAddr::V6(_)) if self.style.names == NameStyle::Abbrev => {
                    self.ip(ip, Some(m.name))
                }
                value if m.name.is_empty() => self.value(&value),
                value => {
                    self.str(m.name);
                    self.out.push(b'=');
                    self.value(&value);
                }
            }
        }
        self.tail(members.is_empty(), tail);
        self.out.push(b'}');
    }

    pub(super) fn array(&mut self, items: &[Value<'_>], tail: Tail) {
        self.out.push(b'[');
        self.list(items, ", ");
        self.tail(items.is_empty(), tail);
        self.out.push(b']');
    }
}
