// What the component lab shows, as a link and as a command: plain functions of a state.
import { LinkError, linkFields, quote } from "../link.ts";
import type { OptionValue, ProbeInfo, ProbeOption } from "../types.ts";

/** `options` holds what differs from the defaults, and nothing of the option that is swept: that is `points`. */
export interface LabState {
  component: string;
  options: Record<string, OptionValue>;
  points: string;
}

export function encodeLab(state: LabState): string {
  const options = Object.entries(state.options).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return `#${["v=1", `part=${state.component}`, ...options, `points=${state.points}`].join("&")}`;
}

/** The state in a hash; null for an empty one. What an option may be, the engine says. */
export function decodeLab(hash: string, probes: readonly ProbeInfo[]): LabState | null {
  const fields = linkFields(hash, 4000);
  if (!fields) return null;
  const info = probes.find((one) => one.name === fields.get("part"));
  if (!info) throw new LinkError(`It does not say which component (part=${probes.map((one) => one.name).join("|")}).`);
  const state: LabState = { component: info.name, options: {}, points: fields.get("points") ?? info.points };
  for (const [key, value] of fields) {
    if (["v", "part", "points"].includes(key)) continue;
    const option = info.options.find((one) => one.name === key && key !== info.sweep);
    if (!option)
      throw new LinkError(`It has a part that the ${info.title.toLowerCase()} does not know: “${quote(key)}”.`);
    state.options[key] = read(option, value);
  }
  return state;
}

/** Text as the option's kind of value; text that is none stays text, and the engine refuses it by name. */
export function read(option: ProbeOption, text: string): OptionValue {
  if (option.kind === "bool") return text === "true" ? true : text === "false" ? false : text;
  if (option.kind === "choice") return text;
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** The points that `FROM:TO:STEP` stands for, as the runner reads it; null if it is something else. */
export function points(text: string): number[] | null {
  const parts = text.split(":").map((part) => (part.trim() === "" ? NaN : Number(part)));
  const [from = NaN, to = NaN, step = NaN] = parts;
  if (parts.length !== 3 || !parts.every(Number.isFinite) || step <= 0 || to < from || (to - from) / step > 999.5)
    return null;
  const count = Math.floor((to - from) / step + 1e-6);
  return Array.from({ length: count + 1 }, (_, i) => Math.round((from + i * step) * 1e9) / 1e9);
}

/** The command that prints the same numbers. */
export function command(state: LabState, sweep: string): string {
  const flags = Object.entries(state.options).flatMap(([name, value]) => {
    const flag = `--${name.replaceAll("_", "-")}`;
    if (typeof value === "boolean") return value ? [flag] : [];
    return [flag, /^[\w.:+-]+$/.test(String(value)) ? String(value) : `'${String(value).replaceAll("'", "'\\''")}'`];
  });
  return ["target/release/corun", "probe", state.component, ...flags, `--${sweep}`, state.points].join(" ");
}
