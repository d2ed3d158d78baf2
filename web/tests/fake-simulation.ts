// A stand-in for the engine's module while the page is worked on without building it (`npm run fake`): right shapes, made-up
// numbers. It is written over by `cargo xtask wasm`, and never part of a built page.
import { schemeName } from "../src/choices.ts";
import { CONTROLS } from "./controls.ts";
import type {
  Answer,
  Catalogue,
  Decision,
  Experiment,
  FrameLayout,
  FrameSection,
  Interval,
  PlannedRun,
  Problem,
  Reason,
  Result,
  WindowColumn,
  WindowsLayout,
} from "../src/types.ts";

class Refused extends Error {
  constructor(readonly problems: Problem[]) {
    super(problems.map((p) => p.path).join(", "));
  }
}

const kernelEntry = (name: string, title: string, threads: number, registers: number, shared: number) => ({
  name,
  formerly: [],
  title,
  threads,
  registers,
  shared_bytes: shared,
  ctas: 4096,
  launches: 1,
  fits: { "ccbp-16sm": 6, "tiny-2sm": 2 },
  source: "Rodinia",
  doc: `${title}: a made-up description of what it does with memory.`,
});
const catalogue: Catalogue = {
  gpus: [
    { name: "ccbp-16sm", title: "16 SMs, 1.4 GHz", source: "CCBP Table 1", doc: "The baseline of the CCBP paper." },
    { name: "tiny-2sm", title: "2 SMs", source: "ours", doc: "Small enough to follow by eye." },
  ],
  gpu_fields: [
    {
      path: "sm.count",
      unit: "SMs",
      min: 1,
      max: 128,
      doc: "Streaming multiprocessors.",
      kind: "int",
      values: { "ccbp-16sm": 16, "tiny-2sm": 2 },
    },
    {
      path: "sm.registers",
      unit: "registers",
      min: 1024,
      max: 262144,
      doc: "Registers of an SM.",
      kind: "int",
      values: { "ccbp-16sm": 65536, "tiny-2sm": 16384 },
    },
    {
      path: "sm.ctas",
      unit: "CTAs",
      min: 1,
      max: 32,
      doc: "CTA slots of an SM.",
      kind: "int",
      values: { "ccbp-16sm": 16, "tiny-2sm": 4 },
    },
    {
      path: "l1.ways",
      unit: "ways",
      min: 1,
      max: 16,
      doc: "Associativity of an L1D.",
      kind: "int",
      values: { "ccbp-16sm": 4, "tiny-2sm": 4 },
    },
    {
      path: "noc.kind",
      unit: "",
      min: 0,
      max: 0,
      doc: "The network.",
      kind: "choice",
      choices: ["crossbar", "ideal"],
      values: { "ccbp-16sm": "crossbar", "tiny-2sm": "crossbar" },
    },
    {
      path: "dram.channels",
      unit: "channels",
      min: 1,
      max: 16,
      doc: "DRAM channels.",
      kind: "int",
      values: { "ccbp-16sm": 6, "tiny-2sm": 1 },
    },
  ],
  kernels: [
    kernelEntry("BP", "Back propagation", 256, 20, 1088),
    kernelEntry("CFD", "CFD solver", 192, 60, 0),
    kernelEntry("FTD", "FDTD-2D", 256, 18, 0),
    kernelEntry("SAD", "Sum of absolute differences", 61, 32, 2200),
    kernelEntry("vadd", "Vector add", 256, 10, 0),
  ],
  controls: [...CONTROLS],
  script: { hooks: [], functions: [], run: [], kernel: [], sm: [], on_sm: [], counters: [], examples: [] },
  policies: [
    {
      name: "leftover",
      formerly: [],
      title: "Leftover",
      doc: "What GPGPU-Sim does: the next kernel only when the first has no CTA left.",
      source: "GPGPU-Sim",
      keeps_goals: false,
      params: [],
    },
    {
      name: "even",
      formerly: [],
      title: "Even split in each SM",
      doc: "Each kernel gets the same share of every SM.",
      source: "SMK §3",
      keeps_goals: false,
      params: [],
    },
    {
      name: "fixed",
      formerly: [],
      title: "Fixed combination",
      doc: "So many CTAs of each kernel in each SM.",
      source: "WS §2",
      keeps_goals: false,
      params: [
        {
          name: "combination",
          kind: "per_kernel_int",
          unit: "CTAs per SM",
          required: false,
          min: 0,
          max: 32,
          default: null,
          doc: "CTAs of each kernel in an SM.",
        },
      ],
    },
    {
      name: "spatial",
      formerly: [],
      title: "Spatial",
      doc: "Each SM belongs to one kernel.",
      source: "Adriaens 2012",
      keeps_goals: false,
      params: [
        {
          name: "split",
          kind: "per_kernel_int",
          unit: "SMs",
          required: false,
          min: 0,
          max: 128,
          default: null,
          doc: "SMs of each kernel.",
        },
        {
          name: "interleave",
          kind: "bool",
          unit: "",
          required: false,
          min: 0,
          max: 1,
          default: false,
          doc: "Neighbouring SMs go to different kernels.",
        },
        {
          name: "weight",
          kind: "number",
          unit: "fraction",
          required: false,
          min: 0,
          max: 1,
          default: 0.5,
          doc: "A number.",
        },
        {
          name: "when",
          kind: "choice",
          unit: "",
          required: false,
          min: 0,
          max: 0,
          default: "start",
          choices: ["start", "each launch"],
          doc: "When to decide.",
        },
      ],
    },
    {
      name: "manual",
      formerly: [],
      title: "Manual",
      doc: "Controls from outside.",
      source: "ours",
      keeps_goals: false,
      params: [],
    },
  ],
  warp_orders: [
    { name: "gto", doc: "Greedy, then oldest." },
    { name: "lrr", doc: "Loose round robin." },
    { name: "two-level", doc: "Two levels.", takes: "group size" },
  ],
  probes: [],
  cta_orders: [{ name: "round-robin", doc: "The next SM with room.", source: "ours", params: [] }],
  records: [],
  metrics: [
    {
      key: "ipc",
      title: "IPC",
      unit: "thread instructions per cycle",
      scope: "kernel",
      formula: "thread instructions / cycles",
      doc: "Over the whole GPU.",
    },
    {
      key: "ipc_alone",
      title: "IPC alone",
      unit: "thread instructions per cycle",
      scope: "kernel",
      formula: "IPC of the kernel with the GPU to itself",
      doc: "With GTO.",
    },
    {
      key: "slowdown",
      title: "Slowdown",
      unit: "ratio",
      scope: "kernel",
      formula: "IPC alone / IPC shared",
      doc: "1 is none.",
    },
    {
      key: "hspeedup",
      title: "HSpeedup",
      unit: "ratio",
      scope: "GPU",
      formula: "n / Σ slowdown",
      doc: "Harmonic mean of the speedups.",
    },
    {
      key: "stp",
      title: "STP",
      unit: "kernels",
      scope: "GPU",
      formula: "Σ IPC shared / IPC alone",
      doc: "System throughput.",
    },
    {
      key: "antt",
      title: "ANTT",
      unit: "ratio",
      scope: "GPU",
      formula: "Σ slowdown / n",
      doc: "Average normalised turnaround time.",
    },
  ],
  experiments: [
    {
      name: "first",
      title: "BP and CFD, split evenly",
      experiment: { corun: 1, gpu: "ccbp-16sm", kernels: ["BP", "CFD"], policy: { name: "even" }, seed: 1 },
    },
  ],
};
const named = (...keys: string[]) =>
  keys.map((key) => ({ key, title: key.replaceAll("_", " "), doc: `About ${key}.` }));
