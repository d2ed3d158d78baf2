// What happened in a run, in words and as a list: launches, context switches, quotas on top, and what the policy decided. No DOM.
import { whole } from "./scale.ts";
import type { Events } from "./event-log.ts";
import type { Decision } from "./types.ts";

export interface Happened {
  cycle: number;
  /** What the list tells apart. */
  kind: string;
  kernel: number | null;
  /** After the kernel's name, where there is one. */
  text: string;
}
/** What the kinds of decisions begin with. */
export const DECISIONS = "decisions";

const ctas = (n: number): string => `${whole(n)} CTA${n === 1 ? "" : "s"}`;

export const launchText = (name: string, launch: number, run: number): string =>
  `launch ${launch + 1} of ${name}${run > 0 ? `, run ${run + 1}` : ""}`;

export function switchText(name: string, left: number, back: number): string {
  const said = [
    ...(left > 0 ? [`${ctas(left)} of ${name} off`] : []),
    ...(back > 0 ? [`${ctas(back)} of ${name} back to`] : []),
  ];
  return `context switches take ${said.join(", ")} ${left + back === 1 ? "an SM" : "SMs"}`;
}

/** The buckets in which any kernel got its quota on top. */
export function onTopOf(past: Events): { from: number; times: number[] }[] {
  return Array.from(past.onTop[0] ?? [], (_, i) => ({
    from: i * past.bucket,
    times: past.onTop.map((all) => all[i] ?? 0),
  })).filter(({ times }) => times.some((n) => n > 0));
}

export function onTopText(kernels: readonly string[], times: readonly number[]): string {
  return `${times.flatMap((n, k) => (n > 0 ? [`${kernels[k] ?? "a kernel"} gets its quota on top ${n === 1 ? "once" : `${whole(n)} times`}`] : [])).join(", ")}, all SMs together`;
}

/** Everything that is known of a run, the last first; what comes together stands in the order in which it came. */
export function happened(kernels: readonly string[], past: Events | null, log: readonly Decision[]): Happened[] {
  const name = (kernel: number): string => kernels[kernel] ?? "a kernel";
  const all = log.map(({ cycle, kernel, topic, text }): Happened => {
    return { cycle, kind: `${DECISIONS}: ${topicTitle(topic)}`, kernel, text };
  });
  const add = (cycle: number, kind: string, text: string): void => void all.push({ cycle, kind, kernel: null, text });
  for (const { cycle, kernel, kind, launch, run } of past?.marks ?? [])
    add(
      cycle,
      "launches and ends",
      kind === "launch" ? `${launchText(name(kernel), launch, run)} begins` : `run ${run + 1} of ${name(kernel)} ends`,
    );
  past?.left.forEach((counts, kernel) => {
    counts.forEach((left, i) => {
      const back = past.back[kernel]?.[i] ?? 0;
      if (left + back > 0) add(i * past.bucket, "context switches of CTAs", switchText(name(kernel), left, back));
    });
  });
  for (const { from, times } of past ? onTopOf(past) : []) add(from, "quotas on top", onTopText(kernels, times));
  return all.reverse().sort((a, b) => b.cycle - a.cycle);
}

const topicTitle = (topic: string): string =>
  topic.replaceAll("_", " ").replaceAll(/\b(sm|cta)(s?)\b/g, (_, word: string, s: string) => word.toUpperCase() + s);
