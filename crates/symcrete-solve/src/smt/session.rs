//! An incremental conversation with one solver, in text.
//!
//! Invariants:
//! - **No answer without its question.** Commands are sent without waiting, and every exchange ends with a
//!   numbered echo. All that the solver says up to that echo belongs to the exchange, and an error in it
//!   voids the answer: a `sat` for a problem whose assertion was refused is never seen outside.
//! - **A dead solver costs one query.** The live commands of every open scope are remembered. Whatever goes
//!   wrong, the process is dropped, or a shim's worker is; the next exchange has another and says it all again.
//!
//! It does not know what the commands mean, and does not check sorts or names: that is the solver's job.

use super::backend::{Backend, StepLimit};
use super::process::{Process, Stop, Watch};
use super::response::{error_text, is_complete, list_items, unquote};
use super::spawn::Counting;
use super::toolbox::{MissingSolver, Program, Toolbox};
use crate::budget::{Budget, STEPS_UNLIMITED};
use crate::verdict::Why;

/// An incremental conversation with one solver. See the module's documentation.
#[derive(Debug)]
pub struct Session {
    backend: Backend,
    program: Program,
    mode: Mode,
    logic: Option<String>,
    /// The live commands of each open scope, the outermost first. Never empty.
    scopes: Vec<String>,
    /// What the running process has not been told yet.
    unsent: String,
    running: Option<Running>,
    n_exchanges: u64,
    n_starts: u64,
}

/// What a session is used for. Solvers are much faster at one query if they know that no other follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// One check after each reset; no scopes, assumptions or cores.
    OneShot,
    /// Scopes, assumptions, unsat cores.
    Incremental,
}

/// The solver's answer to a check. It is as right as the solver; models have not been evaluated.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Satisfiable; values can be asked for until the next command.
    Sat,
    /// Unsatisfiable; the core can be asked for until the next command.
    Unsat,
    /// No answer, for this reason.
    Unknown(Why),
}

#[derive(Debug)]
struct Running {
    process: Process,
    memory_max_bytes: u64,
    counting: Counting,
    n_bytes_sent: usize,
    steps_max: Option<u64>,
    /// Z3's count of resource units, which goes on from check to check.
    resource_before: u64,
}

impl Running {
    /// Makes the solver forget all that was said; `false` if it cannot.
    fn renew(&mut self) -> bool {
        (self.n_bytes_sent, self.steps_max, self.resource_before) = (0, None, 0);
        self.process.renew()
    }
}

impl Session {
    /// Looks the solver up; it is started by the first check.
    pub fn new(
        backend: Backend,
        toolbox: &Toolbox,
        mode: Mode,
        logic: Option<&str>,
    ) -> Result<Session, MissingSolver> {
        Ok(Session {
            backend,
            program: toolbox.find(backend)?,
            mode,
            logic: logic.map(str::to_owned),
            scopes: vec![String::new()],
            unsent: String::new(),
            running: None,
            n_exchanges: 0,
            n_starts: 0,
        })
    }

    /// The solver.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// How often the solver was started: once, and again after each loss.
    pub fn n_starts(&self) -> u64 {
        self.n_starts
    }

    /// The solver's process id while it runs.
    pub fn process_id(&self) -> Option<u32> {
        self.running.as_ref().map(|running| running.process.id())
    }

    /// Says any commands that give no response and belong to the innermost scope: declarations,
    /// definitions, assertions. Errors come out at the next check.
    pub fn tell(&mut self, commands: &str) {
        // An open bracket or quote would swallow all that follows, and the solver would wait for ever.
        let commands = if is_complete(commands) { commands } else { "(unbalanced-command)" };
        let scope = self.scopes.last_mut().expect("the outermost scope stays");
        for text in [scope, &mut self.unsent] {
            text.push_str(commands);
            text.push('\n');
        }
    }

    /// Declares a constant.
    pub fn declare(&mut self, symbol: &str, sort: &str) {
        self.tell(&format!("(declare-const {symbol} {sort})"));
    }

    /// Asserts a formula.
    pub fn assert(&mut self, formula: &str) {
        self.tell(&format!("(assert {formula})"));
    }

    /// Asserts a formula that unsat cores can name.
    pub fn assert_named(&mut self, formula: &str, name: &str) {
        self.tell(&format!("(assert (! {formula} :named {name}))"));
    }

    /// Opens a scope.
    pub fn push(&mut self) {
        assert_eq!(self.mode, Mode::Incremental, "scopes need an incremental session");
        self.scopes.push(String::new());
        self.unsent.push_str("(push 1)\n");
    }

