// Why a kernel suffers, as a chain that can be followed: what the warps wait for, where their reads wait, whose entries fill the queues there, and
// what would help. Pure functions of the facts; the numbers of the verdict stand here. No DOM.
import { fixed } from "../format.ts";
import { STATIONS, type Facts, type KernelFacts, type Station } from "./facts.ts";
import { filler, heldByQuota, partAt, percentText, pressed, sufferer, type Part, type Sentence } from "./verdict.ts";

/** A part of a bar: a kernel's, or what the word names. */
export interface Segment {
  share: number;
  kernel: number | null;
  what: string;
}
/** A bar with its number, which has a place where sentences lead to; the parts of a bar of all kernels have places too: `noc.1`. */
export interface Row {
  name: string;
  kernel: number | null;
  segments: Segment[];
  value: string;
  at: string;
  /** The place that limits the mix. */
  full: boolean;
}
export interface Step {
  key: "holds" | "warps" | "quotas" | "reads" | "places";
  title: string;
  says: Sentence;
  doc: string;
  rows: Row[];
}

export const STATION_NAMES: Record<Station, string> = {
  miss_queue: "L1D’s miss queue",
  request_noc: "request NoC",
  l2: "L2 and its reply port",
  dram: "DRAM",
  reply_noc: "reply NoC",
};

/** A part of a bar in words; nothing for one that cannot be seen. */
export const segmentText = ({ what, share }: Segment): string =>
  share >= 0.0005 ? `${what} ${percentText(share)}` : "";

/** The kernel that the chain is told for: the one that suffers most, else the first. */
export const subject = (facts: Facts): number => sufferer(facts) ?? 0;

export function chain(facts: Facts): Step[] {
  return [holds(facts), warps(facts), ...quotas(facts), reads(facts), places(facts)];
}

function holds(facts: Facts): Step {
  const k = subject(facts),
    of = facts.kernels[k] as KernelFacts;
  const rows = facts.kernels.map(
    ({ name, ctas, room }, kernel): Row => ({
      name,
      kernel,
      segments: ctas !== null && room ? [{ what: "CTAs", share: Math.min(1, ctas / room), kernel }] : [],
      value: ctas === null ? "" : `${fixed(ctas, 1)}${room === null ? "" : ` of ${room}`} CTAs`,
      at: `ctas.${kernel}`,
      full: false,
    }),
  );
  const slots = facts.kernels.map(
    ({ name, slots: part }, kernel): Segment => ({ what: name, share: part ?? 0, kernel }),
  );
  return {
    key: "holds",
    title: "What they hold",
    rows: [
      ...rows,
      {
        name: "Issue slots",
        kernel: null,
        segments: slots,
        value: facts.slots === null ? "" : `${percentText(facts.slots)} used`,
        at: "slots",
        full: (facts.slots ?? 0) >= 0.7,
      },
    ],
    says:
      of.ctas === null
        ? [named(facts, k), " holds nothing yet."]
        : [
            "An SM has ",
            fixed(of.ctas, 1),
            " CTAs of ",
            named(facts, k),
            ...(of.room === null ? [] : [`; of it alone it would hold ${of.room}`]),
            ".",
          ],
    doc: "CTAs on an SM, the mean over all SMs and cycles, of those that one holds of this kernel alone; and of all issue slots, the part in which each kernel issued.",
  };
}

function warps(facts: Facts): Step {
  const k = subject(facts),
    of = facts.kernels[k]?.waits ?? null;
  const rows = facts.kernels.map(({ name, waits }, kernel): Row => {
    const segments =
      waits === null
        ? []
        : [
            ["memory", waits.memory],
            ["LSU", waits.lsu],
            ["issues", waits.issues],
            ["other", waits.other],
          ].map(([what, share]): Segment => ({ what: what as string, share: share as number, kernel: null }));
    return {
      name,
      kernel,
      segments,
      value: waits === null ? "" : percentText(waits.memory + waits.lsu),
      at: `waits.${kernel}`,
      full: false,
    };
  });
  return {
    key: "warps",
    title: "What the warps do",
    rows,
    says:
      of === null
        ? [named(facts, k), " has had no warp on an SM."]
        : [
            named(facts, k),
            " waits for memory in ",
            percentText(of.memory),
            " of all cycles of its warps, for the load-store unit in ",
            percentText(of.lsu),
            ", and issues in ",
            percentText(of.issues),
            ".",
          ],
    doc: "All cycles of a kernel’s resident warps: memory, waits for a load that missed L1D; LSU, its next access is not taken by the load-store unit, because L1D refuses those before it; issues, an instruction; other, arithmetic, barriers, or another warp’s turn. The number is memory and LSU together.",
  };
}

