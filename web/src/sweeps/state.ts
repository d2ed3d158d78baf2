// What the sweeps page shows, as a link: the sweep itself, or the name of an example, and what the chart shows of it.
import { LinkError, deeperThan, linkFields, pack, quote, unpack } from "../model/link.ts";

/** `y`: the metric; `x`: the axis across, from 0. */
export interface SweepState {
  text: string;
  y: string;
  x: number;
}

/** Longest link that is written: browsers and mails cut longer ones. */
const MAX_LINK = 30_000;

/** The hash, or null where the sweep is too long for a link. Spaces and line ends of the text do not travel. */
export async function encodeSweep(
  state: SweepState,
  examples: Readonly<Record<string, string>>,
): Promise<string | null> {
  const compact = (text: string): string => {
    try {
      return JSON.stringify(JSON.parse(text));
    } catch {
      return text;
    }
  };
  const mine = compact(state.text);
  const example = Object.keys(examples).find((name) => compact(examples[name] ?? "") === mine);
  const parts = ["v=1", example === undefined ? `z=${await pack(mine)}` : `example=${example}`];
  if (state.y !== "") parts.push(`y=${state.y}`);
  if (state.x > 0) parts.push(`x=${state.x}`);
  const hash = `#${parts.join("&")}`;
  return hash.length > MAX_LINK ? null : hash;
}

/** The state in a hash; null for an empty one. */
export async function decodeSweep(
  hash: string,
  examples: Readonly<Record<string, string>>,
): Promise<SweepState | null> {
  const fields = linkFields(hash, MAX_LINK);
  if (!fields) return null;
  for (const key of fields.keys())
    if (!["v", "z", "example", "y", "x"].includes(key))
      throw new LinkError(`It has a part that this page does not know: “${quote(key)}”.`);
  const packed = fields.get("z"),
    example = fields.get("example"),
    x = fields.get("x") ?? "0",
    y = fields.get("y") ?? "";
  if (!/^\d{1,2}$/.test(x)) throw new LinkError(`Its axis is “${quote(x)}”, which is not a whole number.`);
  if (!/^\w{0,40}$/.test(y)) throw new LinkError("Its metric is damaged.");
  if (packed !== undefined && example === undefined)
    return { text: pretty(await unpack(packed, "sweep")), x: Number(x), y };
  const found =
    example !== undefined && packed === undefined && Object.hasOwn(examples, example) ? examples[example] : undefined;
  if (found === undefined)
    throw new LinkError(`It does not say which sweep (z=… or example=${Object.keys(examples).join("|")}).`);
  return { text: found, x: Number(x), y };
}

/** The command that runs a sweep with the native runner, and goes on where its lines end. */
export const sweepCommand = (name: string, text: string): string =>
  `cat > ${name}.json <<'SWEEP'\n${text.trimEnd()}\nSWEEP\ntarget/release/corun sweep ${name}.json --resume --out ${name}.jsonl\n`;

/** A deeper one is refused by the engine. */
const MAX_DEPTH = 128;

/** A sweep's file, read; undefined where it is no JSON, or deeper than any sweep. */
export function read(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return deeperThan(value, MAX_DEPTH) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** JSON as a person would write it: what fits on a line stands on one. */
export function pretty(text: string): string {
  const value = read(text);
  return value === undefined ? text : `${written(value, "")}\n`;
}

function written(value: unknown, indent: string): string {
  const flat = flatly(value);
  if (flat.length + indent.length <= 60 || typeof value !== "object" || value === null) return flat;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((v) => written(v, inner))
    : Object.entries(value).map(([key, v]) => `${JSON.stringify(key)}: ${written(v, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`;
}

function flatly(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flatly).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(([key, v]) => `${JSON.stringify(key)}: ${flatly(v)}`);
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}