    /// Closes the innermost scope and forgets what was said in it.
    pub fn pop(&mut self) {
        assert!(self.scopes.len() > 1, "pop without push");
        self.scopes.pop();
        self.unsent.push_str("(pop 1)\n");
    }

    /// The number of open scopes.
    pub fn n_scopes(&self) -> usize {
        self.scopes.len() - 1
    }

    /// Forgets everything. What comes next does not depend on what was before.
    pub fn reset(&mut self) {
        self.scopes = vec![String::new()];
        self.unsent.clear();
        if self.program.is_shim {
            // Bitwuzla's cannot set up its step counter again, and cvc5 keeps numbering its terms on.
            self.start_afresh();
        } else if let Some(running) = &mut self.running {
            running.steps_max = None;
            running.resource_before = 0;
            self.unsent.push_str("(reset)\n");
            self.unsent.push_str(&self.backend.preamble(self.mode, self.logic.as_deref()));
        }
    }

    /// Ends the solver. The next check starts another one, which knows all that is live.
    pub fn stop(&mut self) {
        self.running = None;
        self.unsent.clear();
    }

    /// A solver that knows nothing yet takes the place of this one; it is told all that is live.
    fn start_afresh(&mut self) {
        let renewed = self.running.as_mut().is_some_and(Running::renew);
        if !renewed {
            self.running = None;
        }
        self.unsent = if renewed { self.live_commands() } else { String::new() };
    }

    fn live_commands(&self) -> String {
        self.scopes.join("(push 1)\n")
    }

    /// Whether what is live, with these literals, can be satisfied. Charges the steps it took.
    pub fn check(&mut self, assumptions: &[&str], budget: &mut Budget) -> Answer {
        match self.try_check(assumptions, budget) {
            Ok(answer) => answer,
            Err(why) => {
                self.start_afresh();
                Answer::Unknown(why)
            }
        }
    }

    /// The values of symbols (or other terms), as written by the solver, after `Sat`.
    pub fn values(&mut self, symbols: &[&str], budget: &Budget) -> Result<Vec<String>, Why> {
        if symbols.is_empty() {
            return Ok(Vec::new());
        }
        let response = self.ask(&format!("(get-value ({}))", symbols.join(" ")), budget)?;
        let pairs = list_items(&response).unwrap_or_default();
        let value = |pair: &&str| Some((*list_items(pair)?.get(1)?).to_owned());
        let values: Option<Vec<String>> = pairs.iter().map(value).collect();
        let complete = values.filter(|values| values.len() == symbols.len());
        complete.ok_or_else(|| self.fault(&format!("not a list of values: {}", short(&response))))
    }

    /// The whole model, as written by the solver, after `Sat`.
    pub fn model(&mut self, budget: &Budget) -> Result<String, Why> {
        self.ask("(get-model)", budget)
    }

    /// The names of assertions that are unsatisfiable together, after `Unsat`.
    pub fn unsat_core(&mut self, budget: &Budget) -> Result<Vec<String>, Why> {
        self.ask_list("(get-unsat-core)", budget)
    }

    /// The assumptions that are unsatisfiable with the assertions, after `Unsat` under assumptions.
    pub fn unsat_assumptions(&mut self, budget: &Budget) -> Result<Vec<String>, Why> {
        self.ask_list("(get-unsat-assumptions)", budget)
    }

    /// One command with one response, as it is; for commands that this type does not know.
    pub fn ask(&mut self, command: &str, budget: &Budget) -> Result<String, Why> {
        let watch = Watch::start(budget.wall_max, budget.cancel());
        let responses = self.exchange(command, budget.memory_max_bytes, &watch);
        match responses.and_then(|responses| self.single(responses)) {
            Ok(response) => Ok(response),
            Err(why) => {
                self.start_afresh();
                Err(why)
            }
        }
    }

    fn ask_list(&mut self, command: &str, budget: &Budget) -> Result<Vec<String>, Why> {
        let response = self.ask(command, budget)?;
        let items = list_items(&response).ok_or_else(|| self.fault(&short(&response)))?;
        Ok(items.into_iter().map(str::to_owned).collect())
    }
}

