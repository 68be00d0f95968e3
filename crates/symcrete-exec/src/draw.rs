//! Cells that the program asks for while it runs.
//!
//! The first cell asked for by a name has that name, later ones `name#1`, `name#2`, …; names that the
//! image uses are passed over. Values come from the image by that name; what it does not mention is zero.

use crate::recording::{Recording, Stop};
use std::ops::Range;
use symcrete_program::{CellKind, Drawn, Resource, TrapKind};
use symcrete_term::{Sort, TermId, Value};

/// The most cells that one run may ask for: each has a name, which takes room.
const DRAWN_MAX: usize = 1 << 20;

impl Recording {
    /// A fresh variable for a cell: its term and its value.
    pub(crate) fn draw(&mut self, name: &str, kind: CellKind) -> Result<(TermId, Value), Stop> {
        loop {
            let name = self.next_name(name);
            let variable = self.variable(&name, kind.sort());
            if variable.is_none_or(|variable| self.given_value(variable).is_none()) {
                return self.draw_named(&name, kind);
            }
        }
    }

    /// The variable of a cell of exactly this name, which nothing else has: its term and its value.
    pub(crate) fn draw_named(
        &mut self,
        name: &str,
        kind: CellKind,
    ) -> Result<(TermId, Value), Stop> {
        self.check_room(1)?;
        let sort = kind.sort();
        let term = self.variable(name, sort).ok_or(Stop::Trap(TrapKind::InvalidName))?;
        let value = self.drawn_value(name, sort);
        self.drawn.push(Drawn { name: name.to_string(), kind, value });
        Ok((term, value))
    }

    /// Bytes of memory become fresh variables `name[0]`, `name[1]`, …; returns their values.
    pub(crate) fn draw_bytes(
        &mut self,
        flags: &mut [u8],
        name: &str,
        range: Range<u32>,
    ) -> Result<Vec<u8>, Stop> {
        self.check_room(range.len())?;
        let (kind, sort) = (CellKind::BYTE, CellKind::BYTE.sort());
        loop {
            let base = self.next_name(name);
            let names: Vec<String> = (0..range.len()).map(|i| format!("{base}[{i}]")).collect();
            let variables = names.iter().map(|name| self.variable(name, sort));
            let variables: Option<Vec<TermId>> = variables.collect();
            let variables = variables.ok_or(Stop::Trap(TrapKind::InvalidName))?;
            if variables.iter().any(|&variable| self.given_value(variable).is_some()) {
                continue;
            }
            let mut bytes = Vec::with_capacity(names.len());
            for ((name, variable), address) in names.into_iter().zip(variables).zip(range.clone()) {
                let value = self.drawn_value(&name, sort);
                self.shadow_bytes(flags, address, 1, variable);
                self.drawn.push(Drawn { name, kind, value });
                bytes.push(value.bits() as u8);
            }
            return Ok(bytes);
        }
    }

    fn check_room(&self, n: usize) -> Result<(), Stop> {
        match self.drawn.len() + n > DRAWN_MAX {
            true => Err(Stop::Exhausted(Resource::Terms)),
            false => Ok(()),
        }
    }

    /// What the image provides for a cell.
    pub(crate) fn drawn_value(&self, name: &str, sort: Sort) -> Value {
        let bits = self.provided.get(name).map_or(0, Value::bits);
        Value::from_bits(sort, bits)
    }

    /// The name of the next cell asked for by a name; never one that was given out before.
    fn next_name(&mut self, name: &str) -> String {
        loop {
            let n = self.asked.entry(name.to_string()).or_insert(0);
            *n += 1;
            let next = match *n {
                1 => return name.to_string(),
                n => format!("{name}#{}", n - 1),
            };
            if self.asked.insert(next.clone(), 1).is_none() {
                return next;
            }
        }
    }
}
