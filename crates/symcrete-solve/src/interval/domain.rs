//! Sets of values of one sort: at most two spans and perhaps NaN.
//!
//! The values of every sort are raw bits, and one span holds those whose top bit is clear, the other those
//! whose top bit is set. So a span of a bit-vector is an interval both of unsigned and of signed numbers, a
//! span of a float has one sign (the zeros are apart, no span crosses zero), and `false` and `true` are a span
//! each. NaN is a flag: no span of a float reaches beyond the infinity.

use symcrete_term::{Sort, Value};

/// An interval of raw bits, both ends included. Empty if `low` is above `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    pub(crate) low: u64,
    pub(crate) high: u64,
}

impl Span {
    pub(crate) const EMPTY: Span = Span { low: 1, high: 0 };

    pub(crate) fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// The bits in both, with one form of the empty span.
    pub(crate) fn meet(self, other: Span) -> Span {
        let both = Span { low: self.low.max(other.low), high: self.high.min(other.high) };
        if both.is_empty() { Span::EMPTY } else { both }
    }

    /// The least span that has both.
    pub(crate) fn join(self, other: Span) -> Span {
        if other.is_empty() {
            return if self.is_empty() { Span::EMPTY } else { self };
        }
        if self.is_empty() {
            return other;
        }
        Span { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// A set of values of a sort. See the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Domain {
    pub(crate) sort: Sort,
    /// Top bit clear, top bit set.
    pub(crate) spans: [Span; 2],
    /// Whether NaN is in the set; only of a float.
    pub(crate) nan: bool,
}

/// Which value of a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// The one whose bits differ least.
    Nearest,
    /// The least, as a signed number.
    Low,
    /// The greatest, as a signed number.
    High,
}

impl Domain {
    /// A value of the set; NaN only if there is nothing else. `None` of the empty set.
    pub(crate) fn end(self, end: End, old: Value) -> Option<Value> {
        let bits = old.bits();
        let spans = self.spans.into_iter().filter(|span| !span.is_empty());
        let [low, high] = self.spans;
        // Of a float the bits grow with the distance from zero.
        let is_float = self.sort.is_float();
        let chosen = match end {
            End::Nearest if self.nan && is_nan(self.sort, bits) => Some(bits),
            End::Nearest => spans
                .map(|span| bits.clamp(span.low, span.high))
                .min_by_key(|near| near.abs_diff(bits)),
            End::Low if high.is_empty() => (!low.is_empty()).then_some(low.low),
            End::Low => Some(if is_float { high.high } else { high.low }),
            End::High if low.is_empty() => {
                (!high.is_empty()).then_some(if is_float { high.low } else { high.high })
            }
            End::High => Some(low.high),
        };
        let nan = self.nan.then(|| Value::from_bits(self.sort, u64::MAX));
        chosen.map(|bits| Value::from_bits(self.sort, bits)).or(nan)
    }

    pub(crate) fn empty(sort: Sort) -> Domain {
        Domain { sort, spans: [Span::EMPTY; 2], nan: false }
    }

    /// All values of the sort.
    pub(crate) fn top(sort: Sort) -> Domain {
        let half = top_bit(sort);
        let greatest = if sort.is_float() { infinity(sort) } else { half - 1 };
        let spans = [Span { low: 0, high: greatest }, Span { low: half, high: half + greatest }];
        Domain { sort, spans, nan: sort.is_float() }
    }

    pub(crate) fn only(value: Value) -> Domain {
        let mut domain = Domain::empty(value.sort());
        domain.insert(value.bits());
        domain
    }

    pub(crate) fn nan(sort: Sort) -> Domain {
        Domain { nan: true, ..Domain::empty(sort) }
    }

    pub(crate) fn truth(truth: bool) -> Domain {
        Domain::only(Value::Bool(truth))
    }

    /// The truth values that are possible.
    pub(crate) fn truths(can_be_true: bool, can_be_false: bool) -> Domain {
        let mut domain = Domain::empty(Sort::Bool);
        for (truth, possible) in [(0, can_be_false), (1, can_be_true)] {
            if possible {
                domain.insert(truth);
            }
        }
        domain
    }

    pub(crate) fn can_be(self, truth: bool) -> bool {
        !self.spans[usize::from(truth)].is_empty()
    }

    /// The truth value, if there is one only.
    pub(crate) fn decided(self) -> Option<bool> {
        (self.can_be(true) != self.can_be(false)).then(|| self.can_be(true))
    }

    pub(crate) fn is_empty(self) -> bool {
        !self.nan && self.has_no_number()
    }

    /// Whether there is nothing, or nothing but NaN.
    pub(crate) fn has_no_number(self) -> bool {
        self.spans.iter().all(|span| span.is_empty())
    }

    /// The value, if there is one only.
    pub(crate) fn single(self) -> Option<Value> {
        let [low, high] = self.spans;
        let of_span =
            |span: Span| (span.low == span.high).then(|| Value::from_bits(self.sort, span.low));
        match (low.is_empty(), high.is_empty(), self.nan) {
            (false, true, false) => of_span(low),
            (true, false, false) => of_span(high),
            (true, true, true) => Some(Value::from_bits(self.sort, u64::MAX)),
            (true, true, false) | (false, false, _) | (_, false, true) | (false, _, true) => None,
        }
    }

