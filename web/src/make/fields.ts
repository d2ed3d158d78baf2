// The fields of the form by their paths: what each is called, takes and has, as the engine's catalogue describes it, and how it is set. No DOM.
import type { Option } from "../parts/controls.tsx";
import { changesOf, presetValue, withField } from "../model/classes.ts";
import {
  kernelEntry,
  kernelLabels,
  kernelName,
  ownBody,
  policyEntry,
  readCtaOrder,
  readOrder,
  scheme,
  withBody,
  writeCtaOrder,
  writeOrder,
} from "../model/choices.ts";
import { GOALS, goalOf, withExtra, written, type Goal } from "../model/goal.ts";
import { fixed } from "../model/format.ts";
import { limitOf, limitOn, withClassLimit } from "../model/limits.ts";
import { kernelControls, stopOf, stops, stopText, withEntry, type KernelControl } from "../model/manual.ts";
import {
  fromPercent,
  stopRule,
  toPercent,
  withNumber,
  withRule,
  type Stop,
  type StopRule,
} from "../model/stop-rule.ts";
import { choiceTitle, orderTitle, titleOf } from "../model/titles.ts";
import type { Catalogue, KernelChoice, PolicyChoice, PolicyParam } from "../model/types.ts";
import { recordOf, shapes, type Shape } from "../model/shape.ts";
import { copy, gpuGroup, type FormState } from "./state.ts";

/** A slider beside a number: which of its places stands for what. Null is an empty field. */
interface Slider {
  label: string;
  min: number;
  max: number;
  step: number;
  placeOf(value: number | null): number;
  at(place: number): number | null;
  says?(value: number | null): string;
}
/** `list` is of numbers, `ranges` of whole numbers such as 0-3, 6. */
type Kind = "flag" | "choice" | "int" | "number" | "text" | "list" | "ranges";
export interface Field {
  kind: Kind;
  label: string;
  help?: string | undefined;
  unit?: string | undefined;
  min?: number | undefined;
  max?: number | undefined;
  options?: readonly Option[] | undefined;
  /** What holds where nothing is set, in words. */
  placeholder?: string | undefined;
  /** What holds where nothing is set: setting it sets nothing. */
  none?: unknown;
  slider?: Slider | undefined;
  /** Something is set that need not be. */
  changed?: boolean;
  value: unknown;
  /** Undefined sets nothing. */
  put(value: unknown): void;
}

/** The value of a choice that is no choice of an experiment. */
const OWN = "\u0000own";
export const sentence = (text: string): string => (text === "" || /[.!?]$/.test(text) ? text : `${text}.`);
const named = ({ name, title }: { name: string; title: string }): Option => ({
  value: name,
  text: title && title !== name ? `${name} – ${title}` : name,
});
/** A choice that can be left out for something that is none of its values has an entry for that. */
const leftOut = (choices: readonly string[], none: unknown): Option[] =>
  typeof none === "string" && !choices.includes(none)
    ? [{ value: none, text: none.charAt(0).toUpperCase() + none.slice(1).replaceAll("`", "") }]
    : [];
const ordered = (order: { name: string; doc: string }): Option => ({ value: order.name, text: orderTitle(order) });
export const policyOptions = ({ policies }: Catalogue): Option[] =>
  policies.map(({ name, title }) => ({ value: name, text: title || name }));

type Put = Field["put"];
const oneOf = (label: string, options: readonly Option[], value: string, put: Put, help?: string): Field => ({
  kind: "choice",
  label,
  options,
  value,
  put,
  ...(help === undefined ? {} : { help }),
});
const slider = (
  label: string,
  [min, max, step]: [number, number, number],
  more: Pick<Slider, "placeOf" | "at" | "says">,
) => ({ label, min, max, step, ...more }) as const;

