//! Equations with a planted solution, through chains of invertible steps: random ones of every width, and those of well-known hash functions.

use super::solve;
use symcrete_term::{Literal, Op, Rng, Seed, Sort, TermId, Terms, Valuation, Value, VarId};

/// Moves that an equation of a chain may take.
const MOVES: u64 = 400;

/// A chain under construction.
struct Chain<'t> {
    terms: &'t mut Terms,
    width: u8,
    word: TermId,
}

impl Chain<'_> {
    fn constant(&mut self, bits: u64) -> TermId {
        self.terms.bv(self.width, bits)
    }

    /// The word and a constant.
    fn with(&mut self, op: Op, bits: u64) {
        let constant = self.constant(bits);
        self.word = self.terms.app(op, &[self.word, constant]);
    }

    /// The word and the word shifted by a constant.
    fn with_shifted(&mut self, op: Op, shift: Op, n: u64) {
        let n = self.constant(n);
        let shifted = self.terms.app(shift, &[self.word, n]);
        self.word = self.terms.app(op, &[self.word, shifted]);
    }

    /// `x ^ (x << n & mask)`, as in the tempering of the Mersenne Twister.
    fn with_masked_shift(&mut self, shift: Op, n: u64, mask: u64) {
        let (n, mask) = (self.constant(n), self.constant(mask));
        let shifted = self.terms.app(shift, &[self.word, n]);
        let masked = self.terms.app(Op::BvAnd, &[shifted, mask]);
        self.word = self.terms.app(Op::BvXor, &[self.word, masked]);
    }

    /// `x + (x · x | 5)`, a permutation (Klimov and Shamir 2002).
    fn with_square(&mut self) {
        let five = self.constant(5);
        let square = self.terms.app(Op::BvMul, &[self.word, self.word]);
        let or = self.terms.app(Op::BvOr, &[square, five]);
        self.word = self.terms.app(Op::BvAdd, &[self.word, or]);
    }

    /// A step of a shift register: to the right, and some bits turned if the lowest one was set.
    fn register_step(&mut self, polynomial: u64) {
        let (one, zero) = (self.constant(1), self.constant(0));
        let polynomial = self.constant(polynomial);
        let lowest = self.terms.app(Op::BvAnd, &[self.word, one]);
        let is_even = self.terms.eq(lowest, zero);
        let shifted = self.terms.app(Op::BvLshr, &[self.word, one]);
        let turned = self.terms.app(Op::BvXor, &[shifted, polynomial]);
        self.word = self.terms.app(Op::Ite, &[is_even, shifted, turned]);
    }

    /// The lowest byte through a table.
    fn substitute(&mut self, entries: &[Value]) {
        let low = self.terms.app_indexed(Op::Extract, [7, 0], &[self.word]);
        let table = self.terms.table(entries);
        let entry = self.terms.lookup(table, low);
        self.join(entry);
    }

    /// The lowest byte through a chain of choices between constants.
    fn choose(&mut self, entries: &[Value]) {
        let low = self.terms.app_indexed(Op::Extract, [7, 0], &[self.word]);
        let mut chosen = low;
        for (i, &entry) in entries.iter().enumerate() {
            let (index, entry) = (self.terms.bv(8, i as u64), self.terms.constant(entry));
            let is_it = self.terms.eq(low, index);
            chosen = self.terms.app(Op::Ite, &[is_it, entry, chosen]);
        }
        self.join(chosen);
    }

    /// The word with another lowest byte.
    fn join(&mut self, low: TermId) {
        self.word = if self.width == 8 {
            low
        } else {
            let high = self.terms.app_indexed(Op::Extract, [self.width - 1, 8], &[self.word]);
            self.terms.app(Op::Concat, &[high, low])
        };
    }

    /// One of all kinds of steps that lose nothing.
    fn random_step(&mut self, rng: &mut Rng) {
        let bits = rng.next_u64();
        let n = 1 + rng.below(u64::from(self.width) - 1);
        match rng.below(14) {
            0 => self.with(Op::BvXor, bits),
            1 => self.with(Op::BvAdd, bits),
            2 => self.with(Op::BvMul, bits | 1),
            3 => self.with(Op::BvRotl, n),
            4 => self.word = self.terms.app(Op::BvNot, &[self.word]),
            5 => self.word = self.terms.app(Op::BvNeg, &[self.word]),
            6 => self.with_shifted(Op::BvXor, Op::BvLshr, n),
            7 => self.with_shifted(Op::BvXor, Op::BvShl, n),
            8 => self.with_shifted(Op::BvAdd, Op::BvShl, n),
            9 => self.with_shifted(Op::BvSub, Op::BvShl, n),
            10 => self.with_masked_shift(Op::BvShl, n, bits),
            11 => self.with_square(),
            12 => self.register_step(bits | 1 << (self.width - 1)),
            _ => self.substitute(&permutation(rng)),
        }
    }
}

