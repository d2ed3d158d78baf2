// A run of runs.json on the built module, as xtask/tools/speed.rs does it natively; shared by node.mjs and chromium.mjs.

const SNAPSHOTS = 21;

/** What one run took: name, cycles, warp_instructions, seconds, digest, snapshot_ms. */
export function measure(Simulation, { name, cycles, experiment }) {
  const text = JSON.stringify({ ...experiment, stop: { cycles } });
  // Engines compile in tiers: the first run only warms up.
  const warm = new Simulation(text);
  warm.advance(Math.min(cycles, 20_000));
  warm.free();
  const simulation = new Simulation(text);
  const start = performance.now();
  simulation.advance(cycles);
  const seconds = (performance.now() - start) / 1000;
  // A browser's clock is too coarse for one copy.
  const begin = performance.now();
  for (let i = 0; i < SNAPSHOTS; i++) simulation.snapshot().free();
  const snapshot_ms = (performance.now() - begin) / SNAPSHOTS;
  const warp_instructions = simulation.result().kernels.reduce((sum, kernel) => sum + kernel.warp_instructions, 0);
  const line = { name, cycles: simulation.cycle, warp_instructions, seconds, digest: simulation.digest(), snapshot_ms };
  simulation.free();
  return line;
}

/** The same, or what is wrong. */
export function answer(Simulation, run) {
  try {
    return measure(Simulation, run);
  } catch (error) {
    return { error: String(error?.message ?? error) };
  }
}
