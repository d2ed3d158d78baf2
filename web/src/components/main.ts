// The component lab: a crossbar, a DRAM channel or a cache by itself. The curves are measured by the code that the machine runs, point by
// point in a worker; the address bar always is the link to what is shown.
import "../style/tokens.css";
import "../style/base.css";
import "../style/layout.css";
import "../style/parts.css";
import "../views/views.css";
import "./components.css";
import { copyText, notice, type Notice } from "../dialogs.ts";
import { definition, h, icon, setText } from "../dom.ts";
import { LinkError } from "../link.ts";
import { compileModule } from "../module.ts";
import { provideStamp } from "../stamp.ts";
import { startTheme, themeButton } from "../theme.ts";
import { choiceTitle, titleOf } from "../titles.ts";
import type { OptionValue, ProbeInfo, ProbeOption, ProbeResult, Problem } from "../types.ts";
import { Curve } from "./curve.ts";
import { command, decodeLab, encodeLab, points, read, type LabState } from "./state.ts";
import type { FromLab, Point, ToLab } from "./types.ts";

const $ = (selector: string): HTMLElement => document.querySelector(selector) as HTMLElement;
const side = $("#options"),
  curves = $("#curves"),
  notices = $("#notices");

let probes: ProbeInfo[] = [];
let version = "";
let module: WebAssembly.Module;
let worker: Worker | null = null;
let state: LabState;
let results: (ProbeResult | null)[] = [];
let at: number[] = [];
let drawn: { figure: string; element: Curve; law: HTMLElement }[] = [];
let link = "";

const info = (): ProbeInfo => probes.find((one) => one.name === state.component) as ProbeInfo;
const swept = (): ProbeOption => info().options.find((one) => one.name === info().sweep) as ProbeOption;

startTheme();

// ---------------------------------------------------------------- measuring

const progress = h("span", { class: "lab-progress", role: "status" });
const bar = h("progress", { max: 1, value: 0, "aria-label": "Points measured" });
const stop = h(
  "button",
  {
    type: "button",
    class: "button",
    onclick: () => {
      stopped("Stopped");
    },
  },
  "Stop",
);
const again = h(
  "button",
  {
    type: "button",
    class: "button primary",
    onclick: () => {
      measure();
    },
  },
  "Measure again",
);
$("#run").append(bar, progress, stop, again);

function spawn(): Promise<Extract<FromLab, { t: "ready" }>> {
  worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "component lab" });
  const mine = worker;
  return new Promise((ready, failed) => {
    mine.onerror = (event) => {
      failed(new Error(event.message || "the worker could not start"));
    };
    mine.onmessage = (event: MessageEvent<FromLab>) => {
      const message = event.data;
      if (message.t === "ready") ready(message);
      else if (message.t === "failed") failed(new Error(message.message));
    };
    mine.postMessage({ t: "init", module } satisfies ToLab);
  });
}

/** Ends the worker at once: an abandoned curve is not measured to its end. */
function end(): void {
  worker?.terminate();
  worker = null;
  stop.hidden = true;
  again.hidden = false;
}

function stopped(why: string): void {
  end();
  const done = results.filter((r) => r !== null).length;
  bar.hidden = true;
  setText(progress, `${why}: ${done} of ${at.length} points`);
  document.documentElement.dataset["settled"] = state.component;
}

function measure(): void {
  end();
  delete document.documentElement.dataset["settled"];
  say(null);
  markProblems([]);
  const found = points(state.points);
  at = found ?? [];
  results = at.map(() => null);
  plot(true);
  if (!found) {
    problems([
      {
        path: info().sweep,
        found: JSON.stringify(state.points),
        want: `FROM:TO:STEP with at most 1,000 points, such as ${info().points}`,
      },
    ]);
    return;
  }
  stop.hidden = false;
  again.hidden = true;
  bar.hidden = false;
  bar.value = 0;
  setText(progress, "Measuring…");
  void spawn().then(
    () => {
      const mine = worker as Worker;
      mine.onmessage = (event: MessageEvent<FromLab>) => {
        if (mine === worker) receive(event.data);
      };
      mine.onerror = (event) => {
        if (mine === worker) failed(event.message || "the worker stopped");
      };
      mine.postMessage({
        t: "curve",
        component: state.component,
        options: state.options,
        sweep: info().sweep,
        points: at,
      } satisfies ToLab);
    },
    (error: unknown) => {
      failed(String(error));
    },
  );
}

