//! The import graph of a crate's sources: which file refers to which, by `use` or by a path in the code. Tests are left out.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Files by their path below `src`, each with the files that it refers to.
pub type Graph = BTreeMap<String, BTreeSet<String>>;

/// A source file without its tests: what stands behind `#[cfg(test)]` is gone, as are comments.
#[derive(Debug)]
pub struct Source {
    pub file: String,
    tokens: Vec<TokenTree>,
}

impl Source {
    pub fn read(file: &str, text: &str) -> Source {
        let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{file}: {error}"));
        Source { file: file.to_owned(), tokens: without_tests(tokens) }
    }

    /// The path of the module that the file is.
    fn module(&self) -> Vec<String> {
        let path = self.file.strip_suffix(".rs").unwrap_or(&self.file);
        let path = path.strip_suffix("/mod").unwrap_or(path);
        path.split('/').filter(|part| *part != "lib").map(str::to_owned).collect()
    }

    /// The identifiers that the file uses.
    pub fn words(&self) -> BTreeSet<String> {
        fn collect(tokens: &[TokenTree], words: &mut BTreeSet<String>) {
            for token in tokens {
                match token {
                    TokenTree::Ident(word) => drop(words.insert(word.to_string())),
                    TokenTree::Group(group) => collect(&group.stream().into_iter().collect::<Vec<_>>(), words),
                    _ => {}
                }
            }
        }
        let mut words = BTreeSet::new();
        collect(&self.tokens, &mut words);
        words
    }
}

/// Is the file one of tests alone?
pub fn is_test(file: &str) -> bool {
    file.split('/').any(|part| part == "tests" || part == "tests.rs")
}

/// The tokens without items that only tests see: each ends with its `;` or its braces.
fn without_tests(tokens: TokenStream) -> Vec<TokenTree> {
    let mut kept = Vec::new();
    let mut rest = tokens.into_iter().peekable();
    while let Some(token) = rest.next() {
        let attribute = matches!(&token, TokenTree::Punct(hash) if hash.as_char() == '#');
        let for_tests = attribute && rest.peek().is_some_and(|group| group.to_string().replace(' ', "") == "[cfg(test)]");
        if for_tests {
            let is_end = |token: &TokenTree| match token {
                TokenTree::Punct(punct) => punct.as_char() == ';',
                TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                _ => false,
            };
            rest.by_ref().find(is_end);
        } else if let TokenTree::Group(group) = &token {
            let inner = without_tests(group.stream()).into_iter().collect();
            kept.push(proc_macro2::Group::new(group.delimiter(), inner).into());
        } else {
            kept.push(token);
        }
    }
    kept
}

/// Which module refers to which.
pub fn graph(sources: &[Source]) -> Graph {
    let modules: BTreeMap<Vec<String>, &str> = sources.iter().map(|source| (source.module(), source.file.as_str())).collect();
    let of = |source: &Source| {
        let mut finder = Finder { modules: &modules, module: source.module(), found: BTreeSet::new() };
        finder.walk(&source.tokens);
        finder.found.remove(&source.file);
        (source.file.clone(), finder.found)
    };
    sources.iter().map(of).collect()
}

/// Finds the files that one file's paths lead to.
struct Finder<'a> {
    modules: &'a BTreeMap<Vec<String>, &'a str>,
    module: Vec<String>,
    found: BTreeSet<String>,
}

impl Finder<'_> {
    /// Every path in the tokens, wherever it stands.
    fn walk(&mut self, tokens: &[TokenTree]) {
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Ident(word) if word == "use" => at = self.tree(tokens, at + 1, &[]),
                TokenTree::Ident(_) => at = self.tree(tokens, at, &[]),
                TokenTree::Group(group) => {
                    self.walk(&group.stream().into_iter().collect::<Vec<_>>());
                    at += 1;
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => at += 1,
            }
        }
    }

    /// A path from `at`, which may end in a list of paths as imports do; returns where it ends.
    fn tree(&mut self, tokens: &[TokenTree], mut at: usize, prefix: &[String]) -> usize {
        let mut path = prefix.to_vec();
        while let Some(TokenTree::Ident(word)) = tokens.get(at) {
            path.push(word.to_string());
            at += 1;
            if !is_separator(tokens, at) {
                break;
            }
            at += 2;
            if let Some(TokenTree::Group(list)) = tokens.get(at).filter(|_| is_separator(tokens, at - 2)) {
                let list: Vec<TokenTree> = list.stream().into_iter().collect();
                for item in list.split(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ',')) {
                    self.tree(item, 0, &path);
                }
                return at + 1;
            }
        }
        if path.len() > 1 {
            self.refer(&path);
        }
        at.max(1)
    }

    /// The file of a path's last module: `crate`, `super`, `self` or a child of this module begins one of this crate.
    fn refer(&mut self, path: &[String]) {
        let mut at = self.module.clone();
        let mut rest = path;
        while let [first, more @ ..] = rest {
            match first.as_str() {
                "crate" => at.clear(),
                "super" => drop(at.pop()),
                "self" => {}
                _ => break,
            }
            rest = more;
        }
        let child = |at: &[String], name: &String| [at, std::slice::from_ref(name)].concat();
        if rest.len() == path.len() && !rest.first().is_some_and(|name| self.modules.contains_key(&child(&at, name))) {
            return;
        }
        for name in rest {
            let next = child(&at, name);
            if !self.modules.contains_key(&next) {
                break;
            }
            at = next;
        }
        if let Some(file) = self.modules.get(&at) {
            self.found.insert((*file).to_owned());
        }
    }
}

fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    let colon = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    colon(tokens.get(at)) && colon(tokens.get(at + 1))
}

/// The shortest chain of references from `start` to a file that `wanted` names.
pub fn chain(graph: &Graph, start: &str, wanted: impl Fn(&str) -> bool) -> Option<Vec<String>> {
    let mut chains = VecDeque::from([vec![start.to_owned()]]);
    let mut seen = BTreeSet::from([start]);
    while let Some(chain) = chains.pop_front() {
        for next in graph.get(chain.last()?).into_iter().flatten() {
            let longer = [chain.as_slice(), std::slice::from_ref(next)].concat();
            if wanted(next) {
                return Some(longer);
            }
            if seen.insert(next) {
                chains.push_back(longer);
            }
        }
    }
    None
}

/// The circles: files of which each refers to every other, at last.
pub fn circles(graph: &Graph) -> BTreeSet<BTreeSet<String>> {
    let reached = |from: &String| -> BTreeSet<String> {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(file) = open.pop() {
            open.extend(graph.get(file).into_iter().flatten().filter(|next| seen.insert((*next).clone())));
        }
        seen
    };
    let all: BTreeMap<&String, BTreeSet<String>> = graph.keys().map(|file| (file, reached(file))).collect();
    let circle = |file: &String| all[file].iter().filter(|other| all[*other].contains(file)).cloned().collect();
    graph.keys().map(circle).filter(|circle: &BTreeSet<String>| circle.len() > 1).collect()
}
