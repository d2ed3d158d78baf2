// The place Schemes: what is compared on a mix, what the oracles try, and the mix itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Answers } from "../src/engine/answers.ts";
import { oneLess, oneMore, otherGpu, otherKernel } from "../src/model/mix.ts";
import type { RunsPoints, SchemesHost } from "../src/schemes/schemes-run.ts";
import { LAST, OracleSearch, SHORT } from "../src/schemes/oracle.ts";
import type { OraclePolicies } from "../src/engine/lab/sweep.ts";
import { Place } from "../src/schemes/place.ts";
import { actsAt, keyOf, schemesFor, VARIANTS } from "../src/schemes/variants.ts";
import type { PoolEvents } from "../src/engine/lab/pool.ts";
import type { Plan } from "../src/engine/lab/sweep.ts";
import type { Catalogue, Experiment, PolicyEntry, Result } from "../src/model/types.ts";
import { VENDORS } from "./vendors.ts";

const param = (name: string, value: unknown, required = false) => ({
  name,
  default: value,
  required,
  kind: "int",
  doc: "",
});
const entry = (name: string, title: string, params: object[] = [], keeps = false): PolicyEntry =>
  ({ name, title, doc: "d", source: "s", keeps_goals: keeps, params }) as unknown as PolicyEntry;
const CCBP = entry("ccbp", "CCBP: all", [
  param("warm_up", 50_000),
  param("skip", 10_000),
  param("window", 10_000),
  param("time_scale", 1),
]);
const catalogue = {
  policies: [
    entry("even", "Even split"),
    entry("fixed", "Fixed", [param("combination", null, true)]),
    entry("mps", "MPS", [param("percentage", null, true)]),
    entry("smk", "SMK: shares"),
    entry("ws", "Warped-Slicer", [param("warm_up", 20_000), param("window", 5_000)]),
    CCBP,
    entry("qos-rollover", "QoS rollover", [], true),
  ],
  metrics: [],
  gpus: [],
  gpu_fields: [],
  vendors: VENDORS,
} as unknown as Catalogue;
const mix: Experiment = { corun: 1, kernels: ["BP", "CFD"], policy: "even", seed: 1 };

test("what is compared is the catalogue and the forms that papers compare; what cannot begin by itself is left to the oracles", () => {
  const titles = (of: Experiment): string[] => schemesFor(catalogue, of).map(({ title }) => title);
  assert.deepEqual(titles(mix), [
    "Even split",
    "MPS 100 % each",
    "SMK",
    "SMK without quotas",
    "Warped-Slicer",
    "Warped-Slicer, online",
    "CCBP",
    "CCBP, shares alone",
    "CCBP, offline",
    "QoS rollover",
  ]);
  // Forms of schemes that keep goals come where there are goals; a scheme with settings of its own stays, once.
  assert.equal(titles({ ...mix, kernels: [{ kernel: "BP", qos: 0.8 }, "CFD"] }).length, 13);
  assert.deepEqual(
    schemesFor(catalogue, { ...mix, policy: { name: "ccbp", variant: "drf" } })
      .filter(({ policy }) => policy.name === "ccbp")
      .map(({ policy }) => policy),
    [
      { name: "ccbp", variant: "drf" },
      { name: "ccbp", variant: "offline" },
    ],
  );
  assert.ok(titles({ ...mix, policy: { name: "fixed", combination: [1, 2] } }).includes("Fixed (combination 1 + 2)"));
  assert.equal(new Set(VARIANTS.map(({ policy }) => keyOf(policy))).size, VARIANTS.length);
});

test("a scheme that learns says from its parameters when it can act", () => {
  assert.equal(actsAt({ name: "ccbp" }, CCBP), 90_000);
  assert.equal(actsAt({ name: "ccbp", variant: "offline" }, CCBP), 900_000);
  assert.equal(actsAt({ name: "ccbp", time_scale: 0.1 }, CCBP), 9_000);
  assert.equal(actsAt({ name: "even" }, CCBP), 0);
});

/** So many CTAs of two kernels that an SM holds together, or each on SMs of its own. */
const pairs = <T>(most: readonly [number, number], as: (ctas: number[]) => T): T[] =>
  Array.from({ length: most[0] * most[1] }, (_, i) => as([1 + Math.floor(i / most[1]), 1 + (i % most[1])]));
const POLICIES: OraclePolicies = {
  cta: pairs([4, 6], (combination) => ({ name: "fixed", combination })),
  spatial: pairs([8, 9], (ctas) => ({ name: "spatial", ctas })),
};
const policies = (): Promise<OraclePolicies> => Promise.resolve(POLICIES);

