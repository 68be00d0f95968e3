//! Statements of random functions.

use super::{Kind, Writer};

impl Writer<'_> {
    /// One statement, with others inside while `depth` allows.
    pub(super) fn statement(&mut self, depth: u32) {
        self.left = self.left.saturating_sub(1);
        let choice = if depth == 0 { self.rng.below(7) } else { self.rng.below(22) };
        match choice {
            0 | 1 => self.assign(),
            2 => {
                let (index, value) = (self.expression(0), self.expression(1));
                self.page.line(&format!("t[{index} & 3] = {value};"));
            }
            3 => {
                self.page.line("if (");
                self.condition(1);
                let value = self.rng.below(9);
                self.page.line(&format!(") return {value};"));
            }
            4 => self.outside(),
            5 => self.choose_value(),
            6 => self.logical_value(),
            7 => self.counted_loop(depth),
            8 => self.bounded_loop(depth),
            9 | 10 => self.switch(depth),
            11 => self.forward_goto(depth),
            12 => self.through_memory(),
            13 => self.walk(),
            _ => self.condition_with_body(depth),
        }
    }

    fn assign(&mut self) {
        let (to, value) = (self.variable(), self.expression(2));
        let line = match self.rng.below(8) {
            0 => format!("shared = {value};"),
            1 => format!("secret += {value} & 3;"),
            2 => format!("{to} += (int)({value});"),
            _ => format!("{to} = (int)({value});"),
        };
        self.page.line(&line);
    }

    /// What the program under test does not have in its hands.
    fn outside(&mut self) {
        let to = self.variable();
        let of = self.atom();
        let line = match self.rng.below(12) {
            9 => format!("memcpy(t, &{to}, 2);"),
            0 => format!("{to} = ask({of});"),
            1 => format!("fill(&{to});"),
            2 => "touch();".to_string(),
            10 => format!("{to} += take(t, {of} & 7) + t[1];"),
            3 => format!("{to} = load({of}).x;"),
            4 => format!("{to} = load({of}).y + {to};"),
            5 => {
                self.asks_environment = true;
                format!("{to} = (int)(time(NULL) & 7);")
            }
            6 => {
                self.asks_environment = true;
                format!("{to} = rand() % 5;")
            }
            7 => {
                self.asks_environment = true;
                format!("{to} = getenv(\"SYMCRETE_ORACLE\") != NULL;")
            }
            8 => {
                let memory = self.fresh("m");
                self.page.line(&format!("int *{memory} = malloc(sizeof(int));"));
                self.page.line("if (");
                self.page.leaf(&format!("{memory} == NULL"));
                self.page.line(") return -2;");
                self.page.line(&format!("*{memory} = {of};"));
                format!("{to} += *{memory}; free({memory});")
            }
            _ => format!("{to} = down({of} & 3, 1);"),
        };
        self.page.line(&line);
    }

    fn choose_value(&mut self) {
        let (to, a, b) = (self.variable(), self.expression(1), self.expression(1));
        self.page.line(&format!("{to} ="));
        self.condition(1);
        self.page.line(&format!("? (int)({a}) : (int)({b});"));
    }

    fn logical_value(&mut self) {
        let to = self.variable();
        self.page.line(&format!("{to} ="));
        self.condition(0);
        let operator = *self.rng.choose(&["&&", "||"]);
        self.page.line(operator);
        self.condition(1);
        self.page.line(";");
    }

    fn counted_loop(&mut self, depth: u32) {
        let counter = self.fresh("i");
        let limit = match self.rng.one_in(2) {
            true => self.rng.between(1, 4).to_string(),
            false => format!("({} & 3)", self.variable()),
        };
        self.page.line(&format!("for (int {counter} = 0;"));
        self.page.leaf(&format!("{counter} < {limit}"));
        self.page.line(&format!("; {counter}++) {{"));
        self.page.line(&format!("y += {counter};"));
        self.statement(depth - 1);
        if self.rng.one_in(3) {
            self.page.line("if (");
            self.condition(0);
            let leave = *self.rng.choose(&[") break;", ") continue;"]);
            self.page.line(leave);
        }
        self.page.line("}");
    }

    /// A loop that ends for a reason of its own, or when it has gone on long enough.
    fn bounded_loop(&mut self, depth: u32) {
        let counter = self.fresh("n");
        self.page.line(&format!("int {counter} = 0;"));
        let is_do = self.rng.one_in(3);
        if is_do {
            self.page.line("do {");
            self.statement(depth - 1);
            self.page.line("} while (");
            self.page.leaf(&format!("++{counter} < 4"));
            self.page.line("&&");
            self.condition(1);
            self.page.line(");");
        } else {
            self.page.line("while (");
            self.page.leaf(&format!("{counter}++ < 4"));
            self.page.line("&&");
            self.condition(1);
            self.page.line(") {");
            self.statement(depth - 1);
            self.page.line("}");
        }
    }

    fn switch(&mut self, depth: u32) {
        let of = self.expression(1);
        let ty = *self.rng.choose(&["int", "unsigned char", "signed char", "short"]);
        let mask = *self.rng.choose(&["", " & 7", " & 15"]);
        let number = self.page.switch(&format!("({ty})({of}){mask}"));
        let pools: [&[i64]; 4] =
            [&[0, 1, 2, 3, 5], &[8, 9, 87, 103], &[1, 4, 6, 7, 12], &[0, 10, 20, 42, 100]];
        let pool = *self.rng.choose(&pools);
        let n_cases = 1 + self.rng.below(pool.len() as u64) as usize;
        let default_at = self.rng.below(n_cases as u64 + 3) as usize;
        for (i, &value) in pool[..n_cases].iter().enumerate() {
            if i == default_at {
                self.page.default_label(number);
                self.case_body(depth);
            }
            let is_range =
                self.rng.one_in(8) && pool[0] == 0 && value == *pool.last().expect("cases");
            self.page.case(number, value, if is_range { value + 3 } else { value });
            // Labels may share their statements, or lead on.
            if !self.rng.one_in(4) {
                self.case_body(depth);
            }
        }
        if default_at == n_cases {
            self.page.default_label(number);
        }
        self.case_body(depth);
        self.page.line("}");
    }

    fn case_body(&mut self, depth: u32) {
        match self.rng.below(4) {
            0 => self.page.line(";"),
            1 => {
                let value = self.rng.below(3);
                self.page.line(&format!("w = {value};"));
            }
            _ => {
                self.page.line("{");
                self.statement(depth - 1);
                self.page.line("}");
            }
        }
        if !self.rng.one_in(3) {
            self.page.line("break;");
        }
    }

    fn forward_goto(&mut self, depth: u32) {
        let label = match self.pending_labels.last() {
            Some(label) if self.rng.one_in(2) => label.clone(),
            _ => {
                let label = self.fresh("done");
                self.pending_labels.push(label.clone());
                label
            }
        };
        self.page.line("if (");
        self.condition(1);
        self.page.line(&format!(") goto {label};"));
        self.page.line("{");
        self.statement(depth - 1);
        self.page.line("}");
    }

    /// Writes through a pointer of the input, or through one to a variable.
    fn through_memory(&mut self) {
        let value = self.expression(1);
        let pairs: Vec<String> =
            self.atoms.iter().filter(|atom| atom.ends_with("->x")).cloned().collect();
        if pairs.is_empty() {
            let (pointer, to) = (self.fresh("q"), self.variable());
            self.page.line(&format!("int *{pointer} ="));
            self.page.leaf(&format!("{value} & 1"));
            self.page.line(&format!("? &{to} : &shared;"));
            self.page.line(&format!("*{pointer} += 2;"));
        } else {
            let to = self.rng.choose(&pairs).clone();
            self.page.line(&format!("{to} = (int)({value});"));
        }
    }

    /// Goes along a list, an array or a chain.
    fn walk(&mut self) {
        let param = self.rng.choose(&self.params).clone();
        let name = &param.name;
        let to = self.variable();
        match param.kind {
            Kind::List | Kind::Outer => {
                let at = self.fresh("at");
                let is_list = param.kind == Kind::List;
                let (ty, field) =
                    if is_list { ("struct node", "v") } else { ("struct outer", "k") };
                self.page.line(&format!("for ({ty} *{at} = {name};"));
                self.page.leaf(&at);
                self.page.line(&format!("; {at} = {at}->next) {{"));
                self.page.line("if (");
                let constant = self.constant();
                self.page.leaf(&format!("{at}->{field} == {constant}"));
                self.page.line(&format!(") {to}++;"));
                self.page.line("}");
            }
            Kind::Array => {
                let i = self.fresh("i");
                self.page.line(&format!("for (int {i} = 0;"));
                self.page.leaf(&format!("{i} < {name}_len"));
                let what = match self.rng.one_in(2) {
                    true => format!("{to} += {name}[{i}] & 7;"),
                    false => format!("{name}[{i}] = {to} & 7;"),
                };
                self.page.line(&format!("; {i}++) {what}"));
            }
            Kind::Bytes => {
                let i = self.fresh("i");
                self.page.line(&format!("for (size_t {i} = 0;"));
                self.page.leaf(&format!("{i} < {name}_size"));
                self.page.line(&format!("; {i}++) {{"));
                self.page.line("if (");
                let constant = self.constant();
                self.page.leaf(&format!("{name}[{i}] == {constant}"));
                self.page.line(&format!(") {to}++;"));
                self.page.line("}");
            }
            Kind::Span => {
                let at = self.fresh("at");
                self.page.line(&format!("for (const char *{at} = {name};"));
                self.page.leaf(&format!("{at} != {name}_end"));
                self.page.line(&format!("; {at}++) {to} += *{at} & 1;"));
            }
            Kind::Integer(..)
            | Kind::Float
            | Kind::Double
            | Kind::Small
            | Kind::Word
            | Kind::Pair
            | Kind::Buffer
            | Kind::Text
            | Kind::Callback
            | Kind::Getter => self.assign(),
        }
    }

    fn condition_with_body(&mut self, depth: u32) {
        self.page.line("if (");
        self.condition(2);
        self.page.line(") {");
        self.statement(depth - 1);
        if self.rng.one_in(2) {
            self.page.line("} else {");
            self.statement(depth - 1);
        }
        self.page.line("}");
    }
}