/** Only where a quota has stopped a kernel. */
function quotas(facts: Facts): Step[] {
  const stopped = facts.kernels
    .flatMap(({ stalls }, k) => (stalls !== null && stalls.quota > 0 ? [{ k, share: stalls.quota }] : []))
    .sort((a, b) => b.share - a.share);
  if (stopped.length === 0) return [];
  const rows = facts.kernels.map(({ name, stalls }, kernel): Row => {
    const segments =
      stalls === null
        ? []
        : [
            ["memory", stalls.memory],
            ["LSU", stalls.lsu],
            ["quota", stalls.quota],
            ["other", stalls.other],
          ].map(([what, share]): Segment => ({ what: what as string, share: share as number, kernel: null }));
    return {
      name,
      kernel,
      segments,
      value: stalls === null ? "" : percentText(stalls.quota),
      at: `quota.${kernel}`,
      full: false,
    };
  });
  return [
    {
      key: "quotas",
      title: "What their quotas leave them",
      rows,
      says: [
        "Of the cycles in which its schedulers issue nothing, ",
        ...stopped.flatMap(
          ({ k, share }, i): Sentence => [
            i === 0 ? "" : "; ",
            named(facts, k),
            i === 0 ? " waits for its quota in " : " in ",
            percentText(share),
          ],
        ),
        ".",
      ],
      doc: "All cycles in which a scheduler that holds warps of the kernel issues nothing, of any kernel: quota, they are ready and the kernel has used its quota up; memory, they wait for loads that missed L1D; LSU, for room in the load-store unit; other, for arithmetic, barriers, or a CTA that is being switched out. The number is quota’s.",
    },
  ];
}

function reads(facts: Facts): Step {
  const k = subject(facts),
    of = facts.kernels[k] as KernelFacts,
    long = longest(of);
  const rows = facts.kernels.map(({ name, stations, latency }, kernel): Row => {
    const segments = STATIONS.map(
      (station): Segment => ({
        what: STATION_NAMES[station],
        share: stations && latency ? stations[station] / latency : 0,
        kernel: null,
      }),
    );
    return {
      name,
      kernel,
      segments: stations ? segments : [],
      value: latency === null ? "" : `${fixed(latency, 0)} cycles`,
      at: `latency.${kernel}`,
      full: false,
    };
  });
  return {
    key: "reads",
    title: "Where their reads wait",
    rows,
    says:
      of.latency === null || long === null || of.stations === null
        ? ["No read of ", named(facts, k), " has come back."]
        : [
            "A read of ",
            named(facts, k),
            " that misses L1D comes back after ",
            fixed(of.latency, 0),
            " cycles; most of them, ",
            percentText(of.stations[long] / of.latency),
            `, pass in ${STATION_NAMES[long]}.`,
          ],
    doc: "Mean core cycles of a read that misses L1D, from the miss queue to its reply, and the part of them in each station. L2’s part has the wait for its reply port: where the reply NoC is full, reads wait there.",
  };
}

function places(facts: Facts): Step {
  const limit = pressed(facts),
    by = limit && filler(limit, facts);
  const shares = (of: (kernel: KernelFacts) => number | null): Segment[] =>
    facts.kernels.map((kernel, k) => ({ what: kernel.name, share: of(kernel) ?? 0, kernel: k }));
  const row = (
    name: string,
    at: string,
    of: (kernel: KernelFacts) => number | null,
    value: string,
    full: boolean,
  ): Row => {
    return { name, kernel: null, segments: shares(of), value, at, full };
  };
  const switched = facts.kernels.reduce((sum, { contexts }) => sum + (contexts ?? 0), 0);
  const use = (part: number | null): string => (part === null ? "no limit" : `${percentText(part)} used`);
  const queues = (station: Station, name: string): Row =>
    row(name, `holds.${station}`, (kernel) => kernel.holds[station], "", false);
  const says: Sentence =
    limit === null
      ? ["No shared place is near what it sustains."]
      : [
          limit === "noc" ? "The reply NoC" : "DRAM",
          " is what limits them: ",
          percentText(facts[limit] ?? 0),
          ` of its peak is used, and about ${limit === "noc" ? "60" : "70"} % can be sustained.`,
          ...(by === null || by === undefined
            ? []
            : [
                " Most of it, ",
                percentText(partAt(limit, facts.kernels[by] as KernelFacts) ?? 0),
                ", is ",
                named(facts, by),
                "’s.",
              ]),
        ];
  return {
    key: "places",
    title: "Who fills them",
    says,
    rows: [
      queues("miss_queue", "Miss queues"),
      queues("request_noc", "Request NoC"),
      queues("l2", "L2 banks"),
      row("DRAM", "dram", (kernel) => kernel.lines, use(facts.dram), limit === "dram"),
      ...(switched > 0
        ? [row("Contexts in DRAM", "contexts", (kernel) => kernel.contexts, `${percentText(switched)} of lines`, false)]
        : []),
      row("Reply NoC", "noc", (kernel) => kernel.flits, use(facts.noc), limit === "noc"),
    ],
    doc: "Each kernel’s part: of miss queues, request NoC and L2 banks, of all cycles that reads have spent there, which by Little’s law is its part of the entries that reads take; of DRAM, of the lines that it has moved, and of these those of CTAs that context switches have moved, registers and shared memory; of the reply NoC, of its flits. Beside DRAM and the reply NoC, the part of their peak that is used.",
  };
}

