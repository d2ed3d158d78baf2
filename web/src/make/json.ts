// JSON as it is typed: where each of its fields stands, what can stand at a place, and what is said of it, by the format's records. No DOM.
import { presetValue } from "../model/classes.ts";
import { fieldFor, plainPath, wrongText } from "../model/format.ts";
import type { Catalogue, Problem } from "../model/types.ts";
import { forms, type Described, type Shape } from "../model/shape.ts";

/** A field of an object, by its name, or an entry of a list, by its first character; with the path to it. */
interface Place {
  path: string[];
  from: number;
  to: number;
}
interface Open {
  list: boolean;
  /** The field, or the number of the entry. */
  key: string;
  /** Whether a name is next. */
  names: boolean;
}
interface Scan {
  places: Place[];
  open: Open[];
  /** Where the text begins that is not ended; null outside of one. */
  text: number | null;
}

/** Reads as far as `end`, whatever is wrong with it. */
export function scan(text: string, end = text.length): Scan {
  const places: Place[] = [],
    open: Open[] = [];
  const path = (): string[] => open.map(({ key }) => key);
  let fresh = true;
  for (let at = 0; at < end; ) {
    const char = text[at] ?? "",
      top = open.at(-1),
      from = at;
    at += 1;
    if (/\s/.test(char)) continue;
    if (char === '"') {
      while (at < end && text[at] !== '"' && text[at] !== "\n") at += text[at] === "\\" ? 2 : 1;
      if (at >= end) return { places, open, text: from };
      at += 1;
      if (top?.names) {
        top.key = text.slice(from + 1, at - 1);
        places.push({ path: path(), from, to: at });
        continue;
      }
    }
    if (char === ":" && top) top.names = false;
    else if (char === "," && top) {
      if (top.list) top.key = String(Number(top.key) + 1);
      top.names = !top.list;
      fresh = true;
    } else if (char === "}" || char === "]") open.pop();
    else if (fresh && top?.list) {
      places.push({ path: path(), from, to: at });
      fresh = false;
    }
    if (char === "{" || char === "[") {
      open.push({ list: char === "[", key: char === "[" ? "0" : "", names: char === "{" });
      fresh = true;
    }
  }
  return { places, open, text: null };
}

// ---------------------------------------------------------------- what the format says of a path

/** What a form has by names: a record's fields, those of which there is one, and of a GPU all that can be changed. */
function fieldsOf(catalogue: Catalogue, shape: Shape, preset: string): Described[] {
  if (shape.kind === "one") return shape.fields ?? [];
  if (shape.kind !== "record") return [];
  const fields = (catalogue.records.find(({ name }) => name === shape.of)?.fields ?? []) as Described[];
  if (shape.of !== "GpuChange") return fields;
  const own = catalogue.gpu_fields.flatMap((field) => {
    const base = presetValue(field, preset);
    return base === undefined ? [] : [{ ...field, name: field.path, doc: `${field.doc}. ${preset}: ${base}` }];
  });
  return [...fields, ...own];
}

/** The forms of what stands at a path of a record. */
function at(catalogue: Catalogue, record: string, path: readonly string[], preset: string): Shape[] {
  return path.reduce<Shape[]>(
    (shapes, key) =>
      shapes.flatMap((shape) =>
        shape.kind === "list" || shape.kind === "map"
          ? forms(shape.of as Shape)
          : fieldsOf(catalogue, shape, preset)
              .filter(({ name }) => name === key)
              .flatMap(forms),
      ),
    [{ kind: "record", of: record }],
  );
}

const presetIn = (text: string): string => /"preset"\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? "";
const range = ({ min, max }: Shape): string =>
  min === undefined && max === undefined ? "" : ` From ${min ?? "−∞"} to ${max?.toLocaleString("en") ?? "∞"}.`;
const saying = (field: Described): string =>
  `${field.doc}${/[.!?]$/.test(field.doc) ? "" : "."}${field.unit ? ` Unit: ${field.unit}.` : ""}${forms(field).map(range)[0] ?? ""}`;

export interface Name {
  text: string;
  label: string;
  doc: string;
}

/** What can stand at `end`: names of fields that are not there yet, or values; null where there is nothing to say. */
export function jsonNames(
  text: string,
  end: number,
  catalogue: Catalogue,
  record: string,
): { from: number; options: Name[] } | null {
  const { open, text: begun } = scan(text, end),
    top = open.at(-1);
  if (!top) return null;
  const path = open.map(({ key }) => key),
    within = path.slice(0, -1),
    from = begun ?? end - (/\w*$/.exec(text.slice(0, end))?.[0].length ?? 0);
  const typed = text.slice(from, end).replace(/^"/, "").toLowerCase(),
    // The rest of a text that has been ended is not to be there twice.
    quote = begun !== null && text[end] === '"' ? "" : '"';
  const option = (name: string, doc: string): Name => ({ text: `"${name}${quote}`, label: name, doc });
  const preset = presetIn(text);
  let options: Name[];
  if (top.names) {
    const taken = new Set(
      scan(text)
        .places.filter((place) => place.path.length === path.length && within.every((key, i) => place.path[i] === key))
        .map((place) => place.path.at(-1)),
    );
    options = at(catalogue, record, within, preset)
      .flatMap((shape) => fieldsOf(catalogue, shape, preset))
      .filter(({ name }) => !taken.has(name))
      .map((field) => ({ ...option(field.name, saying(field)), text: `"${field.name}${quote}${quote && ": "}` }));
  } else
    options = at(catalogue, record, path, preset).flatMap((shape): Name[] => {
      if (shape.kind === "choice") return (shape.choices ?? []).map((name) => option(name, ""));
      if (shape.kind === "bool") return ["true", "false"].map((name) => ({ text: name, label: name, doc: "" }));
      const named = { "a preset": catalogue.gpus, "a kernel": catalogue.kernels }[String(shape.of)];
      return shape.kind === "name" && named ? named.map(({ name, title }) => option(name, title)) : [];
    });
  const seen = new Set<string>();
  options = options.filter(({ label }) => label.toLowerCase().includes(typed) && !seen.has(label) && seen.add(label));
  return options.length === 0 ? null : { from, options };
}

/** What the format says of the field whose name is at a place. */
export function jsonSays(
  text: string,
  where: number,
  catalogue: Catalogue,
  record: string,
): { from: number; to: number; doc: string } | null {
  const place = scan(text).places.find(({ from, to }) => where >= from && where < to),
    preset = presetIn(text);
  const field = at(catalogue, record, place?.path.slice(0, -1) ?? [], preset)
    .flatMap((shape) => fieldsOf(catalogue, shape, preset))
    .find(({ name }) => name === place?.path.at(-1));
  return place && field ? { from: place.from, to: place.to, doc: saying(field) } : null;
}

/** The problems of a part of the experiment, each at its field; what names none is of the whole. */
export function jsonMarks(text: string, problems: readonly Problem[], part: string): Mark[] {
  const { places } = scan(text),
    byPath = new Map(places.map((place): [string, Place] => [place.path.join("."), place]));
  return problems.flatMap(({ path, found, want }) => {
    const plain = plainPath(path);
    if (plain !== part && !plain.startsWith(`${part}.`)) return [];
    const rest = plain.slice(part.length + 1).replace(/^kernel\./, ""),
      { from, to } = byPath.get(fieldFor(rest, byPath.keys()) ?? "") ?? { from: 0, to: Math.min(1, text.length) };
    return [{ from, to, message: wrongText({ found, want }) }];
  });
}

/** A place in a text with what is wrong there. */
export interface Mark {
  from: number;
  to: number;
  message: string;
}
