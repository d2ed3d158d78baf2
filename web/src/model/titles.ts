// Identifiers in words. What the engine describes is taken from its descriptions: the choices of a parameter from its doc (“p: the combination
// of CTAs alone”), figures from the registry. The identifier stands behind the words, as the label's title.
import type { MetricEntry, OrderEntry } from "./types.ts";

/** Names come from experiments and links too: one of what every object has, such as `constructor`, is a name like any other. */
export const byName = <T>(all: Readonly<Record<string, T>>): ReadonlyMap<string, T> => new Map(Object.entries(all));

/** Words of the field that are not written as identifiers are. */
const TERMS = byName({
  sm: "SM",
  sms: "SMs",
  cta: "CTA",
  ctas: "CTAs",
  ipc: "IPC",
  l1: "L1D",
  l2: "L2",
  noc: "NoC",
  dram: "DRAM",
  mshr: "MSHR",
  mshrs: "MSHRs",
  lsu: "LSU",
  mhz: "MHz",
  gpu: "GPU",
  alu: "ALU",
  sfu: "SFU",
  hspeedup: "HSpeedup",
  wspeedup: "WSpeedup",
  stp: "STP",
  antt: "ANTT",
  qos: "goal",
  rf: "rf",
  df: "df",
});
/** Names that say too little, or say it in shorthand. */
const TITLES = byName({
  combination: "CTAs of each kernel",
  split: "SMs of each kernel",
  ctas: "CTA slots",
  slots: "Count CTA slots",
  refill: "Quotas are refilled",
  epoch: "Round of quotas",
  curves: "IPC for each CTA count",
  quantum: "Cycles between clusterings",
  sample: "Length of a sample",
  interval: "Cycles between looks",
  percentage: "Share of the SMs",
  slice: "Length of a turn",
  level: "Level of each stream",
  channels: "DRAM channels of each kernel",
  repartition: "Cycles between partitions",
  units: "Units of bandwidth",
  dram_sustainable: "Sustainable DRAM share",
  skip: "Left out after a change",
  window: "Window of a measurement",
  demand: "Intensive when",
  ls_mode: "Latency kernel's CTA that does not fit",
  ls_credit_mode: "Credits of latency kernels",
  rounding: "Rounding of credits",
  lsu_hol: "Head-of-line blocking",
  count: "SMs",
  map: "Address map",
  page: "Page policy",
  columns: "Lines of a row",
  kind: "Model",
  shared_bytes: "Shared memory",
  bytes: "Capacity",
  T: "Data burst (T)",
  tCL: "Read to data (tCL)",
  WL: "Write to data (WL)",
  tRP: "Precharge (tRP)",
  tRC: "Row cycle (tRC)",
  tRAS: "Row active (tRAS)",
  tRCD: "Activate to column (tRCD)",
  tRRD: "Activates, other bank (tRRD)",
  tFAW: "Five activates (tFAW)",
  tCCD: "Columns (tCCD)",
  tWR: "Write recovery (tWR)",
  tWTR: "Write to read (tWTR)",
  tRTW: "Read to write (tRTW)",
  tRTP: "Read to precharge (tRTP)",
  tREFI: "Refresh interval (tREFI)",
  tRFC: "Refresh (tRFC)",
  policy: "Scheme",
  "policy.name": "Scheme",
  kernels: "Mix",
  "gpu.preset": "GPU",
  rr: "Round robin",
  "stop.cycles": "Cycles",
});

const sentenceCase = (text: string): string => (text === "" ? "" : `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`);

/** A name in words: `miss_queue` is “Miss queue”, `variant` “Variant”, `ls_credit_mode` “Credits of latency kernels”. */
export function titleOf(name: string): string {
  return (
    TITLES.get(name) ??
    sentenceCase(
      name
        .split(/[._\s]+/)
        .map((word) => TERMS.get(word) ?? word)
        .join(" "),
    )
  );
}

/** A choice of a parameter as its doc describes it, with its name behind: “The combination of CTAs alone (p)”. */
export function choiceTitle(name: string, doc: string): string {
  for (const part of doc.split(/[;.]\s+/)) {
    const at = part.indexOf(": ");
    const said = at > 0 && part.slice(0, at).trim() === name ? part.slice(at + 2).trim() : "";
    // What is too long to be chosen from stands below, in the doc.
    if (said !== "")
      return said.length <= 48
        ? `${sentenceCase(said)} (${name})`
        : `${sentenceCase(said.split(/,\s/)[0] ?? "").slice(0, 60)} (${name})`;
  }
  const plain = titleOf(name);
  return plain.toLowerCase() === name.toLowerCase() ? plain : `${plain} (${name})`;
}

/** An order by the first words of its doc: “Greedy then oldest (gto)”. */
export const orderTitle = ({ name, doc }: OrderEntry): string =>
  `${(/^[^:,]+/.exec(doc)?.[0] ?? name).trim()} (${name})`;

/** A field of an experiment: `policy.priority` is “Scheme: priority”, `kernels[0].ctas_per_sm` “Kernel 1: CTAs per SM”. */
export function pathTitle(path: string): string {
  const known = TITLES.get(path);
  if (known !== undefined) return known;
  const kernel = /^kernels(?:\[(\d+)\]|\.(\d+))\.?(.*)$/.exec(path);
  if (kernel) return `Kernel ${Number(kernel[1] ?? kernel[2]) + 1}${kernel[3] ? `: ${inner(kernel[3])}` : ""}`;
  const [first = "", ...rest] = path.split(".");
  return rest.length === 0
    ? titleOf(first)
    : first === "gpu"
      ? gpuTitle(rest.join("."))
      : `${titleOf(first)}: ${inner(rest.join("."))}`;
}
const inner = (name: string): string => {
  const title = titleOf(name);
  return /^[A-Z][a-z]/.test(title) ? `${title[0]?.toLowerCase() ?? ""}${title.slice(1)}` : title;
};

/** A field of the GPU with its part of the machine: `sm.l1.ways` is “SM L1D: ways”. */
export function gpuTitle(path: string): string {
  const at = path.lastIndexOf(".");
  return at < 0
    ? titleOf(path)
    : `${path
        .slice(0, at)
        .split(".")
        .map((word) => TERMS.get(word) ?? word)
        .join(" ")}: ${inner(path.slice(at + 1))}`;
}

/** A figure of a result: `kernels[0].slowdown` is “Slowdown of BP”, by the registry's titles. */
export function figureTitle(path: string, metrics: readonly MetricEntry[], kernels: readonly string[] = []): string {
  const window = /^windows\[(\d+)\]\.(.*)$/.exec(path);
  if (window) return `${figureTitle(window[2] ?? "", metrics, kernels)} in window ${window[1]}`;
  const kernel = /^kernels\[(\d+)\]\.(.*)$/.exec(path),
    key = kernel ? (kernel[2] ?? "") : path.replace(/^(metrics|gpu)\./, "");
  const title = metrics.find((m) => m.key === key)?.title ?? titleOf(key);
  return kernel ? `${title} of ${kernels[Number(kernel[1])] ?? `kernel ${Number(kernel[1]) + 1}`}` : title;
}
