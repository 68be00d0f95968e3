//! Reads clang's coverage mapping from LLVM's text form.
//!
//! With `-fcoverage-mapping` clang writes a record for every function: its *regions*, each with its place in the source
//! and with counters that say how often it ran. A branch region is one condition, or one label of a `switch`, and has two
//! of them: how often it held and how often not. The format is that of LLVM's "Code Coverage Mapping Format", versions 6
//! and 7 (clang 14 to 19).

use super::ir_text::{quoted_bytes, unescaped};
use crate::conditions::Span;
use md5::{Digest, Md5};
use std::collections::BTreeMap;

/// How often something happened, as a sum of counters with factors.
pub(super) type Sum = BTreeMap<u32, i64>;

/// A condition or a label of a `switch`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Region {
    /// Where it is written; for a macro that is in its definition.
    pub(super) span: Span,
    /// The calls of macros that lead there, innermost first.
    pub(super) calls: Vec<Span>,
    /// How often it held.
    pub(super) holds: Sum,
    /// How often it did not.
    pub(super) fails: Sum,
}

/// A function's record is found by the hash of its name and the hash of its structure.
type Key = (u64, u64);

/// The branch regions of all functions of a file.
#[derive(Default, Debug)]
pub(super) struct CoverageMap {
    /// The source files; the first is the directory that relative ones start from.
    pub(super) files: Vec<String>,
    functions: BTreeMap<Key, Vec<Region>>,
    /// Hashes of functions' names, by the variable that holds the name: `@__profn_f`.
    names: BTreeMap<String, u64>,
}

impl CoverageMap {
    /// Reads the mapping of a file; what is not understood is left out.
    pub(super) fn read(text: &str) -> CoverageMap {
        let mut map = CoverageMap::default();
        let globals = || text.lines().filter(|line| line.starts_with('@'));
        let mapping = globals().find(|line| line.starts_with("@__llvm_coverage_mapping = "));
        map.files = mapping.and_then(quoted_bytes).and_then(|b| files(&b)).unwrap_or_default();
        for line in globals() {
            if line.starts_with("@__covrec_") {
                if let Some((key, regions)) = record(line, map.files.len()) {
                    map.functions.entry(key).or_insert(regions);
                }
            } else if let Some(name) = name_variable(line)
                && let Some(bytes) = quoted_bytes(line)
            {
                map.names.insert(name.to_owned(), name_hash(&bytes));
            }
        }
        map
    }

    /// The regions of the function that counts by this name and hash of its structure.
    pub(super) fn regions(&self, name: &str, structure: u64) -> &[Region] {
        let key = self.names.get(name).map(|&name| (name, structure));
        key.and_then(|key| self.functions.get(&key)).map_or(&[], Vec::as_slice)
    }
}

/// `@__profn_f` of `@__profn_f = private constant …`.
fn name_variable(line: &str) -> Option<&str> {
    let (name, _) = line.split_once(" = ")?;
    name.trim_start_matches(['@', '"']).starts_with("__profn_").then_some(name)
}

/// The first half of the MD5 digest, as LLVM hashes names.
fn name_hash(name: &[u8]) -> u64 {
    let digest = Md5::digest(name);
    let half: [u8; 8] = digest[..8].try_into().expect("a digest has 16 bytes");
    u64::from_le_bytes(half)
}

/// The names of files: how many, their length, their length when compressed, then each with its length.
fn files(bytes: &[u8]) -> Option<Vec<String>> {
    let mut reader = Reader { bytes };
    let (n, _, compressed) = (reader.number()?, reader.number()?, reader.number()?);
    // The compiler is told not to compress.
    if compressed != 0 {
        return None;
    }
    (0..n).map(|_| reader.text()).collect()
}

/// `<{ i64 NAME, i32 LENGTH, i64 STRUCTURE, i64 FILES, [n x i8] c"…" }>`
fn record(line: &str, n_files: usize) -> Option<(Key, Vec<Region>)> {
    let (_, values) = line.split_once("}> <{ ")?;
    let mut fields = values.splitn(5, ", ");
    let mut number = |kind: &str| -> Option<u64> {
        let text = fields.next()?.strip_prefix(kind)?;
        text.parse::<i64>().map(|n| n as u64).or_else(|_| text.parse()).ok()
    };
    let (name, _, structure, _) =
        (number("i64 ")?, number("i32 ")?, number("i64 ")?, number("i64 ")?);
    let bytes = unescaped(values.split_once(" c\"")?.1.split('"').next()?);
    Some(((name, structure), regions(&bytes, n_files)?))
}

/// What a region stands for, with what its header needs.
enum RegionKind {
    Branch { holds: u64, fails: u64 },
    Expansion(usize),
    Other,
}

