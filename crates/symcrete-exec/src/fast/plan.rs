//! How the values of a run become its arguments and cells: an image is the template, its variables are
//! what differs from run to run.

use crate::config::kind_fits;
use crate::error::ExecError;
use crate::fast::layout::{CELLS_MAX, DRAWS_MAX, RUNS_BYTES};
use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::module::ValueType;
use symcrete_program::{BitsOf, Cell, CellKind, CellRange, Image, Symbol, Write};
use symcrete_term::Value;

/// Places for the variables of an image.
#[derive(Clone, Debug)]
pub struct Plan {
    template: Image,
    variables: Vec<Variable>,
    /// The template's run, slot by slot: arguments, draws, cells of memory.
    slots: Vec<u64>,
    /// Address and size of each cell that is written before every run.
    pub(crate) cells: Vec<(u32, u32)>,
    /// Cells that are the same in every run.
    pub(crate) fixed: Vec<(u32, Vec<u8>)>,
    n_args: usize,
    n_draws: usize,
    /// The first slot of the cells that the program asks for by name, which come last.
    first_named: usize,
}

/// What differs from run to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name in path conditions.
    pub name: String,
    /// The kind of its cell.
    pub kind: CellKind,
    /// How many bits it has: fewer than its cell if it is a bit-field.
    pub width: u8,
    /// The least and the greatest value, if it has limits.
    pub range: Option<(i64, i64)>,
    slot: usize,
    low: u8,
}

impl Plan {
    /// The plan of an image for a function of these parameters that draws such cells, and asks for others by name.
    pub(crate) fn new(
        image: &Image,
        params: &[ValueType],
        draws: &[(String, CellKind)],
        asked: &BTreeMap<String, CellKind>,
    ) -> Result<Plan, ExecError> {
        let fits = |(cell, ty): (&Cell, &ValueType)| kind_fits(cell.kind, *ty);
        if image.args.len() != params.len() || !image.args.iter().zip(params).all(fits) {
            let expected: Vec<String> = params.iter().map(ToString::to_string).collect();
            let given: Vec<String> =
                image.args.iter().map(|cell| format!("{:?}", cell.kind)).collect();
            return Err(ExecError::WrongArguments {
                name: "the function of a burst".to_string(),
                expected: expected.join(", "),
                given: given.join(", "),
            });
        }
        let mut plan = Plan {
            template: image.clone(),
            variables: Vec::new(),
            slots: Vec::new(),
            cells: Vec::new(),
            fixed: Vec::new(),
            n_args: params.len(),
            n_draws: draws.len() * DRAWS_MAX as usize,
            first_named: 0,
        };
        for cell in &image.args {
            plan.add_slot(cell);
        }
        plan.add_draws(image, draws, asked);
        plan.add_writes(&image.writes);
        plan.add_named(image, asked);
        if plan.cells.len() > CELLS_MAX as usize || 8 * plan.slots.len() > RUNS_BYTES as usize {
            return Err(ExecError::TooLarge {
                needs: format!("{} cells in a burst", plan.slots.len()),
                limit: CELLS_MAX.to_string(),
            });
        }
        let ranges: BTreeMap<&str, &CellRange> =
            image.ranges.iter().map(|range| (range.name.as_str(), range)).collect();
        for variable in &mut plan.variables {
            variable.range =
                ranges.get(variable.name.as_str()).map(|range| (range.low, range.high));
        }
        Ok(plan)
    }

    /// What differs from run to run, in the order of a run's values.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The values of the template.
    pub fn template_values(&self) -> Vec<u64> {
        self.variables.iter().map(|v| (self.slots[v.slot] >> v.low) & v.mask()).collect()
    }