function receive(message: FromLab): void {
  switch (message.t) {
    case "ready":
      return;
    case "problems":
      problems(message.problems);
      return;
    case "failed":
      failed(message.message);
      return;
    case "point": {
      results[message.index] = message.result;
      const done = message.index + 1;
      bar.value = done / at.length;
      setText(progress, `${done} of ${at.length} points`);
      plot(false);
      if (done === at.length) stopped("Measured");
    }
  }
}

function failed(why: string): void {
  stopped("Stopped");
  say({
    kind: "error",
    title: "The measurement stopped",
    text: ["That is a defect of Corun, not of the options. It said:", h("pre", null, why)],
    actions: [{ label: "Measure again", primary: true, run: measure }],
  });
}

function problems(found: Problem[]): void {
  stopped("Nothing measured");
  markProblems(found);
  say({
    kind: "error",
    title: "This cannot be measured",
    text: [
      h("ul", null, ...found.map((p) => h("li", null, h("b", null, p.path), `: found ${p.found}, want ${p.want}`))),
    ],
    actions: [],
  });
}

function say(of: Notice | null): void {
  notices.replaceChildren(...(of ? [notice(of)] : []));
}

// ---------------------------------------------------------------- curves

function plot(fresh: boolean): void {
  const { figures, name, sweep } = info();
  if (fresh && drawn.map((d) => `${name} ${d.figure}`).join() !== figures.map((f) => `${name} ${f.key}`).join())
    drawn = [];
  const isNew = drawn.length === 0;
  const number = (v: unknown): number | null => (typeof v === "number" ? v : null);
  figures.forEach((figure, i) => {
    const measured = at.flatMap((x, n): Point[] => {
      const result = results[n];
      return result ? [{ x, measured: number(result[figure.key]), theory: number(result.theory[figure.key]) }] : [];
    });
    const one = drawn[i] ?? {
      figure: figure.key,
      element: new Curve(),
      law: h("p", { class: "note lab-law" }, h("b", null, "Theory: "), `${figure.law}.`),
    };
    drawn[i] = one;
    // A law that says nothing of this traffic is not shown beside it.
    one.law.hidden = figure.law === "" || (measured.length > 0 && measured.every((p) => p.theory === null));
    one.element.data = {
      component: name,
      figure,
      sweep: { name: sweep, unit: swept().unit },
      from: at[0] ?? 0,
      to: at[at.length - 1] ?? 1,
      points: measured,
    };
  });
  if (!isNew) return;
  curves.replaceChildren(
    ...drawn.map(({ figure, element, law }, i) =>
      h(
        "section",
        { class: "card", "aria-labelledby": `curve-${figure}` },
        h("h2", { id: `curve-${figure}` }, figures[i]?.title ?? ""),
        element,
        law,
      ),
    ),
  );
}

// ---------------------------------------------------------------- options

let timer = 0;
function changed(): void {
  showPreset();
  writeLink();
  clearTimeout(timer);
  timer = window.setTimeout(measure, 250);
}

function same(a: Record<string, OptionValue>, b: Record<string, OptionValue>): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => a[key] === b[key]);
}

let presetBox: HTMLSelectElement;
function showPreset(): void {
  presetBox.value = String(
    info().presets.findIndex((preset) => same(preset.options, differing(state.options, preset.options))),
  );
}
/** A preset may name a value that is the default: then it differs from nothing. */
function differing(
  options: Record<string, OptionValue>,
  preset: Record<string, OptionValue>,
): Record<string, OptionValue> {
  const out = { ...options };
  for (const option of info().options)
    if (option.name in preset && !(option.name in out) && preset[option.name] === option.default)
      out[option.name] = option.default as OptionValue;
  return out;
}

function set(option: ProbeOption, value: OptionValue | null): void {
  const { [option.name]: _, ...rest } = state.options;
  state.options = value === null || value === option.default ? rest : { ...rest, [option.name]: value };
  changed();
}