/// All bytes in a random order.
fn permutation(rng: &mut Rng) -> Vec<Value> {
    let mut bytes: Vec<u64> = (0..256).collect();
    for i in (1..bytes.len()).rev() {
        bytes.swap(i, rng.below(i as u64 + 1) as usize);
    }
    bytes.into_iter().map(|byte| Value::bv(8, byte)).collect()
}

/// That a term is what it is for a planted value of the variable `x`.
fn planted(terms: &mut Terms, term: TermId, bits: u64) -> Literal {
    let x = terms.find_var("x").expect("the chain has one");
    let sort = terms.var_sort(x);
    let there = Valuation::from_iter([(x, Value::from_bits(sort, bits))]);
    let value = terms.evaluate(term, &there);
    let value = terms.constant(value);
    Literal::holds(terms.eq(term, value))
}

#[test]
fn random_chains_are_inverted_at_every_width() {
    let mut rng = Seed(20).rng();
    for width in [8, 16, 32, 64] {
        for n_steps in [1, 2, 3, 4, 5, 6, 8, 12, 20] {
            for _ in 0..6 {
                let mut terms = Terms::new();
                let word = terms.var("x", Sort::Bv(width));
                let mut chain = Chain { terms: &mut terms, width, word };
                (0..n_steps).for_each(|_| chain.random_step(&mut rng));
                let end = chain.word;
                let literal = planted(&mut terms, end, rng.next_u64());
                let verdict = solve(&terms, &[literal], MOVES);
                assert_eq!(verdict.word(), "sat", "{width} bits, {n_steps} steps");
            }
        }
    }
}