/// How a check is put and its answer understood.
impl Session {
    fn try_check(&mut self, assumptions: &[&str], budget: &mut Budget) -> Result<Answer, Why> {
        budget.charge(0)?;
        if budget.steps_left() == 0 {
            return Ok(Answer::Unknown(Why::OutOfSteps));
        }
        let watch = Watch::start(budget.wall_max, budget.cancel());
        self.start_if_needed(budget.memory_max_bytes, self.counting_for(budget.steps_left()))?;
        self.set_step_limit(budget.steps_left())?;
        let mut command = if assumptions.is_empty() {
            "(check-sat)".to_owned()
        } else {
            assert_eq!(self.mode, Mode::Incremental, "assumptions need an incremental session");
            format!("(check-sat-assuming ({}))", assumptions.join(" "))
        };
        if self.backend == Backend::Z3 {
            command.push_str("\n(get-info :rlimit)");
        }
        let mut responses = self.exchange(&command, budget.memory_max_bytes, &watch)?;
        let steps = self.steps_used(&mut responses);
        // Steps beyond the budget show as `unknown` below; a decided answer stands.
        let _ = budget.charge(steps);
        match self.single(responses)?.as_str() {
            "sat" => Ok(Answer::Sat),
            "unsat" => Ok(Answer::Unsat),
            "unknown" => {
                let why = self.reason_unknown(budget, &watch)?;
                if why == Why::OutOfSteps {
                    // Solvers overshoot or stop a little short: all of the budget is gone either way.
                    let _ = budget.charge(budget.steps_left());
                }
                Ok(Answer::Unknown(why))
            }
            other => Err(self.fault(&format!("not an answer: {}", short(other)))),
        }
    }

    /// Steps are counted where they are limited. Alone incremental sessions feel what counting costs;
    /// all others count always, so that reports have the figure.
    fn counting_for(&self, steps_max: u64) -> Counting {
        match self.mode {
            Mode::Incremental if steps_max == STEPS_UNLIMITED => Counting::Off,
            Mode::Incremental | Mode::OneShot => Counting::On,
        }
    }

    /// Limits the next check. Solvers take 0 for no limit.
    fn set_step_limit(&mut self, steps_max: u64) -> Result<(), Why> {
        let steps_max = if steps_max == STEPS_UNLIMITED { 0 } else { steps_max };
        let running = self.running.as_mut().expect("started before");
        if let Some(cell) = running.process.step_cell() {
            let announced = cell.announce(self.n_exchanges + 1, steps_max);
            announced.map_err(|error| Why::Fault(format!("shared memory: {error}")))?;
        }
        let StepLimit::Option(option) = self.backend.step_limit() else { return Ok(()) };
        if running.steps_max != Some(steps_max) {
            running.steps_max = Some(steps_max);
            // Z3 reads 32 bits; that many of its units take half an hour.
            let steps_max = steps_max.min(u64::from(u32::MAX));
            self.unsent.push_str(&format!("(set-option :{option} {steps_max})\n"));
        }
        Ok(())
    }

    /// The steps of the last check; takes Z3's count out of the responses.
    fn steps_used(&mut self, responses: &mut Vec<String>) -> u64 {
        let Some(running) = &mut self.running else { return 0 };
        if let Some(cell) = running.process.step_cell() {
            return cell.steps_used().unwrap_or(0);
        }
        let resource = responses.last().and_then(|response| {
            let count = response.strip_prefix("(:rlimit")?.strip_suffix(')')?;
            count.trim().parse::<u64>().ok()
        });
        let Some(resource) = resource else { return 0 };
        responses.pop();
        let steps = resource.saturating_sub(running.resource_before);
        running.resource_before = resource;
        steps
    }

    fn reason_unknown(&mut self, budget: &Budget, watch: &Watch) -> Result<Why, Why> {
        // Bitwuzla says `unknown` only when a limit is reached.
        if !self.backend.tells_reason() {
            return Ok(Why::OutOfSteps);
        }
        let limited = self.running.as_ref().is_some_and(|running| running.steps_max != Some(0));
        let command = "(get-info :reason-unknown)";
        let responses = self.exchange(command, budget.memory_max_bytes, watch)?;
        let response = self.single(responses)?;
        let items = list_items(&response).unwrap_or_default();
        let reason = items.get(1).map_or_else(String::new, |text| unquote(text));
        Ok(match reason.as_str() {
            "resourceout" | "max. resource limit exceeded" | "(resource limits reached)" => {
                Why::OutOfSteps
            }
            // Z3's incremental core does not tell; without a limit it is no lack of steps.
            "" | "no reason given" | "canceled" if limited => Why::OutOfSteps,
            "memout" | "max. memory exceeded" => Why::OutOfMemory,
            "timeout" => Why::OutOfTime,
            _ => Why::Incomplete(reason),
        })
    }
}

