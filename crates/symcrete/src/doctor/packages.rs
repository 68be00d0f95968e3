//! How packages are installed here.

use crate::load;

/// The package manager of this machine, as far as we know its packages.
pub(crate) struct Packages {
    has_apt: bool,
    is_root: bool,
}

impl Packages {
    pub(crate) fn of_machine() -> Packages {
        let has = |name: &str| load::path_directories().iter().any(|dir| dir.join(name).is_file());
        Packages { has_apt: has("apt-get"), is_root: rustix::process::geteuid().is_root() }
    }

    /// What to type to get packages with these names of Debian's.
    pub(crate) fn command(&self, names: &str) -> String {
        match (self.has_apt, self.is_root) {
            (true, true) => format!("apt-get install {names}"),
            (true, false) => format!("sudo apt-get install {names}"),
            (false, _) => {
                format!("install what Debian calls {names} with your system's package manager")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_debian_gets_a_command_of_debian() {
        let text = |has_apt, is_root| Packages { has_apt, is_root }.command("lld-19");
        assert_eq!(text(true, false), "sudo apt-get install lld-19");
        assert_eq!(text(true, true), "apt-get install lld-19");
        assert!(text(false, false).starts_with("install what Debian calls lld-19"));
    }
}