    #[cfg(test)]
    pub(crate) fn contains(self, value: Value) -> bool {
        let bits = value.bits();
        if is_nan(self.sort, bits) {
            return self.nan;
        }
        self.spans.iter().any(|span| span.low <= bits && bits <= span.high)
    }

    pub(crate) fn meet(self, other: Domain) -> Domain {
        let [low, high] = self.spans;
        let spans = [low.meet(other.spans[0]), high.meet(other.spans[1])];
        Domain { spans, nan: self.nan && other.nan, ..self }
    }

    pub(crate) fn join(self, other: Domain) -> Domain {
        let [low, high] = self.spans;
        let spans = [low.join(other.spans[0]), high.join(other.spans[1])];
        Domain { spans, nan: self.nan || other.nan, ..self }
    }

    pub(crate) fn without_nan(self) -> Domain {
        Domain { nan: false, ..self }
    }

    /// Adds a value given by its raw bits.
    pub(crate) fn insert(&mut self, bits: u64) {
        if is_nan(self.sort, bits) {
            self.nan = true;
        } else {
            self.insert_bits(bits, bits);
        }
    }

    /// Adds the raw bits `low..=high`, none of them a NaN's.
    pub(crate) fn insert_bits(&mut self, low: u64, high: u64) {
        let half = top_bit(self.sort);
        let below = Span { low, high: high.min(half - 1) };
        let above = Span { low: low.max(half), high };
        for (span, part) in self.spans.iter_mut().zip([below, above]) {
            *span = span.join(part);
        }
    }

    /// Adds the integers `low..=high`, modulo two to the width.
    pub(crate) fn insert_integers(&mut self, low: i128, high: i128) {
        let mask = self.sort.mask();
        if high - low >= i128::from(mask) {
            self.insert_bits(0, mask);
            return;
        }
        let (low, high) = (low as u64 & mask, high as u64 & mask);
        if low <= high {
            self.insert_bits(low, high);
        } else {
            self.insert_bits(low, mask);
            self.insert_bits(0, high);
        }
    }

    /// Adds the floats `low..=high`, given by their places in the order of numbers.
    pub(crate) fn insert_places(&mut self, low: i64, high: i64) {
        let last = infinity(self.sort) as i64;
        let (low, high) = (low.clamp(-last - 1, last), high.clamp(-last - 1, last));
        if low > high {
            return;
        }
        if high >= 0 {
            self.insert_bits(low.max(0) as u64, high as u64);
        }
        if low < 0 {
            self.insert_bits(bits_at(self.sort, high.min(-1)), bits_at(self.sort, low));
        }
    }

    /// Non-empty spans, with whether their top bit is set.
    pub(crate) fn parts(self) -> impl Iterator<Item = (bool, Span)> + Clone {
        let [low, high] = self.spans;
        [(false, low), (true, high)].into_iter().filter(|(_, span)| !span.is_empty())
    }

    /// Non-empty spans as intervals of unsigned numbers.
    pub(crate) fn unsigned(self) -> impl Iterator<Item = (i128, i128)> + Clone {
        self.parts().map(|(_, span)| (i128::from(span.low), i128::from(span.high)))
    }

    /// Non-empty spans as intervals of signed numbers.
    pub(crate) fn signed(self) -> impl Iterator<Item = (i128, i128)> + Clone {
        let bias = 1i128 << self.sort.bits();
        self.parts().map(move |(negative, span)| {
            let shift = if negative { bias } else { 0 };
            (i128::from(span.low) - shift, i128::from(span.high) - shift)
        })
    }

    /// Non-empty spans of a float as intervals of places.
    pub(crate) fn places(self) -> impl Iterator<Item = (i64, i64)> + Clone {
        self.parts().map(move |(negative, span)| {
            let ends = [span.low, span.high].map(|bits| place(self.sort, bits));
            if negative { (ends[1], ends[0]) } else { (ends[0], ends[1]) }
        })
    }

    /// The least and the greatest place of a float, unless there is no number.
    pub(crate) fn range(self) -> Option<(i64, i64)> {
        self.places().reduce(|(low, high), (a, b)| (low.min(a), high.max(b)))
    }
}

/// The sign bit of a number; of a truth value, the value.
pub(crate) fn top_bit(sort: Sort) -> u64 {
    1 << (sort.bits() - 1)
}

/// The bits of plus infinity.
pub(crate) fn infinity(sort: Sort) -> u64 {
    match sort {
        Sort::F32 => u64::from(f32::INFINITY.to_bits()),
        Sort::F64 => f64::INFINITY.to_bits(),
        Sort::Bool | Sort::Bv(_) => unreachable!("only floats have an infinity"),
    }
}

fn is_nan(sort: Sort, bits: u64) -> bool {
    sort.is_float() && bits & !top_bit(sort) > infinity(sort)
}

/// Where a float that is not NaN stands in the order of numbers: plus zero at 0, minus zero at -1 just below.
pub(crate) fn place(sort: Sort, bits: u64) -> i64 {
    let sign = top_bit(sort);
    let magnitude = (bits & !sign) as i64;
    if bits & sign == 0 { magnitude } else { -magnitude - 1 }
}

/// The float at a place.
pub(crate) fn bits_at(sort: Sort, place: i64) -> u64 {
    if place >= 0 { place as u64 } else { top_bit(sort) | (-(place + 1)) as u64 }
}

/// A number that compares as machines compare floats: both zeros are the same.
pub(crate) fn rank(place: i64) -> i64 {
    if place < 0 { place + 1 } else { place }
}
