//! Limits within which something is proved, with the numbers that belong to them.

use crate::gap::Gap;
use std::collections::{BTreeMap, BTreeSet};

/// How large the objects of an input may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// The most elements of an array, and characters of a string.
    pub length: u32,
    /// How many pointers are followed one after another.
    pub depth: u32,
    /// The most bytes of a file, an environment variable and standard input.
    pub bytes: u32,
    /// The most calls that come before all others and set variables.
    pub calls: u32,
}

/// The gaps that limit a proof. Those that are about sizes have the size that the proof was made for.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Bounds {
    numbers: BTreeMap<Gap, Option<u32>>,
}

impl Bounds {
    /// Gaps that a proof met with inputs of these sizes.
    pub fn of(gaps: impl IntoIterator<Item = Gap>, sizes: Sizes) -> Bounds {
        Bounds { numbers: gaps.into_iter().map(|gap| (gap, sizes.number(gap))).collect() }
    }

    /// Whether the proof holds for every input.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The gaps, in order.
    pub fn gaps(&self) -> BTreeSet<Gap> {
        self.numbers.keys().copied().collect()
    }

    /// As people know them: `length 8`, `no aliasing`.
    pub fn names(&self) -> Vec<String> {
        let name = |(gap, number): (&Gap, &Option<u32>)| match number {
            Some(number) => format!("{gap} {number}"),
            None => gap.to_string(),
        };
        self.numbers.iter().map(name).collect()
    }

    /// The bounds of such names; `None` if one is not known, or has no number and should.
    pub fn from_names(names: &[String]) -> Option<Bounds> {
        let any = Sizes { length: 0, depth: 0, bytes: 0, calls: 0 };
        let bound = |name: &String| {
            let (gap, number) = match Gap::from_name(name) {
                Some(gap) => (gap, None),
                None => {
                    let (gap, number) = name.rsplit_once(' ')?;
                    (Gap::from_name(gap)?, Some(number.parse().ok()?))
                }
            };
            (number.is_some() == any.number(gap).is_some()).then_some((gap, number))
        };
        names.iter().map(bound).collect::<Option<_>>().map(|numbers| Bounds { numbers })
    }
}

impl Sizes {
    /// The size that a gap is about.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others have no number")]
    fn number(self, gap: Gap) -> Option<u32> {
        match gap {
            Gap::Length => Some(self.length),
            Gap::PointerDepth => Some(self.depth),
            Gap::InputBytes => Some(self.bytes),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        let sizes = Sizes { length: 32, depth: 4, bytes: 64, calls: 0 };
        let all = Bounds::of(Gap::ALL.iter().copied(), sizes);
        assert_eq!(all.names()[..3], ["length 32", "pointer depth 4", "input bytes 64"]);
        assert_eq!(Bounds::from_names(&all.names()), Some(all));
        assert_eq!(Bounds::from_names(&[]), Some(Bounds::default()));
        for name in ["length", "length 8 9", "no aliasing 3", "nonsense", "nonsense 3"] {
            assert_eq!(Bounds::from_names(&[name.to_string()]), None, "{name}");
        }
    }
}