    /// The values of an image of the same form; `None` if it is of another.
    pub fn values(&self, image: &Image) -> Option<Vec<u64>> {
        let same = |a: &Cell, b: &Cell| a.kind == b.kind && a.symbol == b.symbol;
        let args = image.args.iter().zip(&self.template.args).all(|(a, b)| same(a, b));
        let mut writes = image.writes.iter().zip(&self.template.writes);
        let writes = writes.all(|(a, b)| {
            a.address == b.address
                && same(&a.cell, &b.cell)
                && (is_varied(&a.cell) || a.cell.bits == b.cell.bits)
        });
        let lengths = image.args.len() == self.template.args.len()
            && image.writes.len() == self.template.writes.len();
        if !args || !writes || !lengths {
            return None;
        }
        let mut by_name: BTreeMap<&str, u64> = BTreeMap::new();
        let cells = image.args.iter().chain(image.writes.iter().map(|write| &write.cell));
        for cell in cells {
            for (field, bits) in fields_of(cell) {
                by_name.insert(field, bits);
            }
        }
        for (name, value) in &image.drawn.values {
            by_name.insert(name, value.bits());
        }
        let value = |v: &Variable| by_name.get(v.name.as_str()).copied().unwrap_or(0) & v.mask();
        Some(self.variables.iter().map(value).collect())
    }

    /// The image of a run: the template with other values.
    pub fn image(&self, values: &[u64]) -> Image {
        let mut image = self.template.clone();
        for (variable, &value) in self.variables.iter().zip(values) {
            let cell = if variable.slot < self.n_args {
                &mut image.args[variable.slot]
            } else if self.is_drawn(variable) {
                let value = Value::from_bits(variable.kind.sort(), value);
                image.drawn.set(variable.name.clone(), value);
                continue;
            } else {
                let writes = image.writes.iter_mut().map(|write| &mut write.cell);
                let mut named = writes.filter(|cell| has_variable(cell, &variable.name));
                named.next().expect("a variable is of a cell of the template")
            };
            let mask = variable.mask() << variable.low;
            cell.bits = (cell.bits & !mask) | ((value << variable.low) & mask);
        }
        image
    }

    /// Whether the program asks for a variable while it runs.
    fn is_drawn(&self, variable: &Variable) -> bool {
        let draws = self.n_args..self.n_args + self.n_draws;
        draws.contains(&variable.slot) || variable.slot >= self.first_named
    }

