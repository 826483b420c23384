//! Texts of calls, each stored once, and limited in size.

use super::data::TextIndex;
use std::collections::HashMap;
use std::rc::Rc;

/// The limit for all texts in the page.
const ROOM: usize = 1_600_000;

pub struct Texts {
    all: Vec<String>,
    places: HashMap<Rc<str>, TextIndex>,
    room: usize,
}

impl Default for Texts {
    fn default() -> Texts {
        Texts { all: vec![String::new()], places: HashMap::new(), room: ROOM }
    }
}

impl Texts {
    /// The index of a text. When there is no more room, new texts get the empty one.
    pub fn place(&mut self, text: &Rc<str>) -> TextIndex {
        if let Some(&place) = self.places.get(text) {
            return place;
        }
        let size = 3 + text.bytes().map(in_page).sum::<usize>();
        if text.is_empty() || size > self.room {
            return 0;
        }
        self.room -= size;
        let place = self.all.len() as TextIndex;
        self.all.push(text.to_string());
        self.places.insert(text.clone(), place);
        place
    }

    pub fn into_vec(self) -> Vec<String> {
        self.all
    }
}

/// The length of a byte in the page ([`super::template`]).
fn in_page(byte: u8) -> usize {
    match byte {
        b'<' | b'>' | b'&' | 0..0x20 | 0x7f.. => 6,
        b'"' | b'\\' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_there_is_room_for() {
        let mut texts = Texts::default();
        let places: Vec<_> = (0..10_000).map(|i| texts.place(&format!("{i}{}", "<".repeat(200)).into())).collect();
        assert_eq!(texts.place(&format!("0{}", "<".repeat(200)).into()), places[0]);
        assert!(places[0] > 0 && places[9_999] == 0);
        assert_eq!(texts.place(&"".into()), 0);
        let json = crate::views::html::template::inert(&serde_json::to_string(&texts.into_vec()).unwrap());
        assert!((ROOM - 2000..=ROOM + 10).contains(&json.len()), "{}", json.len());
    }
}
