//! Path conditions like those of the subjects of Chen et al. 2019 (CarFast's random programs): 32-bit integers,
//! small constants, guards of `+ - * / %`, satisfiable by construction.
//!
//! The programs are not public in usable form. What is: table II's minimum, median and maximum of the
//! branches, variables and operators of a condition, and the look of the guards (`(i14*i12) <= i11`,
//! `(-4) == (i17/(-5))`). A condition is what one run of a program with a hidden input collects: random
//! guards, each with the relation that the input satisfies. So an equation appears where the input
//! happens to meet it; one in four of the short guards whose left side is a small number is made one, as a flipped
//! branch would be.

use symcrete_term::{Literal, Op, Rng, Sort, TermId, Terms, Valuation, Value};

/// Minimum, median and maximum of a count.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// The least.
    pub min: u64,
    /// As many above as below.
    pub median: u64,
    /// The greatest.
    pub max: u64,
}

/// What the conditions look like.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Guards in a condition.
    pub branches: Spread,
    /// Variables in a condition, of the twenty that there are.
    pub variables: Spread,
    /// Operators in a condition, with their counts.
    pub operators: [(Op, Spread); 5],
    /// Constants, and the hidden input, are between minus and plus these.
    pub constant_max: i64,
    /// See above.
    pub input_max: i64,
    /// Which numbers short guards are made equal to.
    pub equations: Equations,
}

/// Which numbers a guard may be made equal to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Equations {
    /// One guard in twenty, any number that the hidden input gives: our first generator.
    Few,
    /// One guard in four, any number: the hardest.
    Many,
    /// One guard in four, constants as small as those that are known of the original programs: the generator that
    /// stands now, made after InSPeCT's figure with the first one was seen, and easier for InSPeCT.
    Small,
}

impl Profile {
    /// Table II of Chen et al. 2019.
    pub fn table_ii() -> Profile {
        let spread = |min, median, max| Spread { min, median, max };
        Profile {
            branches: spread(3, 12, 19),
            variables: spread(1, 6, 15),
            operators: [
                (Op::BvAdd, spread(0, 8, 598)),
                (Op::BvSub, spread(0, 9, 397)),
                (Op::BvMul, spread(0, 8, 258)),
                (Op::BvSdiv, spread(0, 4, 226)),
                (Op::BvSrem, spread(0, 4, 267)),
            ],
            constant_max: 10,
            input_max: 100,
            equations: Equations::Small,
        }
    }

    /// The same with other equations.
    pub fn with_equations(equations: Equations) -> Profile {
        Profile { equations, ..Profile::table_ii() }
    }
}

/// A generated condition and the input it was made from.
pub struct Generated {
    /// The guards as the input decides them.
    pub literals: Vec<Literal>,
    /// A model.
    pub witness: Valuation,
}

/// How many variables the programs have.
const VARIABLES: u64 = 20;

/// Generates a condition over the variables `i0` to `i19` of an arena.
pub fn generate(terms: &mut Terms, rng: &mut Rng, profile: &Profile) -> Generated {
    let size = rng.fraction();
    let n_branches = profile.branches.at(rng.fraction()) as usize;
    let n_variables = profile.variables.at(rng.fraction());
    let mut variables: Vec<TermId> = Vec::new();
    while (variables.len() as u64) < n_variables {
        let variable = terms.var(&format!("i{}", rng.below(VARIABLES)), Sort::Bv(32));
        if !variables.contains(&variable) {
            variables.push(variable);
        }
    }
    let witness = variables.iter().map(|&variable| {
        let value = rng.between(-profile.input_max, profile.input_max);
        (variable, Value::bv(32, value as u64))
    });
    let witness: Vec<(TermId, Value)> = witness.collect();
    let valuation: Valuation = (0..terms.n_vars())
        .map(symcrete_term::VarId::from_index)
        .filter_map(|var| {
            let (_, value) = witness.iter().find(|(term, _)| *term == terms.var_term(var))?;
            Some((var, *value))
        })
        .collect();
    // Sums are as large as products in one condition: sizes go together.
    let mut operators: Vec<Op> = Vec::new();
    for (op, spread) in profile.operators {
        let place = (size + (rng.fraction() - 0.5) * 0.3).clamp(0.0, 1.0);
        operators.extend(std::iter::repeat_n(op, spread.at(place) as usize));
    }
    let mut by_branch: Vec<Vec<Op>> = vec![Vec::new(); n_branches];
    for op in operators {
        by_branch[rng.below(n_branches as u64) as usize].push(op);
    }
    let Profile { constant_max, equations, .. } = *profile;
    let leaves = Leaves { variables, constant_max, equations };
    let literals =
        by_branch.into_iter().map(|ops| leaves.guard(terms, rng, &ops, &valuation)).collect();
    Generated { literals, witness: valuation }
}

impl Spread {
    /// The count at a place between 0 and 1; the median at one half, the maximum rare.
    fn at(self, place: f64) -> u64 {
        let Spread { min, median, max } = self;
        if place < 0.5 {
            return min + ((median - min) as f64 * place * 2.0).round() as u64;
        }
        let above = (place - 0.5) * 2.0;
        let rare = above * above * above * above * above * above;
        median + ((max - median) as f64 * rare).round() as u64
    }
}

