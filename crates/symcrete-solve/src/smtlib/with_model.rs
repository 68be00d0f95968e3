//! Putting a model's values in place of a script's declarations.

use super::sexpr::{Reader, Tree};
use super::text::TextScript;
use std::collections::{BTreeMap, BTreeSet};

/// The script with the model's definitions in place of its declarations. `None` if the model is not
/// an s-expression.
pub(super) fn with_model(script: &TextScript, model: &str) -> Option<TextScript> {
    let mut reader = Reader::new();
    reader.feed(model.as_bytes()).ok()?;
    reader.end();
    let tree = reader.next_command().ok()??;
    let mut definitions: BTreeMap<&str, &str> = BTreeMap::new();
    let mut helpers = Vec::new();
    let declared: BTreeSet<&str> =
        script.commands.iter().filter_map(|command| command.declares.as_deref()).collect();
    for item in tree.children(Tree::ROOT).filter(|&item| tree.is_list(item)) {
        let parts: Vec<_> = tree.children(item).take(2).collect();
        let [word, name] = parts[..] else { continue };
        match tree.symbol(name) {
            Some(name) if tree.is_word(word, "define-fun") && declared.contains(name) => {
                definitions.insert(name, tree.text(item));
            }
            // Functions of the solver's own, which its definitions use.
            Some(_) if tree.symbol(word).is_some_and(|word| word.starts_with("de")) => {
                helpers.push(tree.text(item));
            }
            _ => {}
        }
    }
    let mut ground = script.clone();
    let mut helpers = Some(helpers.join("\n"));
    for command in &mut ground.commands {
        if let Some(name) = &command.declares {
            let definition = definitions.get(name.as_str()).copied().unwrap_or(&command.text);
            let helpers = helpers.take().unwrap_or_default();
            command.text = format!("{helpers}\n{definition}");
        }
    }
    Some(ground)
}

#[cfg(test)]
mod tests {
    use super::super::text::TextCommand;
    use super::*;

    #[test]
    fn a_model_takes_the_place_of_declarations() {
        let command = |text: &str, declares: Option<&str>| TextCommand {
            text: text.to_owned(),
            declares: declares.map(str::to_owned),
        };
        let script = TextScript {
            logic: None,
            commands: vec![
                command("(declare-sort U 0)", None),
                command("(declare-fun |x| () Int)", Some("x")),
                command("(declare-fun y () Int)", Some("y")),
                command("(assert (< x y))", None),
            ],
        };
        let model = "((declare-fun u () U) (forall ((x U)) (= x u)) (define-fun x () Int 5))";
        let ground = with_model(&script, model).unwrap();
        let texts: Vec<&str> = ground.commands.iter().map(|command| command.text.trim()).collect();
        assert_eq!(
            texts,
            [
                "(declare-sort U 0)",
                "(declare-fun u () U)\n(define-fun x () Int 5)",
                "(declare-fun y () Int)",
                "(assert (< x y))"
            ]
        );
        assert!(with_model(&script, "oops").is_none());
    }
}
