// Two kernels that stand for a pair of a timeline: which, the reader says, as a name says nothing about what a kernel does. They run here, or on a page
// of their own.
import type { Signal } from "@preact/signals";
import { kernelChoices } from "../model/choice.ts";
import { ENDLESS, MISSING } from "../model/format.ts";
import { useFreshId } from "../parts/dom.ts";
import { Menu } from "../parts/menu.tsx";
import { Button, RunLink } from "../parts/widgets.tsx";
import type { Catalogue, Experiment, PolicyChoice } from "../model/types.ts";
import type { Simulations } from "./simulated.ts";

/** Cycles of a run of a pair: on a GPU of a hundred SMs they take less than a minute. */
const CYCLES = 200_000;

/** What a pair's places are of, too. */
export const STREAMS: PolicyChoice = { name: "leftover" },
  MPS: PolicyChoice = { name: "mps", percentage: [50, 50] };

/** What is the same for all pairs. */
export interface Desk {
  catalogue: Catalogue;
  /** The preset on which they run. */
  gpu: string;
  /** What stands for a kernel, by its whole name: its shapes differ in size. */
  bodies: Signal<ReadonlyMap<string, string>>;
  simulations: Simulations;
}

/** A kernel of the timeline. */
export interface Named {
  name: string;
  short: string;
}
export type Two = readonly [Named, Named];

/** Where the other one leaves it no room, it takes for ever. */
export const timesText = (factor: number | null | undefined): string =>
  factor == null ? MISSING : `${factor === Infinity ? ENDLESS : factor.toFixed(2)}×`;

/** The run of two, where both are chosen. */
export function runOf({ gpu, bodies }: Desk, two: Two, policy: PolicyChoice): Experiment | null {
  const kernels = two.flatMap(({ name }) => bodies.value.get(name) ?? []);
  if (kernels.length < two.length) return null;
  return { corun: 1, gpu, kernels, seed: 1, stop: { cycles: CYCLES }, policy };
}

export function Chosen({ two, desk }: { two: Two; desk: Desk }) {
  const id = useFreshId("timeline-kernel"),
    { catalogue, bodies } = desk,
    [streams, mps] = [runOf(desk, two, STREAMS), runOf(desk, two, MPS)],
    [first, second] = two;
  return (
    <div class="timeline-run">
      <p>A timeline has no bodies of kernels. Choose what does alike: it runs with a grid of its own.</p>
      <div class="flow">
        {(first.name === second.name ? [first] : two).map(({ name, short }, at) => (
          <span key={name} class="flow">
            <span>{short} as</span>
            <Menu
              id={`${id}-${at}`}
              label={`Stands for ${short}`}
              value={bodies.value.get(name) ?? ""}
              text={bodies.value.get(name) ?? "choose a kernel"}
              choices={() => kernelChoices(catalogue)}
              onChoose={(body) => {
                bodies.value = new Map(bodies.value).set(name, body);
              }}
            />
          </span>
        ))}
        {streams && <Run two={two} desk={desk} of={streams} />}
        {streams && mps && (
          <RunLink away class="button" of={{ experiment: streams, other: mps }}>
            Open the run, streams against MPS 50 % each
          </RunLink>
        )}
      </div>
    </div>
  );
}

function Run({ two, desk: { gpu, simulations }, of }: { two: Two; desk: Desk; of: Experiment }) {
  const known = simulations.of(of);
  if (!known || "why" in known)
    return (
      <>
        <Button primary press={() => void simulations.run(of)}>
          Simulate
        </Button>
        {known && <span role="alert">{known.why}</span>}
      </>
    );
  if ("part" in known) return <progress max={1} value={known.part ?? undefined} aria-label="Simulated" />;
  return (
    <span role="status">
      {`simulated on streams of ${gpu}, times as long as alone: ${two.map(({ short }, at) => `${short} ${timesText(known.slowdowns[at])}`).join(", ")}`}
    </span>
  );
}