/// The branch regions of one function.
fn regions(bytes: &[u8], n_files: usize) -> Option<Vec<Region>> {
    let mut reader = Reader { bytes };
    let n = reader.number()?;
    // Every expansion of a macro is a file of its own here.
    let files: Vec<usize> = (0..n).map(|_| reader.index(n_files)).collect::<Option<_>>()?;
    let n = reader.number()?;
    let pairs: Vec<[u64; 2]> =
        (0..n).map(|_| Some([reader.number()?, reader.number()?])).collect::<Option<_>>()?;
    let sums = Sums { pairs };
    let mut branches = Vec::new();
    let mut calls: BTreeMap<usize, (usize, Span)> = BTreeMap::new();
    for (number, &file) in files.iter().enumerate() {
        let mut line = 0_u32;
        for _ in 0..reader.number()? {
            let kind = reader.region_kind(files.len())?;
            line = line.checked_add(reader.number32()?)?;
            let start = (line, reader.number32()?);
            let end_line = line.checked_add(reader.number32()?)?;
            // The highest bit says that the region is a gap.
            let end = (end_line, reader.number32()? & 0x7fff_ffff);
            let span = Span { file, start, end };
            match kind {
                RegionKind::Branch { holds, fails } => {
                    let (holds, fails) = (sums.of(holds, 0)?, sums.of(fails, 0)?);
                    branches.push((number, Region { span, calls: Vec::new(), holds, fails }));
                }
                RegionKind::Expansion(into) => {
                    calls.insert(into, (number, span));
                }
                RegionKind::Other => {}
            }
        }
    }
    let with_calls = |(mut number, mut region): (usize, Region)| {
        while let Some((outer, span)) = calls.get(&number).filter(|_| region.calls.len() < 64) {
            region.calls.push(span.clone());
            number = *outer;
        }
        region
    };
    Some(branches.into_iter().map(with_calls).collect())
}

/// The expressions that counters are made of.
struct Sums {
    pairs: Vec<[u64; 2]>,
}

impl Sums {
    /// The counter that a number encodes: zero, one counter, a difference, a sum.
    fn of(&self, counter: u64, depth: usize) -> Option<Sum> {
        let index = (counter >> 2) as usize;
        match counter & 3 {
            0 => Some(Sum::new()),
            1 => Some(Sum::from([(index as u32, 1)])),
            how if depth <= self.pairs.len() => {
                let [left, right] = *self.pairs.get(index)?;
                let mut sum = self.of(left, depth + 1)?;
                let factor = if how == 2 { -1 } else { 1 };
                for (counter, n) in self.of(right, depth + 1)? {
                    *sum.entry(counter).or_default() += factor * n;
                }
                sum.retain(|_, n| *n != 0);
                Some(sum)
            }
            // An expression within itself.
            _ => None,
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    /// A number in LEB128.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn number32(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    fn index(&mut self, n: usize) -> Option<usize> {
        let index = usize::try_from(self.number()?).ok()?;
        (index < n).then_some(index)
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(String::from_utf8_lossy(text).into_owned())
    }

    /// What stands before the place of a region.
    fn region_kind(&mut self, n_files: usize) -> Option<RegionKind> {
        let header = self.number()?;
        if header & 3 != 0 {
            return Some(RegionKind::Other);
        }
        let rest = header >> 3;
        if header & 4 != 0 {
            let into = usize::try_from(rest).ok().filter(|&into| into < n_files)?;
            return Some(RegionKind::Expansion(into));
        }
        match rest {
            // Code that never runs, and text that was skipped.
            0 | 2 => Some(RegionKind::Other),
            4 => Some(RegionKind::Branch { holds: self.number()?, fails: self.number()? }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of `int f(int a) { if (a > 1) return 2; return 3; }` in clang 19's words.
    const RECORD: &str = r#"@__covrec_CC9 = hidden constant <{ i64, i32, i64, i64, [51 x i8] }> <{ i64 1, i32 51, i64 -2, i64 3, [51 x i8] c"\01\01\01\01\05\07\01\01\0E\000\01\00\14\00\19 \05\02\00\14\00\19\05\00\1A\00\9B\80\80\80\08\05\00\1B\00#\02\00$\00\A5\80\80\80\08\02\00%\00-" }>, section "__llvm_covfun""#;

    #[test]
    fn a_condition_has_its_place_and_its_counters() {
        let (key, regions) = record(RECORD, 2).unwrap();
        assert_eq!(key, (1, -2_i64 as u64));
        let [region] = &regions[..] else { panic!("{regions:?}") };
        assert_eq!(region.span, Span { file: 1, start: (1, 20), end: (1, 25) });
        assert_eq!(region.holds, Sum::from([(1, 1)]));
        assert_eq!(region.fails, Sum::from([(0, 1), (1, -1)]));
        assert_eq!(region.calls, []);
    }

    #[test]
    fn a_broken_record_is_left_out() {
        for end in 1..RECORD.len() {
            if RECORD.is_char_boundary(end) {
                record(&RECORD[..end], 2);
            }
        }
        assert!(record(RECORD, 1).is_none());
        assert!(files(b"\x02\x05\x05zipped").is_none());
    }

    #[test]
    fn an_expression_within_itself_ends() {
        let sums = Sums { pairs: vec![[2, 2]] };
        assert_eq!(sums.of(2, 0), None);
    }

    #[test]
    fn names_are_hashed_as_llvm_does() {
        assert_eq!(name_hash(b"main"), 0xdb95_6436_e78d_d5fa);
    }
}
