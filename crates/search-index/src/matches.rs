//! A set of matching posts, as a bit set.

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Newest first, the order of the index.
    Newest,
    /// Oldest first.
    Oldest,
}

/// A set of positions in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matches {
    bits: Vec<u64>,
    length: u32,
}

impl Matches {
    /// An empty set for a list of `length` posts.
    pub fn none(length: u32) -> Matches {
        Matches {
            bits: vec![0; (length as usize).div_ceil(64)],
            length,
        }
    }

    /// The set of all posts in a list of `length` posts.
    pub fn all(length: u32) -> Matches {
        let mut all = Matches {
            bits: vec![u64::MAX; (length as usize).div_ceil(64)],
            length,
        };
        if let Some(last) = all.bits.last_mut()
            && !length.is_multiple_of(64)
        {
            *last = (1 << (length % 64)) - 1;
        }
        all
    }

    /// Adds a position. Positions beyond the list, which a damaged index may contain, are ignored.
    pub fn insert(&mut self, place: u32) {
        if place < self.length {
            self.bits[place as usize / 64] |= 1 << (place % 64);
        }
    }

    /// Adds the positions whose bits are set, starting with the lowest bit of the first byte. Positions beyond the list
    /// are ignored.
    pub fn add_bits(&mut self, bits: &[u8]) {
        for (own, bytes) in self.bits.iter_mut().zip(bits.chunks(8)) {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            *own |= u64::from_le_bytes(word);
        }
        let rest = self.length % 64;
        if let Some(last) = self.bits.last_mut()
            && rest != 0
        {
            *last &= (1 << rest) - 1;
        }
    }

    /// Keeps only the positions that are also in `other`.
    pub fn intersect(&mut self, other: &Matches) {
        self.bits
            .iter_mut()
            .zip(&other.bits)
            .for_each(|(own, other)| *own &= other);
    }

    /// Whether nothing matches.
    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|bits| *bits == 0)
    }

    /// The number of matches.
    pub fn total(&self) -> u32 {
        self.bits.iter().map(|bits| bits.count_ones()).sum()
    }

    /// Up to `take` matching positions, after skipping `skip`.
    pub fn page(&self, order: Order, skip: u64, take: u32) -> Vec<u32> {
        match order {
            Order::Newest => self.part(skip, u64::from(take)),
            Order::Oldest => {
                let end = u64::from(self.total()).saturating_sub(skip);
                let start = end.saturating_sub(u64::from(take));
                let mut part = self.part(start, end - start);
                part.reverse();
                part
            }
        }
    }

    fn part(&self, mut skip: u64, take: u64) -> Vec<u32> {
        let mut part = Vec::new();
        for (at, bits) in self.bits.iter().enumerate() {
            let count = u64::from(bits.count_ones());
            if skip >= count {
                skip -= count;
                continue;
            }
            let mut rest = *bits;
            while rest != 0 && part.len() as u64 != take {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                // A list has fewer than 2^32 positions.
                part.extend(u32::try_from(at * 64 + bit as usize));
            }
            if part.len() as u64 == take {
                break;
            }
        }
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(length: u32, places: &[u32]) -> Matches {
        let mut matches = Matches::none(length);
        places.iter().for_each(|place| matches.insert(*place));
        matches
    }

    #[test]
    fn pages_of_a_list_are_its_parts() {
        const PLACES: [u32; 8] = [0, 1, 63, 64, 65, 127, 128, 199];
        let matches = of(200, &PLACES);
        assert_eq!(matches.total(), 8);
        let reversed: Vec<u32> = PLACES.iter().rev().copied().collect();
        for take in 1..10_u32 {
            let pages = |order| {
                (0..8_u64)
                    .flat_map(|page| matches.page(order, page * u64::from(take), take))
                    .collect()
            };
            let (newest, oldest): (Vec<u32>, Vec<u32>) =
                (pages(Order::Newest), pages(Order::Oldest));
            assert_eq!((newest.as_slice(), &oldest), (PLACES.as_slice(), &reversed));
        }
        assert!(
            matches
                .page(Order::Newest, u64::from(u32::MAX) * 100, 10)
                .is_empty()
        );
        assert!(matches.page(Order::Oldest, 8, 10).is_empty());
    }

    #[test]
    fn the_set_of_all_posts_has_their_number() {
        for length in [0, 1, 63, 64, 65, 128] {
            assert_eq!(Matches::all(length).total(), length);
            assert_eq!(
                Matches::all(length).page(Order::Oldest, 0, 1),
                length.checked_sub(1).into_iter().collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn an_intersection_has_the_common_positions() {
        let mut matches = of(100, &[1, 2, 70]);
        matches.intersect(&of(100, &[2, 70, 99]));
        assert_eq!(matches, of(100, &[2, 70]));
        assert!(!matches.is_empty() && of(100, &[100, 4000]).is_empty());
    }
}
