//! Normal deviates without transcendental functions, whose last bits differ from machine to machine.
//!
//! C. F. F. Karney, *Sampling exactly from the normal distribution*, ACM TOMS 42 (2016), algorithm N, with doubles for the
//! uniform deviates: every decision compares uniform numbers (von Neumann 1951), so it is the same everywhere.

use symcrete_term::Rng;

/// A number of the normal distribution with mean zero and this standard deviation.
pub(crate) fn normal(rng: &mut Rng, deviation: f64) -> f64 {
    loop {
        let whole = whole_part(rng);
        if !(0..whole * whole.saturating_sub(1)).all(|_| half_exponential(rng)) {
            continue;
        }
        let fraction = rng.fraction();
        // Accepted with probability exp(-fraction (2 whole + fraction) / 2).
        let is_accepted = (0..=whole).all(|_| {
            let rate =
                fraction * (2.0 * f64::from(whole) + fraction) / (2.0 * f64::from(whole) + 2.0);
            accept(rng, rate)
        });
        if is_accepted {
            let size = (f64::from(whole) + fraction) * deviation;
            return if rng.one_in(2) { size } else { -size };
        }
    }
}

/// `k` with probability proportional to `exp(-k / 2)`.
fn whole_part(rng: &mut Rng) -> u32 {
    let mut k = 0;
    while half_exponential(rng) {
        k += 1;
    }
    k
}

/// True with probability `exp(-1/2)`.
fn half_exponential(rng: &mut Rng) -> bool {
    accept(rng, 0.5)
}

/// True with probability `exp(-rate)` for a rate between 0 and 1: the length of a run of falling uniform
/// numbers below the rate is even.
fn accept(rng: &mut Rng, rate: f64) -> bool {
    let mut last = rate;
    let mut is_even = true;
    loop {
        let next = rng.fraction();
        if next >= last {
            return is_even;
        }
        last = next;
        is_even = !is_even;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::Seed;

    #[test]
    fn moments_and_tails_are_those_of_the_normal_distribution() {
        let mut rng = Seed(1).rng();
        let n = 200_000;
        let drawn: Vec<f64> = (0..n).map(|_| normal(&mut rng, 3.0) / 3.0).collect();
        let mean = |f: &dyn Fn(f64) -> f64| drawn.iter().map(|&x| f(x)).sum::<f64>() / n as f64;
        assert!(mean(&|x| x).abs() < 0.01);
        assert!((mean(&|x| x * x) - 1.0).abs() < 0.015);
        assert!((mean(&|x| x * x * x * x) - 3.0).abs() < 0.15);
        let share = |limit: f64| mean(&|x| f64::from(u8::from(x.abs() < limit)));
        for (limit, expected) in [(0.5, 0.38292), (1.0, 0.68269), (2.0, 0.95450), (3.0, 0.99730)] {
            assert!((share(limit) - expected).abs() < 0.005, "{limit}: {}", share(limit));
        }
    }
}
