//! Puts entries of a block into the order that they have in a form, where the form shows the block as a list.

use diagnostics::problem::{Code, Place, Problem};
use diagnostics::yaml::{self, Node, Value};

use super::{File, Form, RELOAD, refused};

/// The text of a file whose values are saved already, with the blocks in the order of the form.
pub(super) fn apply(form: &Form, base: &File, mut file: File) -> Result<File, Problem> {
    for order in &form.orders {
        let Some(now) = names(&file.node, &order.path) else {
            continue;
        };
        let began = names(&base.node, &order.path).unwrap_or_default();
        let wanted: Vec<String> = order
            .names
            .iter()
            .filter(|name| now.contains(name))
            .cloned()
            .collect();
        if is_same_order(&now, &wanted) || !began.is_empty() && is_same_order(&began, &wanted) {
            continue;
        }
        // Somebody has moved entries of the same block.
        if !is_same_order(&began, &now) {
            let message = format!(
                "the order of `{}` was changed in the file while the form was open",
                order.path.join(".")
            );
            return Err(Problem::error(Code::SaveConflict, message)
                .at(Place::file(form.path.clone()))
                .hint(RELOAD));
        }
        let text = yaml::reorder(
            &file.source,
            file.yaml.clone(),
            &order.path,
            &all(&wanted, &now),
        );
        let text = text.map_err(|stuck| refused(&file, &stuck))?;
        file = File::read(&form.path, &text)?;
    }
    Ok(file)
}

/// Whether the names that both lists have are in the same order.
fn is_same_order(one: &[String], other: &[String]) -> bool {
    one.iter()
        .filter(|name| other.contains(name))
        .eq(other.iter().filter(|name| one.contains(name)))
}

/// The names in the order of a form, each of the others behind the one that it follows now.
fn all(wanted: &[String], now: &[String]) -> Vec<String> {
    let mut all = wanted.to_vec();
    let mut before: Option<&String> = None;
    for name in now {
        if !wanted.contains(name) {
            let at = before
                .and_then(|before| all.iter().position(|other| other == before))
                .map_or(0, |at| at + 1);
            all.insert(at, name.clone());
        }
        before = Some(name);
    }
    all
}

/// The names of the entries of a block.
fn names(node: &Node, path: &[String]) -> Option<Vec<String>> {
    match &node.at(path)?.value {
        Value::Map(entries) => Some(entries.iter().map(|(key, _)| key.name.clone()).collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Order, merge};
    use super::*;

    const BASE: &str = "# The sections.\nsections:\n  a: {kind: x}\n  # the middle\n  b: {kind: y}\n  c: {kind: z}\n";

    fn saved(names: &[&str], disk: &str) -> Result<String, Problem> {
        let (values, _) = super::super::values("content/pages/p/page.yaml", BASE)
            .map_err(|_| ())
            .expect("values");
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let form = Form {
            path: "content/pages/p/page.yaml".to_owned(),
            base: Some(BASE.to_owned()),
            values,
            body: None,
            orders: vec![Order {
                path: vec!["sections".to_owned()],
                names,
            }],
        };
        merge(&form, Some(disk))
    }

    #[test]
    fn a_section_is_moved_with_its_comment() {
        let expect = "# The sections.\nsections:\n  c: {kind: z}\n  a: {kind: x}\n  # the middle\n  b: {kind: y}\n";
        assert_eq!(saved(&["c", "a", "b"], BASE).as_deref(), Ok(expect));
        assert_eq!(saved(&["a", "b", "c"], BASE).as_deref(), Ok(BASE));
    }

    #[test]
    fn a_section_that_somebody_has_added_keeps_its_place() {
        let disk = BASE.replace("  # the middle", "  new: {kind: n}\n  # the middle");
        let text = saved(&["c", "a", "b"], &disk).expect("a text");
        let order: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("  ")?.split(':').next())
            .collect();
        assert_eq!(order, ["c", "a", "new", "# the middle", "b"]);
    }

    #[test]
    fn two_orders_are_a_conflict_unless_they_are_the_same() {
        let moved = "# The sections.\nsections:\n  c: {kind: z}\n  a: {kind: x}\n  # the middle\n  b: {kind: y}\n";
        assert_eq!(saved(&["c", "a", "b"], moved).as_deref(), Ok(moved));
        assert_eq!(saved(&["a", "b", "c"], moved).as_deref(), Ok(moved));
        let problem = saved(&["b", "a", "c"], moved).expect_err("a conflict");
        assert!(problem.message.contains("sections"), "{}", problem.message);
    }
}
