// <corun-timeline>: what the CTAs of a run did, as far as it is known: launches and CTAs of the kernels, context switches, epochs and quotas on top, the
// policy's phases. The same as a list, which leads to each of them.
import "./timeline.css";
import { h } from "../dom.ts";
import type { Drawing } from "../draw/drawing.ts";
import { whole } from "../draw/scale.ts";
import { kernelPaint } from "../draw/theme.ts";
import type { Theme } from "../draw/theme.ts";
import { count } from "../format.ts";
import type { Past } from "../past.ts";
import type { Decision, ShownRun } from "../types.ts";
import { kernelNames } from "../views/parts.ts";
import { Picture, type LegendItem } from "../views/picture.ts";
import type { Tabular } from "../views/tabular.ts";
import { drawTimeline, launchText, onTopOf, onTopText, switchText } from "./drawing.ts";
import type { TimelineRun } from "./drawing.ts";

/** The least that the axis shows. */
const LEAST = 2_000;
/** Entries of the list. */
const LISTED = 200;

export class CorunTimeline extends Picture {
  protected readonly file = "launches";
  protected readonly name = "CTAs and launches";
  protected readonly about =
    "CTAs as they finish, launches, context switches, epochs and the policy's phases, over the cycles of the run.";
  /** The run is to go to a cycle. */
  go: (cycle: number) => void = () => {};
  #runs: (TimelineRun & { past: Past | null; decisions: readonly Decision[] })[] = [];
  #cycle = 0;
  readonly #entries = h("ol", { class: "tl-list", tabIndex: 0, "aria-label": "Launches, switches and decisions" });
  readonly #kind = h("select", { id: "f-listed" });
  readonly #list = h(
    "details",
    null,
    h("summary", null, "As a list"),
    h("div", { class: "tl-field" }, h("label", { for: "f-listed" }, "Show"), this.#kind),
    this.#entries,
  );

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.#list.isConnected) return;
    this.append(this.#list);
    for (const [element, event] of [
      [this.#list, "toggle"],
      [this.#kind, "change"],
    ] as const)
      element.addEventListener(event, () => {
        this.#fill();
      });
  }

  /** `epochs`: cycles of an epoch of each, if it has them. */
  setRuns(runs: readonly ShownRun[], epochs: readonly (number | null)[]): void {
    this.#runs = runs.map(({ mark, title, layout }, i) => ({
      mark,
      title,
      kernels: kernelNames(layout.kernels),
      epoch: epochs[i] ?? null,
      past: null,
      decisions: [],
    }));
    this.#cycle = 0;
    this.relegend();
    this.#changed();
  }

  setPast(run: number, past: Past): void {
    const mine = this.#runs[run];
    if (!mine) return;
    mine.past = past;
    this.#changed();
  }

  setDecisions(run: number, decisions: readonly Decision[]): void {
    const mine = this.#runs[run];
    if (!mine || mine.decisions.length === decisions.length) return;
    mine.decisions = [...decisions];
    this.#changed();
  }

  /** The present cycle. */
  set cycle(cycle: number) {
    if (cycle === this.#cycle) return;
    this.#cycle = cycle;
    this.drawFrame();
  }

  #changed(): void {
    this.drawFrame();
    this.#fill();
  }

  // ---------------------------------------------------------------- the picture

  protected build(width: number, theme: Theme): Drawing | null {
    if (this.#runs.length === 0) return null;
    const end = Math.max(LEAST, this.#cycle, ...this.#runs.map(({ past }) => past?.until ?? 0));
    return drawTimeline({ runs: this.#runs, end, cycle: this.#cycle, width, theme });
  }

  protected legend(t: Theme): LegendItem[] {
    const most = this.#runs.reduce<readonly string[]>(
      (all, { kernels }) => (kernels.length > all.length ? kernels : all),
      [],
    );
    return most.map((name, k) => ({ name, paint: kernelPaint(k, t) }));
  }

  protected tabular(): Tabular {
    return {
      title: "Launches, switches and decisions",
      columns: [
        { key: "cycle", title: "Cycle", unit: "" },
        { key: "run", title: "Run", unit: "" },
        { key: "kind", title: "Kind", unit: "" },
        { key: "what", title: "What", unit: "" },
      ],
      rows: this.#known()
        .sort((a, b) => a.cycle - b.cycle)
        .map(({ cycle, mark, kind, words }) => [cycle, mark, kind, words]),
    };
  }

  protected summary(): string {
    return this.#runs
      .map(({ mark, kernels, past }) => {
        const done = kernels.map(
          (name, k) => `${whole(past?.finished[k]?.reduce((a, b) => a + b, 0) ?? 0)} CTAs of ${name}`,
        );
        return `${mark === "" ? "" : `${mark}: `}${done.join(", ")} finished in ${whole(past?.until ?? 0)} cycles.`;
      })
      .join(" ");
  }

  // ---------------------------------------------------------------- the list

  #known(): Entry[] {
    return this.#runs.flatMap(({ mark, kernels, past, decisions }): Entry[] => [
      ...(past?.marks ?? []).map((one) => ({
        kind: LAUNCHES,
        cycle: one.cycle,
        mark,
        words:
          one.kind === "launch"
            ? `${launchText(kernels[one.kernel] ?? "", one.launch, one.run)} begins`
            : `run ${one.run + 1} of ${kernels[one.kernel] ?? ""} ends`,
      })),
      ...(past ? kernels.flatMap((name, k) => switches(past, name, k).map((one) => ({ ...one, mark }))) : []),
      ...(past
        ? onTopOf(past).map(({ from, times }) => ({
            kind: ON_TOP,
            cycle: from,
            mark,
            words: onTopText(kernels, times),
          }))
        : []),
      ...decisions.map((one) => ({
        kind: topicTitle(one.topic),
        cycle: one.cycle,
        mark,
        words: `${one.kernel === null ? "" : `${kernels[one.kernel] ?? ""} `}${one.text}`,
      })),
    ]);
  }

  /** The same in words, where it is open. */
  #fill(): void {
    if (!this.#list.open) return;
    const two = this.#runs.length > 1;
    const known = this.#known();
    this.#offer([...new Set(known.map(({ kind }) => kind))]);
    const all = known
      .filter(({ kind }) => this.#kind.value === "" || kind === this.#kind.value)
      .sort((a, b) => b.cycle - a.cycle)
      .slice(0, LISTED);
    const key = JSON.stringify(all);
    if (this.#entries.dataset["shown"] === key) return;
    this.#entries.dataset["shown"] = key;
    this.#entries.replaceChildren(
      ...all.map(({ cycle, mark, words }) =>
        h(
          "li",
          null,
          h(
            "button",
            { type: "button", class: "link", title: "Go there", onclick: () => this.go(cycle) },
            `cycle ${count(cycle)}`,
          ),
          ` ${two ? `${mark}: ` : ""}${words}`,
        ),
      ),
    );
  }

  /** The kinds of entries that there are; one that was chosen stays. */
  #offer(kinds: readonly string[]): void {
    const chosen = this.#kind.value,
      wanted = ["", ...new Set([...kinds, ...(chosen === "" ? [] : [chosen])])];
    if ([...this.#kind.options].map(({ value }) => value).join("\n") === wanted.join("\n")) return;
    this.#kind.replaceChildren(
      ...wanted.map((kind) => h("option", { value: kind }, kind === "" ? "everything" : kind)),
    );
    this.#kind.value = chosen;
  }
}

/** What the list tells apart: launches, context switches, and what each decision is about. */
interface Entry {
  kind: string;
  cycle: number;
  mark: string;
  words: string;
}
const LAUNCHES = "launches and ends",
  SWITCHED = "context switches of CTAs",
  ON_TOP = "quotas on top";
const topicTitle = (topic: string): string =>
  `decisions: ${topic.replaceAll("_", " ").replaceAll(/\b(sm|cta)(s?)\b/g, (_, word: string, s: string) => word.toUpperCase() + s)}`;

/** Of a kernel, by bucket. */
function switches(past: Past, name: string, kernel: number): Omit<Entry, "mark">[] {
  return [...(past.left[kernel] ?? [])].flatMap((left, i) => {
    const back = past.back[kernel]?.[i] ?? 0;
    return left + back === 0 ? [] : [{ kind: SWITCHED, cycle: i * past.bucket, words: switchText(name, left, back) }];
  });
}

customElements.define("corun-timeline", CorunTimeline);
