// <corun-script>: the program of the policy `script`, with line numbers, the line that is wrong, the engine's names completed and explained, and
// examples to start from. What is typed is checked at once, and runs when it is asked to.
import { h, icon, setText } from "../dom.ts";
import type { ControlEntry, Problem, ScriptName, ScriptWords } from "../types.ts";
import { completionsAt, lineOf, type Completion, type Completions } from "./complete.ts";

export interface ScriptEvents {
  /** What is wrong with the experiment with this program. */
  check(source: string): Promise<Problem[]>;
  /** It is to run. */
  run(source: string): void;
}

const CHECK_AFTER = 350;
const MAX_OPTIONS = 60;
/** The id of the text, as that of every field of the form. */
const CALLED = "f-policy-source";

export class CorunScript extends HTMLElement {
  #words: ScriptWords | null = null;
  #controls: readonly ControlEntry[] = [];
  #events: ScriptEvents | null = null;
  /** The program that runs. */
  #running = "";
  #wrong: number | null = null;
  #timer = 0;
  #asked = 0;
  #offer: Completions | null = null;
  #active = -1;
  readonly area = h("textarea", {
    class: "script-text",
    rows: 16,
    wrap: "off",
    autocomplete: "off",
    autocapitalize: "off",
    "aria-autocomplete": "list",
  });
  readonly #gutter = h("div", { class: "script-lines", "aria-hidden": "true" });
  readonly #list = h("ul", {
    class: "script-offer",
    role: "listbox",
    id: "script-offer",
    "aria-label": "Names that can stand here",
    hidden: true,
  });
  readonly #doc = h("p", { class: "script-doc", "aria-live": "polite" });
  /** What is wrong: of what is typed, then of what runs. */
  readonly said = h("p", { class: "field-problem", id: `${CALLED}-problem`, role: "alert", hidden: true });
  readonly #go = h(
    "button",
    { type: "button", class: "button primary", id: "f-run-script", title: "Ctrl+Enter" },
    icon("play"),
    "Run this script",
  );
  readonly #large = h("button", { type: "button", class: "button", id: "f-large-script" }, "Larger");
  readonly #dialog = h("dialog", { class: "script-dialog", "aria-label": "The script" });
  readonly #place = h("div");
  readonly #box = h("div", { class: "script-box" });

  init(words: ScriptWords, controls: readonly ControlEntry[], events: ScriptEvents): void {
    this.#words = words;
    this.#controls = controls;
    this.#events = events;
    const examples = h(
      "select",
      { id: "f-script-example", "aria-label": "Start from an example" },
      h("option", { value: "" }, "Start from an example…"),
      ...words.examples.map((e) => h("option", { value: e.name }, e.title)),
    );
    examples.addEventListener("change", () => {
      const chosen = words.examples.find((e) => e.name === examples.value);
      examples.value = "";
      if (!chosen) return;
      this.area.value = chosen.source;
      this.#typed();
      this.#run();
    });
    this.area.id = CALLED;
    this.area.spellcheck = false;
    this.area.setAttribute("aria-controls", this.#list.id);
    this.area.setAttribute("aria-describedby", this.said.id);
    this.area.addEventListener("input", () => {
      this.#typed();
      this.#complete();
    });
    this.area.addEventListener("scroll", () => {
      this.#gutter.scrollTop = this.area.scrollTop;
      this.#close();
    });
    this.area.addEventListener("keydown", (event) => {
      this.#key(event);
    });
    this.area.addEventListener("blur", () => {
      this.#close();
    });
    // A press must not take the focus from the text.
    this.#list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
    });
    this.#list.addEventListener("click", (event) => {
      const at = [...this.#list.children].indexOf((event.target as Element).closest("li") as Element);
      if (at >= 0) this.#accept(at);
    });
    this.#go.addEventListener("click", () => {
      this.#run();
    });
    this.#large.addEventListener("click", () => {
      if (this.#dialog.open) this.#dialog.close();
      else this.#enlarge();
    });
    this.#dialog.addEventListener("close", () => {
      this.#place.append(this.#box);
      setText(this.#large, "Larger");
      this.#dialog.remove();
      this.#large.focus();
    });
    this.#box.replaceChildren(
      examples,
      h("div", { class: "script-code" }, this.#gutter, this.area, this.#list),
      this.#doc,
      this.said,
      h("div", { class: "script-buttons" }, this.#go, this.#large),
      reference(words, controls),
    );
    this.#place.append(this.#box);
    this.replaceChildren(this.#place);
  }

  /** The program of the experiment that is shown. What is being typed stays. */
  show(source: string): void {
    if (source !== this.#running || this.area.value === "") {
      this.area.value = source;
      this.#running = source;
      this.#mark(null, "");
    }
    this.#count();
    this.#state();
  }

  /** It has failed while it ran. */
  failed(why: string): void {
    if (this.area.value !== this.#running) return;
    // What is still being checked is of before.
    clearTimeout(this.#timer);
    this.#asked += 1;
    this.#mark(lineOf(why), why);
  }

  #enlarge(): void {
    document.body.append(this.#dialog);
    this.#dialog.append(this.#box);
    setText(this.#large, "Done");
    this.#dialog.showModal();
    this.area.focus();
  }

  #run(): void {
    this.#running = this.area.value;
    this.#state();
    this.#events?.run(this.area.value);
  }

  // ---------------------------------------------------------------- checking

  #typed(): void {
    this.#count();
    this.#state();
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      void this.#check();
    }, CHECK_AFTER);
  }

  async #check(): Promise<void> {
    const asked = ++this.#asked,
      problems = (await this.#events?.check(this.area.value)) ?? [];
    if (asked !== this.#asked) return;
    const mine = problems.find((p) => p.path === "policy.source");
    this.#mark(mine ? lineOf(mine.found) : null, mine ? mine.found : "");
  }

  #mark(line: number | null, why: string): void {
    this.#wrong = line;
    this.said.hidden = why === "";
    setText(this.said, why === "" ? "" : why.charAt(0).toUpperCase() + why.slice(1));
    if (why === "") this.area.removeAttribute("aria-invalid");
    else this.area.setAttribute("aria-invalid", "true");
    this.#count();
  }

  #count(): void {
    const lines = this.area.value.split("\n").length;
    if (this.#gutter.children.length !== lines)
      this.#gutter.replaceChildren(...Array.from({ length: lines }, (_, i) => h("span", null, String(i + 1))));
    [...this.#gutter.children].forEach((one, i) => {
      one.classList.toggle("wrong", i + 1 === this.#wrong);
    });
    this.#gutter.scrollTop = this.area.scrollTop;
  }

  #state(): void {
    this.#go.disabled = this.area.value === this.#running;
  }

  // ---------------------------------------------------------------- completing

  #complete(): void {
    const at = this.area.selectionStart;
    this.#offer =
      this.#words && at === this.area.selectionEnd
        ? completionsAt(this.area.value, at, this.#words, this.#controls)
        : null;
    if (!this.#offer) {
      this.#close();
      return;
    }
    this.#offer.options = this.#offer.options.slice(0, MAX_OPTIONS);
    this.#list.replaceChildren(
      ...this.#offer.options.map((option, i) =>
        h("li", { role: "option", id: `script-offer-${i}`, "aria-selected": "false" }, option.label),
      ),
    );
    this.#list.hidden = false;
    const line = this.area.value.slice(0, at).split("\n"),
      style = getComputedStyle(this.area),
      height = parseFloat(style.lineHeight);
    this.#list.style.top = `${line.length * height + parseFloat(style.paddingTop) - this.area.scrollTop + 2}px`;
    this.#choose(-1);
  }

  #choose(at: number): void {
    this.#active = at;
    [...this.#list.children].forEach((one, i) => {
      one.setAttribute("aria-selected", String(i === at));
      if (i === at) one.scrollIntoView({ block: "nearest" });
    });
    if (at >= 0) this.area.setAttribute("aria-activedescendant", `script-offer-${at}`);
    else this.area.removeAttribute("aria-activedescendant");
    const option = this.#offer?.options[Math.max(0, at)];
    setText(this.#doc, option ? `${option.label}: ${option.doc}.` : "");
  }

  #close(): void {
    this.#offer = null;
    this.#active = -1;
    this.#list.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
    setText(this.#doc, "");
  }

  #accept(at: number): void {
    const option = this.#offer?.options[at] as Completion,
      from = this.#offer?.from ?? 0;
    this.#close();
    this.area.setRangeText(option.text, from, this.area.selectionStart, "end");
    this.area.focus();
    this.#typed();
  }

  #key(event: KeyboardEvent): void {
    const options = this.#offer?.options.length ?? 0;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.#close();
      this.#run();
      return;
    }
    if (options > 0) {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        this.#choose(
          event.key === "ArrowDown"
            ? (this.#active + 1) % options
            : (Math.max(this.#active, 0) + options - 1) % options,
        );
        return;
      }
      if ((event.key === "Tab" && !event.shiftKey) || (event.key === "Enter" && this.#active >= 0)) {
        event.preventDefault();
        this.#accept(Math.max(0, this.#active));
        return;
      }
      if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        this.#close();
        return;
      }
    }
    // A new line begins where the one before does.
    if (event.key === "Enter" && !event.isComposing) {
      const before = this.area.value.slice(0, this.area.selectionStart),
        line = before.slice(before.lastIndexOf("\n") + 1);
      const indent = (/^ */.exec(line)?.[0] ?? "") + (/\{\s*$/.test(line) ? "    " : "");
      event.preventDefault();
      this.area.setRangeText(`\n${indent}`, this.area.selectionStart, this.area.selectionEnd, "end");
      this.#close();
      this.#typed();
    }
    // Letters are for the text, not for the page's keys.
    event.stopPropagation();
  }
}
customElements.define("corun-script", CorunScript);