/** A field of the form, by its path in the experiment. */
export function fieldOf(form: FormState, path: string): Field {
  const [head = "", ...rest] = path.split(".");
  if (head === "kernels") return kernelField(form, Number(rest[0]), rest[1], rest.slice(2).join("."));
  if (head === "gpu") return rest.length === 0 ? gpuChoice(form) : gpuField(form, rest.join("."));
  if (head === "policy")
    return /^\d+$/.test(rest[0] ?? "")
      ? policyField(form, Number(rest[0]), ...rest.slice(1))
      : policyField(form, 0, ...rest);
  if (head === "warp_order") return warpOrder(form, rest[0]);
  if (head === "cta_order") return ctaOrder(form, ...rest);
  if (head === "stop") return stopField(form, rest[0] as StopField);
  const seed = head === "seed" ? { placeholder: String(form.normal.value?.seed ?? 1) } : {};
  return {
    ...recordField(form.catalogue, "Experiment", head),
    ...seed,
    value: form.now[head],
    put: (value) => form.set(head, value),
  };
}

// ---------------------------------------------------------------- what the catalogue says

type Described = Omit<Field, "value" | "put">;

const KINDS: Readonly<Record<string, Kind>> = {
  bool: "flag",
  flag: "flag",
  choice: "choice",
  warp_order: "choice",
  int: "int",
  limit: "int",
  requests: "int",
  rank: "int",
  number: "number",
  between: "number",
  text: "text",
  list: "list",
  numbers: "ranges",
  sms: "ranges",
};
const kindOf = (kind: string): Kind => KINDS[kind] ?? "text";

/** A field of a record of the format; of one that has several forms, the simple one, or the one that is named. */
function recordField(catalogue: Catalogue, record: string, name: string, form?: string): Described {
  const field = recordOf(catalogue, record).find((one) => one.name === name),
    all = field ? shapes(field as Shape) : [],
    shape = all.find((one) => (form === undefined ? KINDS[one.kind] !== undefined : one.name === form)),
    kind = kindOf(shape?.kind ?? ""),
    none: unknown = field?.default;
  return {
    kind,
    label: titleOf(name),
    help: sentence(field?.doc ?? ""),
    unit: kind === "flag" || kind === "text" ? undefined : field?.unit,
    min: shape?.min,
    max: shape?.max,
    ...(shape?.choices ? { options: shape.choices.map((value) => ({ value, text: value })) } : {}),
    ...(typeof none === "string" && kind !== "choice" ? { placeholder: none } : { none: none ?? undefined }),
  };
}
/** Fields of a record that are one number, flag, choice or text, beside those that are named. */
export const plainFields = (catalogue: Catalogue, record: string, but: readonly string[]): string[] =>
  recordOf(catalogue, record)
    .filter(({ name, kind }) => ["bool", "choice", "int", "number", "text"].includes(kind) && !but.includes(name))
    .map(({ name }) => name);

// ---------------------------------------------------------------- kernels

