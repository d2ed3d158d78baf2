// What every export carries: enough to run it again.

export interface Stamp {
  /** Version of the engine. */
  engine: string;
  /** Hash of the experiment after defaults. */
  config: string;
  seed: number;
  cycle: number;
  /** The link that opens it; not part of the one-line text. */
  link: string;
}

/** Engines of equal behaviour give equal results. The digits behind the version name it: `0.2.0-1a2b3c4d`. */
export function sameEngine(one: string, other: string): boolean {
  const behaviour = (engine: string): string => engine.slice(engine.indexOf("-") + 1);
  return behaviour(one) === behaviour(other);
}

let source: () => Stamp = () => ({ engine: "", config: "", seed: 0, cycle: 0, link: "" });

/** The page says where the stamp comes from; the views ask for it when they export. */
export function provideStamp(from: () => Stamp): void {
  source = from;
}
export function currentStamp(): Stamp {
  return source();
}

/** `Corun 0.2.0 · config 1a2b3c4d · seed 1 · cycle 12,400`. */
export function stampText(stamp: Stamp = currentStamp()): string {
  return `Corun ${stamp.engine} · config ${stamp.config} · seed ${stamp.seed} · cycle ${stamp.cycle}`;
}

/** A name for a file: `corun-bandwidth-1a2b3c4d-s1-c12400.csv`. */
export function stampName(what: string, extension: string, stamp: Stamp = currentStamp()): string {
  const config = stamp.config.replace(/[^0-9a-z]/gi, "").slice(0, 8) || "unnamed";
  return `corun-${what}-${config}-s${stamp.seed}-c${stamp.cycle}.${extension}`;
}
