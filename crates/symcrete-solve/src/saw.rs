//! Stepwise adaptation of weights (Takaki et al. 2010, section 2.2; Bäck, Eiben and Vink 1998):
//! the fitness of the population searches, which learns which literals are hard.

use std::cmp::Ordering;

/// A weight per literal.
#[derive(Clone, Debug)]
pub(crate) struct Saw {
    weights: Vec<f64>,
}

/// How good a point is: the weight of the satisfied literals; of two alike, the summed error decides.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Fitness {
    satisfied: f64,
    error: f64,
}

impl Saw {
    /// All literals alike.
    pub(crate) fn new(n_literals: usize) -> Saw {
        Saw { weights: vec![1.0; n_literals] }
    }

    /// The fitness of a point with these errors.
    pub(crate) fn fitness(&self, errors: &[f64]) -> Fitness {
        let satisfied = errors.iter().zip(&self.weights).filter(|&(&error, _)| error == 0.0);
        Fitness {
            satisfied: satisfied.map(|(_, weight)| weight).sum(),
            error: errors.iter().sum::<f64>().min(f64::MAX),
        }
    }

    /// Every literal that a generation's best leaves unsatisfied weighs more from now on.
    pub(crate) fn learn(&mut self, errors_of_best: &[f64]) {
        for (weight, _) in
            self.weights.iter_mut().zip(errors_of_best).filter(|&(_, &error)| error > 0.0)
        {
            *weight += 1.0;
        }
    }
}

impl Fitness {
    /// Orders the better first.
    pub(crate) fn better_first(&self, other: &Fitness) -> Ordering {
        other.satisfied.total_cmp(&self.satisfied).then(self.error.total_cmp(&other.error))
    }

    /// Whether it is strictly better.
    pub(crate) fn beats(&self, other: &Fitness) -> bool {
        self.better_first(other) == Ordering::Less
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_that_stays_violated_outweighs_two_easy_ones() {
        let mut saw = Saw::new(3);
        let (easy, hard) = ([0.0, 0.0, 5.0], [1.0, 1.0, 0.0]);
        assert!(saw.fitness(&easy).beats(&saw.fitness(&hard)));
        saw.learn(&easy);
        saw.learn(&easy);
        assert!(saw.fitness(&hard).beats(&saw.fitness(&easy)));
        assert!(saw.fitness(&[0.0, 0.0, 4.0]).beats(&saw.fitness(&easy)), "ties by error");
    }
}
