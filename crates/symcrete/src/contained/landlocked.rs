//! Landlock: reading everywhere, writing in the scratch folder, no TCP, no signals to the outside.

use super::mounts;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, PathFdError, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use std::io;
use std::path::Path;

/// The newest that we know; an older kernel does what it can of it.
const NEWEST: ABI = ABI::V9;
/// Devices that nobody is hurt by.
const HARMLESS: &[&str] = &["/dev/null", "/dev/zero", "/dev/full"];

/// From here on, and for all that is started from here.
pub(super) fn enter(scratch: Option<&Path>, has_own_folders: bool) -> io::Result<()> {
    let own = mounts::WRITABLE.iter().map(Path::new).filter(|_| has_own_folders);
    let folders: Vec<&Path> = scratch.into_iter().chain(own).collect();
    let status = restrict(&folders).map_err(io::Error::other)?;
    match status {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => Err(io::Error::other("this kernel has no Landlock")),
    }
}

#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error(transparent)]
    Rules(#[from] RulesetError),
    #[error(transparent)]
    Folder(#[from] PathFdError),
}

fn restrict(writable: &[&Path]) -> Result<RulesetStatus, Refused> {
    let rule = |path: &Path, access: BitFlags<AccessFs>| -> Result<_, Refused> {
        Ok(PathBeneath::new(PathFd::new(path)?, access))
    };
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rule(rule(Path::new("/"), AccessFs::from_read(NEWEST))?)?;
    for folder in writable.iter().filter(|folder| folder.is_dir()) {
        rules = rules.add_rule(rule(folder, AccessFs::from_all(NEWEST))?)?;
    }
    for device in HARMLESS.iter().map(Path::new).filter(|device| device.exists()) {
        rules = rules.add_rule(rule(device, AccessFs::from_file(NEWEST))?)?;
    }
    Ok(rules.restrict_self()?.ruleset)
}
