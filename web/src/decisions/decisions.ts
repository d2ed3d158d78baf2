// What the policies of the shown runs decided, as the panel of decisions shows it: what holds at a cycle, and all that happened. No DOM.
import { signal } from "@preact/signals";
import { DECISIONS, happened } from "../model/happened.ts";
import { kernelControls } from "../model/manual.ts";
import { inForce } from "./decided.ts";
import type { Events } from "../model/event-log.ts";
import type { ControlEntry, Decision, ShownRun, ShownTable } from "../model/types.ts";
import type { Tabular } from "../model/tabular.ts";

/** Entries of the list that are shown; an export has all. */
const LISTED = 200;
/** The table of its turns. */
const ALGORITHM = "algorithm_1";

/** What one run's policy decided. */
export class Decided {
  readonly log = signal<readonly Decision[]>([]);
  readonly past = signal<Events | null>(null);
  /** Null before the machine has read them. */
  readonly controls = signal<unknown>(null);
  /** Which kind of the list is shown: what kinds begin with. */
  readonly kind = signal<string>(DECISIONS);
  readonly tables = signal<readonly ShownTable[]>([]);
  readonly kernels: readonly string[];

  constructor(
    readonly run: ShownRun,
    readonly offered: readonly ControlEntry[],
  ) {
    this.kernels = run.layout.kernels;
  }

  name(kernel: number): string {
    return this.kernels[kernel] ?? `kernel ${kernel}`;
  }

  /** What was decided until a cycle: where a run has gone back, what came later is not said. */
  until(cycle: number): readonly Decision[] {
    const later = this.log.value.findIndex((decision) => decision.cycle > cycle);
    return later < 0 ? this.log.value : this.log.value.slice(0, later);
  }

  /** What the scheme decides on, as it stands. Turns of Algorithm 1 are for a lecture: Learn has them. */
  get shown(): readonly ShownTable[] {
    return this.tables.value.filter(({ key }) => key !== ALGORITHM);
  }
  get worksOut(): boolean {
    return this.shown.length < this.tables.value.length;
  }

  get inForce(): ReturnType<typeof inForce> {
    const sms = this.run.layout.sms.length;
    return inForce(kernelControls(this.offered, sms), this.controls.value, this.kernels.length, sms);
  }

  /** All that is known, also of later cycles than the present one: the list leads there. */
  get happened(): ReturnType<typeof happened> {
    return happened(this.kernels, this.past.value, this.log.value);
  }
  get listed(): ReturnType<typeof happened> {
    return this.happened.filter(({ kind }) => kind.startsWith(this.kind.value)).slice(0, LISTED);
  }
  /** What the list can be limited to. What is chosen stays, also while there is none of it. */
  get kinds(): { value: string; text: string }[] {
    const chosen = this.kind.value.includes(" ") ? [this.kind.value] : [],
      kinds = new Set([...this.happened.map(({ kind }) => kind), ...chosen]);
    return [
      { value: "", text: "everything" },
      { value: DECISIONS, text: "every decision" },
      ...[...kinds].map((kind) => ({ value: kind, text: kind })),
    ];
  }

  table(): Tabular {
    return {
      title: "Launches, switches and decisions",
      columns: ["cycle", "kind", "kernel", "what"].map((key) => ({ key, title: key, unit: "" })),
      rows: this.happened.map(({ cycle, kind, kernel, text }) => [
        cycle,
        kind,
        kernel === null ? null : this.name(kernel),
        text,
      ]),
    };
  }
}
