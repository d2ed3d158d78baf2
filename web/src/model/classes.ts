// SM classes as the form edits them: an experiment's GPU names its preset and what differs from it, `sm.NAME.count` adds a class that begins as the preset's
// first one, and `sm.X` is X of every class. No DOM.
import { fixed } from "./format.ts";
import type { GpuChoice, GpuField } from "./types.ts";

type Changes = Readonly<Record<string, number | string>>;
type Changed = { preset: string } & Record<string, number | string>;

export interface SmClass {
  name: string;
  /** The preset has it; others can be taken away again. */
  own: boolean;
}

/** What the engine calls the class of a preset with equal SMs. */
const ONLY = "sm";
export const MOST_CLASSES = 8;
const COUNT = /^sm\.(?:([A-Za-z0-9_-]+)\.)?count$/;
/** What the engine takes for a class's name. */
export const isClassName = (name: string): boolean => /^[A-Za-z0-9_-]{1,40}$/.test(name) && name !== "l1";

/** A field's value on a preset; undefined where the preset has none, or is none. */
export const presetValue = ({ values }: GpuField, preset: string): number | string | undefined =>
  Object.hasOwn(values, preset) ? values[preset] : undefined;

export const changesOf = (gpu: GpuChoice | undefined): Changes => (typeof gpu === "object" ? gpu : {});

/** The classes of a GPU: the preset's, then those that are added. */
export function classesOf(fields: readonly GpuField[], preset: string, changes: Changes): SmClass[] {
  const own = fields.flatMap((field) => {
    const found = presetValue(field, preset) === undefined ? null : COUNT.exec(field.path);
    return found ? [found[1] ?? ONLY] : [];
  });
  const added = Object.keys(changes).flatMap((key) => {
    const name = COUNT.exec(key)?.[1];
    return name === undefined || own.includes(name) ? [] : [name];
  });
  return [...own.map((name) => ({ name, own: true })), ...added.map((name) => ({ name, own: false }))];
}

/** Fields of an SM on a preset: those of its only class, or of its first one; without their prefix. */
function ofSm(fields: readonly GpuField[], preset: string): { rest: string; field: GpuField }[] {
  const [first] = classesOf(fields, preset, {}),
    prefix = first === undefined || first.name === ONLY ? "sm." : `sm.${first.name}.`;
  return fields.flatMap((field) =>
    presetValue(field, preset) !== undefined && field.path.startsWith(prefix)
      ? [{ rest: field.path.slice(prefix.length), field }]
      : [],
  );
}

/** Classes without SMs: the engine takes them away, and the form keeps their number of SMs alone, by which they come back. */
export const emptyClasses = (fields: readonly GpuField[], preset: string, changes: Changes): string[] =>
  classesOf(fields, preset, changes)
    .map(({ name }) => name)
    .filter((name) => changes[`sm.${name}.count`] === 0);

/** The fields of a GPU: the preset's, with those of every class under its name where classes are added; and what else is changed. */
export function shownFields(fields: readonly GpuField[], preset: string, changes: Changes): GpuField[] {
  const classes = classesOf(fields, preset, changes),
    added = classes.filter(({ own }) => !own),
    equal = classes[0]?.name === ONLY;
  const template = ofSm(fields, preset),
    under = (name: string): GpuField[] =>
      template.map(({ rest, field }) => ({
        ...field,
        path: `sm.${name}.${rest}`,
        values: { [preset]: changes[`sm.${rest}`] ?? (presetValue(field, preset) as number | string) },
      }));
  const replaced = new Set(added.length > 0 && equal ? template.map(({ field }) => field.path) : []);
  const kept = fields.filter(
    (field) =>
      (presetValue(field, preset) !== undefined && !replaced.has(field.path)) || changes[field.path] !== undefined,
  );
  const more = added.length === 0 ? [] : [...(equal ? under(ONLY) : []), ...added.flatMap(({ name }) => under(name))];
  const ofSms = (field: GpuField): boolean => field.path.startsWith("sm.");
  const none = emptyClasses(fields, preset, changes),
    has = ({ path }: GpuField): boolean =>
      path.endsWith(".count") || changes[path] !== undefined || !none.some((name) => path.startsWith(`sm.${name}.`));
  return [...kept.filter(ofSms), ...more, ...kept.filter((field) => !ofSms(field))].filter(has);
}

/** A field's value: what it is changed to, else the preset's. */
const fieldValue = (field: GpuField, preset: string, changes: Changes): number | string | undefined =>
  changes[field.path] ?? presetValue(field, preset);

/** A field of a GPU by its path. */
export function gpuValue(
  fields: readonly GpuField[],
  preset: string,
  changes: Changes,
  path: string,
): number | string | undefined {
  const field = fields.find((one) => one.path === path);
  return field ? fieldValue(field, preset, changes) : changes[path];
}
/** SMs of all classes. */
export const smsOf = (fields: readonly GpuField[], preset: string, changes: Changes): number =>
  shownFields(fields, preset, changes)
    .filter(({ path }) => COUNT.test(path))
    .reduce((sum, field) => sum + (Number(fieldValue(field, preset, changes)) || 0), 0);

/** A GPU with one field set; undefined, or what the preset has, takes it out: a link stays short and says what is special. What is said last holds. */
export function withField(
  gpu: GpuChoice | undefined,
  preset: string,
  path: string,
  value: unknown,
  base: unknown,
): GpuChoice {
  const { [path]: _, ...rest } = { ...changesOf(gpu), preset } as Record<string, unknown>;
  return simple((value === undefined || value === base ? rest : { ...rest, [path]: value }) as Changed);
}

const simple = (gpu: Changed): GpuChoice => (Object.keys(gpu).length === 1 ? gpu.preset : gpu);
const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

