// The six stories. A number in a text has its source behind it, which readers do not see: tests/said.test.ts makes the runs and compares.
import { counted } from "../model/format.ts";
import { figure } from "../model/scale.ts";
import { kernelPaint } from "../picture/theme.ts";
import type { Experiment } from "../model/types.ts";
import { bigAndSmall, lawBox, queueRows, smRow } from "./drawings.ts";
import { lines, PERCENT } from "./pictures.ts";
import { ipc, partOfCcbp, percent, reader, story, type Story } from "./story.ts";

const plain = (experiment: Omit<Experiment, "corun" | "seed">): Experiment =>
  ({ corun: 1, seed: 1, ...experiment }) as Experiment;
const alone = (kernel: string, rest: Omit<Experiment, "corun" | "seed" | "kernels">): Experiment =>
  plain({ ...rest, kernels: [kernel], alone: false });

// ---------------------------------------------------------------- two kernels

const MIX = ["ccbp/BP", "ccbp/CFD"],
  BESIDE = 4;
const sharing = (cfd: number): Experiment =>
  plain({
    name: `Four CTAs of BP on an SM, beside ${cfd} of CFD`,
    gpu: partOfCcbp(2),
    kernels: MIX,
    policy: { name: "fixed", combination: [BESIDE, cfd] },
    stop: { cycles: 40_000 },
    alone: false,
  });

const twoKernels = story<{ bp: number; cfd: number }>({
  id: "two-kernels",
  title: "Two kernels on one GPU",
  text: [
    "BP, which trains a neural network, mostly computes. CFD, a flow solver, mostly moves data. They share an eighth of the GPU of the CCBP paper: two SMs, two [L2](#term-l2) banks, two [DRAM channels](#term-dram-channel). An SM holds four [CTAs](#term-cta) of BP, which stay. The knob adds CTAs of CFD.",
    "BP loses nearly everything, from 75{{= at(0).bp}} % of its speed alone to 18{{= at(8).bp}} %, and has as much room as before. CFD takes bandwidth: its reads stand in front of BP's on the way to DRAM. The two speeds add up to most at three CTAs of CFD{{? most((p) => p.bp + p.cfd) === 3}}. With more, the GPU as a whole does less.",
    "So a scheme that shares a GPU answers two questions: who gets room, and who gets bandwidth (Lin et al., *CCBP*, 2019).",
  ],
  knob: {
    name: "CTAs of CFD on each SM",
    values: [0, 1, 2, 3, 4, 5, 6, 7, 8],
    first: 2,
    say: (n) => counted(n, "CTA"),
  },
  jobs: (cfd) => [
    { experiment: sharing(cfd) },
    ...MIX.map((kernel) => ({
      experiment: alone(kernel, { gpu: partOfCcbp(2), stop: { cycles: 40_000 } }),
    })),
  ],
  read: ([both, bp, cfd]) => ({ bp: ipc(both, 0) / ipc(bp, 0), cfd: ipc(both, 1) / ipc(cfd, 0) }),
  height: () => 330,
  draw(d, points, at, t) {
    smRow(d, at, BESIDE, t);
    lines(
      d,
      { x: 0, y: 96, w: d.width, h: 234 },
      { labels: this.knob.values.map(String), x: this.knob.name, y: "speed, of that alone", top: 1, ...PERCENT },
      [
        { name: "BP", kernel: 0, values: points.map((p) => p?.bp ?? null) },
        { name: "CFD", kernel: 1, dash: [6, 4], values: points.map((p) => p?.cfd ?? null) },
      ],
      at,
      t,
    );
  },
  summary: (p, n) =>
    `Beside ${counted(n, "CTA")} of CFD on each SM, BP runs at ${percent(p.bp)} of its speed alone and CFD at ${percent(p.cfd)}: ${percent(p.bp + p.cfd)} together.`,
  opens: (cfd) => ({ experiment: { ...sharing(cfd), alone: true } }),
});

// ---------------------------------------------------------------- a queue

const PLACES = { "sm.l1.miss_queue": 128, "noc.queue": 8, "noc.latency": 8, "l2.queue": 8, "dram.queue": 128 };
/** In the order in which a read passes them. A port of the NoC holds its queue and what is under way behind it. */
const QUEUES = [
  { section: "sm.miss_queue", name: "miss queue of an SM", places: PLACES["sm.l1.miss_queue"] },
  { section: "noc.request_queue", name: "way into the NoC", places: PLACES["noc.queue"] + PLACES["noc.latency"] },
  { section: "l2.queue", name: "queue of an L2 bank", places: PLACES["l2.queue"] },
  { section: "dram.queue", name: "queue of a DRAM channel", places: PLACES["dram.queue"] },
] as const;