function kernelField(form: FormState, i: number, name: string | undefined, ofClass: string): Field {
  const { catalogue, now } = form,
    choice = now.kernels[i] ?? "",
    label = kernelLabels(now.kernels)[i] ?? "";
  const set = (change: (old: KernelChoice) => KernelChoice): void =>
      form.edit((e) => {
        e.kernels[i] = change(e.kernels[i] ?? "");
      }),
    extra = (key: string, value: unknown): void => set((old) => withExtra(old, key, value ?? null));
  if (name === undefined) {
    const own = ownBody(choice),
      was = kernelEntry(catalogue, kernelName(choice))?.name ?? kernelName(choice);
    const all = [...catalogue.kernels.map(named), { value: OWN, text: "Own kernel (JSON)…" }];
    return oneOf(`Kernel ${i + 1}`, all, own ? OWN : was, (to) =>
      to === OWN ? makeOwn(form, i) : set((old) => withBody(old, to as string)),
    );
  }
  const goal = goalOf(typeof choice === "object" ? choice["qos"] : undefined),
    chosen = GOALS.find(({ kind }) => kind === goal?.kind),
    promise = (to: Goal | undefined): void => extra("qos", to && written(to));
  if (name === "qos") {
    const all = [{ value: "", text: "no goal" }, ...GOALS.map(({ kind, title }) => ({ value: kind, text: title }))];
    return oneOf("Goal", all, chosen?.kind ?? "", (to) => {
      const next = GOALS.find(({ kind }) => kind === to);
      promise(next && { kind: next.kind, value: next.first });
    });
  }
  if (name === "goal" && goal && chosen) {
    const { min = 0, max = Infinity } = recordField(catalogue, "KernelUse", "qos", chosen.field),
      percent = goal.kind === "percent",
      scale = percent ? 100 : 1;
    const bar = { placeOf: (value: number | null) => value ?? 0, at: (place: number) => place };
    return {
      kind: "number",
      label: `Goal of ${label}, ${chosen.unit}`,
      unit: chosen.unit,
      min: min * scale,
      max: max * scale,
      slider: percent ? slider(`Goal of ${label}, by slider`, [5, 100, 5], bar) : undefined,
      value: goal.value,
      put: (value) => {
        if (typeof value === "number") promise({ kind: goal.kind, value });
      },
    };
  }
  const described = recordField(catalogue, "KernelUse", name);
  if (name !== "ctas_per_sm")
    return {
      ...described,
      value: typeof choice === "object" && choice["kernel"] !== undefined ? choice[name] : undefined,
      put: (value) => extra(name, value),
    };
  const limit = limitOf(choice),
    { min, max, placeholder } = described,
    common = { kind: "int", unit: "per SM", min, max, placeholder } as const;
  return ofClass === ""
    ? { ...common, label: "CTA limit", value: limit, put: (value) => extra(name, value) }
    : {
        ...common,
        label: `CTA limit, ${ofClass}`,
        value: limitOn(limit, ofClass),
        put: (value) => set((old) => withClassLimit(old, ofClass, (value as number | undefined) ?? null)),
      };
}

/** A kernel of one's own begins as the one that it replaces, where the engine has spelt that out. */
export function makeOwn(form: FormState, i: number): void {
  const choice = form.now.kernels[i] ?? "";
  if (ownBody(choice)) return;
  const name = kernelEntry(form.catalogue, kernelName(choice))?.name ?? kernelName(choice),
    used = form.normal.peek()?.kernels[i],
    full = used === undefined || kernelName(used) !== name ? null : ownBody(used);
  form.edit((e) => {
    e.kernels[i] = withBody(choice, { ...(full ? copy(full) : {}), name: `${name}-own` });
  });
}

// ---------------------------------------------------------------- the GPU

function gpuChoice(form: FormState): Field {
  return oneOf("GPU preset", form.catalogue.gpus.map(named), form.preset(), (gpu) => form.set("gpu", gpu));
}

/** Orders of warps by their names, as they are called. */
const orderTitles = ({ warp_orders: orders }: Catalogue): Map<string, string> =>
  new Map(orders.map((order) => [order.name, orderTitle(order)]));

function gpuField(form: FormState, path: string): Field {
  const preset = form.preset(),
    changes = changesOf(form.now.gpu),
    field = form.gpuFields.value.find((one) => one.path === path),
    base = field && presetValue(field, preset),
    label = titleOf(path.slice(gpuGroup(path).length).replace(/^\./, "")),
    orders = orderTitles(form.catalogue);
  const added = form.classes.value.some(({ name, own }) => !own && path === `sm.${name}.count`);
  return {
    kind: kindOf(field?.kind ?? ""),
    label,
    help: sentence(field?.doc ?? ""),
    // “threads … threads” says it once.
    unit: label.toLowerCase() === field?.unit.toLowerCase() ? "" : field?.unit,
    min: field?.min,
    max: field?.max,
    options: field?.choices?.map((value) => ({ value, text: orders.get(value) ?? titleOf(value) })),
    none: base,
    changed: changes[path] !== undefined && !added,
    value: changes[path],
    put: (value) => {
      // Without its count there is no added class.
      if (added && value === undefined) return;
      form.set("gpu", withField(form.now.gpu, preset, path, value, added ? undefined : base));
    },
  };
}

