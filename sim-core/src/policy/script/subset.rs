//! What of Rhai a script may say, so that nothing of it is outside the budget. The rest is a flaw at its line, before anything runs.
//!
//! `this` and a range are no values, for their copies and slices would cost nothing and differ between hosts. A function is no value but of the
//! functions that ask it for each entry, so that no call binds another `this`. Nothing catches a failure.

use super::words::{FUNCTIONS, Flaw, HOOKS};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use rhai::{AST, ASTNode, Expr, FnCallExpr, Position, Stmt};

/// Parts of a list or map that is written out where a function is called: it is built in one operation.
const PARTS: usize = 64;
/// Characters of a text that is written out: operators on it pay for none of them.
const WRITTEN: usize = 200;
/// Keys of a map that is written out: each goes to its place, for the price of a number.
const KEYS: usize = 256;
/// Ranges of a switch: they are tried one by one, for the price of one.
const RANGES: usize = 64;
/// Functions that take a function.
const ORDERS: [&str; 3] = ["sort", "map", "filter"];

/// Whether a script keeps to it.
pub fn check(tree: &AST) -> Result<(), Flaw> {
    let own: BTreeSet<&str> = tree.iter_functions().map(|function| function.name).collect();
    if let Some(name) = own.iter().find(|name| is_known(name)) {
        return Err(Flaw { line: None, what: format!("fn {name}: the language has a function of this name") });
    }
    // Only the functions that are called from outside have a `this`.
    let mut helpers = tree.clone();
    helpers.retain_functions(|_, _, name, _| !HOOKS.iter().any(|hook| hook.name == name));
    let stray = |node: &ASTNode, _: Option<&ASTNode>| match node {
        ASTNode::Expr(Expr::ThisPtr(at)) => Some((*at, "only the functions that are called from outside have a this".into())),
        _ => None,
    };
    let first = first(tree, &|node, parent| what_is_wrong(node, parent, &own)).into_iter().chain(first(&helpers, &stray)).min();
    first.map_or(Ok(()), |(at, what)| Err(Flaw { line: at.line(), what }))
}

type Wrong = Option<(Position, String)>;

/// The first in the text of what is wrong: the tree has its functions in no order.
fn first(tree: &AST, look: &dyn Fn(&ASTNode, Option<&ASTNode>) -> Wrong) -> Wrong {
    let mut first: Wrong = None;
    tree.walk(&mut |path: &[ASTNode]| {
        let found = path.split_last().and_then(|(node, before)| look(node, before.last()));
        first = first.take().into_iter().chain(found).min();
        true
    });
    first
}

fn is_known(name: &str) -> bool {
    FUNCTIONS.iter().any(|function| function.name() == name)
}

fn what_is_wrong(node: &ASTNode, parent: Option<&ASTNode>, own: &BTreeSet<&str>) -> Wrong {
    match node {
        ASTNode::Stmt(Stmt::TryCatch(_, at)) => Some((*at, "nothing catches a failure: it ends the run".into())),
        ASTNode::Stmt(Stmt::FnCall(call, at)) => wrong_call(call, *at, own),
        ASTNode::Expr(Expr::FnCall(call, at)) if is_range(call) => {
            let listed = matches!(parent, Some(ASTNode::Stmt(Stmt::For(of, _))) if is(&of.2.expr, node));
            (!listed).then(|| (*at, "a range stands only after the in of a for".into()))
        }
        ASTNode::Expr(Expr::FnCall(call, at)) => wrong_call(call, *at, own),
        ASTNode::Expr(Expr::MethodCall(call, at)) if !is_known(&call.name) => {
            Some((*at, format!("no value has a function {}: call a function of yours by its name alone", call.name)))
        }
        ASTNode::Expr(Expr::MethodCall(call, _)) => large_argument(call),
        ASTNode::Expr(Expr::StringConstant(text, at)) if text.len() > WRITTEN => {
            Some((*at, format!("a text of {} bytes, of at most {WRITTEN}: put it together", text.len())))
        }
        ASTNode::Expr(Expr::Map(pairs, at)) if pairs.0.len() > KEYS => {
            Some((*at, format!("a map of {} keys, of at most {KEYS}: fill it step by step", pairs.0.len())))
        }
        ASTNode::Stmt(Stmt::Switch(of, at)) if of.1.ranges.len() > RANGES => {
            Some((*at, format!("a switch of {} ranges, of at most {RANGES}", of.1.ranges.len())))
        }
        ASTNode::Expr(Expr::ThisPtr(at)) => {
            let named = matches!(parent, Some(ASTNode::Expr(Expr::Dot(of, ..) | Expr::Index(of, ..))) if is(&of.lhs, node));
            (!named).then(|| (*at, "this is no value of its own: name what it keeps, as this.x".into()))
        }
        ASTNode::Expr(Expr::Variable(of, _, at)) if of.0.is_none() && own.contains(of.1.as_str()) => {
            Some((*at, format!("{} is a function, which is no value", of.1)))
        }
        ASTNode::Expr(Expr::DynamicConstant(_, at)) => {
            let asked = match parent {
                Some(ASTNode::Expr(Expr::FnCall(call, _) | Expr::MethodCall(call, _)) | ASTNode::Stmt(Stmt::FnCall(call, _))) => {
                    ORDERS.contains(&call.name.as_str())
                }
                _ => false,
            };
            (!asked).then(|| (*at, format!("a function without a name stands only in the brackets of {}", ORDERS.join(", "))))
        }
        _ => None,
    }
}

/// Whether a node is this very expression.
fn is(expression: &Expr, node: &ASTNode) -> bool {
    matches!(node, ASTNode::Expr(other) if core::ptr::eq(*other, expression))
}

fn is_range(call: &FnCallExpr) -> bool {
    matches!(call.name.as_str(), ".." | "..=")
}

fn wrong_call(call: &FnCallExpr, at: Position, own: &BTreeSet<&str>) -> Wrong {
    let name = call.name.as_str();
    if !call.is_operator_call() && !is_known(name) && !own.contains(name) {
        return Some((at, format!("there is no function {name}")));
    }
    if call.capture_parent_scope {
        return Some((at, format!("{name}! would see the variables here: hand them over")));
    }
    large_argument(call)
}

fn large_argument(call: &FnCallExpr) -> Wrong {
    let large = call.args.iter().find(|argument| matches!(argument, Expr::Array(..) | Expr::Map(..)) && parts(argument) > PARTS)?;
    Some((large.position(), format!("a list or map of more than {PARTS} values in a call: give it a name before")))
}

/// Expressions in an expression.
fn parts(expression: &Expr) -> usize {
    let mut count = 0;
    expression.walk(&mut Vec::new(), &mut |_: &[ASTNode]| {
        count += 1;
        true
    });
    count
}