const reading = (warps: number, reads: number): Experiment =>
  plain({
    name: `${warps} warps on an SM, ${reads === 1 ? "one read" : `${reads} reads`} each`,
    // A line takes its way when it comes, so that sets of L1D bound nothing.
    gpu: { ...partOfCcbp(2), ...PLACES, "sm.l1.allocate": "on_fill" },
    // A CTA is two warps.
    kernels: [{ kernel: reader(reads), ctas_per_sm: warps / 2 }],
    stop: { cycles: 20_000 },
    alone: false,
  });
const rateOf = (outcome: { result: { cycles: number; kernels: { [key: string]: unknown }[] } } | undefined): number => {
  const counters = outcome?.result.kernels[0]?.["counters"] as Record<string, number> | undefined;
  return (counters?.["latency_count"] ?? 0) / (outcome?.result.cycles ?? 1);
};
const latencyOf = (outcome: { result: { kernels: { [key: string]: unknown }[] } } | undefined): number =>
  (outcome?.result.kernels[0]?.["latency"] as Record<string, number> | undefined)?.["mean"] ?? 0;
const WARPS = [2, 4, 8, 16, 24, 32, 40, 48, 64];

const queueFills = story<{ held: readonly number[]; full: readonly number[]; rate: number; latency: number }>({
  id: "a-queue-fills",
  title: "A queue fills",
  text: [
    "A kernel reads line after line, and none twice. Each of its [warps](#term-warp) has four reads under way. The knob says how many warps an SM holds. A read passes four queues on its way to memory.",
    "Up to four warps, all are as good as empty{{? at(4).full.every((part) => part < 0.05)}}. From eight on, DRAM gives what it can: 0.11{{= at(8).rate}} reads a cycle, 65{{= runs(32)[0].result.gpu.dram_utilisation}} % of its peak. More warps get no more{{? at(64).rate < 1.02 * at(8).rate}}. They wait longer. At 32 warps the queue in front of DRAM is 81{{= at(32).full[3]}} % full, and nothing else is{{? at(32).full.slice(0, 3).every((part) => part < 0.06)}}. At 40 it has no place left{{? at(40).full[3] > 0.98}}, so requests stand in L2's queue and in the [NoC](#term-noc). At 64 they also fill half of each SM's [miss queue](#term-miss-queue){{? Math.abs(at(64).full[0] - 0.5) < 0.05}}.",
    "Where requests stand is not yet why they stand: the cause is further on. Corun's sentences name it only where it has been taken away, and that *helped*.",
  ],
  knob: { name: "Warps on each SM", values: WARPS, first: 3, say: (n) => `${n} warps` },
  jobs: (warps) => [{ experiment: reading(warps, 4), sample: QUEUES.map((queue) => queue.section) }],
  read: ([run]) => ({
    held: QUEUES.map((queue) => run?.held[queue.section] ?? 0),
    full: QUEUES.map((queue) => (run?.held[queue.section] ?? 0) / queue.places),
    rate: rateOf(run),
    latency: latencyOf(run),
  }),
  height: () => 288,
  draw(d, points, at, t) {
    const most = { rate: 0.15, latency: 4_000 };
    queueRows(
      d,
      QUEUES.map((queue, i) => ({ ...queue, held: points[at]?.held[i] ?? null })),
      [
        { name: "reads a cycle", value: points[at]?.rate ?? null, of: most.rate, say: (v) => v.toFixed(3) },
        { name: "cycles that a read takes", value: points[at]?.latency ?? null, of: most.latency, say: figure },
      ],
      t,
    );
  },
  summary: (p, n) =>
    `With ${n} warps on each SM: ${p.full.map((full, i) => `${QUEUES[i]?.name} ${percent(full)} full`).join(", ")}. ${p.rate.toFixed(3)} reads a cycle, each of ${figure(p.latency)} cycles.`,
  opens: (warps) => ({ experiment: reading(warps, 4) }),
});

// ---------------------------------------------------------------- Little's law