// ---------------------------------------------------------------- policies, and their parameters

function policyField(form: FormState, at: number, name = "name", ...rest: string[]): Field {
  const { catalogue, policies, now } = form,
    policy: PolicyChoice = policies[at] ?? { name: "" },
    entry = policyEntry(catalogue, policy.name);
  if (name === "name") {
    const label = Array.isArray(now.policy) ? `Policy ${at + 1}` : "Policy";
    return oneOf(label, policyOptions(catalogue), String(entry?.name ?? policy.name), (to) =>
      form.setPolicy(at, () => scheme(catalogue, String(to), now.kernels.length)),
    );
  }
  const param = entry?.params.find((one) => one.name === name);
  return paramField(form, param, policy[name], (value) => form.setPolicy(at, (one) => having(one, name, value)), rest);
}

/** A policy, or a CTA order, with a parameter; undefined leaves it out. */
function having<T extends Record<string, unknown>>({ ...rest }: T, name: string, value: unknown): T {
  if (value === undefined) delete rest[name];
  else (rest as Record<string, unknown>)[name] = value;
  return rest as unknown as T;
}

/** A parameter, or, with a name behind it, an entry of it. */
function paramField(
  form: FormState,
  param: PolicyParam | undefined,
  value: unknown,
  put: Put,
  [entry, kernel]: readonly string[],
): Field {
  if (!param) return { kind: "text", label: "", value, put };
  if (param.kind === "record" && entry !== undefined) return controlField(form, value, put, entry, kernel);
  const kind = kindOf(param.kind.replace("per_kernel_", "")),
    { min, max, choices, doc, default: none } = param,
    isNumber = kind === "int" || kind === "number" || kind === "list";
  const common = { kind, unit: isNumber ? param.unit : undefined, min, max };
  if (entry === undefined)
    return {
      ...common,
      label: titleOf(param.name),
      help:
        typeof none === "string" && kind !== "choice" ? `${sentence(doc)} Left out: ${sentence(none)}` : sentence(doc),
      options: choices && [
        ...leftOut(choices, none),
        ...choices.map((one) => ({ value: one, text: choiceTitle(one, doc) })),
      ],
      none: none ?? undefined,
      value,
      put,
    };
  const k = Number(entry),
    labels = kernelLabels(form.now.kernels),
    defaults: unknown[] = Array.isArray(none) ? none : [],
    own = defaults[k] === undefined ? "" : String(defaults[k]);
  return {
    ...common,
    label: labels[k] ?? "",
    placeholder: kind === "list" ? "such as 10.5, 20, 25" : own,
    // One value stands for all kernels.
    value: Array.isArray(value) ? (value as unknown[])[k] : value,
    put: (one) =>
      put(
        withKernel(value, labels.length, k, one, (j) =>
          kind === "list" ? [] : (defaults[j] ?? Math.max(0, min ?? 0)),
        ),
      ),
  };
}

/** The list of a parameter with an entry for each of `kernels`, one of which is set; undefined where none is. */
function withKernel(
  list: unknown,
  kernels: number,
  kernel: number,
  value: unknown,
  fill: (kernel: number) => unknown,
): unknown[] | undefined {
  const isSet = (entry: unknown): boolean =>
    entry !== undefined && entry !== null && !(Array.isArray(entry) && entry.length === 0);
  const entries = Array.from({ length: kernels }, (_, k): unknown =>
    k === kernel ? value : Array.isArray(list) ? list[k] : undefined,
  );
  return entries.some(isSet) ? entries.map((entry, k) => (isSet(entry) ? entry : fill(k))) : undefined;
}