#[test]
fn steps_of_one_kind_are_inverted() {
    type Step = fn(&mut Chain<'_>, &mut Rng);
    let kinds: [(&str, Step); 6] = [
        ("shifted and added", |chain, _| chain.with_shifted(Op::BvAdd, Op::BvShl, 5)),
        ("shifted and mixed", |chain, _| chain.with_shifted(Op::BvXor, Op::BvLshr, 3)),
        ("squared", |chain, _| chain.with_square()),
        ("shift register", |chain, _| chain.register_step(0xa6)),
        ("table", |chain, rng| chain.substitute(&permutation(rng))),
        ("choices", |chain, rng| chain.choose(&permutation(rng)[..64])),
    ];
    let mut rng = Seed(21).rng();
    for (name, step) in kinds {
        for width in [8, 16, 32, 64] {
            let mut terms = Terms::new();
            let word = terms.var("x", Sort::Bv(width));
            let mut chain = Chain { terms: &mut terms, width, word };
            step(&mut chain, &mut rng);
            if name != "choices" {
                step(&mut chain, &mut rng);
            }
            let end = chain.word;
            let literal = planted(&mut terms, end, rng.next_u64());
            assert_eq!(solve(&terms, &[literal], MOVES).word(), "sat", "{name}, {width} bits");
        }
    }
}

/// The last mixing of murmur3, the tempering of the Mersenne Twister, Jenkins's one-at-a-time.
#[test]
fn mixings_of_known_hash_functions_are_inverted() {
    let mut rng = Seed(22).rng();
    type Mixing = fn(&mut Chain<'_>);
    let mixings: [(&str, u8, Mixing); 3] = [
        ("murmur3", 64, |chain| {
            chain.with_shifted(Op::BvXor, Op::BvLshr, 33);
            chain.with(Op::BvMul, 0xff51_afd7_ed55_8ccd);
            chain.with_shifted(Op::BvXor, Op::BvLshr, 33);
            chain.with(Op::BvMul, 0xc4ce_b9fe_1a85_ec53);
            chain.with_shifted(Op::BvXor, Op::BvLshr, 33);
        }),
        ("tempering", 32, |chain| {
            chain.with_shifted(Op::BvXor, Op::BvLshr, 11);
            chain.with_masked_shift(Op::BvShl, 7, 0x9d2c_5680);
            chain.with_masked_shift(Op::BvShl, 15, 0xefc6_0000);
            chain.with_shifted(Op::BvXor, Op::BvLshr, 18);
        }),
        ("one-at-a-time", 32, |chain| {
            chain.with_shifted(Op::BvAdd, Op::BvShl, 10);
            chain.with_shifted(Op::BvXor, Op::BvLshr, 6);
            chain.with_shifted(Op::BvAdd, Op::BvShl, 3);
            chain.with_shifted(Op::BvXor, Op::BvLshr, 11);
            chain.with_shifted(Op::BvAdd, Op::BvShl, 15);
        }),
    ];
    for (name, width, mixing) in mixings {
        let mut terms = Terms::new();
        let word = terms.var("x", Sort::Bv(width));
        let mut chain = Chain { terms: &mut terms, width, word };
        mixing(&mut chain);
        let end = chain.word;
        let literal = planted(&mut terms, end, rng.next_u64());
        assert_eq!(solve(&terms, &[literal], MOVES).word(), "sat", "{name}");
    }
}

/// The table of CRC-32.
fn checksum_table() -> Vec<Value> {
    let entry =
        |i: u32| (0..8).fold(i, |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 });
    (0..256).map(|i| Value::bv(32, u64::from(entry(i)))).collect()
}

/// Eight bytes with a given CRC-32: no single one of them can be enough.
#[test]
fn checksums_of_several_bytes_are_inverted() {
    let mut terms = Terms::new();
    let bytes: Vec<TermId> = (0..8).map(|i| terms.var(&format!("b{i}"), Sort::Bv(8))).collect();
    let table = checksum_table();
    let table = terms.table(&table);
    let (ones, low, eight) = (terms.bv(32, 0xffff_ffff), terms.bv(32, 0xff), terms.bv(32, 8));
    let mut crc = ones;
    for byte in bytes {
        let wide = terms.app_indexed(Op::ZeroExtend, [24, 0], &[byte]);
        let mixed = terms.app(Op::BvXor, &[crc, wide]);
        let index = terms.app(Op::BvAnd, &[mixed, low]);
        let entry = terms.lookup(table, index);
        let rest = terms.app(Op::BvLshr, &[crc, eight]);
        crc = terms.app(Op::BvXor, &[rest, entry]);
    }
    let wanted = terms.bv(32, 0x1234_5678);
    let literal = Literal::holds(terms.eq(crc, wanted));
    assert_eq!(solve(&terms, &[literal], MOVES).word(), "sat");
}

/// Every library function that rises or falls, in both precisions, at several places of its domain.
#[test]
fn monotone_functions_are_inverted() {
    let rising = ["asinh", "atan", "cbrt", "erf", "exp", "exp2", "expm1", "sinh", "tanh"];
    let of_positive = ["log", "log10", "log1p", "log2", "sqrt", "acosh"];
    let of_small = ["acos", "asin", "atanh", "erfc"];
    let mut rng = Seed(23).rng();
    let places = |name: &str, rng: &mut Rng| -> f64 {
        let fraction = rng.fraction();
        match name {
            _ if of_positive.contains(&name) => 1.0 + 50.0 * fraction,
            _ if of_small.contains(&name) => 1.9 * fraction - 0.95,
            _ => 6.0 * fraction - 3.0,
        }
    };
    for &name in rising.iter().chain(&of_positive).chain(&of_small) {
        for sort in [Sort::F64, Sort::F32] {
            for _ in 0..4 {
                let mut terms = Terms::new();
                let x = terms.var("x", sort);
                let function = if sort == Sort::F64 { name.to_owned() } else { format!("{name}f") };
                let function = terms.function_named(&function).expect("a function of the library");
                let call = terms.call(function, &[x]);
                let place = places(name, &mut rng);
                let value =
                    if sort == Sort::F64 { Value::f64(place) } else { Value::f32(place as f32) };
                let literal = planted(&mut terms, call, value.bits());
                assert_eq!(
                    solve(&terms, &[literal], 50).word(),
                    "sat",
                    "{name}({place}), {sort:?}"
                );
            }
        }
    }
}

/// A variable that is also read elsewhere: only what was handed down and evaluated counts.
#[test]
fn a_model_found_by_inversion_satisfies_the_other_literals_too() {
    let mut terms = Terms::new();
    let word = terms.var("x", Sort::Bv(32));
    let x: VarId = terms.find_var("x").expect("just made");
    let mut chain = Chain { terms: &mut terms, width: 32, word };
    chain.with(Op::BvAnd, 0xffff_ff00);
    chain.with_shifted(Op::BvXor, Op::BvLshr, 13);
    chain.with(Op::BvMul, 0x9e37_79b1);
    let end = chain.word;
    let mixed = planted(&mut terms, end, 0x1357_9b00);
    let low = terms.app_indexed(Op::Extract, [7, 0], &[word]);
    let k = terms.bv(8, 0x77);
    let literals = [mixed, Literal::holds(terms.eq(low, k))];
    let super::Verdict::Sat(model) = solve(&terms, &literals, MOVES) else { panic!("it has one") };
    assert_eq!(model.get(x), Some(Value::bv(32, 0x1357_9b77)));
}