const stalls = named("idle", "empty", "raw_short", "raw_long", "lsu_full", "barrier", "throttled", "sfu_busy", "other");
const warpStates = named("empty", "ready", "issued", "waiting", "barrier", "finished");

function check(value: unknown): Experiment {
  const e = value as Experiment;
  const problems: Problem[] = [];
  const gpu = typeof e.gpu === "object" ? e.gpu.preset : (e.gpu ?? "ccbp-16sm");
  if (!catalogue.gpus.some((g) => g.name === gpu)) problems.push({ path: "gpu", found: String(gpu), want: "a preset" });
  if (typeof e.gpu === "object")
    for (const f of catalogue.gpu_fields) {
      const v = e.gpu[f.path];
      if (f.kind === "int" && v !== undefined && !(Number(v) >= (f.min ?? 0) && Number(v) <= (f.max ?? Infinity)))
        problems.push({ path: `gpu.${f.path}`, found: String(v), want: `${f.min ?? 0} to ${f.max ?? Infinity}` });
    }
  if (e.kernels.length === 0) problems.push({ path: "kernels", found: "an empty list", want: "1 to 8 kernels" });
  e.kernels.forEach((k, i) => {
    const name = typeof k === "string" ? k : k["kernel"];
    if (name !== undefined && !catalogue.kernels.some((c) => c.name === name))
      problems.push({ path: `kernels[${i}]`, found: String(name), want: "a kernel's name" });
    if (typeof k === "object" && name === undefined && typeof k["threads"] !== "number")
      problems.push({ path: `kernels[${i}].threads`, found: "nothing", want: "1 to 1024" });
  });
  const policy = schemeName(e);
  if (!catalogue.policies.some((p) => p.name === policy))
    problems.push({ path: "policy.name", found: policy, want: "a policy" });
  if (e["colour"] !== undefined) problems.push({ path: "colour", found: "a field", want: "no such field" });
  if (problems.length > 0) throw new Refused(problems);
  return e;
}