/** One of the controls that the manual policy sets, or, with a kernel behind it, an entry of it. */
function controlField(form: FormState, given: unknown, put: Put, key: string, kernel?: string): Field {
  const { catalogue } = form,
    controls = (typeof given === "object" && given !== null ? given : {}) as Record<string, unknown>,
    set = (next: Record<string, unknown>): void => put(Object.keys(next).length === 0 ? undefined : next),
    labels = kernelLabels(form.now.kernels),
    held = controls[key];
  const one = kernelControls(catalogue.controls, form.sms || 64).find((control) => control.key === key);
  if (one) {
    const k = Number(kernel);
    return {
      kind: kindOf(one.kind),
      label: kernel === undefined ? one.title : (labels[k] ?? ""),
      help: kernel === undefined ? one.doc : undefined,
      unit: one.kind === "flag" || one.kind === "choice" ? undefined : one.unit,
      min: one.min,
      max: one.max,
      options: one.choices?.map((value) => ({ value, text: titleOf(value) })),
      none: one.kind === "choice" ? one.neutral : undefined,
      placeholder: one.kind === "rank" ? "0" : one.kind === "numbers" ? "all" : "no limit",
      slider: sliderOf(one, labels[k] ?? ""),
      value: Array.isArray(held) ? (held as unknown[])[k] : undefined,
      put: (value) => set(withEntry(controls, one, labels.length, k, value ?? null)),
    };
  }
  const control = catalogue.controls.find((all) => all.key === key),
    kind = kindOf(control?.kind ?? ""),
    neutral = control?.neutral ?? "",
    orders = orderTitles(catalogue),
    names = (control?.choices ?? [...orders.keys()]).filter((name) => name !== neutral);
  const bySm = typeof held === "object" && held !== null ? " Set by SMs; what is chosen here is for all." : "";
  return {
    kind,
    label: control?.title ?? "",
    help: `${sentence(control?.doc ?? "")}${bySm}`,
    unit: control?.unit,
    min: control?.min,
    max: control?.max,
    placeholder: neutral,
    options: [
      { value: "", text: titleOf(neutral) },
      ...names.map((value) => ({ value, text: orders.get(value) ?? titleOf(value) })),
    ],
    none: kind === "choice" ? "" : undefined,
    value: held,
    put: (value) => set(having(controls, key, value)),
  };
}

function sliderOf(control: KernelControl, kernel: string): Slider | undefined {
  if (control.kind !== "limit" && control.kind !== "rank") return undefined;
  const all = stops(control);
  return slider(`${control.title} of ${kernel}, by slider`, [0, all.length - 1, 1], {
    placeOf: (value) => stopOf(control, value),
    // A rank of 0 is what an empty field says.
    at: (place) => (control.kind === "rank" && place === 0 ? null : (all[place] ?? null)),
    says: (value) => stopText(control, value),
  });
}

// ---------------------------------------------------------------- orders

/** The order as it is, or as the engine spells it: one that it spells with a size has one. */
export function warpOrderOf({ now, normal, catalogue }: FormState): { name: string; size: number | null } {
  const was = normal.value?.warp_order,
    order = readOrder(now.warp_order ?? was ?? catalogue.warp_orders[0]?.name ?? ""),
    spelt = readOrder(was ?? "");
  return { name: order.name, size: order.size ?? (spelt.name === order.name ? spelt.size : null) };
}
function warpOrder(form: FormState, size: string | undefined): Field {
  const order = warpOrderOf(form),
    entry = form.catalogue.warp_orders.find(({ name }) => name === order.name),
    set = (name: string, to: unknown): void => form.set("warp_order", writeOrder(name, (to as number) ?? null));
  if (size === undefined)
    return oneOf(
      "Warp order",
      form.catalogue.warp_orders.map(ordered),
      order.name,
      (name) => set(String(name), null),
      entry && sentence(entry.doc),
    );
  const label = entry?.takes ?? "Group size";
  return { kind: "int", label, unit: "warps", min: 1, value: order.size, put: (to) => set(order.name, to) };
}