    /// The cells that the program asks for by name, and their slots.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&str, u32)> {
        let named = self.variables.iter().filter(|variable| variable.slot >= self.first_named);
        named.map(|variable| (variable.name.as_str(), variable.slot as u32))
    }

    /// What callbacks of the input return is named after their pointers: those names, by number.
    pub(crate) fn callbacks(&self) -> BTreeMap<u32, String> {
        let writes = self.template.writes.iter().map(|write| &write.cell);
        let callees =
            self.template.args.iter().chain(writes).filter_map(|cell| match &cell.symbol {
                Some(Symbol::Callback { callee, .. }) => callee.as_ref(),
                None
                | Some(
                    Symbol::Variable(_)
                    | Symbol::Fields(_)
                    | Symbol::Pointer { .. }
                    | Symbol::End { .. }
                    | Symbol::OneOf { .. },
                ) => None,
            });
        callees.map(|callee| (callee.number, callee.name.clone())).collect()
    }

    /// Slots of a run.
    pub(crate) fn n_slots(&self) -> usize {
        self.slots.len()
    }

    /// Writes a run's slots.
    pub(crate) fn fill(&self, values: &[u64], slots: &mut [u8]) {
        let mut put = |i: usize, bits: u64| {
            slots[8 * i..8 * i + 8].copy_from_slice(&bits.to_le_bytes());
        };
        for (i, &bits) in self.slots.iter().enumerate() {
            put(i, bits);
        }
        let mut shared: Option<(usize, u64)> = None;
        for (variable, &value) in self.variables.iter().zip(values) {
            // Bit-fields of one cell follow each other.
            let before = match shared {
                Some((slot, bits)) if slot == variable.slot => bits,
                Some(_) | None => self.slots[variable.slot],
            };
            let mask = variable.mask() << variable.low;
            let bits = (before & !mask) | ((value << variable.low) & mask);
            shared = Some((variable.slot, bits));
            let is_value = variable.slot < self.n_args || self.is_drawn(variable);
            put(variable.slot, if is_value { extended(variable.kind, bits) } else { bits });
        }
    }

    fn add_slot(&mut self, cell: &Cell) {
        let slot = self.slots.len();
        let value = Value::from_bits(cell.kind.sort(), cell.bits).bits();
        let is_concrete_float = cell.symbol.is_none() && cell.kind.sort().is_float();
        let bits = if is_concrete_float { cell.bits } else { value };
        self.slots.push(if slot < self.n_args { extended(cell.kind, bits) } else { bits });
        let width = 8 * cell.kind.size() as u8;
        let mut add = |name: &str, width: u8, low: u8| {
            let (name, kind) = (name.to_string(), cell.kind);
            self.variables.push(Variable { name, kind, width, range: None, slot, low });
        };
        match &cell.symbol {
            None
            | Some(
                Symbol::Pointer { .. }
                | Symbol::End { .. }
                | Symbol::OneOf { .. }
                | Symbol::Callback { .. },
            ) => {}
            Some(Symbol::Variable(name)) => add(name, width, 0),
            Some(Symbol::Fields(fields)) => {
                for BitsOf { name, low, width } in fields {
                    add(name, *width, *low);
                }
            }
        }
    }

    fn add_draws(
        &mut self,
        image: &Image,
        draws: &[(String, CellKind)],
        asked: &BTreeMap<String, CellKind>,
    ) {
        for (name, kind) in draws {
            // What no run has asked for is not worth varying, but for the one that comes next.
            let mut is_next = true;
            for n in 0..DRAWS_MAX {
                let name = if n == 0 { name.clone() } else { format!("{name}#{n}") };
                let was_asked = asked.contains_key(&name);
                match was_asked || is_next {
                    true => self.add_drawn(image, name, *kind),
                    false => self.slots.push(0),
                }
                is_next = was_asked;
            }
        }
    }

    /// What is the same in every run is written once, unless it overwrites a part of what is not.
    fn add_writes(&mut self, writes: &[Write]) {
        for Write { address, cell } in writes {
            let (start, size) = (*address, cell.kind.size());
            let overlaps = |&(at, n): &(u32, u32)| {
                at < start.saturating_add(size) && start < at.saturating_add(n)
            };
            if is_varied(cell) || self.cells.iter().any(overlaps) {
                self.cells.push((start, size));
                self.add_slot(cell);
            } else {
                let bytes = cell.bits.to_le_bytes()[..size as usize].to_vec();
                self.fixed.push((start, bytes));
            }
        }
    }

    fn add_named(&mut self, image: &Image, asked: &BTreeMap<String, CellKind>) {
        self.first_named = self.slots.len();
        let known: BTreeSet<String> = self.variables.iter().map(|v| v.name.clone()).collect();
        for (name, &kind) in asked.iter().filter(|(name, _)| !known.contains(*name)) {
            self.add_drawn(image, name.clone(), kind);
        }
    }

    fn add_drawn(&mut self, image: &Image, name: String, kind: CellKind) {
        let bits = image.drawn.get(&name).map_or(0, Value::bits);
        self.add_slot(&Cell::variable(kind, bits, name));
        let last = self.slots.last_mut().expect("a slot was added");
        *last = extended(kind, *last);
    }
}

impl Variable {
    /// Ones where it has bits.
    pub(crate) fn mask(&self) -> u64 {
        u64::MAX >> (64 - u32::from(self.width.max(1)))
    }

