//! Helpers for the JSON syntax tree: positions in the text, and properties by name.

use jsonc_parser::cst::{
    CstContainerNode, CstLeafNode, CstNode, CstObject, CstObjectProp, CstRootNode,
};
use std::iter::once;

/// Every property of this name.
pub(crate) fn all(object: &CstObject, name: &str) -> Vec<CstObjectProp> {
    let is_named = |it: &CstObjectProp| it.decoded_name().as_deref() == Some(name);
    object.properties().into_iter().filter(is_named).collect()
}

/// The property of this name; the last of several counts, as in other JSON parsers.
pub(crate) fn last(object: &CstObject, name: &str) -> Option<CstObjectProp> {
    all(object, name).pop()
}

/// The start offset of a node.
pub(crate) fn start_of(node: &CstNode) -> usize {
    let before: usize = node.previous_siblings().map(|it| it.to_string().len()).sum();
    before + node.parent().map_or(0, |it| start_of(&it.into()))
}

/// The end offset of a node.
pub(crate) fn end_of(node: &CstNode) -> usize {
    start_of(node) + node.to_string().len()
}

/// The last comment after a node on its line. The tree itself finds none if a bracket ends the
/// line.
pub(crate) fn last_remark(node: &CstNode) -> Option<CstNode> {
    let is_beside = |it: &CstNode| it.is_whitespace() || it.is_comment();
    let beside =
        node.next_siblings().take_while(|it| is_beside(it) && !it.to_string().contains('\n'));
    beside.filter(CstNode::is_comment).last()
}

/// The indentation of a node at the start of its line.
pub(crate) fn own_indent(node: &CstNode) -> Option<String> {
    let is_first = || node.previous_sibling().is_some_and(|it| it.is_newline());
    node.indent_text().or_else(|| is_first().then(String::new))
}

/// The indentation of the line that a list starts on.
pub(crate) fn margin(list: &CstContainerNode) -> String {
    let mut above = once(list.clone()).chain(list.ancestors());
    above.find_map(|it| own_indent(&it.into())).unwrap_or_default()
}

/// Every token and comment with its offset, without commas.
pub(crate) fn words(tree: &CstRootNode) -> Vec<(usize, String)> {
    let (mut at, mut out) = (0, Vec::new());
    add_words(tree.children(), &mut at, &mut out);
    out
}

fn add_words(nodes: Vec<CstNode>, at: &mut usize, out: &mut Vec<(usize, String)>) {
    for node in nodes {
        let CstNode::Leaf(leaf) = &node else {
            add_words(node.children(), at, out);
            continue;
        };
        let (text, start) = (leaf.to_string(), *at);
        *at += text.len();
        let is_space = matches!(leaf, CstLeafNode::Whitespace(_) | CstLeafNode::Newline(_));
        if !is_space && !node.is_comma() {
            out.push((start, text));
        }
    }
}
