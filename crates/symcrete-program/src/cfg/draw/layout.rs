//! Where boxes and lines go: a layered layout.
//!
//! Boxes stand in ranks, the entry on top. A way that passes a rank does so in a *lane*, an item of its own with its
//! own room, so no line runs through a box. Ways to one target share a lane. A way back to a loop's header leaves
//! its block at the bottom, turns, goes up in a lane beside the loop and turns into the header from above.

use super::order;
use std::collections::BTreeMap;

const BOX_GAP: f64 = 28.0;
const LANE_WIDTH: f64 = 14.0;
const RANK_GAP: f64 = 54.0;
const PORT_GAP: f64 = 30.0;
const X_ROUNDS: usize = 60;

/// A box or a lane.
pub(super) struct Item {
    pub(super) rank: usize,
    pub(super) width: f64,
    pub(super) height: f64,
    /// Not so for a lane.
    pub(super) is_box: bool,
    /// Whether the lane leads up.
    pub(super) is_up: bool,
}

/// A line from one item to another.
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The ways that use it, by index.
    pub(super) ways: Vec<usize>,
}

/// What is to be placed; box `i` is item `i`.
pub(super) struct Plan {
    pub(super) items: Vec<Item>,
    pub(super) links: Vec<Link>,
    /// The lanes of each target, from the top down.
    pub(super) lanes: Vec<Vec<usize>>,
    pub(super) n_ranks: usize,
}

/// A way to lay out.
pub(super) struct Route {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) is_back: bool,
    /// Room for what is written where it starts.
    pub(super) label_width: f64,
}

