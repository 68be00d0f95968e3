//! Which item stands left of which: few crossings of the links between neighbouring ranks.
//!
//! Barycentre sweeps, then exchanges of neighbours as long as they help (Sugiyama et al. 1981; Gansner et al.
//! 1993). The cost also counts how far the ends of a turn, which are in one rank, stand apart.

use super::layout::Plan;

const SWEEPS: usize = 24;
/// Larger plans get fewer sweeps and no exchanges: each costs time that grows with the square.
const LARGE: usize = 600;

/// The items of each rank from left to right.
pub(super) fn order(plan: &Plan) -> Vec<Vec<usize>> {
    let mut ranks: Vec<Vec<usize>> = vec![Vec::new(); plan.n_ranks];
    for (item, of_item) in plan.items.iter().enumerate() {
        ranks[of_item.rank].push(item);
    }
    let neighbours = Neighbours::of(plan);
    let mut position = positions(plan, &ranks);
    let mut best = (neighbours.cost(&ranks, &position), ranks.clone());
    let is_large = plan.items.len() > LARGE;
    for sweep in 0..if is_large { SWEEPS / 4 } else { SWEEPS } {
        let downward = sweep % 2 == 0;
        for step in 1..ranks.len() {
            let rank = if downward { step } else { ranks.len() - 1 - step };
            neighbours.sort(&mut ranks[rank], downward, &position);
            set_positions(&ranks[rank], &mut position);
        }
        if !is_large {
            neighbours.exchange(&mut ranks, &mut position);
        }
        let cost = neighbours.cost(&ranks, &position);
        if cost < best.0 {
            best = (cost, ranks.clone());
        }
    }
    best.1
}

fn positions(plan: &Plan, ranks: &[Vec<usize>]) -> Vec<usize> {
    let mut position = vec![0; plan.items.len()];
    ranks.iter().for_each(|rank| set_positions(rank, &mut position));
    position
}

fn set_positions(rank: &[usize], position: &mut [usize]) {
    for (place, &item) in rank.iter().enumerate() {
        position[item] = place;
    }
}

struct Neighbours {
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
    /// In the same rank.
    beside: Vec<Vec<usize>>,
}

impl Neighbours {
    fn of(plan: &Plan) -> Neighbours {
        let n = plan.items.len();
        let mut found =
            Neighbours { above: vec![vec![]; n], below: vec![vec![]; n], beside: vec![vec![]; n] };
        for link in &plan.links {
            let (from, to) = (link.from, link.to);
            if plan.items[from].rank == plan.items[to].rank {
                found.beside[from].push(to);
                found.beside[to].push(from);
            } else {
                let is_down = plan.items[from].rank < plan.items[to].rank;
                let (upper, lower) = if is_down { (from, to) } else { (to, from) };
                found.below[upper].push(lower);
                found.above[lower].push(upper);
            }
        }
        found
    }

    /// Sorts by the mean position of the neighbours; an item without one stays beside its partner or where
    /// it is.
    fn sort(&self, rank: &mut [usize], downward: bool, position: &[usize]) {
        let linked = if downward { &self.above } else { &self.below };
        let mean = |item: usize| {
            let places = linked[item].iter().map(|&other| position[other]);
            let n = linked[item].len();
            (n > 0).then(|| places.sum::<usize>() as f64 / n as f64)
        };
        let key = |item: usize| {
            let partner = || self.beside[item].iter().find_map(|&other| mean(other));
            // A little to the right: that is where ways back run.
            mean(item)
                .or_else(|| partner().map(|place| place + 0.1))
                .unwrap_or(position[item] as f64)
        };
        let mut keyed: Vec<(f64, usize)> = rank.iter().map(|&item| (key(item), item)).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (place, (_, item)) in rank.iter_mut().zip(keyed) {
            *place = item;
        }
    }

    /// Twice the crossings below a rank, and the lengths of its turns.
    fn cost_at(&self, rank: &[usize], position: &[usize]) -> usize {
        let mut links: Vec<(usize, usize)> = Vec::new();
        for &item in rank {
            links.extend(self.below[item].iter().map(|&other| (position[item], position[other])));
        }
        links.sort_unstable();
        let mut cost = 0;
        for (index, &(left, first)) in links.iter().enumerate() {
            let later = links[index + 1..].iter();
            cost += 2 * later.filter(|&&(right, second)| right > left && second < first).count();
        }
        for &item in rank {
            let apart = |&other: &usize| position[item].abs_diff(position[other]);
            cost += self.beside[item].iter().map(apart).sum::<usize>();
        }
        cost
    }

    fn cost(&self, ranks: &[Vec<usize>], position: &[usize]) -> usize {
        ranks.iter().map(|rank| self.cost_at(rank, position)).sum()
    }

    /// Exchanges neighbours while that lowers the cost.
    fn exchange(&self, ranks: &mut [Vec<usize>], position: &mut [usize]) {
        let mut improved = true;
        while improved {
            improved = false;
            for rank in 0..ranks.len() {
                for place in 1..ranks[rank].len() {
                    let around = |ranks: &[Vec<usize>], position: &[usize]| {
                        let above =
                            rank.checked_sub(1).map_or(0, |r| self.cost_at(&ranks[r], position));
                        above + self.cost_at(&ranks[rank], position)
                    };
                    let before = around(ranks, position);
                    ranks[rank].swap(place - 1, place);
                    set_positions(&ranks[rank], position);
                    if around(ranks, position) < before {
                        improved = true;
                    } else {
                        ranks[rank].swap(place - 1, place);
                        set_positions(&ranks[rank], position);
                    }
                }
            }
        }
    }
}
