// A small document of figures whose stored values are the native runner's: what the page computes again must equal them.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FigureDocument } from "../src/embed/figure-document.ts";
import type { Experiment, Figure, Result } from "../src/model/types.ts";

/** The native build of the same engine. */
const CORUN = process.env["CORUN"] ?? "../target/debug/corun";
const CYCLES = 12_000;

const run = (kernels: string[], policy: string, more: Partial<Experiment> = {}): Experiment => ({
  corun: 1,
  name: `${kernels.join(" + ")}: ${policy}`,
  seed: 1,
  gpu: "tiny-2sm",
  kernels,
  policy,
  stop: { cycles: CYCLES },
  alone: true,
  ...more,
});
const EXPERIMENTS: Experiment[] = [
  ...["even", "spatial"].flatMap((policy) =>
    [
      ["ccbp/BP", "ccbp/CFD"],
      ["ccbp/BP", "ccbp/SAD"],
    ].map((kernels) => run(kernels, policy)),
  ),
  // One with a field that the others leave out.
  run(["ccbp/BP"], "leftover", { alone: false, warp_order: "gto" }),
];

const FIGURES: Figure[] = [
  {
    id: "fig9a",
    title: "Harmonic speedup, R&D <b>fixture</b>",
    source: "A paper, Fig. 9",
    kind: "bars",
    x: { label: "Pair" },
    y: { label: "Harmonic speedup" },
    series: ["Even", "Spatial"],
    categories: ["BP+CFD", "BP+SAD", "both"],
    measure: { path: "metrics.hspeedup", reduce: "value" },
    differs: "The paper has another GPU.",
    points: [[0], [1], [0, 1], [2], [3], [2, 3]].map((runs, i) => ({
      series: Math.floor(i / 3),
      x: i % 3,
      runs,
      ...(i < 2 ? { paper: 0.5 } : {}),
      ...(runs.length > 1 ? { measure: { path: "metrics.hspeedup", reduce: "geomean" as const } } : {}),
    })),
  },
  {
    id: "fig2a",
    title: "IPC of BP over BP alone",
    source: "A paper, Fig. 2",
    kind: "bars",
    x: { label: "Beside" },
    y: { label: "IPC", unit: "%" },
    series: ["BP"],
    categories: ["CFD", "SAD"],
    measure: { path: "kernels[0].ipc", reduce: "value" },
    points: [0, 1].map((r) => ({ series: 0, x: r, runs: [r], baseline: [4], paper: 0.4 })),
    differs: "",
  },
  {
    id: "fig13a",
    title: "NoC in windows",
    source: "A paper, Fig. 13",
    kind: "lines",
    x: { label: "Cycle" },
    y: { label: "NoC utilisation", unit: "%" },
    series: ["BP", "CFD"],
    measure: { path: "windows[0].kernels[0].noc_utilisation", reduce: "value" },
    differs: "",
    points: [0, 1].flatMap((k) =>
      Array.from({ length: 20 }, (_, w) => ({
        series: k,
        x: 400 * w,
        runs: [0],
        measure: { path: `windows[${w}].kernels[${k}].noc_utilisation`, reduce: "value" as const },
      })),
    ),
  },
];

export interface Fixture {
  document: FigureDocument & { corun: 1 };
  text: string;
  pictures: Record<string, string>;
  digests: string[];
}
let made: Promise<Fixture> | null = null;
/** Made once for all tests. */
export function fixture(): Promise<Fixture> {
  made ??= make();
  return made;
}

async function make(): Promise<Fixture> {
  const engine = await import("../src/wasm/corun.js");
  engine.initSync({ module: readFileSync("src/wasm/corun_bg.wasm") });
  const folder = mkdtempSync(join(tmpdir(), "corun-figures-"));
  const results = EXPERIMENTS.map((experiment, i) => {
    const file = join(folder, `${i}.json`);
    writeFileSync(file, JSON.stringify(experiment));
    return JSON.parse(execFileSync(CORUN, ["run", file, "--json"], { encoding: "utf8", stdio: "pipe" })) as Result;
  });
  // The runner's result has no windows: those of its first run are the module's own.
  const windowed = new engine.Simulation(EXPERIMENTS[0] as Experiment);
  windowed.advance(CYCLES);
  results[0] = { ...(results[0] as Result), windows: (windowed.resultWithWindows() as Result).windows };
  windowed.free();
  const figures = FIGURES.map((figure) => {
    const values = engine.figureValues(figure, JSON.stringify(results));
    return { ...figure, points: figure.points.map((p, i) => ({ ...p, value: values[i] ?? null })) };
  });
  const document = {
    corun: 1 as const,
    paper: "ccbp",
    title: "A paper for tests",
    citation: "Nobody, Nowhere, 2026",
    stamp: { engine: engine.stamp(), commit: "0123456789", mode: "quick", cycles: CYCLES, seed: 1 },
    runs: EXPERIMENTS.map((experiment, i) => ({
      experiment,
      hash: engine.configHash(experiment),
      digest: results[i]?.digest ?? "",
    })),
    figures,
  };
  const pictures = Object.fromEntries(
    figures.map((figure) => [figure.id, engine.figureSvg(figure, { width: 720, title: true })]),
  );
  return { document, text: JSON.stringify(document), pictures, digests: results.map((r) => r.digest) };
}