export function scriptEditor(words: ScriptWords, controls: readonly ControlEntry[], events: ScriptEvents): CorunScript {
  const editor = document.createElement("corun-script") as CorunScript;
  editor.init(words, controls, events);
  return editor;
}

/** Everything that a script can say. */
function reference(words: ScriptWords, controls: readonly ControlEntry[]): HTMLElement {
  const rows = (of: readonly { name: string; doc: string }[]): HTMLElement =>
    h(
      "dl",
      { class: "script-names" },
      ...of.flatMap(({ name, doc }) => [h("dt", null, h("code", null, name)), h("dd", null, `${doc}.`)]),
    );
  const names = (before: string, of: readonly ScriptName[]): { name: string; doc: string }[] =>
    of.map(({ name, unit, doc }) => ({ name: `${before}${name}`, doc: unit ? `${doc} (${unit})` : doc }));
  const part = (title: string, of: readonly { name: string; doc: string }[]): HTMLElement =>
    h("details", null, h("summary", null, title), rows(of));
  return h(
    "details",
    { class: "script-reference" },
    h("summary", null, "What a script can say"),
    h(
      "p",
      { class: "field-help" },
      "The language is Rhai. A function with one of these names is called; what this.x holds, it keeps from call to call; () is no limit, or not known.",
    ),
    part(
      "Functions that are called",
      words.hooks.map(({ name, params, doc }) => ({ name: `fn ${name}(${params.join(", ")})`, doc })),
    ),
    part(
      "Controls, which it sets",
      controls.map((c) => ({
        name: `controls.${c.key}${c.scope.startsWith("kernel") ? "[k]" : ""}`,
        doc: `${c.title}: ${c.doc}`,
      })),
    ),
    part("The run and its kernels", [
      ...names("seen.", words.run),
      ...names("seen.kernels[k].", words.kernel),
      ...names("seen.sms[n].kernels[k].", words.on_sm),
    ]),
    part("Counters of a kernel", names("", words.counters)),
    part(
      "Functions that it calls",
      words.functions.map(({ call, doc }) => ({ name: call, doc })),
    ),
  );
}
