// What the component lab shows, as a link and as a command: plain functions of a state.
import { LinkError, checkVersion } from "../link.ts";
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
  const text = hash.replace(/^#/, "");
  if (text === "") return null;
  if (text.length > 4000) throw new LinkError("It is longer than 4,000 characters.");
  const fields = new Map<string, string>();
  for (const part of text.split("&")) {
    const at = part.indexOf("=");
    const key = at < 0 ? part : part.slice(0, at);
    if (fields.has(key)) throw new LinkError(`It has “${key.slice(0, 40)}” twice.`);
    try {
      fields.set(key, decodeURIComponent(at < 0 ? "" : part.slice(at + 1)));
    } catch {
      throw new LinkError(`The value of “${key.slice(0, 40)}” is cut or damaged.`);
    }
  }
  checkVersion(fields.get("v"));
  const info = probes.find((one) => one.name === fields.get("part"));
  if (!info) throw new LinkError(`It does not say which component (part=${probes.map((one) => one.name).join("|")}).`);
  const state: LabState = { component: info.name, options: {}, points: fields.get("points") ?? info.points };
  for (const [key, value] of fields) {
    if (["v", "part", "points"].includes(key)) continue;
    const option = info.options.find((one) => one.name === key && key !== info.sweep);
    if (!option)
      throw new LinkError(`It has a part that the ${info.title.toLowerCase()} does not know: “${key.slice(0, 40)}”.`);
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