const littlesLaw = story<{ rate: number; latency: number; held: number }>({
  id: "littles-law",
  title: "Little's law",
  text: [
    "In 1961 John Little proved a law of all queues: *what is under way = rate × time*. Here it is a box, as wide as the reads that come back in a cycle, as high as the cycles that one takes. Its area is the reads under way.",
    "Each warp has one read under way; two SMs hold the warps. Twice the warps first make the box twice as wide: up to 16 warps a read takes 362{{= at(2).latency}} to 373{{= at(16).latency}} cycles, however many ask. From 32 on the box grows upwards only. DRAM gives 0.11{{= at(32).rate}} reads a cycle and no more{{? at(64).rate < 1.02 * at(32).rate}}, so each read waits.",
    "To use all of the bandwidth, at least 362{{= at(2).latency}} × 0.11{{= at(32).rate}}, about 40{{= at(2).latency * at(32).rate}} reads, must be under way. More buy only waiting. The [MSHRs](#term-mshr), which are counted by themselves, agree with the area to 4{{= Math.max(...all((p) => Math.abs(p.held / (p.rate * p.latency) - 1)))}} %.",
  ],
  knob: { name: "Warps on each SM", values: WARPS, first: 3, say: (n) => `${n} warps` },
  jobs: (warps) => [{ experiment: reading(warps, 1), sample: ["sm.mshr"] }],
  read: ([run]) => ({ rate: rateOf(run), latency: latencyOf(run), held: 2 * (run?.held["sm.mshr"] ?? 0) }),
  height: () => 320,
  draw(d, points, at, t) {
    lawBox(d, points, at, { rate: 0.14, latency: 1_200 }, t);
  },
  summary: (p, n) =>
    `With ${n} warps on each SM, ${p.rate.toFixed(3)} reads a cycle × ${figure(p.latency)} cycles = ${figure(p.rate * p.latency)} reads under way; the MSHRs of both SMs hold ${figure(p.held)}.`,
  opens: (warps) => ({ experiment: reading(warps, 1) }),
});

// ---------------------------------------------------------------- promises

const promising = (share: number): Experiment =>
  plain({
    name: `BP at ${share} % of its speed alone, CFD with the rest`,
    source: "Wang et al., ISCA 2017",
    gpu: partOfCcbp(2),
    kernels: [{ kernel: "ccbp/BP", qos: share / 100 }, "ccbp/CFD"],
    policy: { name: "qos-rollover", epoch: 2_000 },
    warp_order: "gto",
    stop: { cycles: 50_000 },
    alone: false,
  });

const promises = story<{ bp: number; cfd: number }>({
  id: "quotas-and-promises",
  title: "Quotas and promises",
  text: [
    "BP is promised a share of its speed alone; CFD gets the rest. The scheme of Wang et al. (*QoS*, ISCA 2017) gives each kernel a [quota](#term-quota): so many instructions in an [epoch](#term-epoch), here 2,000 cycles. Whoever has used its quota waits, and who is behind its promise gets more the next time.",
    "The line is the promise. Up to 60 %, BP is on it or above{{? [20, 30, 40, 50, 60].every((share) => at(share).bp >= share / 100)}}, and CFD pays: at a promise of 30 % it has 27{{= at(30).cfd}} % of its speed, at 60 % it has 10{{= at(60).cfd}} %. With an [even split](#term-even-split) of each SM, BP would have 14{{= changed(50, { kernels: ['ccbp/BP', 'ccbp/CFD'], policy: 'even' }).kernels[0].ipc / runs(50)[1].result.kernels[0].ipc}} %.",
    "From 70 % on the promise is too great{{? [70, 80, 90].every((share) => at(share).bp < share / 100)}}. CFD stays at a tenth{{? Math.abs(at(90).cfd - 0.1) < 0.02}}, and BP near 57{{= at(90).bp}} %. A quota limits what a kernel issues. It does not make memory faster, and not every promise can be kept.",
  ],
  knob: {
    name: "Promised to BP",
    values: [20, 30, 40, 50, 60, 70, 80, 90],
    first: 3,
    say: (share) => `${share} %`,
  },
  jobs: (share) => [
    { experiment: promising(share) },
    ...MIX.map((kernel) => ({
      experiment: alone(kernel, { gpu: partOfCcbp(2), warp_order: "gto", stop: { cycles: 50_000 } }),
    })),
  ],
  read: ([both, bp, cfd]) => ({ bp: ipc(both, 0) / ipc(bp, 0), cfd: ipc(both, 1) / ipc(cfd, 0) }),
  height: () => 270,
  draw(d, points, at, t) {
    const { values, name } = this.knob;
    lines(
      d,
      { x: 0, y: 0, w: d.width, h: 270 },
      { labels: values.map((v) => `${v} %`), x: name, y: "speed, of that alone", top: 1, ...PERCENT },
      [
        { name: "promise", rule: true, values: values.map((v) => v / 100) },
        { name: "BP", kernel: 0, values: points.map((p) => p?.bp ?? null) },
        { name: "CFD", kernel: 1, dash: [6, 4], values: points.map((p) => p?.cfd ?? null) },
      ],
      at,
      t,
    );
  },
  summary: (p, share) =>
    `Promised ${share} % of its speed alone, BP gets ${percent(p.bp)}, and the promise is ${p.bp >= share / 100 ? "kept" : "missed"}. CFD gets ${percent(p.cfd)}.`,
  opens: (share) => ({ experiment: { ...promising(share), alone: true } }),
});

