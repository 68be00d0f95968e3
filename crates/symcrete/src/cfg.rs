//! `symcrete cfg`: a function's control flow as a drawing.

use crate::args::{CfgArgs, Drawing};
use crate::failure::Failure;
use crate::run::choose;
use crate::{load, ui};
use std::sync::Arc;
use symcrete_program::cfg::{Cfg, CfgError, Condition, Labels, ModuleView, Style, draw};
use symcrete_program::{Program, SiteId};

/// Runs the command.
#[expect(clippy::disallowed_methods, reason = "the binary is where files are written")]
pub(crate) fn run(args: &CfgArgs) -> Result<(), Failure> {
    let loaded = load::load(&args.source, Arc::default())?;
    let unit = choose(&loaded, args.function.as_deref())?;
    let program = &loaded.program;
    let wrong = |error: CfgError| Failure::Usage { message: error.to_string() };
    let view = ModuleView::parse(&program.wasm).map_err(wrong)?;
    let function = Cfg::of(&view, unit.function).map_err(wrong)?;
    let line = |offset| line(program, offset);
    let condition = |site: SiteId| {
        let branch = program.branches.get(&site)?;
        Some(Condition { text: branch.text.clone(), is_negated: branch.is_negated })
    };
    let style = match args.format {
        Drawing::Svg => Style::Svg,
        Drawing::Dot => Style::Dot,
    };
    let drawing = draw(&function, style, &Labels { line: &line, condition: &condition });
    match &args.output {
        None => Ok(ui::say(drawing.trim_end())?),
        Some(file) => std::fs::write(file, drawing)
            .map_err(|source| Failure::Unwritable { file: file.clone(), source }),
    }
}

/// The source line of an operator.
fn line(program: &Program, offset: u32) -> Option<String> {
    let position = program.position(offset)?;
    let text = program.file(position.file).text.as_ref()?;
    let line = text.lines().nth(position.line.checked_sub(1)? as usize)?;
    Some(format!("{}: {}", program.place(position), line.trim()))
}
