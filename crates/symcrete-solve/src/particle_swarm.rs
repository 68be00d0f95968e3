//! The particle swarm solver of Takaki et al. 2010 (section 2.2):
//! `v ← ωv + r₁c₁(best_own − x) + r₂c₂(best_all − x)`, `x ← x + v`, SAW fitness.
//!
//! [`SwarmOptions::published`] starts anywhere in a range and flies on. [`SwarmOptions::improved`] starts from the random
//! solver's mixture and the hint, and draws a particle anew that stands still, which the paper's short runs did not need.
//! The paper has default coefficients and does not name them; both forms have Clerc and Kennedy's.
//!
//! Positions are doubles, rounded to the variables' sorts where they are evaluated, so integers beyond 2^53 move in
//! larger units. A step is one evaluated position.

use crate::error::Metric;
use crate::jit::JitCache;
use crate::random::{Draws, Range, Source};
use crate::saw::Saw;
use crate::search::Objective;
use crate::search::domain::{from_number, to_number};
use crate::{Budget, Query, Solver, Verdict, Why};
use symcrete_term::{Rng, Seed};

/// The parameters; the coefficients are Clerc and Kennedy's constriction values.
#[derive(Clone, Copy, Debug)]
pub struct SwarmOptions {
    /// Particles.
    pub particles: usize,
    /// ω: how much of its velocity a particle keeps.
    pub inertia: f64,
    /// c₁: pull of its own best position.
    pub own: f64,
    /// c₂: pull of the swarm's best position.
    pub swarm: f64,
    /// Whether a particle that stands still is drawn anew.
    pub wakes: bool,
    /// Where positions come from.
    pub draws: Draws,
}

impl SwarmOptions {
    /// As in the paper.
    pub fn published() -> SwarmOptions {
        SwarmOptions {
            particles: 20,
            inertia: 0.7298,
            own: 1.49618,
            swarm: 1.49618,
            wakes: false,
            draws: Draws::Uniform(Range::DEFAULT),
        }
    }

    /// What we found better.
    pub fn improved() -> SwarmOptions {
        SwarmOptions { wakes: true, draws: Draws::Mixed, ..SwarmOptions::published() }
    }
}

/// Moves particles until the budget ends.
pub struct ParticleSwarm {
    name: &'static str,
    seed: Seed,
    options: SwarmOptions,
    cache: JitCache,
}

impl ParticleSwarm {
    /// A swarm; the same seed and query give the same flight.
    pub fn new(name: &'static str, seed: Seed, options: SwarmOptions) -> ParticleSwarm {
        assert!(options.particles > 0, "a swarm has particles");
        ParticleSwarm {
            name,
            seed: seed.derive("solver/particle-swarm"),
            options,
            cache: JitCache::new(),
        }
    }
}

impl Solver for ParticleSwarm {
    fn name(&self) -> &'static str {
        self.name
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let objective = Objective::new(query, Metric::Absolute, &self.cache);
        let mut swarm = Swarm {
            saw: Saw::new(objective.n_literals()),
            rng: query.seed(self.seed).rng(),
            source: Source::new(query, self.options.draws),
            options: self.options,
            objective,
        };
        match swarm.run(query, budget) {
            Ok(point) => Verdict::Sat(swarm.objective.model(&point)),
            Err(why) => Verdict::Unknown(why),
        }
    }
}

struct Swarm<'a> {
    objective: Objective<'a>,
    saw: Saw,
    rng: Rng,
    source: Source,
    options: SwarmOptions,
}

/// A position and the errors there.
#[derive(Clone)]
struct Place {
    numbers: Vec<f64>,
    errors: Vec<f64>,
}

struct Particle {
    numbers: Vec<f64>,
    velocity: Vec<f64>,
    best: Place,
}

/// Ends the flight: a solution, or the end of the budget.
enum End {
    Solved(Vec<u64>),
    Stopped(Why),
}

impl From<Why> for End {
    fn from(why: Why) -> End {
        End::Stopped(why)
    }
}

impl Swarm<'_> {
    fn run(&mut self, query: &Query<'_>, budget: &mut Budget) -> Result<Vec<u64>, Why> {
        match self.fly(query, budget) {
            Ok(never) => match never {},
            Err(End::Solved(point)) => Ok(point),
            Err(End::Stopped(why)) => Err(why),
        }
    }

    fn fly(
        &mut self,
        query: &Query<'_>,
        budget: &mut Budget,
    ) -> Result<std::convert::Infallible, End> {
        let first = self.source.first(&mut self.rng, query, self.objective.variables());
        let first = self.objective.point(&first);
        let mut particles = vec![self.particle(&first, budget)?];
        while particles.len() < self.options.particles {
            let point = self.drawn();
            particles.push(self.particle(&point, budget)?);
        }
        loop {
            let best = self.best_of(&particles);
            self.saw.learn(&best.errors);
            for particle in &mut particles {
                self.advance(particle, &best);
                let place = self.visit(particle.numbers.clone(), budget)?;
                let fitness = self.saw.fitness(&place.errors);
                if fitness.beats(&self.saw.fitness(&particle.best.errors)) {
                    particle.best = place;
                }
                if self.options.wakes
                    && particle.velocity.iter().all(|v| v.abs() < 0.5 * f64::EPSILON)
                {
                    let point = self.drawn();
                    *particle = self.particle(&point, budget)?;
                }
            }
        }
    }

    fn drawn(&mut self) -> Vec<u64> {
        self.source.point(&mut self.rng, self.objective.variables())
    }

    /// A particle at rest.
    fn particle(&mut self, point: &[u64], budget: &mut Budget) -> Result<Particle, End> {
        let finite = |x: f64| if x.is_finite() { x } else { 0.0 };
        let numbers: Vec<f64> = point
            .iter()
            .enumerate()
            .map(|(i, &bits)| finite(to_number(self.objective.sort(i), bits)))
            .collect();
        let best = self.visit(numbers.clone(), budget)?;
        Ok(Particle { velocity: vec![0.0; numbers.len()], numbers, best })
    }

    fn visit(&mut self, numbers: Vec<f64>, budget: &mut Budget) -> Result<Place, End> {
        budget.charge(1)?;
        let point: Vec<u64> = numbers
            .iter()
            .enumerate()
            .map(|(i, &number)| from_number(self.objective.sort(i), number))
            .collect();
        let errors = self.objective.errors(&point);
        if errors.iter().all(|&error| error == 0.0) {
            return Err(End::Solved(point));
        }
        Ok(Place { numbers, errors })
    }

    fn best_of(&self, particles: &[Particle]) -> Place {
        let better = |a: &Particle, b: &Particle| {
            let (a, b) = (self.saw.fitness(&a.best.errors), self.saw.fitness(&b.best.errors));
            a.better_first(&b)
        };
        let best = particles.iter().min_by(|a, b| better(a, b)).expect("a swarm has particles");
        best.best.clone()
    }

    fn advance(&mut self, particle: &mut Particle, best: &Place) {
        let SwarmOptions { inertia, own, swarm, .. } = self.options;
        for i in 0..particle.numbers.len() {
            let here = particle.numbers[i];
            let to_own = self.rng.fraction() * own * (particle.best.numbers[i] - here);
            let to_best = self.rng.fraction() * swarm * (best.numbers[i] - here);
            let velocity = inertia * particle.velocity[i] + to_own + to_best;
            // Two huge positions may be infinitely far apart.
            particle.velocity[i] = velocity.clamp(-f64::MAX, f64::MAX);
            particle.numbers[i] = (here + particle.velocity[i]).clamp(-f64::MAX, f64::MAX);
        }
    }
}