// ---------------------------------------------------------------- L1

const L1_KB = 8;
const again = (kb: number, order: string): Experiment =>
  plain({
    name: `${kb} KB, read again and again by 2 SMs, ${order}`,
    source: "IKRA §4.2 and §4.3",
    gpu: { preset: "tiny-2sm", "sm.l1.bytes": 1024 * L1_KB },
    kernels: [
      {
        kernel: {
          name: "AGAIN",
          arrays: [{ name: "a", bytes: 262_144 }],
          launches: [
            {
              repeat: 200,
              launches: [
                {
                  ctas: 2 * kb,
                  threads: 128,
                  program: [
                    { load: { array: "a", lane: 4, warp: 128, cta: 512 } },
                    { wait: { loads: 0 } },
                    { alu: { count: 4 } },
                  ],
                },
              ],
            },
          ],
        },
      },
    ],
    cta_order: order,
    stop: { cycles: 20_000 },
    alone: false,
  });

const staysInL1 = story<{ reset: number; flip: number }>({
  id: "data-that-stay",
  title: "Data that stay in L1",
  text: [
    "Many programs launch the same [grid](#term-grid) again and again, over the same data. Two SMs have an [L1D](#term-l1d) of 8 KB each. The knob says how much all CTAs together read.",
    "With the [CTA order](#term-cta-order) *reset*, each SM gets the same chunk of the grid in every launch. So it finds in its L1D what it read the launch before: 98{{= at(16).reset}} % of reads hit while the data fit. At 20 KB, a quarter too much, nothing hits any more{{? at(20).reset < 0.005}}. The cache throws out what was used longest ago, and that is what comes next.",
    "The order *flip* goes through the chunk backwards every other launch. What was read last is then read first: 77{{= at(20).flip}} % hit at 20 KB, and 20{{= at(64).flip}} % at 64. No transistor was added. (Huzaifa et al., *IKRA*, 2020.)",
  ],
  knob: {
    name: "Data that a launch reads",
    values: [8, 12, 16, 18, 20, 24, 32, 48, 64],
    first: 2,
    say: (kb) => `${kb} KB`,
  },
  jobs: (kb) => [{ experiment: again(kb, "reset") }, { experiment: again(kb, "flip") }],
  read: ([reset, flip]) => ({
    reset: (reset?.result.kernels[0]?.l1_hit_rate as number | undefined) ?? 0,
    flip: (flip?.result.kernels[0]?.l1_hit_rate as number | undefined) ?? 0,
  }),
  height: () => 320,
  draw(d, points, at, t) {
    const { values, name } = this.knob,
      room = d.width - 130,
      most = values.at(-1) ?? 1;
    for (const [i, [what, kb]] of (
      [
        ["two L1Ds", 2 * L1_KB],
        ["data", values[at] ?? 0],
      ] as const
    ).entries()) {
      d.text(0, 12 + 26 * i, `${what}, ${kb} KB`, t.ink, 13, { baseline: "middle" });
      d.rect(120, 3 + 26 * i, (room * kb) / most, 18, {
        fill: i === 0 ? t.slotEmpty : kernelPaint(0, t),
        ...(i === 0 ? { stroke: t.lineStrong } : {}),
        radius: 3,
      });
    }
    lines(
      d,
      { x: 0, y: 66, w: d.width, h: 254 },
      { labels: values.map(String), x: `${name} (KB)`, y: "reads that hit in L1D", top: 1, ...PERCENT },
      [
        { name: "flip", kernel: 0, values: points.map((p) => p?.flip ?? null) },
        { name: "reset", dash: [6, 4], values: points.map((p) => p?.reset ?? null) },
      ],
      at,
      t,
    );
  },
  summary: (p, kb) =>
    `Of reads of ${kb} KB, ${percent(p.reset)} hit in L1D under reset and ${percent(p.flip)} under flip; the two L1Ds have ${2 * L1_KB} KB.`,
  opens: (kb) => ({ experiment: again(kb, "reset"), other: again(kb, "flip") }),
});

