// What can stand at a place in a script, from the words before it and the engine's list of names.
import type { ControlEntry, ScriptName, ScriptWords } from "../../model/types.ts";

interface Completion {
  /** What is written. */ text: string;
  /** What is shown. */
  label: string;
  doc: string;
}
interface Completions {
  /** Where the begun word starts. */ from: number;
  options: Completion[];
}

const named = (names: readonly ScriptName[]): Completion[] =>
  names.map(({ name, unit, doc }) => ({ text: name, label: name, doc: unit ? `${doc}. Unit: ${unit}` : doc }));
const own = (text: string, doc: string): Completion => ({ text, label: text, doc });

/** Lists of objects, and what their entries are. */
const KERNELS = own("kernels", "The kernels of the mix, a list; on an SM, as they are there"),
  SMS = own("sms", "The SMs, a list");
const TOTAL = own("total", "The kernel's counters since the run began");

function members(owner: string, words: ScriptWords, controls: readonly ControlEntry[]): Completion[] {
  if (/(^|\W)controls(\.sms\[[^\]]*\])?$/.test(owner)) {
    const sets = controls.map((c) => ({
      text: c.scope.startsWith("kernel") ? `${c.key}[` : c.key,
      label: c.key,
      doc: `${c.title}, for each ${c.scope}. ${c.doc}. Neutral: ${c.neutral}`,
    }));
    return [...sets, own("sms[", "The controls of one SM")];
  }
  if (/(^|\W)seen$/.test(owner)) return [KERNELS, SMS, ...named(words.run)];
  if (/(^|\W)event$/.test(owner))
    return ["kernel", "sm", "cta", "launch"].map((name) =>
      own(name, "What the event is about; not every event has it"),
    );
  if (/\.total$/.test(owner)) return named(words.counters);
  if (/\.sms\[[^\]]*\]$/.test(owner)) return [...named(words.sm), KERNELS];
  if (/(^|\W)this$/.test(owner)) return [];
  const seen = new Set<string>();
  return [...named(words.kernel), TOTAL, ...named(words.on_sm), ...named(words.counters)].filter(
    ({ text }) => !seen.has(text) && seen.add(text),
  );
}

function alone(words: ScriptWords): Completion[] {
  const called = words.functions.map(({ call, doc }) => ({
    text: call.slice(0, call.indexOf("(") + 1),
    label: call,
    doc,
  }));
  const hooks = words.hooks.map(({ name, params, doc }) => ({
    text: `fn ${name}(${params.join(", ")}) {`,
    label: `fn ${name}`,
    doc,
  }));
  return [
    ...hooks,
    own("seen.kernels", "The kernels of the mix, a list"),
    own("controls.", "What can be set"),
    ...called,
  ];
}

/** What can stand at `at`; null where nothing is begun. */
export function completionsAt(
  text: string,
  at: number,
  words: ScriptWords,
  controls: readonly ControlEntry[],
): Completions | null {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  if (line.includes("//")) return null;
  const member = /([A-Za-z_][\w.]*(?:\([^()]*\)|\[[^\]]*\])?(?:\.\w+(?:\[[^\]]*\])?)*)\.(\w*)$/.exec(line);
  const prefix = member ? (member[2] as string) : (/(?:fn )?\w*$/.exec(line)?.[0] ?? "");
  if (!member && prefix.length < 2) return null;
  const all = member ? members(member[1] as string, words, controls) : alone(words);
  const begun = prefix.toLowerCase();
  const options = all.filter(({ label, text: whole }) => label.toLowerCase().startsWith(begun) && whole !== prefix);
  return options.length === 0 ? null : { from: at - prefix.length, options };
}

/** The line that a message of the engine names, from 1; null where it names none. */
export function lineOf(message: string): number | null {
  const found = /(?:^|: found |\n)line (\d+): /.exec(message);
  return found ? Number(found[1]) : null;
}
