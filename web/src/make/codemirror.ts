// CodeMirror, fetched when a text is first edited. It lives in a shadow root: there its styles are style sheets that are made, which the content
// policy of the page lets through; in the document they would be <style> elements.
import {
  acceptCompletion,
  autocompletion,
  completionKeymap,
  moveCompletionSelection,
  selectedCompletionIndex,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, insertNewlineAndIndent } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentService,
  indentUnit,
  StreamLanguage,
  syntaxHighlighting,
} from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { type EditorState, RangeSet, StateEffect, StateField, Transaction } from "@codemirror/state";
import { EditorView, gutterLineClass, GutterMarker, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Mark, Name } from "./json.ts";

export interface Options {
  id: string;
  label: string;
  text: string;
  language: "json" | "rhai";
  typed(text: string): void;
  names(text: string, at: number): { from: number; options: readonly Name[] } | null;
  says(text: string, at: number): { from: number; to: number; doc: string } | null;
  /** Ctrl+Enter. */
  run(): void;
}
export interface Editor {
  /** Shows another text, where it is another, and what is wrong with it. */
  show(text: string, marks: readonly Mark[]): void;
  /** Has the focus, and all of its text is chosen: what is pasted takes its place. */
  focus(): void;
  destroy(): void;
}

const KEYWORDS = new Set(
  "let const if else while loop for in do until break continue return fn private import export as switch throw try catch true false this".split(
    " ",
  ),
);
/** Rhai, as far as colours and indents go. */
const rhai = StreamLanguage.define<null>({
  startState: () => null,
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^`[^`]*`?/)) return "string";
    if (stream.match(/^\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?/i)) return "number";
    if (stream.match(/^[A-Za-z_]\w*/)) return KEYWORDS.has(stream.current()) ? "keyword" : null;
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "//" }, indentOnInput: /^\s*\}$/ },
});
/** A line begins where the one before does, and further in after a brace. */
const indents = indentService.of((context, at) => {
  const closes = /^\s*[}\]]/.test(context.textAfterPos(at)),
    opened = /[{[]\s*$/.test(context.lineAt(at, -1).text);
  return Math.max(0, context.lineIndent(at, -1) + context.unit * (Number(opened) - Number(closes)));
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null], color: "var(--accent)", fontWeight: "600" },
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: tags.number, color: "var(--warn)" },
  { tag: tags.comment, color: "var(--ink-3)", fontStyle: "italic" },
]);
const box = {
  border: "1px solid var(--line-strong)",
  borderRadius: "var(--radius-s)",
  backgroundColor: "var(--surface)",
};
const theme = EditorView.theme({
  "&": { ...box, color: "var(--ink)", fontSize: "var(--text-xs)" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-scroller": {
    fontFamily: "var(--mono)",
    lineHeight: "1.5",
    maxHeight: "var(--code-height, 22rem)",
    minHeight: "6rem",
    overflow: "auto",
  },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--surface-2)", color: "var(--ink-3)", borderRight: "1px solid var(--line)" },
  ".cm-gutterElement.wrong": { backgroundColor: "var(--danger)", color: "var(--surface)", fontWeight: "700" },
  ".cm-tooltip": {
    ...box,
    color: "var(--ink)",
    boxShadow: "var(--shadow-pop)",
    maxWidth: "min(24rem, 90vw)",
    fontFamily: "var(--font)",
  },
  ".cm-tooltip > p, .cm-completionInfo": { margin: "0", padding: "var(--s2)", whiteSpace: "normal" },
  ".cm-tooltip-autocomplete ul": { fontFamily: "var(--mono)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent-soft)", color: "var(--accent)" },
});

const wrongLine = new (class extends GutterMarker {
  override elementClass = "wrong";
})();
const setWrong = StateEffect.define<readonly Mark[]>();
/** Lines with something wrong, marked beside their numbers. */
const wrong = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update: (lines, { effects, changes, state }) =>
    effects.reduce(
      (now, effect) =>
        effect.is(setWrong)
          ? RangeSet.of(
              [...new Set(effect.value.map(({ from }) => state.doc.lineAt(from).from))].map((from) =>
                wrongLine.range(from),
              ),
              true,
            )
          : now,
      lines.map(changes),
    ),
  provide: (field) => gutterLineClass.from(field),
});

const does = (run: () => void) => (): boolean => {
  run();
  return true;
};

export function edit(root: ShadowRoot, of: Options): Editor {
  const text = (state: EditorState): string => state.doc.toString();
  let marked = "";
  const view = new EditorView({
    root,
    parent: root,
    doc: of.text,
    extensions: [
      lineNumbers(),
      history(),
      bracketMatching(),
      indentUnit.of(of.language === "json" ? "  " : "    "),
      indents,
      indentOnInput(),
      of.language === "json" ? json() : rhai,
      syntaxHighlighting(colours),
      theme,
      wrong,
      autocompletion({
        selectOnOpen: false,
        interactionDelay: 0,
        icons: false,
        override: [
          ({ state, pos, explicit }) => {
            const found = of.names(text(state), pos);
            if (!found || (!explicit && found.from === pos && !/[."{,:\s]/.test(state.sliceDoc(pos - 1, pos))))
              return null;
            return {
              from: found.from,
              filter: false,
              options: found.options.map(({ text: apply, label, doc }) => ({
                label,
                apply,
                ...(doc ? { info: doc } : {}),
              })),
            };
          },
        ],
      }),
      hoverTooltip(({ state }, pos) => {
        const said = of.says(text(state), pos);
        if (!said) return null;
        const dom = document.createElement("div"),
          words = document.createElement("p");
        words.textContent = said.doc;
        dom.append(words);
        return { pos: said.from, end: said.to, create: () => ({ dom }) };
      }),
      keymap.of([
        { key: "Mod-Enter", run: does(of.run) },
        // Tab takes the first where none is chosen; elsewhere it leaves the text, as of any field.
        {
          key: "Tab",
          run: (here) =>
            (selectedCompletionIndex(here.state) === null ? moveCompletionSelection(true)(here) : true) &&
            acceptCompletion(here),
        },
        ...completionKeymap,
        { key: "Enter", run: insertNewlineAndIndent },
        ...defaultKeymap,
        ...historyKeymap,
      ]),
      EditorView.contentAttributes.of({
        id: of.id,
        tabindex: "0",
        "aria-label": of.label,
        autocapitalize: "off",
        spellcheck: "false",
      }),
      // Letters are for the text, not for the page's keys.
      EditorView.domEventHandlers({
        keydown(event) {
          event.stopPropagation();
        },
      }),
      EditorView.updateListener.of(({ docChanged, transactions, state }) => {
        if (docChanged && !transactions.some((one) => one.annotation(Transaction.remote))) of.typed(text(state));
      }),
    ],
  });
  return {
    show(next, marks) {
      if (next !== text(view.state))
        view.dispatch({
          changes: { from: 0, to: view.state.doc.length, insert: next },
          annotations: [Transaction.remote.of(true), Transaction.addToHistory.of(false)],
        });
      const key = JSON.stringify([marks, next]);
      if (key === marked) return;
      marked = key;
      const fit = marks.filter(({ to }) => to <= view.state.doc.length);
      view.dispatch(
        setDiagnostics(
          view.state,
          fit.map((mark) => ({ ...mark, severity: "error" })),
        ),
        { effects: setWrong.of(fit) },
      );
      if (fit.length > 0) view.contentDOM.setAttribute("aria-invalid", "true");
      else view.contentDOM.removeAttribute("aria-invalid");
    },
    focus() {
      view.focus();
      view.dispatch({ selection: { anchor: 0, head: view.state.doc.length } });
    },
    destroy: () => view.destroy(),
  };
}