function field(option: ProbeOption): HTMLElement {
  const id = `f-${option.name}`,
    value = state.options[option.name] ?? option.default;
  let control: HTMLElement;
  if (option.kind === "choice") {
    const box = h(
      "select",
      { id },
      ...(option.choices ?? []).map((name) =>
        h("option", { value: name, selected: name === value }, choiceTitle(name, option.doc)),
      ),
    );
    // A name that does not exist came with a link: it is shown, so that it can be seen and changed.
    if (typeof value === "string" && !option.choices?.includes(value))
      box.append(h("option", { value, selected: true }, value));
    box.onchange = () => {
      set(option, box.value);
    };
    control = box;
  } else if (option.kind === "bool") {
    const box = h("input", { id, checked: value === true });
    box.setAttribute("type", "checkbox");
    box.onchange = () => {
      set(option, box.checked);
    };
    control = box;
  } else {
    const box = h("input", {
      id,
      type: "text",
      value: value === null ? "" : String(value),
      placeholder: value === null ? "automatic" : "",
      inputMode: "decimal",
      autocomplete: "off",
      spellcheck: false,
    });
    box.onchange = () => {
      set(option, box.value.trim() === "" ? null : read(option, box.value));
      if (box.value.trim() === "" && option.default !== null) box.value = String(option.default);
    };
    control = box;
  }
  control.setAttribute("aria-describedby", `${id}-problem`);
  const range =
    option.min !== undefined && option.max !== undefined
      ? `${option.min.toLocaleString("en")} to ${option.max.toLocaleString("en")}${option.unit ? ` ${option.unit}` : ""}`
      : "";
  return h(
    "div",
    { class: "field" },
    h(
      "div",
      { class: "field-row" },
      h(
        "label",
        { for: id, title: option.name },
        titleOf(option.name),
        definition(
          titleOf(option.name),
          h("p", null, `${option.doc}.`),
          range ? h("p", { class: "source" }, range) : null,
        ),
      ),
      h("span", { class: "field-control" }, control),
    ),
    h("p", { class: "field-problem", id: `${id}-problem`, hidden: true }),
  );
}

function markProblems(found: Problem[]): void {
  for (const option of info().options) {
    const place = document.getElementById(`f-${option.name}-problem`),
      box = document.getElementById(`f-${option.name}`);
    const mine = found.filter((p) => p.path === option.name);
    if (!place || !box) continue;
    place.hidden = mine.length === 0;
    setText(place, mine.map((p) => `found ${p.found}, want ${p.want}`).join("; "));
    if (mine.length > 0) {
      box.setAttribute("aria-invalid", "true");
      box.closest("details")?.setAttribute("open", "");
    } else box.removeAttribute("aria-invalid");
  }
}