    /// The nearest value that the variable can have: one NaN, within its range.
    pub fn normal(&self, bits: u64) -> u64 {
        let bits = bits & self.mask();
        match (self.kind, self.range) {
            (CellKind::Bool, _) => bits & 1,
            (CellKind::F32 | CellKind::F64, _) => Value::from_bits(self.kind.sort(), bits).bits(),
            (CellKind::Int { .. }, None) => bits,
            (CellKind::Int { signed, .. }, Some((low, high))) => {
                let shift = 64 - u32::from(self.width);
                let value = match signed {
                    true => ((bits << shift) as i64) >> shift,
                    false => bits as i64,
                };
                if low <= value && value <= high {
                    return bits;
                }
                // Wraps round, so that what lies outside is spread over the range.
                let span = (high.wrapping_sub(low) as u64).wrapping_add(1);
                let offset = value.wrapping_sub(low) as u64;
                let offset = offset.checked_rem(span).unwrap_or(offset);
                low.wrapping_add(offset as i64) as u64 & self.mask()
            }
        }
    }
}

fn is_varied(cell: &Cell) -> bool {
    matches!(&cell.symbol, Some(Symbol::Variable(_) | Symbol::Fields(_)))
}

fn has_variable(cell: &Cell, name: &str) -> bool {
    fields_of(cell).iter().any(|(known, _)| *known == name)
}

/// The variables of a cell and their bits.
fn fields_of(cell: &Cell) -> Vec<(&str, u64)> {
    match &cell.symbol {
        None
        | Some(
            Symbol::Pointer { .. }
            | Symbol::End { .. }
            | Symbol::OneOf { .. }
            | Symbol::Callback { .. },
        ) => Vec::new(),
        Some(Symbol::Variable(name)) => vec![(name, cell.bits)],
        Some(Symbol::Fields(fields)) => {
            fields.iter().map(|field| (field.name.as_str(), cell.bits >> field.low)).collect()
        }
    }
}

/// An integer as an argument: extended with its sign or zeros.
fn extended(kind: CellKind, bits: u64) -> u64 {
    match kind {
        CellKind::Int { bits: width, signed: true } => {
            let shift = 64 - u32::from(width);
            (((bits << shift) as i64) >> shift) as u64
        }
        CellKind::Int { .. } | CellKind::Bool | CellKind::F32 | CellKind::F64 => bits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(kind: CellKind, width: u8, range: Option<(i64, i64)>) -> Variable {
        Variable { name: "x".to_string(), kind, width, range, slot: 0, low: 0 }
    }

    #[test]
    fn values_are_made_possible() {
        let short = CellKind::Int { bits: 16, signed: true };
        let bounded = variable(short, 16, Some((-3, 4)));
        for bits in 0..=u64::from(u16::MAX) {
            let value = bounded.normal(bits) as u16 as i16;
            assert!((-3..=4).contains(&value), "{bits} became {value}");
        }
        assert_eq!(bounded.normal(0xfffe), 0xfffe, "what is possible stays");
        assert_eq!(variable(CellKind::Bool, 8, None).normal(0xff), 1);
        let nan = f64::NAN.to_bits();
        assert_eq!(variable(CellKind::F64, 64, None).normal(nan | 77), nan);
        let whole =
            variable(CellKind::Int { bits: 64, signed: true }, 64, Some((i64::MIN, i64::MAX)));
        assert_eq!(whole.normal(u64::MAX), u64::MAX);
    }

    #[test]
    fn an_image_gives_back_its_values() {
        let byte = CellKind::Int { bits: 8, signed: true };
        let image = Image {
            args: vec![Cell::variable(byte, 0xff, "a"), Cell::concrete(byte, 3)],
            ..Image::default()
        };
        let plan =
            Plan::new(&image, &[ValueType::I32, ValueType::I32], &[], &BTreeMap::new()).unwrap();
        assert_eq!(plan.template_values(), [0xff]);
        assert_eq!(plan.values(&plan.image(&[7])), Some(vec![7]));
        let mut slots = [0; 16];
        plan.fill(&[0x80], &mut slots);
        assert_eq!(i64::from_le_bytes(slots[..8].try_into().unwrap()), -128, "extended");
        let other = Image { args: vec![Cell::concrete(byte, 3)], ..Image::default() };
        assert_eq!(plan.values(&other), None);
        assert!(Plan::new(&other, &[ValueType::F32], &[], &BTreeMap::new()).is_err());
    }
}