/// The protocol: batches out, responses in.
impl Session {
    /// A process that counts steps can also do without a limit, the other way round it cannot.
    fn start_if_needed(&mut self, memory_max_bytes: u64, counting: Counting) -> Result<(), Why> {
        let counts =
            |running: &Running| running.counting == Counting::On || counting == Counting::Off;
        let fits =
            |running: &Running| running.memory_max_bytes == memory_max_bytes && counts(running);
        if self.running.as_ref().is_some_and(fits) {
            return Ok(());
        }
        self.stop();
        let preamble = self.backend.preamble(self.mode, self.logic.as_deref());
        let process = Process::start(&self.program, &preamble, counting, memory_max_bytes)
            .map_err(|error| self.fault(&format!("cannot be started: {error}")))?;
        self.n_starts += 1;
        self.unsent = if self.program.is_shim { String::new() } else { preamble };
        self.unsent.push_str(&self.live_commands());
        let (n_bytes_sent, steps_max, resource_before) = (0, None, 0);
        let running = Running {
            process,
            memory_max_bytes,
            counting,
            n_bytes_sent,
            steps_max,
            resource_before,
        };
        self.running = Some(running);
        Ok(())
    }

    /// Says what is unsent and `command`, and returns all responses up to the closing echo.
    fn exchange(
        &mut self,
        command: &str,
        memory_max_bytes: u64,
        watch: &Watch,
    ) -> Result<Vec<String>, Why> {
        let counting = self.running.as_ref().map_or(Counting::On, |running| running.counting);
        self.start_if_needed(memory_max_bytes, counting)?;
        self.n_exchanges += 1;
        let mark = format!("exchange-{}", self.n_exchanges);
        let mut batch = std::mem::take(&mut self.unsent);
        batch.push_str(&format!("{command}\n(echo \"{mark}\")\n"));
        let running = self.running.as_mut().expect("started above");
        let n_missing = (running.n_bytes_sent + batch.len())
            .next_multiple_of(self.backend.input_block())
            - (running.n_bytes_sent + batch.len());
        batch.extend(std::iter::repeat_n(' ', n_missing));
        running.n_bytes_sent += batch.len();

        let mut responses = Vec::new();
        let talked = running.process.send(batch.as_bytes(), watch).and_then(|()| {
            loop {
                let response = running.process.receive(watch)?;
                // Z3 leaves out the quotes that SMT-LIB asks for.
                if unquote(&response) == mark {
                    return Ok(());
                }
                responses.push(response);
            }
        });
        match talked {
            Ok(()) => Ok(responses),
            Err(stop) => self.explain(stop, responses),
        }
    }

    /// What it means that the closing echo did not come.
    fn explain(&mut self, stop: Stop, responses: Vec<String>) -> Result<Vec<String>, Why> {
        self.start_afresh();
        // Solvers that end after an error, or at their limit, have said so before.
        if responses.first().is_some_and(|response| response == "unknown" || is_error(response)) {
            return Ok(responses);
        }
        Err(match stop {
            Stop::Told(why) => why,
            Stop::TooLong => self.fault("endless response"),
            Stop::Ended(circumstances) if is_out_of_memory(&circumstances) => Why::OutOfMemory,
            Stop::Ended(circumstances) => self.fault(&circumstances),
        })
    }

    /// The only response of an exchange, unless the solver reported an error.
    fn single(&self, mut responses: Vec<String>) -> Result<String, Why> {
        if let Some(error) = responses.iter().find_map(|response| error_text(response)) {
            return Err(match is_out_of_memory(&error) {
                true => Why::OutOfMemory,
                false => Why::Refused(format!("{} reports: {}", self.backend, short(&error))),
            });
        }
        match (responses.pop(), responses.is_empty()) {
            (Some(response), true) => Ok(response),
            (Some(last), false) => Err(self.fault(&format!("says too much: {}", short(&last)))),
            (None, _) => Err(self.fault("says nothing")),
        }
    }

    fn fault(&self, what: &str) -> Why {
        Why::Fault(format!("{} {what}", self.backend))
    }
}

fn is_error(response: &str) -> bool {
    error_text(response).is_some()
}

/// The words solvers and their run-time libraries have for it.
fn is_out_of_memory(text: &str) -> bool {
    let text = text.to_lowercase();
    ["out of memory", "bad_alloc", "memoryerror", "cannot allocate"]
        .iter()
        .any(|words| text.contains(words))
}

/// Enough of a text to recognise it.
fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
