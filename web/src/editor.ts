// The experiment as a form. The experiment itself, a plain object, is the one truth: the form shows it and edits it, the
// engine judges it, and what the engine says is shown at the field whose path it names.
import {
  baselineOf,
  besideText,
  changesOf,
  classesOf,
  emptyClasses,
  isClassName,
  MOST_CLASSES,
  presetValue,
  shownFields,
  STORAGE,
  storageOf,
  fieldValue,
  withClass,
  withFilled,
  withName,
  withoutClass,
  type SmClass,
} from "./classes.ts";
import { GOALS, goalOf, withExtra, written, type Goal } from "./goal.ts";
import { limitedClasses, limitOf, limitOn, withClassLimit } from "./limits.ts";
import {
  eachPerKernel,
  kernelEntry,
  kernelLabels,
  kernelName,
  normalPolicy,
  ownBody,
  policyEntry,
  readCtaOrder,
  readOccupancy,
  readOrder,
  scheme,
  withBody,
  writeCtaOrder,
  writeOrder,
  policyOf,
} from "./choices.ts";
import { toast } from "./dialogs.ts";
import { definition, h, icon, onFileDrop, setText, sideMark, swatch } from "./dom.ts";
import { jsonError, openFile } from "./file.ts";
import { isPicture, linkIn } from "./teach/reopen.ts";
import { presets, presetsOf, type Preset, type Shape } from "./teach/vendors.ts";
import { fieldFor, fixed, plainPath } from "./format.ts";
import { scriptEditor, type CorunScript } from "./script/editor.ts";
import {
  kernelControls,
  numbersText,
  parseNumbers,
  stopOf,
  stopText,
  stops,
  withEntry,
  type KernelControl,
} from "./manual.ts";
import { fromPercent, stopRule, toPercent, withNumber, withRule, type Stop, type StopRule } from "./stop.ts";
import { PAIRS, pairOf } from "./pairs.ts";
import { around, axisPath, type Axis } from "./sweeps/vary.ts";
import { choiceTitle, gpuTitle, orderTitle, titleOf } from "./titles.ts";
import type {
  Catalogue,
  ControlEntry,
  Experiment,
  GpuChoice,
  GpuField,
  KernelChoice,
  PolicyChoice,
  PolicyEntry,
  PolicyParam,
  Problem,
} from "./types.ts";

const MAX_KERNELS = 8;
const OWN = "\u0000own";

export interface EditorEvents {
  change(experiment: Experiment): void;
  /** Another experiment is to run beside the one that is shown. */
  compare(experiment: Experiment): void;
  /** Two that run beside each other. */
  pair(first: Experiment, second: Experiment): void;
  /** A sweep over a field of the experiment. */
  vary(experiment: Experiment, axis: Axis, title: string): void;
  /** The mix is to run under every scheme. */
  schemes(): void;
  /** Another of two experiments is to be shown. */
  edit(side: number): void;
  /** A file is about to be opened that was dropped on the page. */
  dropped(): void;
  /** A file was opened that the page had saved: its run is to be shown, by what its link has behind the `#`. */
  reopen(hash: string): void;
  /** What a policy is. */
  about(policy: PolicyEntry): void;
  freshSeed(): Promise<number>;
  validate(experiment: string | object): Promise<Problem[]>;
  exportExperiment(): void;
  copyCommand(): void;
}

/** Before the name of a pair of examples. */
const PAIR = "pair:";
/** What has parameters. */
type Parametrised = "policy" | "cta_order";

interface Field {
  path: string;
  control: HTMLElement;
  message: HTMLElement;
}

/** A copy that shares nothing: experiments are plain JSON. */
const copy = <T>(value: T): T => structuredClone(value);