/** The station in which a kernel's reads spend most of their time. */
export function longest({ stations }: KernelFacts): Station | null {
  return stations && STATIONS.reduce((a, b) => (stations[b] > stations[a] ? b : a));
}

/** Those kernels of which this holds, as words. */
const each = (facts: Facts, of: (kernel: KernelFacts) => boolean): Sentence =>
  facts.kernels
    .flatMap((kernel, k) => (of(kernel) ? [k] : []))
    .flatMap((k, i): Sentence => [...(i === 0 ? [] : [" and "]), named(facts, k)]);

const named = (facts: Facts, kernel: number): Part => ({ text: facts.kernels[kernel]?.name ?? "", kernel });

// ---------------------------------------------------------------- what would help

/** A scheme that acts on the cause, with what it does about it. */
export interface Help {
  scheme: string;
  says: Sentence;
}

/** At most two schemes, of those that there are and that is not in force, for the kernel that suffers most; none where nobody does. */
export function helps(facts: Facts, schemes: readonly string[]): Help[] {
  const k = sufferer(facts),
    kernel = k === null ? undefined : facts.kernels[k];
  if (k === null || !kernel) return [];
  const me = named(facts, k),
    place = pressed(facts),
    by = place === null ? null : filler(place, facts);
  const promised = each(facts, ({ promised }) => promised),
    missed = each(facts, ({ reached }) => reached !== null && reached < 1);
  const offers: [string, boolean, Sentence][] = heldByQuota(kernel)
    ? [
        [
          "spart",
          promised.length > 0 && !kernel.promised,
          [
            "gives whole SMs to ",
            ...promised,
            ", as many as what is promised takes, and to ",
            me,
            " the others, where no quota stops it",
          ],
        ],
        ["even", true, ["keeps no goals and has no quotas: ", me, " issues whenever it has warps that are ready"]],
      ]
    : [
        [
          "qos-rollover",
          missed.length > 0,
          ["gives ", ...missed, " quotas that keep what is promised, and more of them while that is missed"],
        ],
        ["even", kernel.slowdown === Infinity, ["gives ", me, " as large a part of each SM as every other kernel"]],
        [
          "ccbp",
          kernel.slowdown === Infinity || (place !== null && by !== k),
          [
            "gives ",
            me,
            " a miss queue of its own",
            ...(by === null || by === k ? [] : [" and ", named(facts, by), " a number of requests for each interval"]),
          ],
        ],
        [
          "ws",
          place === null,
          [
            "measures how each kernel gains with its CTAs, and chooses numbers of CTAs at which the one that loses most loses least",
          ],
        ],
        [
          "smk",
          place === null && (facts.slots ?? 0) > 0.5,
          ["gives each kernel a quota of warp instructions, so that none takes the issue slots of ", me],
        ],
        [
          "ws+mil",
          (kernel.waits?.lsu ?? 0) >= 0.1,
          [
            "limits the memory instructions that each kernel may have under way, so that they block ",
            me,
            " less in the load-store unit",
          ],
        ],
        ["spatial", true, ["gives each kernel SMs of its own: in L1D and the load-store unit none waits for another"]],
      ];
  return offers
    .filter(([scheme, fits]) => fits && schemes.includes(scheme) && scheme !== facts.scheme)
    .slice(0, 2)
    .map(([scheme, , says]) => ({ scheme, says }));
}