// ---------------------------------------------------------------- big and small SMs

const PAIR = ["hetero/NQU", "hetero/NN"],
  CLASS = 4;
/** Half of the GPU of the HeteroCore paper. */
const HALF = { "l2.banks": 3, "dram.channels": 3 };
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
/** Big SMs have the lower numbers. NQU has as many SMs of both classes together as there are big ones. */
const nquOn = (big: number): number[] => [...range(0, big), ...range(CLASS, 2 * CLASS - big)];
const placed = (big: number | null): Experiment => {
  const mine = nquOn(big ?? 0),
    rest = range(0, 2 * CLASS).filter((sm) => !mine.includes(sm));
  return plain({
    name: big === null ? "NQU and NN on four equal SMs each" : `NQU on ${big} of ${CLASS} big SMs`,
    source: "Zhao, Wang and Eeckhout, TPDS 2019",
    gpu:
      big === null
        ? { preset: "fermi-16sm", "sm.count": 2 * CLASS, ...HALF }
        : { preset: "hetero-8b8s", "sm.big.count": CLASS, "sm.small.count": CLASS, ...HALF },
    kernels: PAIR,
    policy: { name: "manual", controls: { sm_mask: [mine, rest] } },
    warp_order: "gto",
    stop: { cycles: 30_000 },
    alone: false,
  });
};

const bigSmall = story<{ nqu: number; nn: number }>({
  id: "big-and-small",
  title: "Big and small SMs",
  text: [
    "Why should all SMs be alike? In *HeteroCore* (Zhao, Wang and Eeckhout, 2019) half of them give registers, shared memory and room for warps to the other half. The GPU has as much in all as with equal SMs.",
    "NQU puts queens on a chess board. It is [thick](#term-thick-kernel): more CTAs on an SM make it faster. NN, a neural network, is [lean](#term-lean-kernel): it is as fast with fewer. Each has four SMs. The knob says how many of NQU's are big; NN has the others.",
    "On four small SMs NQU runs at 67{{= at(0).nqu}} % of its speed on equal ones, on four big ones at 133{{= at(4).nqu}} %. NN hardly notices: 102{{= at(0).nn}} %, then 100{{= at(4).nn}} %. With the SMs that suit each, both together gain 16{{= (at(4).nqu + at(4).nn) / 2 - 1}} %. With the wrong ones they lose 16{{= 1 - (at(0).nqu + at(0).nn) / 2}} %.",
  ],
  knob: {
    name: "Big SMs that NQU has",
    values: [0, 1, 2, 3, 4],
    first: 2,
    say: (n) => `${n} of ${CLASS}`,
  },
  jobs: (big) => [{ experiment: placed(big) }, { experiment: placed(null) }],
  read: ([here, equal]) => ({ nqu: ipc(here, 0) / ipc(equal, 0), nn: ipc(here, 1) / ipc(equal, 1) }),
  height: () => 236,
  draw(d, points, at, t) {
    const big = this.knob.values[at] ?? 0,
      mine = nquOn(big);
    bigAndSmall(
      d,
      range(0, 2 * CLASS).map((sm) => ({ big: sm < CLASS, kernel: mine.includes(sm) ? 0 : 1 })),
      [
        { name: "NQU", kernel: 0, values: points.map((p) => p?.nqu ?? null) },
        { name: "NN", kernel: 1, values: points.map((p) => p?.nn ?? null) },
      ],
      at,
      t,
    );
  },
  summary: (p, n) =>
    `With ${n} of ${CLASS} big SMs, NQU runs at ${percent(p.nqu)} of its speed on equal SMs, and NN at ${percent(p.nn)}: ${percent((p.nqu + p.nn) / 2)} on the mean.`,
  opens: (big) => ({ experiment: { ...placed(big), alone: true } }),
});

export const STORIES: readonly Story[] = [twoKernels, queueFills, littlesLaw, promises, staysInL1, bigSmall];
