//! What the integration tests share.

use std::path::PathBuf;
use symcrete_solve::smt::Toolbox;

/// The solvers that `make tools` installed, or else those on the `PATH`.
#[expect(clippy::disallowed_methods, reason = "tests are an edge: they look for installed solvers")]
pub(crate) fn toolbox() -> Toolbox {
    let project = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.tools/venv/bin");
    let path = std::env::var("PATH").unwrap_or_default();
    Toolbox::new(std::iter::once(project).chain(std::env::split_paths(&path)))
}