struct Leaves {
    variables: Vec<TermId>,
    constant_max: i64,
    equations: Equations,
}

impl Leaves {
    fn variable(&self, rng: &mut Rng) -> TermId {
        *rng.choose(&self.variables)
    }

    fn constant(&self, terms: &mut Terms, rng: &mut Rng) -> TermId {
        terms.bv(32, rng.between(-self.constant_max, self.constant_max) as u64)
    }

    fn leaf(&self, terms: &mut Terms, rng: &mut Rng) -> TermId {
        if rng.below(3) == 0 { self.constant(terms, rng) } else { self.variable(rng) }
    }

    /// An operand that is not zero for the hidden input: the program did not trap.
    fn divisor(&self, terms: &mut Terms, rng: &mut Rng, input: &Valuation) -> TermId {
        let leaf = self.leaf(terms, rng);
        if terms.evaluate(leaf, input).bits() == 0 { terms.bv(32, 5) } else { leaf }
    }

    /// A guard with the given operators, as the input decides it.
    fn guard(&self, terms: &mut Terms, rng: &mut Rng, ops: &[Op], input: &Valuation) -> Literal {
        let mut sides = [self.variable(rng), self.leaf(terms, rng)];
        for &op in ops {
            let side = rng.below(2) as usize;
            let operand = if matches!(op, Op::BvSdiv | Op::BvSrem) {
                self.divisor(terms, rng, input)
            } else {
                self.leaf(terms, rng)
            };
            sides[side] = terms.app(op, &[sides[side], operand]);
        }
        let [left, right] = sides;
        let value = terms.evaluate(left, input);
        let is_small = value.as_signed().is_some_and(|n| n.abs() <= self.constant_max);
        let (fits, one_in) = match self.equations {
            Equations::Few => (true, 20),
            Equations::Many => (true, 4),
            Equations::Small => (is_small, 4),
        };
        if ops.len() <= 1 && fits && rng.one_in(one_in) {
            let value = terms.constant(value);
            return Literal::holds(terms.eq(left, value));
        }
        let term = match rng.below(5) {
            0 => terms.eq(left, right),
            1 => terms.app(Op::BvSlt, &[left, right]),
            2 => terms.app(Op::BvSle, &[left, right]),
            3 => terms.app(Op::BvSlt, &[right, left]),
            _ => terms.app(Op::BvSle, &[right, left]),
        };
        Literal { term, expected: terms.evaluate(term, input) == Value::Bool(true) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::{Node, Seed, reachable};

    #[test]
    fn conditions_have_models_and_the_asked_spread() {
        let mut terms = Terms::new();
        let mut rng = Seed(1).derive("generate").rng();
        let mut sizes = Vec::new();
        for _ in 0..400 {
            let generated = generate(&mut terms, &mut rng, &Profile::table_ii());
            assert!(terms.satisfies(&generated.literals, &generated.witness));
            sizes.push(generated.literals.len());
        }
        sizes.sort_unstable();
        assert_eq!((sizes[0], sizes[399]), (3, 19));
        assert!((11..=13).contains(&sizes[200]), "median {}", sizes[200]);
    }

    #[test]
    fn operators_have_the_asked_medians() {
        let profile = Profile::table_ii();
        let mut rng = Seed(2).rng();
        let spread = |op: Op| profile.operators.iter().find(|(o, _)| *o == op).unwrap().1;
        let (sum, difference) = (spread(Op::BvAdd), spread(Op::BvSub));
        // A difference with a constant is a sum in our terms, so these two count together.
        let classes = [
            (vec![Op::BvAdd, Op::BvSub], sum.median + difference.median, sum.max + difference.max),
            (vec![Op::BvMul], spread(Op::BvMul).median, spread(Op::BvMul).max),
            (vec![Op::BvSdiv], spread(Op::BvSdiv).median, spread(Op::BvSdiv).max),
            (vec![Op::BvSrem], spread(Op::BvSrem).median, spread(Op::BvSrem).max),
        ];
        let mut counts: Vec<Vec<u64>> = vec![Vec::new(); classes.len()];
        for _ in 0..400 {
            let mut terms = Terms::new();
            let literals = generate(&mut terms, &mut rng, &profile).literals;
            let roots: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
            let applied = reachable(&terms, &roots);
            for (counts, (ops, ..)) in counts.iter_mut().zip(&classes) {
                let counted = applied.iter().filter(
                    |&&term| matches!(terms.node(term), Node::App { op, .. } if ops.contains(&op)),
                );
                counts.push(counted.count() as u64);
            }
        }
        for (counts, (ops, median, max)) in counts.iter_mut().zip(&classes) {
            counts.sort_unstable();
            // Constants fold and equal terms are one, so a few are missing.
            assert!(counts[200] * 10 >= median * 7, "{ops:?}: median {}", counts[200]);
            assert!(counts[200] <= median + 2, "{ops:?}: median {}", counts[200]);
            assert!((max / 2..=*max).contains(&counts[399]), "{ops:?}: most {}", counts[399]);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_conditions() {
        let make = || {
            let mut terms = Terms::new();
            let mut rng = Seed(7).rng();
            generate(&mut terms, &mut rng, &Profile::table_ii()).literals
        };
        assert_eq!(make(), make());
    }
}