export class CorunEditor extends HTMLElement {
  #catalogue: Catalogue | null = null;
  #events: EditorEvents | null = null;
  #experiment: Experiment | null = null;
  /** After defaults, of the last experiment that the engine took. */
  #normal: Experiment | null = null;
  #fields = new Map<string, Field>();
  #problems: Problem[] = [];
  #sections = new Map<string, HTMLElement>();
  #summary = h("div", { class: "problems", role: "alert", hidden: true });
  /** Text of a kernel's JSON that does not parse: kept as typed. */
  #drafts = new Map<number, string>();
  /** The two that are compared, and which of them is shown; empty where there is one. */
  #sides: readonly string[] = [];
  #side = 0;
  readonly #tabs = h("div", {
    class: "side-tabs",
    role: "group",
    "aria-label": "Which experiment is edited",
    hidden: true,
  });
  #opened = new Set<string>();

  init(catalogue: Catalogue, events: EditorEvents): void {
    this.#catalogue = catalogue;
    this.#events = events;
    this.replaceChildren(this.#tabs, this.#summary);
    onFileDrop((file) => {
      events.dropped();
      this.#take(file);
    });
    for (const [key, title] of [
      ["examples", ""],
      ["kernels", "Kernels"],
      ["policy", "Sharing policy"],
      ["gpu", "GPU"],
      ["run", "Run"],
      ["file", "Take it with you"],
    ] as const) {
      const body = h("div", { class: "section-body" });
      this.#sections.set(key, body);
      this.append(
        h(
          "section",
          { class: `editor-section section-${key}`, "aria-label": title || "Examples" },
          title ? h("h2", null, title) : null,
          body,
        ),
      );
    }
  }

  get experiment(): Experiment | null {
    return this.#experiment;
  }

  /** Two experiments are compared, and this is the one that is edited; an empty list where there is one. */
  setSides(sides: readonly string[], side: number): void {
    this.#side = side;
    const again = sides.length !== this.#sides.length;
    this.#sides = sides;
    this.#tabs.hidden = sides.length === 0;
    const focused = this.#tabs.contains(document.activeElement);
    this.#tabs.replaceChildren(
      ...sides.map((title, i) =>
        h(
          "button",
          {
            type: "button",
            class: "side-tab",
            "aria-pressed": String(i === side),
            onclick: () => this.#events?.edit(i),
          },
          sideMark(i === 0 ? "A" : "B"),
          h("span", null, `Edit ${i === 0 ? "A" : "B"}`),
          h("span", { class: "side-tab-title" }, title),
        ),
      ),
    );
    if (focused) (this.#tabs.children[side] as HTMLElement | undefined)?.focus();
    if (again) this.#render();
  }

  /** Offers what the experiment can be compared with; where two are compared already, the other side is swapped above the pictures. */
  #compareWith(
    id: string,
    what: string,
    options: { value: string; text: string }[],
    change: (experiment: Experiment, value: string) => void,
  ): HTMLElement | null {
    if (this.#sides.length > 0) return null;
    const select = h(
      "select",
      { id, class: "compare-with", "aria-label": `Compare with another ${what}` },
      h("option", { value: "" }, "Compare with…"),
      ...options.map((o) => h("option", { value: o.value }, o.text)),
    );
    select.addEventListener("change", () => {
      if (!this.#experiment || select.value === "") return;
      const other = copy(this.#experiment);
      change(other, select.value);
      select.value = "";
      this.#events?.compare(other);
    });
    return select;
  }

  /** Shows an experiment that comes from elsewhere: a link, a file, an example. */
  show(experiment: Experiment): void {
    this.#experiment = copy(experiment);
    this.#drafts.clear();
    this.#problems = [];
    // What differs from the preset is not to be searched for.
    if (typeof experiment.gpu === "object")
      for (const key of Object.keys(experiment.gpu)) if (key !== "preset") this.#opened.add(gpuGroup(key));
    this.#render();
  }

  /** The engine took the experiment. */
  accepted(normal: Experiment, explained: unknown): void {
    // The defaults that the form shows come from here.
    const shown = (of: Experiment | null): string =>
      JSON.stringify([of?.warp_order, of?.seed, of?.stop, typeof of?.gpu === "object" ? of.gpu.preset : of?.gpu]);
    const before = shown(this.#normal);
    this.#normal = normal;
    this.#showProblems([]);
    if (shown(normal) !== before) this.#render();
    this.#fits = readOccupancy(explained);
    this.#showFits();
  }

  #fits: string[] = [];
  #showFits(): void {
    for (const [i, place] of this.querySelectorAll(".fits").entries()) setText(place, this.#fits[i] ?? "");
  }

  problems(problems: Problem[]): void {
    this.#showProblems(problems);
  }

  // ---------------------------------------------------------------- editing

  /** `again`: the form's shape changes with it. */
  #edit(change: (experiment: Experiment) => void, again = false): void {
    if (!this.#experiment) return;
    change(this.#experiment);
    if (again) this.#render();
    this.#events?.change(copy(this.#experiment));
  }

  #render(): void {
    const experiment = this.#experiment;
    const catalogue = this.#catalogue;
    if (!experiment || !catalogue) return;
    const focused = this.contains(document.activeElement) ? document.activeElement?.id : "";
    this.#fields.clear();
    this.#section("examples", this.#examples(catalogue));
    this.#section("kernels", ...this.#kernels(catalogue, experiment));
    this.#showFits();
    this.#section("policy", ...this.#policy(catalogue, experiment));
    this.#section("gpu", ...this.#gpu(catalogue, experiment));
    this.#section("run", ...this.#run(catalogue, experiment));
    this.#section("file", ...this.#file());
    if (focused) document.getElementById(focused)?.focus();
    this.#showProblems(this.#problems);
  }

  #section(key: string, ...children: (HTMLElement | null)[]): void {
    this.#sections.get(key)?.replaceChildren(...children.filter((c) => c !== null));
  }

  /** A control with its label, help and place for problems, known by the path of what it edits. */
  #field(
    path: string,
    label: string,
    control: HTMLElement,
    options: {
      unit?: string;
      help?: string;
      extra?: HTMLElement | null;
      mark?: HTMLElement | null;
      hiddenLabel?: boolean;
      below?: HTMLElement | null;
    } = {},
  ): HTMLElement {
    const plain = plainPath(path);
    const id = `f-${plain.replaceAll(/[^A-Za-z0-9]+/g, "-")}`;
    control.id = id;
    const message = h("p", { class: "field-problem", id: `${id}-problem`, hidden: true });
    const help = options.help ? h("p", { class: "field-help", id: `${id}-help` }, options.help) : null;
    control.setAttribute("aria-describedby", [help?.id, message.id].filter(Boolean).join(" "));
    this.#fields.set(plain, { path: plain, control, message });
    return h(
      "div",
      { class: "field" },
      h(
        "div",
        { class: "field-row" },
        h(
          "div",
          { class: options.hiddenLabel ? "" : "field-name" },
          h("label", { class: options.hiddenLabel ? "hidden" : "", for: id, title: path }, options.mark ?? null, label),
          this.#vary(plain, label, control),
        ),
        h(
          "div",
          { class: "field-control" },
          control,
          options.unit === undefined ? null : h("span", { class: "unit", title: options.unit }, options.unit),
          options.extra ?? null,
        ),
      ),
      options.below ?? null,
      help,
      message,
    );
  }

  /** Leads to a sweep over this field. It shows beside the field that one points at or is in; the page Sweeps varies any field too. */
  #vary(path: string, title: string, control: HTMLElement): HTMLElement | null {
    if (/^stop(?!\.cycles$)|\.size$|\.ctas_per_sm\./.test(path)) return null;
    const values = (): unknown[] => {
      if (control instanceof HTMLSelectElement)
        return [...control.options].map((o) => o.value).filter((value) => value !== "" && value !== OWN);
      if (!(control instanceof HTMLInputElement)) return [];
      if (control.type === "checkbox") return [false, true];
      const now = Number(control.value || control.placeholder),
        limit = (text: string, none: number): number => (text === "" ? none : Number(text));
      return Number.isFinite(now) && (control.value || control.placeholder) !== ""
        ? around(now, limit(control.min, -Infinity), limit(control.max, Infinity))
        : [1, 2, 3];
    };
    return h(
      "button",
      {
        type: "button",
        class: "vary",
        "aria-label": `Vary ${title} in a sweep`,
        title: "A sweep over this field",
        onclick: () => {
          if (this.#experiment)
            this.#events?.vary(copy(this.#experiment), { path: axisPath(path), values: values() }, title);
        },
      },
      "vary…",
    );
  }

  #select(
    options: { value: string; text: string }[],
    value: string,
    change: (value: string) => void,
  ): HTMLSelectElement {
    const select = h("select", null, ...options.map((o) => h("option", { value: o.value }, o.text)));
    // A name that is not in the list stays as it is: the engine says what is wrong with it.
    if (!options.some((o) => o.value === value)) select.prepend(h("option", { value }, value || "–"));
    select.value = value;
    select.addEventListener("change", () => change(select.value));
    return select;
  }

  /** A number, or nothing. What is typed goes to the engine as it is; the limits only help the arrows. */
  #number(
    value: unknown,
    options: { min?: number; max?: number; step?: string; placeholder?: string },
    change: (value: number | null) => void,
  ): HTMLInputElement {
    const input = h("input", {
      class: "number",
      inputMode: options.step === "any" ? "decimal" : "numeric",
      placeholder: options.placeholder ?? "",
      autocomplete: "off",
    });
    input.setAttribute("type", "number");
    if (options.min !== undefined && Number.isFinite(options.min)) input.min = String(options.min);
    if (options.max !== undefined && Number.isFinite(options.max)) input.max = String(options.max);
    input.step = options.step ?? "1";
    if (typeof value === "number") input.value = String(value);
    // Half a number, such as “1e”, has no value: it must not pass for an empty field.
    let kept = input.value;
    input.addEventListener("focus", () => {
      kept = input.value;
    });
    input.addEventListener("change", () => {
      if (input.validity.badInput) {
        input.value = kept;
        toast("That is not a number: the field is as it was.");
        return;
      }
      kept = input.value;
      change(input.value.trim() === "" || !Number.isFinite(input.valueAsNumber) ? null : input.valueAsNumber);
    });
    return input;
  }

  // ---------------------------------------------------------------- examples

  #examples(catalogue: Catalogue): HTMLElement | null {
    if (catalogue.experiments.length === 0) return null;
    const select = h(
      "select",
      { id: "f-example", "aria-label": "Open an example" },
      h("option", { value: "" }, "Open an example…"),
      ...catalogue.experiments.map((e) => h("option", { value: e.name }, e.title || e.name)),
      h(
        "optgroup",
        { label: "Two runs beside each other" },
        ...PAIRS.map((pair) => h("option", { value: PAIR + pair.name }, pair.title)),
      ),
    );
    select.addEventListener("change", () => {
      const pair = select.value.startsWith(PAIR) ? pairOf(catalogue, select.value.slice(PAIR.length)) : null;
      if (pair) {
        this.#events?.pair(...pair);
        return;
      }
      const chosen = catalogue.experiments.find((e) => e.name === select.value);
      if (!chosen) return;
      this.show(chosen.experiment);
      this.#events?.change(copy(chosen.experiment));
    });
    return select;
  }

  // ---------------------------------------------------------------- kernels

  #kernels(catalogue: Catalogue, experiment: Experiment): HTMLElement[] {
    const list = h("ol", { class: "mix" });
    for (const [i, choice] of experiment.kernels.entries()) list.append(this.#kernel(catalogue, experiment, choice, i));
    const empty =
      experiment.kernels.length === 0
        ? h("p", { class: "field-help" }, "No kernel yet. Add one to have something to run.")
        : null;
    const add = h(
      "button",
      {
        type: "button",
        class: "button",
        id: "f-add-kernel",
        disabled: experiment.kernels.length >= MAX_KERNELS,
        onclick: () => {
          const used = new Set(experiment.kernels.map((choice) => kernelEntry(catalogue, kernelName(choice))));
          const next = catalogue.kernels.find((k) => !used.has(k)) ?? catalogue.kernels[0];
          if (next)
            this.#edit((e) => {
              e.kernels.push(next.name);
              eachPerKernel(catalogue, e, (values) => {
                values.push(values[values.length - 1] ?? 1);
              });
            }, true);
        },
      },
      icon("plus"),
      "Add a kernel",
    );
    // Problems of the list as a whole.
    const message = h("p", { class: "field-problem", id: "f-kernels-problem", hidden: true });
    this.#fields.set("kernels", { path: "kernels", control: add, message });
    const own = "\u0000";
    const compare = this.#compareWith(
      "f-compare-mix",
      "mix",
      [
        { value: own, text: "another mix, to be chosen" },
        ...(experiment.kernels.length > 1
          ? kernelLabels(experiment.kernels).map((name, i) => ({ value: `-${i}`, text: `without ${name}` }))
          : []),
        ...catalogue.kernels.map((k) => ({ value: k.name, text: `with ${k.name} too` })),
      ],
      (other, value) => {
        if (value === own) return;
        const without = /^-(\d)$/.exec(value);
        if (without) {
          const i = Number(without[1]);
          other.kernels.splice(i, 1);
          eachPerKernel(catalogue, other, (values) => {
            values.splice(i, 1);
          });
        } else if (other.kernels.length < MAX_KERNELS) {
          other.kernels.push(value);
          eachPerKernel(catalogue, other, (values) => {
            values.push(values[values.length - 1] ?? 1);
          });
        }
      },
    );
    return [list, ...(empty ? [empty] : []), h("div", { class: "add-row" }, add, compare), message];
  }

  #kernel(catalogue: Catalogue, experiment: Experiment, choice: KernelChoice, i: number): HTMLElement {
    const own = ownBody(choice);
    const name = kernelLabels(experiment.kernels)[i] ?? "";
    const entry = own ? undefined : kernelEntry(catalogue, kernelName(choice));
    const select = this.#select(
      [
        ...catalogue.kernels.map((k) => ({
          value: k.name,
          text: k.title && k.title !== k.name ? `${k.name} – ${k.title}` : k.name,
        })),
        { value: OWN, text: "Own kernel (JSON)…" },
      ],
      own ? OWN : (entry?.name ?? kernelName(choice)),
      (value) =>
        this.#edit((e) => {
          this.#drafts.delete(i);
          const old = e.kernels[i] as KernelChoice;
          e.kernels[i] = withBody(old, value === OWN ? this.#template(i, entry?.name ?? kernelName(choice)) : value);
        }, true),
    );
    select.setAttribute("aria-label", `Kernel ${i + 1}`);
    const move = (by: number): void =>
      this.#edit((e) => {
        const to = i + by;
        const swap = <T>(values: T[]): void => {
          [values[i], values[to]] = [values[to] as T, values[i] as T];
        };
        swap(e.kernels);
        eachPerKernel(catalogue, e, swap);
        this.#drafts.clear();
      }, true);
    const buttons = h(
      "div",
      { class: "mix-buttons" },
      h(
        "button",
        {
          type: "button",
          class: "icon-button",
          id: `f-up-${i}`,
          "aria-label": `Move ${name} up`,
          title: "Move up",
          disabled: i === 0,
          onclick: () => move(-1),
        },
        icon("up"),
      ),
      h(
        "button",
        {
          type: "button",
          class: "icon-button",
          id: `f-down-${i}`,
          "aria-label": `Move ${name} down`,
          title: "Move down",
          disabled: i === experiment.kernels.length - 1,
          onclick: () => move(1),
        },
        icon("down"),
      ),
      h(
        "button",
        {
          type: "button",
          class: "icon-button",
          id: `f-remove-${i}`,
          "aria-label": `Remove ${name}`,
          title: "Remove",
          onclick: () => {
            this.#edit((e) => {
              e.kernels.splice(i, 1);
              eachPerKernel(catalogue, e, (values) => {
                values.splice(i, 1);
              });
              this.#drafts.clear();
            }, true);
            document.getElementById("f-add-kernel")?.focus();
          },
        },
        icon("close"),
      ),
    );
    const item = h(
      "li",
      { class: "mix-item" },
      h("div", { class: "mix-head" }, swatch(i), this.#bare(`kernels.${i}`, select), buttons),
    );
    item.append(
      ...this.#limits(catalogue, experiment, choice, i),
      ...this.#goal(typeof choice === "object" ? choice["qos"] : undefined, name, i),
    );
    if (own) item.append(this.#ownKernel(own, i));
    if (entry) {
      item.append(
        h(
          "p",
          { class: "field-help" },
          `${entry.threads} threads, ${entry.registers} registers a thread, ${entry.shared_bytes.toLocaleString("en")} B shared. `,
          definition(
            entry.title || entry.name,
            h("p", null, entry.doc),
            entry.source ? h("p", { class: "source" }, `Source: ${entry.source}`) : null,
          ),
        ),
      );
    }
    item.append(h("p", { class: "field-help fits" }), (this.#fields.get(`kernels.${i}`) as Field).message);
    return item;
  }

  /** CTAs that a kernel may hold: on every SM, and, where SMs have classes, on those of each. Giving one takes the other's place. */
  #limits(catalogue: Catalogue, experiment: Experiment, choice: KernelChoice, i: number): HTMLElement[] {
    const limit = limitOf(choice),
      path = `kernels.${i}.ctas_per_sm`;
    const preset = this.#preset(experiment.gpu),
      changes = changesOf(experiment.gpu),
      none = emptyClasses(catalogue.gpu_fields, preset, changes);
    const classes = classesOf(catalogue.gpu_fields, preset, changes)
      .map(({ name }) => name)
      .filter((name) => !none.includes(name));
    const number = (
      value: number | null,
      change: (kernel: KernelChoice, to: number | null) => KernelChoice,
    ): HTMLInputElement =>
      this.#number(value, { min: 1, max: 64, placeholder: "none" }, (to) =>
        this.#edit((e) => {
          e.kernels[i] = change(e.kernels[i] as KernelChoice, to);
        }, limitedClasses(limit, classes).length > 0),
      );
    const all = number(typeof limit === "number" ? limit : null, (kernel, to) => withExtra(kernel, "ctas_per_sm", to));
    const ofClass = limitedClasses(limit, classes).map((name) =>
      this.#field(
        `${path}.${name}`,
        `CTA limit, ${name}`,
        number(limitOn(limit, name), (kernel, to) => withClassLimit(kernel, name, to)),
        { unit: "per SM" },
      ),
    );
    return [this.#field(path, "CTA limit", all, { unit: "per SM" }), ...ofClass];
  }

  /** What a kernel is promised: nothing, a part of its speed alone (by a slider too), an IPC, or a deadline. */
  #goal(qos: unknown, name: string, i: number): HTMLElement[] {
    const goal = goalOf(qos);
    const put = (to: Goal | null, all = false): void =>
      this.#edit((e) => {
        e.kernels[i] = withExtra(e.kernels[i] as KernelChoice, "qos", to && written(to));
      }, all);
    const kind = this.#select(
      [{ value: "", text: "no goal" }, ...GOALS.map(({ kind, title }) => ({ value: kind, text: title }))],
      goal?.kind ?? "",
      (value) => {
        const chosen = GOALS.find((one) => one.kind === value);
        put(chosen ? { kind: chosen.kind, value: chosen.first } : null, true);
      },
    );
    const message = h("p", { class: "field-problem", id: `f-kernels-${i}-qos-problem`, hidden: true });
    kind.id = `f-kernels-${i}-qos`;
    this.#fields.set(`kernels.${i}.qos`, { path: `kernels.${i}.qos`, control: kind, message });
    const row = h(
      "div",
      { class: "field goal" },
      h("label", { for: kind.id, title: `kernels[${i}].qos` }, "Goal"),
      kind,
      message,
    );
    const chosen = GOALS.find((one) => one.kind === goal?.kind);
    if (!goal || !chosen) return [row];
    const value = this.#number(goal.value, { min: chosen.min, max: chosen.max, step: "any" }, (to) => {
      if (to !== null) put({ kind: goal.kind, value: to });
    });
    value.id = `f-kernels-${i}-goal`;
    value.setAttribute("aria-label", `Goal of ${name}, ${chosen.unit}`);
    const amount = h("div", { class: "goal-amount" }, value, h("span", { class: "unit" }, chosen.unit));
    if (goal.kind === "percent") {
      const range = h("input", {
        class: "slider",
        type: "range",
        min: "5",
        max: "100",
        step: "5",
        "aria-label": `Goal of ${name}, by slider`,
      });
      range.value = String(goal.value);
      range.addEventListener("input", () => {
        value.value = range.value;
      });
      range.addEventListener("change", () => {
        put({ kind: "percent", value: range.valueAsNumber });
      });
      value.addEventListener("input", () => {
        range.value = value.value;
      });
      amount.prepend(range);
    }
    row.append(amount);
    return [row];
  }

  /** A control whose label stands elsewhere. */
  #bare(path: string, control: HTMLElement): HTMLElement {
    const id = `f-${path.replaceAll(".", "-")}`;
    control.id = id;
    const message = h("p", { class: "field-problem", id: `${id}-problem`, hidden: true });
    control.setAttribute("aria-describedby", message.id);
    this.#fields.set(path, { path, control, message });
    return control;
  }

  /** An own kernel begins as the one that it replaces, where the engine has spelt that out. */
  #template(i: number, name: string): Record<string, unknown> {
    const used = this.#normal?.kernels[i];
    const full = used === undefined || kernelName(used) !== name ? null : ownBody(used);
    return full ? { ...copy(full), name: `${name}-own` } : { name: `${name}-own` };
  }

  #ownKernel(kernel: Record<string, unknown>, i: number): HTMLElement {
    const text = this.#drafts.get(i) ?? JSON.stringify(kernel, null, 2);
    const area = h("textarea", {
      class: "json",
      spellcheck: false,
      rows: Math.min(18, Math.max(6, text.split("\n").length)),
      value: text,
      autocomplete: "off",
    });
    const said = h("p", { class: "field-problem", id: `f-own-${i}-json`, role: "alert", hidden: true });
    area.id = `f-own-${i}`;
    area.setAttribute("aria-label", `Kernel ${i + 1} as JSON`);
    area.setAttribute("aria-describedby", `${said.id} f-kernels-${i}-problem`);
    const read = (): void => {
      let value: unknown;
      try {
        value = JSON.parse(area.value);
        if (typeof value !== "object" || value === null || Array.isArray(value))
          throw new Error("a kernel is an object: { … }");
      } catch (error) {
        this.#drafts.set(i, area.value);
        said.hidden = false;
        setText(said, `This is not JSON yet: ${jsonError(error, area.value)}`);
        area.setAttribute("aria-invalid", "true");
        return;
      }
      said.hidden = true;
      area.removeAttribute("aria-invalid");
      this.#drafts.delete(i);
      this.#edit((e) => {
        e.kernels[i] = withBody(e.kernels[i] as KernelChoice, value as Record<string, unknown>);
      });
    };
    let timer = 0;
    area.addEventListener("input", () => {
      clearTimeout(timer);
      timer = window.setTimeout(read, 350);
    });
    area.addEventListener("change", () => {
      clearTimeout(timer);
      read();
    });
    return h("div", { class: "own" }, area, said);
  }

  // ---------------------------------------------------------------- policy: the form is what its description says

  #policy(catalogue: Catalogue, experiment: Experiment): HTMLElement[] {
    const current = policyOf(experiment, normalPolicy(this.#normal));
    const entry = policyEntry(catalogue, current.name);
    const several = entry ? [] : [{ value: current.name, text: current.name }];
    const select = this.#select(
      [...catalogue.policies.map((p) => ({ value: p.name, text: p.title || p.name })), ...several],
      entry?.name ?? current.name,
      (value) =>
        this.#edit((e) => {
          e.policy = scheme(catalogue, value, e.kernels.length);
        }, true),
    );
    const out = [this.#field("policy.name", "Policy", select, { hiddenLabel: true })];
    const compare = this.#compareWith(
      "f-compare-policy",
      "policy",
      catalogue.policies.filter((p) => p !== entry).map((p) => ({ value: p.name, text: p.title || p.name })),
      (other, value) => {
        other.policy = scheme(catalogue, value, other.kernels.length);
      },
    );
    out.push(
      h(
        "div",
        { class: "compare-row" },
        compare,
        h(
          "button",
          {
            type: "button",
            class: "button",
            id: "f-all-schemes",
            title: "Run this mix under every scheme, and compare them",
            onclick: () => this.#events?.schemes(),
          },
          icon("bars"),
          "All schemes",
        ),
      ),
    );
    const vendor = this.#vendors(experiment);
    if (vendor) out.push(...vendor);
    if (!entry) return out;
    out.push(
      h(
        "button",
        {
          type: "button",
          class: "button policy-about",
          id: "f-about-policy",
          onclick: () => this.#events?.about(entry),
        },
        "About, and cite",
      ),
    );
    out.push(
      h(
        "p",
        { class: "field-help" },
        sentence(entry.doc),
        entry.source ? h("span", { class: "source" }, ` Source: ${sentence(entry.source)}`) : null,
      ),
    );
    for (const param of entry.params) out.push(...this.#param(param, current, experiment));
    return out;
  }

  /** Settings in the words of vendors, and what of the present one is an assumption. */
  #vendors(experiment: Experiment): HTMLElement[] | null {
    const shape: Shape = {
      gpu: this.#preset(experiment.gpu),
      sms: this.#smCount(),
      channels: Number(this.#gpuValue("dram.channels")),
      coreMhz: Number(this.#gpuValue("core_mhz")),
    };
    const offered = presets(experiment.kernels.length, shape),
      now = presetsOf(experiment, shape);
    if (offered.length === 0 || !(shape.sms > 0)) return null;
    const groups = [...new Set(offered.map((one) => one.group))];
    const select = h(
      "select",
      { id: "f-vendor", "aria-label": "As a vendor's GPU is shared" },
      h("option", { value: "" }, "As a vendor's GPU is shared…"),
      ...groups.map((group) =>
        h(
          "optgroup",
          { label: group },
          ...offered.flatMap((one, i) => (one.group === group ? [h("option", { value: String(i) }, one.title)] : [])),
        ),
      ),
    );
    const first = offered.findIndex((one) => now[0] !== undefined && JSON.stringify(one) === JSON.stringify(now[0]));
    if (first >= 0) select.value = String(first);
    select.addEventListener("change", () => {
      const chosen: Preset | undefined = select.value === "" ? undefined : offered[Number(select.value)];
      if (!chosen) return;
      this.#edit((e) => {
        e.policy = copy(chosen.policy);
        if (chosen.gpu !== undefined) e.gpu = chosen.gpu;
      }, true);
    });
    const note =
      now.length === 0
        ? null
        : h(
            "p",
            { class: "field-help vendor-note" },
            h("b", null, `${now.map((one) => `${one.group}: ${one.title}`).join("; or ")}.`),
            ` ${now[0]?.note ?? ""} This is a modelling assumption, not validated hardware.`,
          );
    return [select, ...(note ? [note] : [])];
  }

  /** Sets a parameter of the policy, or of the CTA order. */
  #setParam(name: string, value: unknown, of: Parametrised = "policy"): void {
    this.#edit((e) => {
      const choice: PolicyChoice =
        of === "cta_order"
          ? { ...readCtaOrder(e.cta_order ?? this.#normal?.cta_order) }
          : { ...policyOf(e, normalPolicy(this.#normal)) };
      if (value === undefined) delete choice[name];
      else choice[name] = value;
      if (of === "policy") e.policy = choice;
      else e.cta_order = writeCtaOrder(choice);
    });
  }

  #param(
    param: PolicyParam,
    current: PolicyChoice,
    experiment: Experiment,
    of: Parametrised = "policy",
  ): HTMLElement[] {
    const path = `${of}.${param.name}`;
    const label = titleOf(param.name);
    const value = current[param.name];
    const byDefault = param.default;
    const help =
      typeof byDefault === "string" && param.kind !== "choice"
        ? `${sentence(param.doc)} Left out: ${sentence(byDefault)}`
        : sentence(param.doc);
    switch (param.kind) {
      case "bool": {
        const box = h("input", { checked: (value ?? byDefault) === true });
        box.setAttribute("type", "checkbox");
        box.addEventListener("change", () =>
          this.#setParam(param.name, box.checked === (byDefault === true) ? undefined : box.checked, of),
        );
        return [this.#field(path, label, box, { help })];
      }
      case "choice": {
        const options = (param.choices ?? []).map((c) => ({ value: c, text: choiceTitle(c, param.doc) }));
        const select = this.#select(options, String(value ?? byDefault ?? ""), (v) =>
          this.#setParam(param.name, v === byDefault ? undefined : v, of),
        );
        return [this.#field(path, label, select, { help })];
      }
      case "int":
      case "number": {
        const input = this.#number(
          value,
          {
            min: param.min,
            max: param.max,
            step: param.kind === "int" ? "1" : "any",
            placeholder: typeof byDefault === "number" ? String(byDefault) : "",
          },
          (v) => this.#setParam(param.name, v ?? undefined, of),
        );
        return [this.#field(path, label, input, { unit: param.unit, help })];
      }
      case "record":
        return this.#controls(param, current, experiment);
      case "text":
        return [this.#script(path, help, typeof value === "string" ? value : "")];
      case "per_kernel_int":
      case "per_kernel_number": {
        const step = param.kind === "per_kernel_int" ? "1" : "any";
        const values: unknown[] = Array.isArray(value) ? value : [];
        const defaults: unknown[] = Array.isArray(byDefault) ? byDefault : [];
        const rows = kernelLabels(experiment.kernels).map((name, k) => {
          const input = this.#number(
            values[k],
            { min: param.min, max: param.max, step, placeholder: defaults[k] === undefined ? "" : String(defaults[k]) },
            () => {
              const all = inputs.map((one) => (one.value.trim() === "" ? null : one.valueAsNumber));
              this.#setParam(
                param.name,
                all.every((v) => v === null)
                  ? undefined
                  : all.map((v, j) => v ?? defaults[j] ?? Math.max(0, param.min ?? 0)),
                of,
              );
            },
          );
          return {
            input,
            row: this.#field(`${path}.${k}`, name, input, { unit: param.unit, mark: swatch(k) }),
          };
        });
        const inputs = rows.map((r) => r.input);
        const message = h("p", {
          class: "field-problem",
          id: `f-${path.replaceAll(/[^A-Za-z0-9]+/g, "-")}-problem`,
          hidden: true,
        });
        if (inputs[0]) this.#fields.set(path, { path, control: inputs[0], message });
        return [
          h(
            "fieldset",
            { class: "param" },
            h("legend", null, label),
            h("p", { class: "field-help" }, help),
            ...rows.map((r) => r.row),
            message,
          ),
        ];
      }
      case "per_kernel_list": {
        const values: unknown[] = Array.isArray(value) ? value : [];
        const rows = kernelLabels(experiment.kernels).map((name, k) => {
          const list = values[k];
          const input = h("input", {
            autocomplete: "off",
            placeholder: "such as 10.5, 20, 25",
            value: Array.isArray(list) ? list.join(", ") : "",
          });
          input.setAttribute("type", "text");
          input.addEventListener("change", () => {
            // What is no number stays as it is: the engine says what it wants there.
            const read = (text: string): (number | string)[] =>
              text
                .split(/[\s,;]+/)
                .filter((part) => part !== "")
                .map((part) => (Number.isFinite(Number(part)) ? Number(part) : part));
            const all = inputs.map((one) => read(one.value));
            this.#setParam(param.name, all.every((one) => one.length === 0) ? undefined : all, of);
          });
          return {
            input,
            row: this.#field(`${path}.${k}`, name, input, { unit: param.unit, mark: swatch(k) }),
          };
        });
        const inputs = rows.map((r) => r.input);
        const message = h("p", {
          class: "field-problem",
          id: `f-${path.replaceAll(/[^A-Za-z0-9]+/g, "-")}-problem`,
          hidden: true,
        });
        if (inputs[0]) this.#fields.set(path, { path, control: inputs[0], message });
        return [
          h(
            "fieldset",
            { class: "param" },
            h("legend", null, label),
            h("p", { class: "field-help" }, help),
            ...rows.map((r) => r.row),
            message,
          ),
        ];
      }
    }
  }

  #program: CorunScript | null = null;

  /** The program of an own policy; its element stays, and with it what is being typed. */
  #script(path: string, help: string, source: string): HTMLElement {
    const catalogue = this.#catalogue as Catalogue;
    this.#program ??= scriptEditor(catalogue.script, catalogue.controls, {
      check: (text) => {
        const other = copy(this.#experiment as Experiment);
        other.policy = { ...(other.policy as PolicyChoice), source: text };
        return this.#events?.validate(other) ?? Promise.resolve([]);
      },
      run: (text) => {
        this.#setParam("source", text);
      },
    });
    this.#program.show(source);
    this.#fields.set(path, { path, control: this.#program.area, message: this.#program.said });
    return h(
      "div",
      { class: "field" },
      h("label", { for: this.#program.area.id, title: "policy.source" }, "Program"),
      h("p", { class: "field-help" }, help),
      this.#program,
    );
  }

  /** The script of a side has failed; it may be the one that is edited. */
  scriptFailed(side: number, why: string): void {
    if (this.#sides.length === 0 || side === this.#side) this.#program?.failed(why);
  }

  /** SMs of all classes. */
  #smCount(): number {
    const gpu = this.#experiment?.gpu,
      preset = this.#preset(gpu),
      changes = changesOf(gpu);
    const counts = shownFields(this.#catalogue?.gpu_fields ?? [], preset, changes).filter((f) =>
      /^sm\.([\w-]+\.)?count$/.test(f.path),
    );
    return counts.reduce((sum, f) => sum + (Number(fieldValue(f, preset, changes)) || 0), 0);
  }

  // ---------------------------------------------------------------- the manual policy's controls

  #controls(param: PolicyParam, current: PolicyChoice, experiment: Experiment): HTMLElement[] {
    const path = `policy.${param.name}`;
    const value = current[param.name];
    const controls = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
    const kernels = experiment.kernels.length;
    const sms = this.#smCount() || 64;
    const set = (change: (controls: Record<string, unknown>) => Record<string, unknown>): void => {
      const next = change(
        ((this.#experiment?.policy as PolicyChoice | undefined)?.[param.name] as Record<string, unknown> | undefined) ??
          {},
      );
      this.#setParam(param.name, Object.keys(next).length === 0 ? undefined : next);
    };
    const all = this.#catalogue?.controls ?? [];
    const blocks = kernelControls(all, sms).map((control) => {
      const entries = controls[control.key];
      const rows = kernelLabels(experiment.kernels).map((name, k) => {
        const entry: unknown = Array.isArray(entries) ? entries[k] : undefined;
        let input: HTMLInputElement;
        if (control.kind === "numbers") {
          input = h("input", {
            autocomplete: "off",
            placeholder: "all",
            value: Array.isArray(entry) ? numbersText(entry as number[]) : "",
          });
          input.setAttribute("type", "text");
          input.addEventListener("change", () => {
            const numbers = parseNumbers(input.value, control.max);
            const field = this.#fields.get(`${path}.${control.key}.${k}`) as Field;
            field.message.hidden = numbers !== null;
            setText(
              field.message,
              numbers === null ? `found ${input.value}, want numbers from 0 to ${control.max}, such as 0-3, 6` : "",
            );
            if (numbers !== null) set((c) => withEntry(c, control, kernels, k, numbers.length === 0 ? null : numbers));
          });
          return this.#field(`${path}.${control.key}.${k}`, name, input, {
            unit: control.unit,
            mark: swatch(k),
          });
        }
        if (control.kind === "flag") {
          const box = h("input", { checked: entry === true });
          box.setAttribute("type", "checkbox");
          box.addEventListener("change", () => set((c) => withEntry(c, control, kernels, k, box.checked)));
          return this.#field(`${path}.${control.key}.${k}`, name, box, { mark: swatch(k) });
        }
        const commit = (v: number | null): void => set((c) => withEntry(c, control, kernels, k, v));
        input = this.#number(
          entry,
          { min: control.min, max: control.max, placeholder: control.kind === "rank" ? "0" : "no limit" },
          commit,
        );
        const below = this.#slider(control, name, input, commit);
        return this.#field(`${path}.${control.key}.${k}`, name, input, {
          unit: control.unit,
          mark: swatch(k),
          below,
        });
      });
      return h(
        "fieldset",
        { class: "param" },
        h("legend", null, control.title),
        h("p", { class: "field-help" }, control.doc),
        ...rows,
      );
    });
    const put = (key: string, value: unknown): void =>
      set(({ [key]: _, ...rest }) => (value === null ? rest : { ...rest, [key]: value }));
    const plain = all
      .filter((c) => c.scope === "SM" || c.scope === "GPU")
      .map((c) => {
        const held = controls[c.key];
        const help =
          typeof held === "object" && held !== null
            ? `${sentence(c.doc)} Set by SMs; what is chosen here is for all.`
            : sentence(c.doc);
        return this.#field(
          `${path}.${c.key}`,
          c.title,
          this.#plainControl(c, held, (v) => put(c.key, v)),
          { unit: c.unit, help },
        );
      });
    const message = h("p", { class: "field-problem", hidden: true });
    const first = plain[0]?.querySelector<HTMLElement>("input, select");
    if (first) this.#fields.set(path, { path, control: first as Field["control"], message });
    return [...blocks, ...plain, message];
  }

  /** The input of a control with one value for all SMs; null puts it back to neutral. */
  #plainControl(
    control: ControlEntry,
    value: unknown,
    put: (value: unknown) => void,
  ): HTMLInputElement | HTMLSelectElement {
    if (control.kind === "flag") {
      const box = h("input", { checked: value === true });
      box.setAttribute("type", "checkbox");
      box.addEventListener("change", () => put(box.checked ? true : null));
      return box;
    }
    if (control.kind === "choice" || control.kind === "warp_order") {
      const named = (name: string): string => {
        const order = this.#catalogue?.warp_orders.find((one) => one.name === name);
        return order ? orderTitle(order) : titleOf(name);
      };
      const names = control.choices ?? this.#catalogue?.warp_orders.map((order) => order.name) ?? [];
      const options = [
        { value: "", text: titleOf(control.neutral) },
        ...names.filter((name) => name !== control.neutral).map((name) => ({ value: name, text: named(name) })),
      ];
      return this.#select(options, typeof value === "string" ? value : "", (v) => put(v === "" ? null : v));
    }
    return this.#number(value, { min: control.min, max: control.max, placeholder: control.neutral }, put);
  }

  /** A slider that goes with a number's field: each shows what the other is set to. A drag is one change, at its end. */
  #slider(
    control: KernelControl,
    kernel: string,
    field: HTMLInputElement,
    commit: (value: number | null) => void,
  ): HTMLElement {
    const all = stops(control);
    const range = h("input", { class: "slider", "aria-label": `${control.title} of ${kernel}, by slider` });
    range.setAttribute("type", "range");
    range.min = "0";
    range.max = String(all.length - 1);
    const at = (): number | null => all[range.valueAsNumber] ?? null;
    const follow = (): void => {
      const value = Number.isFinite(field.valueAsNumber) ? field.valueAsNumber : null;
      range.value = String(stopOf(control, value));
      range.setAttribute("aria-valuetext", stopText(control, value));
    };
    range.addEventListener("input", () => {
      const value = at();
      // A rank of 0 is what an empty field says.
      field.value = value === null || (control.kind === "rank" && value === 0) ? "" : String(value);
      range.setAttribute("aria-valuetext", stopText(control, value));
    });
    range.addEventListener("change", () => commit(field.value === "" ? null : field.valueAsNumber));
    field.addEventListener("input", follow);
    follow();
    return range;
  }

  /** The preset of a choice; where nothing is chosen, the engine's own. */
  #preset(gpu: GpuChoice | undefined): string {
    if (typeof gpu === "string") return gpu;
    if (gpu !== undefined) return String(gpu.preset ?? "");
    return this.#normal?.gpu === undefined ? "" : this.#preset(this.#normal.gpu);
  }

  /** A field of the GPU as it is chosen now. */
  #gpuValue(path: string): unknown {
    const gpu = this.#experiment?.gpu;
    const field = this.#catalogue?.gpu_fields.find((f) => f.path === path);
    return (
      (typeof gpu === "object" ? gpu[path] : undefined) ?? (field ? presetValue(field, this.#preset(gpu)) : undefined)
    );
  }

  // ---------------------------------------------------------------- GPU: a preset, and what differs from it

  #gpu(catalogue: Catalogue, experiment: Experiment): HTMLElement[] {
    const preset = this.#preset(experiment.gpu);
    const overrides: Record<string, unknown> = typeof experiment.gpu === "object" ? experiment.gpu : {};
    const entry = catalogue.gpus.find((g) => g.name === preset);
    const select = this.#select(
      catalogue.gpus.map((g) => ({ value: g.name, text: g.title ? `${g.name} – ${g.title}` : g.name })),
      preset,
      (value) =>
        this.#edit((e) => {
          e.gpu = value;
        }, true),
    );
    const out = [this.#field("gpu", "GPU preset", select, { hiddenLabel: true })];
    const compare = this.#compareWith(
      "f-compare-gpu",
      "GPU",
      catalogue.gpus
        .filter((g) => g.name !== preset)
        .map((g) => ({ value: g.name, text: g.title ? `${g.name} – ${g.title}` : g.name })),
      (other, value) => {
        other.gpu = value;
      },
    );
    if (compare) out.push(compare);
    if (entry)
      out.push(
        h(
          "p",
          { class: "field-help" },
          sentence(entry.doc),
          h("span", { class: "source" }, ` Source: ${sentence(entry.source)}`),
        ),
      );

    const classes = classesOf(catalogue.gpu_fields, preset, changesOf(experiment.gpu));
    out.push(...this.#classes(catalogue, preset, classes));
    const groups = new Map<string, GpuField[]>();
    for (const field of shownFields(catalogue.gpu_fields, preset, changesOf(experiment.gpu))) {
      const group = gpuGroup(field.path);
      groups.set(group, [...(groups.get(group) ?? []), field]);
    }
    for (const [group, fields] of groups) {
      const changed = fields.filter((f) => overrides[f.path] !== undefined).length;
      const count = h("span", { class: "badge", hidden: changed === 0 }, `${changed} changed`);
      const of = classes.length > 1 ? classes.find(({ name }) => group === `sm.${name}`) : undefined;
      const details = h(
        "details",
        { class: "group", open: this.#opened.has(group) },
        h(
          "summary",
          { id: `f-group-${group.replaceAll(".", "-")}` },
          h(
            "span",
            null,
            of
              ? `SM class ${of.name}: ${fieldValue(fields[0] as GpuField, preset, changesOf(experiment.gpu)) ?? 0} SMs`
              : (GROUPS[group] ?? gpuTitle(group)),
          ),
          count,
        ),
        of ? this.#classTools(catalogue, preset, of, classes) : null,
        ...fields.map((field) => this.#gpuField(field, preset, overrides, group)),
      );
      details.addEventListener("toggle", () => {
        if (details.open) this.#opened.add(group);
        else this.#opened.delete(group);
      });
      out.push(details);
    }
    return out;
  }

  /** A class more, and what all SMs hold together: classes that take as much as equal SMs take the same area. */
  #classes(catalogue: Catalogue, preset: string, classes: readonly SmClass[]): HTMLElement[] {
    const fields = catalogue.gpu_fields,
      changes = changesOf(this.#experiment?.gpu);
    const add = h(
      "button",
      {
        type: "button",
        class: "button",
        id: "f-class-add",
        disabled: classes.length >= MOST_CLASSES,
        title: "Half of the SMs of the first class become a class of their own",
        onclick: () => {
          const name =
            ["small", "big", "other"].find((one) => !classes.some((c) => c.name === one)) ??
            `class-${classes.length + 1}`;
          this.#opened.add(`sm.${name}`);
          this.#edit((e) => {
            e.gpu = withClass(fields, preset, changes, name);
          }, true);
        },
      },
      icon("plus"),
      "Add a class of SMs",
    );
    if (classes.length < 2) return classes.length === 0 ? [] : [add];
    const baseline = baselineOf(fields, preset),
      have = storageOf(fields, preset, changes),
      want = storageOf(fields, baseline, {});
    const number = (value: number): string => value.toLocaleString("en", { maximumFractionDigits: 1 });
    const table = h(
      "table",
      { class: "numbers storage" },
      h("caption", { class: "hidden" }, "Storage for threads, of all SMs together"),
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          h("th", { scope: "col" }, "All SMs hold"),
          h("th", { scope: "col", class: "num" }, "now"),
          h("th", { scope: "col", class: "num" }, baseline),
          h("th", { scope: "col", class: "num" }, "more"),
        ),
      ),
      h(
        "tbody",
        null,
        ...STORAGE.map(({ title }, i) =>
          h(
            "tr",
            null,
            h("th", { scope: "row" }, title),
            ...[
              number(have[i] as number),
              number(want[i] as number),
              besideText(have[i] as number, want[i] as number),
            ].map((text) => h("td", { class: "num" }, text)),
          ),
        ),
      ),
    );
    return [
      h(
        "div",
        { class: "scroll-x", tabIndex: 0, role: "region", "aria-label": "Storage for threads, of all SMs together" },
        table,
      ),
      h("p", { class: "field-help" }, "Classes that hold as much together as equal SMs take the same area."),
      add,
    ];
  }

  /** Of one class: its name and its end, if it was added, and a size that takes what the others leave. */
  #classTools(catalogue: Catalogue, preset: string, { name, own }: SmClass, classes: readonly SmClass[]): HTMLElement {
    const fields = catalogue.gpu_fields,
      changes = changesOf(this.#experiment?.gpu),
      baseline = baselineOf(fields, preset);
    const fill = h(
      "button",
      {
        type: "button",
        class: "button",
        id: `f-class-fill-${name}`,
        title: `Registers, shared memory, threads and CTA slots that the other classes leave of ${baseline}`,
        onclick: () => {
          this.#edit((e) => {
            e.gpu = withFilled(fields, preset, changes, name);
          }, true);
        },
      },
      "Fill up",
    );
    const gone = emptyClasses(fields, preset, changes).includes(name) ? null : fill;
    if (own) return h("div", { class: "class-tools" }, gone);
    const input = h("input", {
      id: `f-class-name-${name}`,
      "aria-label": `Name of the class ${name}`,
      value: name,
      autocomplete: "off",
      spellcheck: false,
      maxLength: 40,
    });
    input.setAttribute("type", "text");
    input.addEventListener("change", () => {
      const to = input.value.trim();
      if (to === name) return;
      if (!isClassName(to) || classes.some((one) => one.name === to)) {
        input.value = name;
        toast("A class's name is a word of letters, digits, - and _, and no other class has it: it is as it was.");
        return;
      }
      this.#opened.add(`sm.${to}`);
      this.#edit((e) => {
        e.gpu = { preset, ...withName(changes, name, to) };
      }, true);
    });
    const remove = h(
      "button",
      {
        type: "button",
        class: "icon-button",
        id: `f-class-remove-${name}`,
        "aria-label": `Remove the class ${name}`,
        title: "Its SMs go back to the first class",
        onclick: () => {
          this.#edit((e) => {
            e.gpu = withoutClass(fields, preset, changes, name);
          }, true);
          document.getElementById("f-class-add")?.focus();
        },
      },
      icon("close"),
    );
    return h("div", { class: "class-tools" }, input, gone, remove);
  }

  #gpuField(field: GpuField, preset: string, overrides: Record<string, unknown>, group: string): HTMLElement {
    const own = overrides[field.path];
    const base = presetValue(field, preset);
    const label = titleOf(field.path.startsWith(`${group}.`) ? field.path.slice(group.length + 1) : field.path);
    const added = classesOf(
      this.#catalogue?.gpu_fields ?? [],
      preset,
      overrides as Record<string, number | string>,
    ).some(({ name, own: its }) => !its && field.path === `sm.${name}.count`);
    const set = (value: number | string | null): void =>
      this.#edit((e) => {
        const gpu: Record<string, number | string> & { preset: string } =
          typeof e.gpu === "object" ? { ...e.gpu } : { preset };
        // Only what differs from the preset is kept: the link stays short and says what is special. Without its count there is no added class; and what is said last holds.
        if (added && value === null) return;
        delete gpu[field.path];
        if (added || (value !== null && value !== base)) gpu[field.path] = value as number | string;
        e.gpu = Object.keys(gpu).length === 1 && gpu.preset !== undefined ? gpu.preset : gpu;
      }, true);
    const undo = h(
      "button",
      {
        type: "button",
        class: "icon-button small",
        "aria-label": `Back to the preset's ${label}`,
        title: "Back to the preset's value",
        onclick: () => set(null),
      },
      icon("reset"),
    );
    undo.classList.toggle("invisible", own === undefined || added);
    undo.disabled = own === undefined || added;
    const control =
      field.kind === "choice"
        ? this.#select(
            (field.choices ?? []).map((c) => ({ value: c, text: titleOf(c) })),
            String(own ?? base ?? ""),
            (v) => set(v),
          )
        : this.#number(
            own,
            { min: field.min, max: field.max, placeholder: base === undefined ? "" : String(base) },
            (v) => set(v),
          );
    // “threads … threads” says it once.
    const unit = label.toLowerCase() === field.unit.toLowerCase() ? "" : field.unit;
    const row = this.#field(`gpu.${field.path}`, label, control, { unit, help: sentence(field.doc), extra: undo });
    row.classList.toggle("changed", own !== undefined);
    return row;
  }

  // ---------------------------------------------------------------- orders, seed, stop

  #run(catalogue: Catalogue, experiment: Experiment): HTMLElement[] {
    const out: HTMLElement[] = [];
    const warp = readOrder(experiment.warp_order ?? this.#normal?.warp_order ?? catalogue.warp_orders[0]?.name ?? "");
    const spelt = readOrder(this.#normal?.warp_order ?? "");
    if (warp.size === null && spelt.name === warp.name) warp.size = spelt.size;
    const entry = catalogue.warp_orders.find((o) => o.name === warp.name);
    const setWarp = (name: string, size: number | null): void =>
      this.#edit((e) => {
        e.warp_order = writeOrder(name, size);
      }, true);
    const select = this.#select(
      catalogue.warp_orders.map((o) => ({ value: o.name, text: orderTitle(o) })),
      warp.name,
      (name) => setWarp(name, null),
    );
    out.push(this.#field("warp_order", "Warp order", select, entry ? { help: sentence(entry.doc) } : {}));
    // An order that the engine spells with a size has one.
    if (warp.size !== null)
      out.push(
        this.#field(
          "warp_order.size",
          entry?.takes ?? "Group size",
          this.#number(warp.size, { min: 1, max: 64 }, (v) => setWarp(warp.name, v)),
          { unit: "warps" },
        ),
      );

    const cta = readCtaOrder(experiment.cta_order ?? this.#normal?.cta_order ?? catalogue.cta_orders[0]?.name);
    const ctaEntry = catalogue.cta_orders.find((o) => o.name === cta.name);
    out.push(
      this.#field(
        "cta_order",
        "CTA order",
        this.#select(
          catalogue.cta_orders.map((o) => ({ value: o.name, text: orderTitle(o) })),
          cta.name,
          (name) =>
            this.#edit((e) => {
              e.cta_order = name;
            }, true),
        ),
        ctaEntry ? { help: `${sentence(ctaEntry.doc)} Source: ${sentence(ctaEntry.source)}` } : {},
      ),
    );
    for (const param of ctaEntry?.params ?? []) out.push(...this.#param(param, cta, experiment, "cta_order"));

    const seed = this.#number(experiment.seed, { min: 0, placeholder: String(this.#normal?.seed ?? 1) }, (v) =>
      this.#edit((e) => {
        if (v === null) delete e.seed;
        else e.seed = v;
      }),
    );
    const fresh = h(
      "button",
      {
        type: "button",
        class: "icon-button",
        id: "f-fresh-seed",
        "aria-label": "A fresh seed",
        title: "A fresh seed",
        onclick: () => {
          void this.#events?.freshSeed().then((value) =>
            this.#edit((e) => {
              e.seed = value;
            }, true),
          );
        },
      },
      icon("dice"),
    );
    out.push(this.#field("seed", "Seed", seed, { extra: fresh }));

    out.push(...this.#stop(experiment.stop as Stop | undefined));
    return out;
  }

  /** When the run stops: the rule, and its numbers. */
  #stop(stop: Stop | undefined): HTMLElement[] {
    const normal = (stop ?? this.#normal?.stop ?? {}) as Stop;
    const rule = stopRule(normal);
    const put = (next: Stop | undefined, again = false): void =>
      this.#edit((e) => {
        if (next) e.stop = { ...next };
        else delete e.stop;
      }, again);
    const select = this.#select(
      [
        { value: "cycles", text: "after so many cycles" },
        { value: "kernels_done", text: "when every kernel is done" },
        { value: "settled", text: "when it is settled" },
      ],
      rule,
      (to) => put(withRule(stop, to as StopRule), true),
    );
    const number = (key: "cycles" | "at_most", label: string, placeholder: number | undefined): HTMLElement =>
      this.#field(
        `stop.${key}`,
        label,
        this.#number(
          stop?.[key],
          { min: 1, placeholder: placeholder === undefined ? "no limit" : fixed(placeholder, 0) },
          (v) => put(withNumber(stop, key, v)),
        ),
        { unit: "cycles" },
      );
    const out = [
      this.#field(
        "stop",
        "Stop",
        select,
        rule === "settled"
          ? {
              help: `When ${(normal.of ?? ["ipc"]).map((of) => this.#title(of)).join(", ")} of every kernel is known that well, and each has shown a whole launch.`,
            }
          : {},
      ),
    ];
    if (rule !== "settled")
      return [...out, number("cycles", rule === "cycles" ? "Stop after" : "At most", this.#normalStop("cycles", rule))];
    const within = this.#number(
      stop?.settled === undefined ? undefined : toPercent(stop.settled),
      { min: 0, max: 100, step: "any", placeholder: toPercent(normal.settled ?? 0.01).toString() },
      (v) => put(withNumber(stop, "settled", v === null ? 0.01 : fromPercent(v)), v === null),
    );
    return [
      ...out,
      this.#field("stop.settled", "Known to", within, {
        unit: "± %",
        help: "Half of the 95 % interval, as a part of the number.",
      }),
      number("at_most", "At most", this.#normalStop("at_most", rule)),
    ];
  }

  /** A number of the stop condition as the engine has filled it in; there is none while the page waits for that. */
  #normalStop(key: "cycles" | "at_most", rule: StopRule): number | undefined {
    const normal = this.#normal?.stop as Stop | undefined;
    return normal && stopRule(normal) === rule ? normal[key] : undefined;
  }

  #title(ratio: string): string {
    return this.#catalogue?.metrics.find((m) => m.key === ratio)?.title ?? titleOf(ratio);
  }

  // ---------------------------------------------------------------- files

  #refused = h("p", { class: "field-problem", role: "alert", hidden: true });

  /** Opens an experiment's file; what is wrong with it is said beside the buttons, where they are shown. */
  #take(file: File): void {
    const said = this.#refused;
    void linkIn(file)
      .then((link) => {
        if (link !== null) {
          said.hidden = true;
          this.#events?.reopen(link);
          return null;
        }
        if (isPicture(file)) throw new Error("It is a picture, but none that this page saved: there is no run in it.");
        return openFile(file, (e) => this.#events?.validate(e) ?? Promise.resolve([]));
      })
      .then(
        (experiment) => {
          if (experiment === null) return;
          said.hidden = true;
          this.show(experiment);
          this.#events?.change(copy(experiment));
        },
        (error: unknown) => {
          const why = `“${file.name}” cannot be opened. ${error instanceof Error ? error.message : String(error)}`;
          said.hidden = false;
          setText(said, why);
          if (said.checkVisibility()) said.scrollIntoView({ block: "nearest" });
          else toast(why);
        },
      );
  }

  #file(): HTMLElement[] {
    this.#refused.hidden = true;
    const input = h("input", {
      accept: ".json,application/json,.png,.svg",
      class: "hidden",
      id: "f-open-file",
      tabIndex: -1,
      "aria-label": "An experiment, or a picture, a table or a result that was saved here",
    });
    input.setAttribute("type", "file");
    input.addEventListener("change", () => {
      const file = input.files?.[0];
      if (file) this.#take(file);
      input.value = "";
    });
    return [
      h(
        "div",
        { class: "file-buttons" },
        h(
          "button",
          { type: "button", class: "button", id: "f-export", onclick: () => this.#events?.exportExperiment() },
          icon("download"),
          "Save the experiment",
        ),
        h(
          "button",
          { type: "button", class: "button", id: "f-open", onclick: () => input.click() },
          icon("upload"),
          "Open an experiment",
        ),
        h(
          "button",
          { type: "button", class: "button", id: "f-command", onclick: () => this.#events?.copyCommand() },
          icon("terminal"),
          "Copy the command",
        ),
      ),
      input,
      this.#refused,
      h("p", { class: "field-help" }, "Everything stays on this computer: the page sends nothing anywhere."),
    ];
  }

  // ---------------------------------------------------------------- problems

  #showProblems(problems: Problem[]): void {
    this.#problems = problems;
    for (const field of this.#fields.values()) {
      field.message.hidden = true;
      field.message.replaceChildren();
      if (!this.#drafts.size) field.control.removeAttribute("aria-invalid");
    }
    const lines: HTMLElement[] = [];
    for (const problem of problems) {
      const text = `found ${problem.found}, want ${problem.want}`;
      const at = fieldFor(problem.path, this.#fields.keys());
      const field = at === null ? null : (this.#fields.get(at) as Field);
      const path = problem.path || "experiment";
      if (field) {
        const rest =
          plainPath(problem.path) === at ? "" : `${plainPath(problem.path).slice((at as string).length + 1)}: `;
        field.message.hidden = false;
        field.message.append(h("span", null, `${rest}${text}`));
        field.control.setAttribute("aria-invalid", "true");
        lines.push(
          h(
            "li",
            null,
            h(
              "a",
              {
                href: `#${field.control.id}`,
                onclick: (event: Event) => {
                  event.preventDefault();
                  const group = field.control.closest("details");
                  if (group) group.open = true;
                  field.control.focus();
                },
              },
              path,
            ),
            `: ${text}`,
          ),
        );
      } else {
        lines.push(h("li", null, h("b", null, path), `: ${text}`));
      }
    }
    this.#summary.hidden = problems.length === 0;
    if (problems.length > 0) {
      this.#summary.replaceChildren(
        h("h2", null, problems.length === 1 ? "One problem" : `${problems.length} problems`),
        h("ul", null, ...lines),
        h(
          "p",
          null,
          this.#normal
            ? "The page still shows the last experiment that worked."
            : "There is nothing to show until this is put right.",
        ),
      );
    } else {
      this.#summary.replaceChildren();
    }
  }
}

const GROUPS: Record<string, string> = {
  "": "Clocks",
  sm: "SMs",
  "sm.l1": "L1 data cache",
  noc: "Network (NoC)",
  l2: "L2 cache",
  dram: "DRAM",
  "dram.timing": "DRAM timings",
};
/** The part of the machine that a field belongs to: all of its path but the last word. */
function gpuGroup(path: string): string {
  return path.split(".").slice(0, -1).join(".");
}

const sentence = (text: string): string => (text === "" || /[.!?]$/.test(text) ? text : `${text}.`);

customElements.define("corun-editor", CorunEditor);
