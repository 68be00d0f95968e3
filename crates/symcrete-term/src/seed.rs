//! Seeds and the random generator: the same on every machine.
//!
//! One seed is given by the user; each component derives its own from it and a label, so that adding a
//! component does not change what others draw.

/// A seed, to derive others or to start a generator from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Seed(pub u64);

impl Seed {
    /// The seed of a component.
    #[must_use]
    pub fn derive(self, label: &str) -> Seed {
        self.derive_bytes(label.as_bytes())
    }

    /// The seed for one of many items.
    #[must_use]
    pub fn derive_number(self, number: u64) -> Seed {
        self.derive_bytes(&number.to_le_bytes())
    }

    fn derive_bytes(self, bytes: &[u8]) -> Seed {
        let mut state = self.0;
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            state = split_mix(state ^ u64::from_le_bytes(word));
        }
        Seed(split_mix(state ^ bytes.len() as u64))
    }

    /// A generator that starts here.
    pub fn rng(self) -> Rng {
        let mut state = self.0;
        let words = std::array::from_fn(|_| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            split_mix(state)
        });
        Rng { words }
    }
}

/// SplitMix64's output function (Steele, Lea and Flood 2014).
fn split_mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The generator xoshiro256++ (Blackman and Vigna 2019).
#[derive(Clone, Debug)]
pub struct Rng {
    words: [u64; 4],
}

impl Rng {
    /// 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.words;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.words = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// A number below `n`, which must not be zero. The bias is below `n / 2^64`.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "no number is below zero");
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// A number in `low..=high`.
    #[inline]
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        assert!(low <= high, "empty range {low}..={high}");
        match (high.wrapping_sub(low) as u64).checked_add(1) {
            Some(n) => low.wrapping_add(self.below(n) as i64),
            None => self.next_u64() as i64,
        }
    }

    /// A double in `[0, 1)`, a multiple of 2^-53.
    #[inline]
    pub fn fraction(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// True once in `n` on average.
    #[inline]
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of the items, which must not be empty.
    #[inline]
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors are those of the algorithms' own programs in C.
    #[test]
    fn the_stream_is_fixed() {
        let mut rng = Rng { words: [1, 2, 3, 4] };
        let drawn: Vec<u64> = (0..6).map(|_| rng.next_u64()).collect();
        let expected = [
            41_943_041,
            58_720_359,
            3_588_806_011_781_223,
            3_591_011_842_654_386,
            9_228_616_714_210_784_205,
            9_973_669_472_204_895_162,
        ];
        assert_eq!(drawn, expected, "xoshiro256++");
        let words = [
            0xe220_a839_7b1d_cdaf,
            0x6e78_9e6a_a1b9_65f4,
            0x06c4_5d18_8009_454f,
            0xf88b_b8a8_724c_81ec,
        ];
        assert_eq!(Seed(0).rng().words, words, "SplitMix64");
        assert_eq!(Seed(1).derive("test"), Seed(0x0a71_c153_b5cd_3068), "seeds of components");
        assert_ne!(Seed(1).derive("a"), Seed(1).derive("b"));
        assert_ne!(Seed(1).derive("a"), Seed(1).derive("a\0"));
    }

    #[test]
    fn ranges_are_respected_and_reached() {
        let mut rng = Seed(7).rng();
        let drawn: Vec<i64> = (0..1000).map(|_| rng.between(-2, 2)).collect();
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&-2), Some(&2)));
        rng.between(i64::MIN, i64::MAX);
        assert!((0..1000).map(|_| rng.fraction()).all(|x| (0.0..1.0).contains(&x)));
    }
}