function showOptions(): void {
  const one = info();
  const chooser = h(
    "select",
    { id: "part" },
    ...probes.map((probe) => h("option", { value: probe.name, selected: probe === one }, probe.title)),
  );
  chooser.onchange = () => {
    open({
      component: chooser.value,
      options: {},
      points: (probes.find((p) => p.name === chooser.value) as ProbeInfo).points,
    });
  };
  presetBox = h(
    "select",
    { id: "preset" },
    ...one.presets.map((preset, i) => h("option", { value: String(i) }, preset.name)),
    h("option", { value: "-1", hidden: true }, "something else"),
  );
  presetBox.onchange = () => {
    const preset = one.presets[Number(presetBox.value)];
    if (preset)
      open({
        component: one.name,
        options: Object.fromEntries(
          Object.entries(preset.options).filter(
            ([name, value]) => one.options.find((o) => o.name === name)?.default !== value,
          ),
        ),
        points: one.points,
      });
  };
  const sweep = swept();
  const range = h("input", {
    id: `f-${sweep.name}`,
    type: "text",
    value: state.points,
    autocomplete: "off",
    spellcheck: false,
    "aria-describedby": `f-${sweep.name}-problem`,
  });
  range.onchange = () => {
    state.points = range.value.trim() || one.points;
    changed();
  };
  const timing = (option: ProbeOption): boolean => option.unit === "clocks";
  const plain = one.options.filter((option) => option !== sweep && !timing(option));
  const timings = one.options.filter(timing);
  const row = (label: string, box: HTMLElement): HTMLElement =>
    h("div", { class: "field-row" }, h("label", { for: box.id }, label), h("span", { class: "field-control" }, box));
  side.replaceChildren(
    h(
      "section",
      { class: "editor-section" },
      h("h2", null, "Component"),
      h(
        "div",
        { class: "section-body" },
        row("Part", chooser),
        row("Begin with", presetBox),
        h("p", { class: "note" }, `${one.doc}.`),
      ),
    ),
    h(
      "section",
      { class: "editor-section" },
      h("h2", null, "Traffic and shape"),
      h(
        "div",
        { class: "section-body" },
        h(
          "div",
          { class: "field" },
          h(
            "div",
            { class: "field-row" },
            h(
              "label",
              { for: range.id, title: sweep.name },
              titleOf(sweep.name),
              definition(
                titleOf(sweep.name),
                h("p", null, `${sweep.doc}.`),
                h("p", { class: "source" }, "The points of the curves: FROM:TO:STEP"),
              ),
            ),
            h("span", { class: "field-control" }, range),
          ),
          h("p", { class: "field-problem", id: `${range.id}-problem`, hidden: true }),
        ),
        ...plain.map(field),
        timings.length > 0
          ? h("details", { class: "group" }, h("summary", null, h("span", null, "Timings")), ...timings.map(field))
          : null,
      ),
    ),
    h(
      "section",
      { class: "editor-section" },
      h(
        "div",
        { class: "section-body" },
        h(
          "button",
          {
            type: "button",
            class: "button",
            onclick: () =>
              void copyText(
                `${command(state, sweep.name)}\n`,
                "The command is copied. It prints the same numbers, in a clone of Corun after `cargo build --release`.",
              ),
          },
          icon("terminal"),
          "Copy the command",
        ),
      ),
    ),
  );
  showPreset();
}

// ---------------------------------------------------------------- the address bar

function writeLink(): void {
  link = encodeLab(state);
  if (location.hash !== link) history.replaceState(null, "", link);
}

function open(next: LabState): void {
  state = next;
  showOptions();
  writeLink();
  document.title = `${info().title} · Components · Corun`;
  measure();
}

function readLink(): void {
  if (location.hash === link && link !== "") return;
  if (location.hash === "#main") return;
  const first = probes[0] as ProbeInfo;
  const fresh: LabState = { component: first.name, options: { ...first.presets[0]?.options }, points: first.points };
  try {
    open(decodeLab(location.hash, probes) ?? fresh);
  } catch (error) {
    end();
    side.replaceChildren();
    curves.replaceChildren();
    drawn = [];
    say({
      kind: "error",
      title: "This link cannot be opened",
      text: error instanceof LinkError ? [error.message, error.advice] : [String(error)],
      actions: [
        {
          label: `Open the ${first.title.toLowerCase()}`,
          primary: true,
          run: () => {
            open(fresh);
          },
        },
      ],
    });
  }
}
addEventListener("hashchange", readLink);

// ---------------------------------------------------------------- start

$("#actions").append(
  h(
    "button",
    {
      type: "button",
      class: "icon-button",
      title: "Copy the link to these curves",
      "aria-label": "Copy the link",
      onclick: () => void copyText(location.href, "The link is copied."),
    },
    icon("link"),
  ),
  themeButton(),
);
provideStamp(() => ({
  engine: version,
  config: state.component,
  seed: Number(state.options["seed"] ?? 1),
  cycle: 0,
  link: location.href,
}));

async function start(): Promise<void> {
  stop.hidden = again.hidden = bar.hidden = true;
  say({
    kind: "loading",
    title: "Loading the simulator…",
    text: ["It runs here, in your browser; nothing is sent anywhere."],
    actions: [],
  });
  try {
    module = await compileModule();
    ({ version, probes } = await spawn());
  } catch (error) {
    say({
      kind: "error",
      title: "The simulator could not be started",
      text: [error instanceof Error ? error.message : String(error)],
      actions: [
        {
          label: "Try again",
          primary: true,
          run: () => {
            location.reload();
          },
        },
      ],
    });
    return;
  }
  readLink();
}
void start();