/// Where everything is.
pub(super) struct Layout {
    pub(super) plan: Plan,
    /// Centre of each item.
    pub(super) x: Vec<f64>,
    /// Top of each rank.
    pub(super) top: Vec<f64>,
    /// Bottom of each rank.
    pub(super) bottom: Vec<f64>,
    /// For each link where it starts and ends.
    pub(super) ends: Vec<(f64, f64)>,
    /// Height of the gap below each rank; the first is above the first rank.
    pub(super) gaps: Vec<f64>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Places boxes of these sizes, given in reverse postorder.
pub(super) fn layout(sizes: &[(f64, f64)], routes: &[Route], y_start: f64) -> Layout {
    let plan = plan(sizes, routes);
    let ranks = order::order(&plan);
    let label_widths: Vec<f64> = routes.iter().map(|route| route.label_width).collect();
    let x = place(&plan, &ranks);
    let ends = ports(&plan, &x, &label_widths);
    let mut gaps = vec![RANK_GAP; plan.n_ranks + 1];
    for (link, (start, end)) in plan.links.iter().zip(&ends) {
        let (from, to) = (&plan.items[link.from], &plan.items[link.to]);
        // Long horizontal ways need height to stay readable.
        let gap = match from.rank == to.rank {
            true if to.is_box => to.rank,
            true => from.rank + 1,
            false => from.rank.min(to.rank) + 1,
        };
        gaps[gap] = gaps[gap].max(RANK_GAP + ((start - end).abs() * 0.11).min(70.0));
    }
    let (mut top, mut bottom, mut y) = (vec![], vec![], y_start);
    for (rank, gap) in gaps[..plan.n_ranks].iter().enumerate() {
        let of_rank = plan.items.iter().filter(|item| item.rank == rank);
        y += gap;
        top.push(y);
        y += of_rank.map(|item| item.height).fold(0.0, f64::max);
        bottom.push(y);
    }
    let right = plan.items.iter().zip(&x).map(|(item, x)| x + item.width / 2.0);
    let width = right.fold(0.0, f64::max);
    Layout { x, top, bottom, ends, width, height: y + gaps[plan.n_ranks], gaps, plan }
}

/// Ranks, lanes and links.
fn plan(sizes: &[(f64, f64)], routes: &[Route]) -> Plan {
    let mut rank = vec![0; sizes.len()];
    // In reverse postorder every way but those back goes to a later block.
    for to in 0..sizes.len() {
        let into = routes.iter().filter(|route| route.to == to && !route.is_back);
        rank[to] = into.map(|route| rank[route.from] + 1).max().unwrap_or(0);
    }
    let item = |(index, &(width, height)): (usize, &(f64, f64))| Item {
        rank: rank[index],
        width,
        height,
        is_box: true,
        is_up: false,
    };
    let mut items: Vec<Item> = sizes.iter().enumerate().map(item).collect();
    let mut lanes: BTreeMap<(usize, bool, usize), usize> = BTreeMap::new();
    let mut links: BTreeMap<(usize, usize, Option<usize>), Vec<usize>> = BTreeMap::new();
    for (way, route) in routes.iter().enumerate() {
        let passed: Vec<usize> = match route.is_back {
            true => (rank[route.to]..=rank[route.from]).rev().collect(),
            false => (rank[route.from] + 1..rank[route.to]).collect(),
        };
        let mut at = route.from;
        for passed in passed {
            let lane = *lanes.entry((route.to, route.is_back, passed)).or_insert_with(|| {
                let is_up = route.is_back;
                items.push(Item {
                    rank: passed,
                    width: LANE_WIDTH,
                    height: 0.0,
                    is_box: false,
                    is_up,
                });
                items.len() - 1
            });
            // What leaves a box stays apart, so that each side has its own start.
            let own = (at == route.from).then_some(way);
            links.entry((at, lane, own)).or_default().push(way);
            at = lane;
        }
        let own = (at == route.from).then_some(way);
        links.entry((at, route.to, own)).or_default().push(way);
    }
    let links = links.into_iter().map(|((from, to, _), ways)| Link { from, to, ways }).collect();
    let n_ranks = rank.iter().max().map_or(0, |last| last + 1);
    let mut chains: BTreeMap<(usize, bool), Vec<usize>> = BTreeMap::new();
    for ((to, is_back, _), lane) in lanes {
        chains.entry((to, is_back)).or_default().push(lane);
    }
    Plan { items, links, lanes: chains.into_values().collect(), n_ranks }
}

/// Centres of the items: each is drawn to the mean of its neighbours, lanes more strongly, so that long
/// ways are straight. Within a rank the least-squares places that keep order and distance are found exactly.
fn place(plan: &Plan, ranks: &[Vec<usize>]) -> Vec<f64> {
    let mut x = vec![0.0; plan.items.len()];
    for rank in ranks {
        let mut at = 0.0;
        for &item in rank {
            x[item] = at + plan.items[item].width / 2.0;
            at += plan.items[item].width + BOX_GAP;
        }
    }
    let mut pulls: Vec<Vec<(usize, f64)>> = vec![vec![]; plan.items.len()];
    for link in &plan.links {
        let (from, to) = (&plan.items[link.from], &plan.items[link.to]);
        let weight = match (from.is_box, to.is_box) {
            (true, true) => 3.0,
            (true, false) | (false, true) => 0.5,
            (false, false) => 10.0,
        };
        pulls[link.from].push((link.to, weight));
        pulls[link.to].push((link.from, weight));
    }
    for round in 0..X_ROUNDS {
        let downward = round % 2 == 0;
        for step in 0..ranks.len() {
            let rank = &ranks[if downward { step } else { ranks.len() - 1 - step }];
            // At first only what was just placed pulls, in the end both sides do.
            let one_sided = round < X_ROUNDS / 2;
            settle(plan, rank, &pulls, &mut x, one_sided.then_some(downward));
        }
    }
    straighten(plan, ranks, &mut x);
    let left = plan.items.iter().zip(&x).map(|(item, x)| x - item.width / 2.0);
    let left = left.fold(f64::INFINITY, f64::min);
    x.iter().map(|x| x - left).collect()
}

/// The least distance of the centres of two items that stand side by side.
fn distance(left: &Item, right: &Item) -> f64 {
    let gap = if left.is_box || right.is_box { BOX_GAP } else { BOX_GAP / 2.0 };
    (left.width + right.width) / 2.0 + gap
}

/// Gives as many consecutive lanes of a way as their neighbours allow one common place.
fn straighten(plan: &Plan, ranks: &[Vec<usize>], x: &mut [f64]) {
    let mut place = vec![0; plan.items.len()];
    for (position, &item) in ranks.iter().flat_map(|rank| rank.iter().enumerate()) {
        place[item] = position;
    }
    for chain in &plan.lanes {
        let mut run: Vec<usize> = Vec::new();
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for &lane in chain {
            let rank = &ranks[plan.items[lane].rank];
            let left = place[lane].checked_sub(1).map(|position| rank[position]);
            let right = rank.get(place[lane] + 1).copied();
            let apart = |other: usize| distance(&plan.items[other], &plan.items[lane]);
            let least = left.map_or(f64::NEG_INFINITY, |other| x[other] + apart(other));
            let most = right.map_or(f64::INFINITY, |other| x[other] - apart(other));
            if low.max(least) > high.min(most) {
                set_common(&run, low, high, x);
                run.clear();
                (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
            }
            (low, high) = (low.max(least), high.min(most));
            run.push(lane);
        }
        set_common(&run, low, high, x);
    }
}

fn set_common(run: &[usize], low: f64, high: f64, x: &mut [f64]) {
    let mean = run.iter().map(|&lane| x[lane]).sum::<f64>() / run.len().max(1) as f64;
    for &lane in run {
        // Rounding may leave the bounds the wrong way round by a hair.
        x[lane] = mean.min(high).max(low);
    }
}

fn settle(
    plan: &Plan,
    rank: &[usize],
    pulls: &[Vec<(usize, f64)>],
    x: &mut [f64],
    from_above: Option<bool>,
) {
    // Pool adjacent violators, on places from which the least distances have been taken away.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    let (mut offset, mut offsets) = (0.0, Vec::new());
    for (place, &item) in rank.iter().enumerate() {
        if let Some(before) = place.checked_sub(1) {
            offset += distance(&plan.items[rank[before]], &plan.items[item]);
        }
        offsets.push(offset);
        let counts = |other: usize| match from_above {
            Some(true) => plan.items[other].rank <= plan.items[item].rank,
            Some(false) => plan.items[other].rank >= plan.items[item].rank,
            None => true,
        };
        let (mut sum, mut weight) = (x[item] * 0.01, 0.01);
        for &(other, pull) in pulls[item].iter().filter(|(other, _)| counts(*other)) {
            sum += x[other] * pull;
            weight += pull;
        }
        let mut pool = (sum / weight - offset, weight, 1);
        while let Some(&(mean, of_mean, count)) = pools.last().filter(|last| last.0 > pool.0) {
            pools.pop();
            let total = of_mean + pool.1;
            pool = ((mean * of_mean + pool.0 * pool.1) / total, total, count + pool.2);
        }
        pools.push(pool);
    }
    let places = pools.iter().flat_map(|&(mean, _, count)| std::iter::repeat_n(mean, count));
    for ((&item, offset), place) in rank.iter().zip(offsets).zip(places) {
        x[item] = place + offset;
    }
}

/// Where on its items each link starts and ends: side by side, in the order of where they go.
fn ports(plan: &Plan, x: &[f64], label_widths: &[f64]) -> Vec<(f64, f64)> {
    let mut ends: Vec<(f64, f64)> =
        plan.links.iter().map(|link| (x[link.from], x[link.to])).collect();
    for (item, of_item) in plan.items.iter().enumerate().filter(|(_, item)| item.is_box) {
        let far = |link: &Link, other: usize| {
            // A turn goes out sideways: it is outermost on its side.
            let is_turn = plan.items[link.from].rank == plan.items[link.to].rank;
            x[item] + (x[other] - x[item]) * if is_turn { 1000.0 } else { 1.0 }
        };
        let spread = |count: usize, gap: f64| {
            let gap = gap.min((of_item.width - 12.0) / count as f64);
            (0..count).map(move |place| (place as f64 - (count as f64 - 1.0) / 2.0) * gap)
        };
        let sorted = |mut links: Vec<(f64, usize)>| {
            links.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            links
        };
        let indexed = || plan.links.iter().enumerate();
        let out = indexed().filter(|(_, link)| link.from == item);
        let out = sorted(out.map(|(index, link)| (far(link, link.to), index)).collect());
        let label = |&(_, index): &(f64, usize)| label_widths[plan.links[index].ways[0]];
        let widest = out.iter().map(label).fold(PORT_GAP, f64::max);
        for ((_, index), place) in out.iter().zip(spread(out.len(), widest)) {
            ends[*index].0 = x[item] + place;
        }
        let into = indexed().filter(|(_, link)| link.to == item);
        let into = sorted(into.map(|(index, link)| (far(link, link.from), index)).collect());
        for ((_, index), place) in into.iter().zip(spread(into.len(), PORT_GAP / 2.0)) {
            ends[*index].1 = x[item] + place;
        }
    }
    ends
}