/** What one class has, by the rest of the path. */
function read(fields: readonly GpuField[], preset: string, changes: Changes, name: string): (rest: string) => number {
  const shown = shownFields(fields, preset, changes),
    paths = [`sm.${name}.`, ...(name === ONLY ? ["sm."] : [])];
  return (rest) => {
    const field = paths
      .map((prefix) => shown.find(({ path }) => path === `${prefix}${rest}`))
      .find((one) => one !== undefined);
    return field ? numberOf(fieldValue(field, preset, changes)) : 0;
  };
}

/** With one class more, which takes half of the first one's SMs and is like them. */
export function withClass(fields: readonly GpuField[], preset: string, changes: Changes, name: string): GpuChoice {
  const classes = classesOf(fields, preset, changes),
    first = classes[0]?.name ?? ONLY,
    all = read(fields, preset, changes, first)("count");
  const gpu: Changed = { preset };
  for (const [key, value] of Object.entries(changes)) {
    const of = key.startsWith(`sm.${first}.`)
      ? key.slice(4 + first.length)
      : classes.length === 1 && key.startsWith("sm.")
        ? key.slice(3)
        : null;
    if (of === null) gpu[key] = value;
    else if (of !== "count") gpu[`sm.${first}.${of}`] = gpu[`sm.${name}.${of}`] = value;
  }
  gpu[`sm.${first}.count`] = Math.max(1, all - Math.floor(all / 2));
  gpu[`sm.${name}.count`] = Math.max(1, Math.floor(all / 2));
  return gpu;
}

/** Without a class that was added: the first one has its SMs. */
export function withoutClass(fields: readonly GpuField[], preset: string, changes: Changes, name: string): GpuChoice {
  const classes = classesOf(fields, preset, changes),
    first = classes[0]?.name ?? ONLY,
    count = (of: string): number => read(fields, preset, changes, of)("count");
  // Of equal SMs, what is said of one class is said of all.
  const alone = classes.length === 2 && first === ONLY,
    to = (rest: string): string => (alone ? `sm.${rest}` : `sm.${first}.${rest}`);
  const gpu: Changed = { preset };
  const put = (key: string, value: number | string): void => {
    if (fields.find(({ path }) => path === key)?.values[preset] !== value) gpu[key] = value;
  };
  for (const [key, value] of Object.entries(changes)) {
    if (key.startsWith(`sm.${name}.`) || key === `sm.${first}.count` || key === "preset") continue;
    put(key.startsWith(`sm.${first}.`) ? to(key.slice(4 + first.length)) : key, value);
  }
  put(to("count"), count(first) + count(name));
  return simple(gpu);
}

export function withName(changes: Changes, from: string, to: string): Changes {
  return Object.fromEntries(
    Object.entries(changes).map(([key, value]) => [
      key.startsWith(`sm.${from}.`) ? `sm.${to}.${key.slice(4 + from.length)}` : key,
      value,
    ]),
  );
}

// ---------------------------------------------------------------- storage for threads

/** What SM classes are sized by: the sums over all SMs are the area that they take (Zhao et al., TPDS 30(1), 2019, §5). `whole`: of an SM, in multiples of it. */
export const STORAGE = [
  { rest: "registers", title: "Registers", scale: 1, whole: 1 },
  { rest: "shared_bytes", title: "Shared memory, KB", scale: 1024, whole: 1024 },
  { rest: "threads", title: "Threads", scale: 1, whole: 32 },
  { rest: "threads", title: "Warp slots", scale: 32, whole: 32 },
  { rest: "ctas", title: "CTA slots", scale: 1, whole: 1 },
] as const;

/** Of all SMs, by `STORAGE`. */
export function storageOf(fields: readonly GpuField[], preset: string, changes: Changes): number[] {
  const each = classesOf(fields, preset, changes).map(({ name }) => read(fields, preset, changes, name));
  return STORAGE.map(({ rest, scale }) => each.reduce((sum, of) => sum + of("count") * of(rest), 0) / scale);
}

/** What SMs are measured by: the preset's own where they are equal, else the GPU whose storage HeteroCore's classes share out. */
export const baselineOf = (fields: readonly GpuField[], preset: string): string =>
  classesOf(fields, preset, {})[0]?.name === ONLY ? preset : "fermi-16sm";

/** With a class each of whose SMs has what all others leave of the baseline; at least one of each. */
export function withFilled(fields: readonly GpuField[], preset: string, changes: Changes, name: string): GpuChoice {
  const of = read(fields, preset, changes, name),
    count = Math.max(1, of("count"));
  const have = storageOf(fields, preset, changes),
    want = storageOf(fields, baselineOf(fields, preset), {});
  const gpu: Changed = { preset, ...changes },
    shown = shownFields(fields, preset, changes);
  STORAGE.forEach(({ rest, scale, whole }, i) => {
    const path = `sm.${name}.${rest}`,
      others = (have[i] as number) * scale - of("count") * of(rest);
    const value = Math.max(whole, Math.floor(((want[i] as number) * scale - others) / count / whole) * whole);
    delete gpu[path];
    if (shown.find((field) => field.path === path)?.values[preset] !== value) gpu[path] = value;
  });
  return simple(gpu);
}

/** How much more than the baseline that is: `equal`, `+6.3 %`; less than half of the last digit, as a number. */
export function besideText(value: number, baseline: number): string {
  const more = value - baseline,
    part = baseline > 0 ? (100 * more) / baseline : 0,
    sign = more > 0 ? "+" : "−";
  if (more === 0) return "equal";
  return Math.abs(part) < 0.05
    ? `${sign}${Math.abs(more).toLocaleString("en")}`
    : `${sign}${fixed(Math.abs(part), 1)} %`;
}