export class Simulation {
  #e: Experiment;
  #cycle = 0;
  #layout: FrameLayout;
  #sections: FrameSection[] = [];
  #alone = new Map<number, number>();
  #stop: number;
  static withAnswers(experiment: unknown): Simulation {
    return new Simulation(experiment);
  }
  constructor(experiment: unknown) {
    this.#e = check(experiment);
    const gpu = typeof this.#e.gpu === "object" ? this.#e.gpu.preset : (this.#e.gpu ?? "ccbp-16sm");
    const get = (path: string): number =>
      Number(
        (typeof this.#e.gpu === "object" ? this.#e.gpu[path] : undefined) ??
          catalogue.gpu_fields.find((f) => f.path === path)?.values[gpu],
      );
    const sms = get("sm.count"),
      slots = get("sm.ctas"),
      channels = get("dram.channels"),
      banks = channels * 2,
      warps = 48,
      schedulers = 2,
      dramBanks = 16;
    const kernels = this.#e.kernels.map((k) => (typeof k === "string" ? k : String(k["kernel"] ?? k["name"] ?? "own")));
    const n = kernels.length;
    let length = 0;
    const add = (name: string, ...shape: number[]): void => {
      this.#sections.push({ name, offset: length, shape, doc: name });
      length += shape.reduce((a, b) => a * b, 1);
    };
    add("cycle", 2);
    for (const name of ["sm.slot_kernel", "sm.slot_cta", "sm.slot_age"]) add(name, sms, slots);
    for (const name of ["sm.ctas", "sm.threads", "sm.registers", "sm.shared"]) add(name, sms, n);
    add("sm.scheduler", sms, schedulers);
    add("sm.issued", sms, n);
    add("sm.stalls", sms, stalls.length);
    add("sm.lsu", sms, n);
    add("sm.miss_queue", sms, n);
    add("sm.mshr", sms);
    for (const name of ["warp.kernel", "warp.state", "warp.pc", "warp.slot"]) add(name, sms, warps);
    add("noc.request_queue", sms, n);
    add("noc.request_busy", banks);
    add("noc.reply_queue", banks, n);
    add("noc.reply_busy", sms);
    add("l2.queue", banks, n);
    add("l2.mshr", banks, n);
    add("dram.queue", channels, n);
    add("dram.busy", channels);
    add("dram.open_row", channels, dramBanks);
    this.#layout = {
      length,
      core_mhz: 1400,
      sections: this.#sections,
      kernels,
      stalls,
      warp_states: warpStates,
      banks,
      channels,
      dram_banks: dramBanks,
      sms: Array.from({ length: sms }, () => ({
        class: "sm",
        slots,
        schedulers,
        warps,
        threads: 1536,
        registers: get("sm.registers"),
        shared_bytes: 49152,
        mshrs: 32,
        miss_queue: 8,
        l1_bytes: 32768,
        l1_protocol: "none",
        l1_keeps_read_only: false,
      })),
      mesh: null,
      grids: [],
      arrays: [],
      counters: [],
      capacity: { request_queue: 8, reply_queue: 8, l2_queue: 8, l2_mshr: 32, dram_queue: 32 },
    };
    this.#stop = Number((this.#e.stop as { cycles?: number } | undefined)?.cycles ?? 3_000_000);
  }
  get cycle(): number {
    return this.#cycle;
  }
  advance(max: number): Reason {
    this.#cycle = Math.min(this.#stop, this.#cycle + max);
    return this.#cycle >= this.#stop ? "cycles" : "budget";
  }
  advanceFor(ms: number): Reason {
    const until = performance.now() + ms;
    while (performance.now() < until)
      if (this.advance(1) === "cycles") return "cycles";
      else for (let i = 0; i < 200; i += 1) Math.sqrt(i);
    return "budget";
  }
  advanceEvent(max: number): Reason {
    const r = this.advance(Math.min(max, 137));
    return r === "budget" ? "event" : r;
  }
  frameLayout(): FrameLayout {
    return this.#layout;
  }
  frame(): Uint32Array {
    const f = new Uint32Array(this.#layout.length),
      c = this.#cycle,
      n = this.#layout.kernels.length;
    const at = (name: string) => this.#sections.find((s) => s.name === name) as FrameSection;
    const hash = (...xs: number[]): number => {
      let h = 2166136261;
      for (const x of xs) h = Math.imul(h ^ x, 16777619);
      h ^= h >>> 15;
      h = Math.imul(h, 0x85ebca6b);
      return (h ^ (h >>> 13)) >>> 0;
    };
    for (const s of this.#sections) {
      const size = s.shape.reduce((a, b) => a * b, 1);
      for (let i = 0; i < size; i += 1) {
        const fast = hash(i, Math.floor(c / 7)),
          slow = hash(i, Math.floor((c + (hash(i) % 3000)) / 3000));
        let v = 0;
        switch (s.name) {
          case "cycle":
            v = i === 0 ? c >>> 0 : Math.floor(c / 2 ** 32);
            break;
          case "sm.slot_kernel":
            v = c === 0 || slow % 7 === 0 ? 0 : 1 + (hash(i) % n);
            break;
          case "sm.slot_cta":
            v = slow % 4096;
            break;
          case "sm.slot_age":
            v = (c + (hash(i) % 3000)) % 3000;
            break;
          case "sm.ctas":
            v = 3 + (slow % 3);
            break;
          case "sm.threads":
            v = 256 * (1 + (slow % 3));
            break;
          case "sm.registers":
            v = 9000 + (slow % 9000);
            break;
          case "sm.shared":
            v = 4000 + (slow % 8000);
            break;
          case "sm.scheduler":
            v = fast % 3 === 0 ? 0x100 | (fast % n) : fast % stalls.length;
            break;
          case "sm.issued":
            v = Math.floor(c * 0.2);
            break;
          case "sm.stalls":
            v = Math.floor(c * (0.05 + (hash(i) % 10) / 40));
            break;
          case "sm.mshr":
            v = fast % 33;
            break;
          case "warp.kernel":
            v = slow % 9 === 0 ? 0 : 1 + (hash(i) % n);
            break;
          case "warp.state":
            v = fast % warpStates.length;
            break;
          case "warp.pc":
            v = fast % 20;
            break;
          case "warp.slot":
            v = hash(i) % 8;
            break;
          case "noc.request_busy":
          case "noc.reply_busy":
          case "dram.busy":
            v = fast % (n + 1);
            break;
          case "dram.open_row":
            v = slow % 4096;
            break;
          default:
            v = fast % 9;
        }
        f[s.offset + i] = v;
      }
    }
    void at;
    return f;
  }
  windowsLayout(): WindowsLayout {
    const columns: WindowColumn[] = [
      { key: "start", unit: "cycles", title: "Start", doc: "", kernel: null },
      { key: "end", unit: "cycles", title: "End", doc: "", kernel: null },
    ];
    this.#layout.kernels.forEach((name, kernel) => {
      for (const [key, unit] of [
        ["thread_instructions", "instructions"],
        ["warp_instructions", "instructions"],
        ["noc_bytes", "bytes"],
        ["noc_request_bytes", "bytes"],
        ["dram_bytes", "bytes"],
        ["latency_sum", "cycles"],
        ["latency_count", "loads"],
        ["cta_cycles", "CTA-cycles"],
      ] as const) {
        columns.push({ key, unit, title: `${name}: ${key.replaceAll("_", " ")}`, doc: key, kernel });
      }
    });
    for (const s of stalls)
      columns.push({ key: `stall.${s.key}`, unit: "scheduler-cycles", title: s.title, doc: s.doc, kernel: null });
    return {
      window: 400,
      core_mhz: 1400,
      columns,
      peaks: { noc_bytes_per_cycle: 512, dram_bytes_per_cycle: 128, ipc: 1024 },
    };
  }
  windows(since: number): Float64Array {
    const { columns } = this.windowsLayout(),
      complete = Math.floor(this.#cycle / 400);
    const out: number[] = [];
    for (let w = Math.max(0, since); w < complete; w += 1) {
      const wave = (k: number, a: number): number =>
        400 * a * (0.5 + 0.3 * Math.sin(w / (30 + 17 * k)) + 0.1 * Math.sin(w * 1.7 + k));
      for (const c of columns) {
        const k = c.kernel ?? 0;
        out.push(
          c.key === "start"
            ? w * 400
            : c.key === "end"
              ? (w + 1) * 400
              : c.key === "thread_instructions"
                ? wave(k, 400)
                : c.key === "warp_instructions"
                  ? wave(k, 12.5)
                  : c.key === "noc_bytes"
                    ? wave(k, 200)
                    : c.key === "noc_request_bytes"
                      ? wave(k, 30)
                      : c.key === "dram_bytes"
                        ? wave(k, 45)
                        : c.key === "latency_sum"
                          ? 800 * (400 + 100 * Math.sin(w / 50 + k))
                          : c.key === "latency_count"
                            ? 800
                            : c.key === "cta_cycles"
                              ? 400 * 60
                              : wave(c.key.length, 4),
        );
      }
    }
    return Float64Array.from(out);
  }
  keepCtaEvents(): void {
    /* it has none */
  }
  ctaEvents(): Float64Array {
    return new Float64Array();
  }
  launchEnds(): Float64Array {
    return new Float64Array();
  }
  shares(): null[] {
    return [];
  }
  l1Contents(): Uint32Array {
    return new Uint32Array();
  }
  l1Ahead(): Uint32Array {
    return new Uint32Array();
  }
  decisions(since: number): Decision[] {
    return since === 0 && this.#cycle > 0
      ? [{ cycle: 0, kernel: null, topic: "controls", values: {}, text: "each kernel gets the same share" }]
      : [];
  }
  result(): Result {
    const kernels = this.#layout.kernels.map((name, k) => {
      const ipc = this.#cycle === 0 ? null : 180 + 40 * k + 5 * Math.sin(this.#cycle / 9000),
        alone = this.#alone.get(k) ?? null;
      return {
        name,
        ipc,
        ipc_alone: alone,
        slowdown: alone && ipc ? alone / ipc : null,
        thread_instructions: this.#cycle * 180,
        ctas_done: Math.floor(this.#cycle / 900),
        runs_done: 0,
        noc_utilisation: 0.3,
        dram_utilisation: 0.25,
        l1_hit_rate: 0.4,
        l2_miss_rate: 0.5,
      };
    });
    const slow = kernels.map((k) => k.slowdown).filter((s): s is number => s !== null),
      known = slow.length === kernels.length && slow.length > 0;
    const sum = slow.reduce((a, b) => a + b, 0);
    const gpu = {
      ipc: 400,
      noc_utilisation: 0.55,
      dram_utilisation: 0.48,
      l1_hit_rate: 0.41,
      l2_miss_rate: 0.52,
      dram_row_hit_rate: 0.63,
    };
    const metrics = known
      ? { hspeedup: slow.length / sum, stp: slow.reduce((a, s) => a + 1 / s, 0), antt: sum / slow.length }
      : {};
    const around = (of: object): Record<string, Interval> =>
      Object.fromEntries(
        Object.entries(of).map(([key, x]) => [
          key,
          typeof x === "number" && this.#cycle >= 4000 ? [0.98 * x, 1.02 * x] : null,
        ]),
      );
    return {
      engine: version(),
      config_hash: configHash(this.#e),
      digest: "0",
      seed: this.#e.seed ?? 1,
      cycles: this.#cycle,
      kernels,
      gpu,
      metrics,
      ci95: {
        batches: 128,
        batch_windows: 1,
        gpu: around(gpu),
        kernels: kernels.map(around),
        metrics: around(metrics),
      },
    };
  }
  setAlone(kernel: number, ipc: number): void {
    this.#alone.set(kernel, ipc);
  }
  aloneExperiment(kernel: number): Experiment {
    return {
      ...this.#e,
      kernels: [this.#e.kernels[kernel] as string],
      policy: { name: "leftover" },
      stop: { cycles: 60_000 },
    };
  }
  digest(): string {
    return String(this.#cycle);
  }
  snapshot(): { cycle: number; free(): void } {
    return { cycle: this.#cycle, free: () => undefined };
  }
  restore(s: { cycle: number }): void {
    this.#cycle = s.cycle;
  }
  setControls(): void {
    /* nothing to control */
  }
  setPolicy(): void {
    /* nothing to set */
  }
  controls(): object {
    return {};
  }
  answer(): Answer {
    return { ipc: 1, warp_ipc: 0.1, noc_utilisation: 0.1, dram_utilisation: 0.1, stuck: false };
  }
  explainStuck(): string {
    return "";
  }
  failure(): string {
    return "";
  }
  free(): void {
    /* nothing to free */
  }
}
export const plan = (): { profile: PlannedRun[]; alone: PlannedRun[] } => ({ profile: [], alone: [] });
export const presets = (): Catalogue => catalogue;
export const validate = (e: unknown): Problem[] => {
  try {
    check(e);
    return [];
  } catch (x) {
    return (x as Refused).problems;
  }
};
export const normalise = (e: Experiment): Experiment => ({ policy: { name: "even" }, seed: 1, ...e });
export const configHash = (e: unknown): string => {
  let h = 0;
  for (const c of JSON.stringify(e)) h = (Math.imul(h, 31) + c.charCodeAt(0)) >>> 0;
  return h.toString(16).padStart(8, "0");
};
export const freshSeed = (): number => Math.floor(Math.random() * 2 ** 32);
export const version = (): string => "0.0.0";
export const stamp = (): string => "0.0.0-fake";
export const explain = (): object => ({});
export default async function init(): Promise<void> {
  /* there is no module */
}
