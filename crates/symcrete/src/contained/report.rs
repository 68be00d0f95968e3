//! What the inner side of the sandbox tells the outer one, line by line.

use super::Wall;
use clap::ValueEnum;

/// One line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Report {
    /// The program ended by itself.
    Exited(i32),
    /// A signal ended it.
    Killed(i32),
    /// It was ended because it reached its time limit.
    TimedOut,
    /// Something could not be done.
    Failed(Stage, String),
}

/// What could not be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// A wall could not be put up.
    Wall(Wall),
    /// The program could not be started or waited for.
    Program,
}

impl Report {
    /// Reads a line that [`send`] wrote.
    pub(crate) fn parse(line: &str) -> Option<Report> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "exited" => rest.parse().ok().map(Report::Exited),
            "killed" => rest.parse().ok().map(Report::Killed),
            "timed-out" => Some(Report::TimedOut),
            "failed" => {
                let (stage, why) = rest.split_once(' ')?;
                let stage = match stage {
                    "program" => Stage::Program,
                    wall => Stage::Wall(Wall::from_str(wall, false).ok()?),
                };
                Some(Report::Failed(stage, why.to_string()))
            }
            _ => None,
        }
    }

    fn line(&self) -> String {
        match self {
            Report::Exited(code) => format!("exited {code}"),
            Report::Killed(signal) => format!("killed {signal}"),
            Report::TimedOut => "timed-out".to_string(),
            Report::Failed(stage, why) => {
                let why = why.replace('\n', " ");
                match stage {
                    Stage::Program => format!("failed program {why}"),
                    Stage::Wall(wall) => {
                        let wall = wall.to_possible_value().expect("no wall is hidden");
                        format!("failed {} {why}", wall.get_name())
                    }
                }
            }
        }
    }
}

/// Writes a line to the pipe that standard input is.
pub(super) fn send(report: &Report) {
    // If nobody reads it any more, nobody needs it.
    let _ = rustix::io::write(rustix::stdio::stdin(), format!("{}\n", report.line()).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_written() {
        let mut all = vec![Report::Exited(3), Report::Killed(11), Report::TimedOut];
        all.push(Report::Failed(Stage::Program, "no such file".to_string()));
        let walls = Wall::value_variants().iter();
        all.extend(
            walls.map(|wall| Report::Failed(Stage::Wall(*wall), "not permitted".to_string())),
        );
        for report in all {
            assert_eq!(Report::parse(&report.line()), Some(report));
        }
        assert_eq!(Report::parse("exited"), None);
    }
}
