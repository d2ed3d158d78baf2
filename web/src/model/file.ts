// An experiment's file: opened, and what is wrong with it in words.
import { errorText, problemText } from "./format.ts";
import { LinkError, asExperiment } from "./link.ts";
import type { Experiment, Problem } from "./types.ts";

/** Reads an experiment from a file. `validate` asks the engine about it. Throws what is wrong with the file itself. */
export async function openFile(
  file: File,
  validate: (experiment: string | object) => Promise<Problem[]>,
): Promise<Experiment> {
  if (file.size > 1_000_000)
    throw new Error("It has more than a million bytes, too many for a link: the runner takes it (`corun run FILE`).");
  const text = await file.text();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new LinkError(`It is not JSON: ${jsonError(error, text)}`);
  }
  const experiment = asExperiment(value);
  // What is lost in reading, such as the first of two fields with one name, only the text can tell.
  const problems = await validate(text);
  if (problems.length > 0 && (await validate(experiment)).length === 0)
    throw new LinkError(problems.map((p) => `${problemText(p)}.`).join(" "));
  // A file that this page saved says so in its source; that is no part of what it will be saved as.
  if (typeof experiment.source === "string" && /^Corun \S+ · config /.test(experiment.source)) delete experiment.source;
  return experiment;
}

const TOKEN =
  /[{}[\],:]|"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy;
const SPACE = /\s*/y;
/** Where a text stops being JSON: each browser says it in words of its own, or not at all. */
export function brokenAt(text: string): number {
  const open: string[] = [];
  // What may stand next: a value, a key, a colon, what follows a value, or the end of an empty list or object.
  let may = "value";
  for (let at = 0; ; at = TOKEN.lastIndex) {
    SPACE.lastIndex = at;
    SPACE.exec(text);
    at = TOKEN.lastIndex = SPACE.lastIndex;
    const token = TOKEN.exec(text)?.[0],
      inside = open.at(-1) ?? "";
    if (token === undefined) return at;
    const kind = "{[".includes(token) ? "begin" : "}]".includes(token) ? "end" : token;
    if (kind === "begin" && /value/.test(may)) {
      open.push(token);
      may = token === "{" ? "key or end" : "value or end";
    } else if (kind === "end" && /end/.test(may) && inside === (token === "}" ? "{" : "[")) {
      open.pop();
      may = open.length > 0 ? "comma or end" : "nothing";
    } else if (token === "," && /comma/.test(may)) may = inside === "{" ? "key" : "value";
    else if (token === ":" && may === "colon") may = "value";
    else if (token.startsWith('"') && /key/.test(may)) may = "colon";
    else if (!/^[,:]$/.test(token) && kind === token && /value/.test(may))
      may = open.length > 0 ? "comma or end" : "nothing";
    else return at;
  }
}
/** What the browser says, with the line and the column. */
export function jsonError(error: unknown, text: string): string {
  const said = errorText(error).replace(
      /,? (?:in JSON )?at (?:position|line) \d+.*$|, (?:\.\.\.)?".* is not valid JSON$/s,
      "",
    ),
    before = text.slice(0, brokenAt(text)).split("\n");
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}: ${said}`;
}