const ctaOrderOf = ({ now, normal, catalogue }: FormState): PolicyChoice =>
  readCtaOrder(now.cta_order ?? normal.value?.cta_order ?? catalogue.cta_orders[0]?.name);
export const ctaOrderEntry = (form: FormState) =>
  form.catalogue.cta_orders.find(({ name }) => name === ctaOrderOf(form).name);
function ctaOrder(form: FormState, name?: string, ...rest: string[]): Field {
  const order = ctaOrderOf(form),
    entry = ctaOrderEntry(form);
  if (name !== undefined)
    return paramField(
      form,
      entry?.params.find((one) => one.name === name),
      order[name],
      (value) => form.set("cta_order", writeCtaOrder(having(order, name, value))),
      rest,
    );
  const help = entry && `${sentence(entry.doc)} Source: ${sentence(entry.source)}`,
    all = form.catalogue.cta_orders.map(ordered);
  return oneOf("CTA order", all, order.name, (to) => form.set("cta_order", to), help);
}

// ---------------------------------------------------------------- when the run stops

type StopField = "settled" | "cycles" | "at_most" | undefined;
const RULES: readonly (Option & { value: StopRule })[] = [
  { value: "cycles", text: "after so many cycles" },
  { value: "kernels_done", text: "when every kernel is done" },
  { value: "settled", text: "when it is settled" },
];
const stopNow = ({ now, normal }: FormState): Stop => ((now.stop ?? normal.value?.stop) as Stop | undefined) ?? {};
/** The fields that the rule has. */
export const stopFields = (form: FormState): string[] =>
  stopRule(stopNow(form)) === "settled" ? ["stop", "stop.settled", "stop.at_most"] : ["stop", "stop.cycles"];

function stopField(form: FormState, key: StopField): Field {
  const { catalogue } = form,
    stop = form.now.stop as Stop | undefined,
    was = form.normal.value?.stop as Stop | undefined,
    now = stopNow(form),
    rule = stopRule(now);
  const put = (next: Stop | undefined): void => form.set("stop", next && { ...next }),
    ratio = (name: string): string => catalogue.metrics.find((one) => one.key === name)?.title ?? titleOf(name);
  if (key === undefined) {
    const known = (now.of ?? ["ipc"]).map(ratio).join(", "),
      help = `When ${known} of every kernel is known that well, and each has shown a whole launch.`;
    return oneOf(
      "Stop",
      RULES,
      rule,
      (to) => put(withRule(stop, to as StopRule)),
      rule === "settled" ? help : undefined,
    );
  }
  if (key === "settled")
    return {
      kind: "number",
      label: "Known to",
      unit: "± %",
      help: "Half of the 95 % interval, as a part of the number.",
      min: 0,
      max: 100,
      placeholder: String(toPercent(now.settled ?? 0.01)),
      value: stop?.settled === undefined ? undefined : toPercent(stop.settled),
      put: (value) => put(withNumber(stop, key, value === undefined ? 0.01 : fromPercent(value as number))),
    };
  // As the engine has filled it in; there is none while the page waits for that.
  const filled = was && stopRule(was) === rule ? was[key] : undefined;
  return {
    ...recordField(catalogue, key === "cycles" ? "StopAfter" : "StopWhenSettled", key),
    label: rule === "cycles" ? "Stop after" : "At most",
    help: undefined,
    none: undefined,
    placeholder: filled === undefined ? "no limit" : fixed(filled, 0),
    value: stop?.[key],
    put: (value) => put(withNumber(stop, key, (value as number | undefined) ?? null)),
  };
}
