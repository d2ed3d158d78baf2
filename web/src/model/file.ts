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

/** What the browser says, with a line instead of a position. */
export function jsonError(error: unknown, text: string): string {
  const said = errorText(error);
  const at = /position (\d+)/.exec(said);
  if (!at || /line \d+/.test(said)) return said;
  const before = text.slice(0, Number(at[1])).split("\n");
  return `${said.replace(/ (at|in JSON at) position \d+.*/, "")}, line ${before.length}, column ${(before[before.length - 1] ?? "").length + 1}`;
}