/** A host on which a policy with CTAs is the better the nearer it is to 3 + 5. */
function host(): SchemesHost & { ran: number[]; last(): PoolEvents & { end(): void } } {
  const ran: number[] = [];
  let last: (PoolEvents & { end(): void }) | null = null;
  return {
    ran,
    last: () => last as PoolEvents & { end(): void },
    catalogue,
    workers: 2,
    validate: () => Promise.resolve([]),
    plan: (text, _most, said) => {
      const { sweep } = JSON.parse(text) as {
        sweep: { base: { stop: { cycles: number } }; axes: { values: object[] }[] };
      };
      ran.push(sweep.base.stop.cycles, sweep.axes[0]?.values.length ?? 0);
      const points = (sweep.axes[0]?.values ?? []).map((policy) => ({
        axes: { policy },
        config_hash: JSON.stringify(policy),
        experiment: { corun: 1, kernels: [], policy },
      }));
      said({ name: "", hash: "", axes: [["policy"]], points, runs: {} } as unknown as Plan);
      return () => undefined;
    },
    pool: (_text, plan, events): RunsPoints => {
      const end = (): void => {
        plan.points.forEach(({ axes, config_hash: hash }, index) => {
          const { combination, ctas = combination } = axes["policy"] as Record<string, number[]>;
          const [bp = 0, cfd = 0] = ctas ?? [];
          const result = {
            config_hash: hash,
            digest: hash,
            kernels: [],
            gpu: {},
            metrics: { hspeedup: 1 / (1 + Math.hypot(bp - 3, cfd - 5)) },
          };
          events.line(index, JSON.stringify({ index, result }));
        });
        events.over();
      };
      last = { ...events, end };
      return {
        know: () => undefined,
        again: () => undefined,
        skip: () => undefined,
        start: () => undefined,
        stop: () => undefined,
        progress: () => ({ done: 0, left: null }),
      };
    },
    alone: new Answers(""),
    results: new Answers<Result>(""),
  };
}
const later = (): Promise<void> => new Promise((done) => setTimeout(done));

test("an oracle is the best at length of the best of a short search; stopping forgets it, and another mix what was found", async () => {
  const on = host(),
    search = new OracleSearch(on, policies);
  void search.start(mix, 500_000);
  await later();
  assert.deepEqual(on.ran, [SHORT, 24 + 72]);
  assert.equal(search.progress.value?.of, 24 + 72);
  on.last().end();
  await later();
  assert.deepEqual(on.ran.slice(2), [500_000, 2 * LAST]);
  assert.equal(search.answers.value.length, 0);
  on.last().end();
  await later();
  assert.deepEqual(
    search.answers.value.map(({ scheme }) => scheme),
    ["CTA oracle (3 + 5 CTAs)", "Spatial oracle (3 + 5 CTAs)"],
  );
  assert.deepEqual(search.answers.value[0]?.experiment.policy, { name: "fixed", combination: [3, 5] });
  assert.equal(search.progress.value, null);
  assert.match(search.says.value, /^Of 24 combinations of CTAs on every SM, and 72 /);
  search.reset();
  assert.deepEqual(search.answers.value, []);
  void search.start(mix, 1000);
  await later();
  search.stop();
  on.last().end();
  await later();
  assert.deepEqual(search.answers.value, []);
});

test("the mix is changed as a sentence is", () => {
  const changed = (edit: (experiment: Experiment) => void): Experiment => {
    const next = structuredClone(mix);
    edit(next);
    return next;
  };
  assert.deepEqual(changed(otherKernel(1, "SAD")).kernels, ["BP", "SAD"]);
  assert.deepEqual(changed(oneMore(null, "SAD")).kernels, ["BP", "CFD", "SAD"]);
  assert.deepEqual(changed(oneLess(null, 0)).kernels, ["CFD"]);
  assert.equal(changed(otherGpu("tiny-2sm")).gpu, "tiny-2sm");
});

test("the place runs what is chosen, for as long as the mix says, and shows the oracles beside it", async () => {
  const on = host(),
    place = new Place({ ...mix, stop: { cycles: 5000 } });
  assert.equal(place.length.value, 5000);
  await place.start({ host: on, stamp: "x", oraclePolicies: policies });
  assert.equal(place.rows.value.length, 10);
  place.choose(({ policy }) => policy.name === "ccbp");
  await later();
  assert.deepEqual(
    place.rows.value.map(({ name }) => name),
    ["CCBP", "CCBP, shares alone", "CCBP, offline"],
  );
  assert.equal(place.answers.value[2]?.acts, 900_000, "beyond its run");
  await place.open({ ...mix, stop: { cycles: 2_000_000 } });
  assert.equal(place.rows.value.length, 10, "another mix has all schemes again");
  assert.ok(place.answers.value.every(({ acts }) => acts === undefined));
});
