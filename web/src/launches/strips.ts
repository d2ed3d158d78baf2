// <corun-launches>: what each launch of a kernel did with its CTAs, launch below launch, and what each SM has before it. Hidden where there is
// nothing to show: no kernel that is launched several times, and no CTA order that someone has chosen.
import "./launches.css";
import type { Drawing, Spot } from "../draw/drawing.ts";
import { h, setText, sideHeading } from "../dom.ts";
import { whole } from "../draw/scale.ts";
import { theme, type Theme } from "../draw/theme.ts";
import type { FrameMessage } from "../protocol.ts";
import type { Shares, ShownRun } from "../types.ts";
import { beside, joined } from "../views/beside.ts";
import { Picture, type LegendItem } from "../views/picture.ts";
import type { Tabular } from "../views/tabular.ts";
import { drawStrips, ROWS, smColour, stripLegend } from "./drawing.ts";
import { contentsOfAll, differText } from "./l1.ts";
import { L1_AT, type AskL1, type CorunL1 } from "./l1-view.ts";
import { hasLaunches, type Launch } from "./log.ts";
import { directionText, Launches, launchTable, launchText, shareTexts } from "./model.ts";

/** Which kernel's launches are shown, and the first of them; and at whose beginning L1Ds are. The last ones where these are left out. */
interface LaunchView {
  kernel: number;
  from?: number;
  l1?: number;
}
interface LaunchEvents {
  changed(view: LaunchView | undefined): void;
  next(): void;
  l1: AskL1;
}
interface Side {
  run: ShownRun;
  known: Launches;
  shares: readonly (Shares | null)[];
  kernels: string[];
}

/** How many of the launches have begun. */
const begun = (all: readonly Launch[], cycle: number): number =>
  all.reduce((count, { begin }) => count + (begin < cycle ? 1 : 0), 0);

class LaunchStrips extends Picture {
  protected readonly file = "launches";
  protected readonly name = "CTAs by launch";
  protected readonly about =
    "Each launch of a kernel as a row of its CTAs, in the colour of the SM that ran them; paler, the earlier they began. A bar on top: stolen from another SM.";
  sides: readonly Side[] = [];
  cycle = 0;
  kernel = 0;
  from: number | undefined;

  /** The launches that are drawn, of one run. */
  shown({ known }: Side): readonly Launch[] {
    const all = known.of(this.kernel),
      first = all[0]?.number ?? 0;
    const now = begun(all, this.cycle);
    const from = this.from === undefined ? Math.max(0, now - ROWS) : Math.max(0, this.from - first);
    return all.slice(from, from + ROWS);
  }

  protected build(width: number, t: Theme): Drawing | null {
    const draw =
      (side: Side) =>
      (room: number): Drawing =>
        drawStrips({
          launches: this.shown(side),
          cycle: this.cycle,
          sms: side.run.layout.sms.length,
          counters: side.run.layout.counters,
          held: ({ held }) => held && contentsOfAll(side.run.layout, held),
          width: room,
          theme: t,
        });
    return this.sides.length === 0
      ? null
      : beside(
          this.sides.map((side) => ({ mark: side.run.mark, title: side.run.title, draw: draw(side) })),
          width,
          t,
        );
  }

  protected tabular(): Tabular | null {
    return joined(
      this.sides.map(({ run, known, kernels }) => ({
        mark: run.mark,
        table: launchTable(
          known.of(this.kernel),
          this.cycle,
          run.layout.counters,
          `Launches of ${kernels[this.kernel] ?? ""} at cycle ${whole(this.cycle)}`,
        ),
      })),
    );
  }

  protected legend(t: Theme): LegendItem[] {
    const layout = this.sides[0]?.run.layout;
    return layout
      ? stripLegend(Math.max(...this.sides.map(({ run }) => run.layout.sms.length)), layout.counters, t)
      : [];
  }

  protected summary(): string {
    return this.sides
      .map((side) => {
        const all = side.known.of(this.kernel),
          last = all[begun(all, this.cycle) - 1];
        return `${side.run.mark === "" ? "" : `${side.run.mark}: `}${last ? launchText(last, this.cycle, side.run.layout.counters) : "No launch has begun"}.`;
      })
      .join(" ");
  }

  protected override walks(spot: Spot): boolean {
    return spot.id.startsWith("launch:");
  }

  /** Of other runs, or of another kernel. */
  afresh(): void {
    this.redraw();
  }
  frame(): void {
    this.drawFrame();
  }
}
customElements.define("corun-launch-strips", LaunchStrips);

export class CorunLaunches extends HTMLElement {
  #events: LaunchEvents | null = null;
  readonly #strips = document.createElement("corun-launch-strips") as LaunchStrips;
  readonly #kernel = h("select", { id: "f-launches-kernel" });
  readonly #kernels = h(
    "div",
    { class: "ln-field" },
    h("label", { for: "f-launches-kernel" }, "Launches of"),
    this.#kernel,
  );
  readonly #page = h("input", { id: "f-launches-from", type: "range", min: 0, step: 1 });
  readonly #paged = h("span", { class: "ln-said" });
  readonly #follow = h(
    "button",
    {
      type: "button",
      class: "button",
      onclick: () => {
        const { from: _, ...view } = this.#view;
        this.#say(view);
      },
    },
    "Follow",
  );
  readonly #pages = h(
    "div",
    { class: "ln-field", hidden: true },
    h("label", { for: "f-launches-from" }, "From launch"),
    this.#page,
    this.#paged,
    this.#follow,
  );
  readonly #shares = h("div", { class: "ln-shares" });
  readonly #before = h(
    "details",
    { class: "ln-before" },
    h("summary", null, "What each SM has before it: chunks and steal queues"),
    this.#shares,
  );
  readonly #differ = h("p", { class: "ln-said", role: "status", hidden: true });
  readonly #l1 = document.createElement("corun-l1") as CorunL1;
  #view: LaunchView = { kernel: 0 };
  /** The runs stand. */
  #still = false;
  #sharesAt = 0;
  /** There are launches to show. */
  #any = false;

  init(events: LaunchEvents): void {
    this.#events = events;
    this.replaceChildren(
      h(
        "div",
        { class: "ln-bar" },
        this.#kernels,
        this.#pages,
        h(
          "button",
          {
            type: "button",
            class: "button",
            title: "Go on until a CTA is placed or finishes ( e )",
            onclick: () => {
              events.next();
            },
          },
          "Next CTA event",
        ),
      ),
      this.#differ,
      this.#strips,
      this.#l1,
      this.#before,
    );
    this.#l1.init(events.l1, (l1) => {
      this.#say({ ...this.#view, l1 });
    });
    this.#kernel.addEventListener("change", () => {
      this.#say({ kernel: Number(this.#kernel.value) });
    });
    this.#page.addEventListener("input", () => {
      this.#say({ ...this.#view, from: Number(this.#page.value) });
    });
    this.#before.addEventListener("toggle", () => {
      this.#fill();
    });
    // What came while the tab was closed.
    new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) this.#look();
    }).observe(this);
  }

  #say(view: LaunchView): void {
    this.view = view;
    this.#events?.changed(view.kernel === 0 && view.from === undefined && view.l1 === undefined ? undefined : view);
  }

  set view(view: LaunchView) {
    // A link may be of a kernel that there is none of.
    this.#view = { ...view, kernel: view.kernel < this.#kernel.options.length ? view.kernel : 0 };
    this.#strips.kernel = this.#view.kernel;
    this.#strips.from = view.from;
    this.#l1.chosen = view.l1;
    this.#kernel.value = String(this.#strips.kernel);
    this.#pageTo();
    this.#strips.afresh();
    this.#fill();
    this.#look();
  }

  /** `orders`: the CTA order that each experiment names, if it names one. Returns whether there is anything to show. */
  setRuns(runs: readonly ShownRun[], orders: readonly unknown[]): boolean {
    this.#strips.sides = runs.map((run) => ({
      run,
      known: new Launches(),
      shares: [],
      kernels: run.layout.kernels,
    }));
    this.#strips.cycle = 0;
    this.#l1.clear();
    this.#differ.hidden = true;
    const names = this.#strips.sides.reduce<string[]>(
      (all, { kernels }) =>
        kernels.map((name, k) => (all[k] === undefined || all[k] === name ? name : `${all[k]} / ${name}`)),
      [],
    );
    this.#kernel.replaceChildren(...names.map((name, k) => h("option", { value: String(k) }, name)));
    this.#kernels.hidden = names.length < 2;
    this.#strips.afresh();
    this.#fill();
    this.#any = runs.some(({ layout }, i) => hasLaunches(layout, orders[i]));
    return this.#any;
  }

  /** A frame of each run, all of one cycle. `still`: the runs stand there. */
  update(frames: readonly FrameMessage[], still: boolean): void {
    const [first] = frames;
    if (!first || !this.#any) return;
    this.#strips.cycle = first.cycle;
    this.#still = still;
    let news = false;
    frames.forEach(({ launches, shares }, i) => {
      const side = this.#strips.sides[i];
      if (!side) return;
      if (launches) {
        side.known.take(launches);
        news = true;
      }
      if (shares) side.shares = shares;
    });
    this.#strips.frame();
    this.#look();
    if (!news) return;
    this.#pageTo();
    this.#fill();
  }

  /** What the L1Ds held, and in what two runs differ. */
  #look(): void {
    const { sides, kernel, cycle } = this.#strips;
    if (!this.#still || this.closest("[hidden]")) return;
    this.#l1.show(
      sides.map(({ run, known }) => ({ run, begun: known.of(kernel).filter(({ begin }) => begin + L1_AT < cycle) })),
      kernel,
    );
    setText(
      this.#differ,
      sides.length < 2
        ? ""
        : differText(
            sides.map(({ run, known }) => ({
              mark: run.mark,
              launches: known.of(kernel),
              counters: run.layout.counters,
            })),
            cycle,
          ),
    );
    this.#differ.hidden = this.#differ.textContent === "";
  }

  /** Where there are more launches than are drawn at once. */
  #pageTo(): void {
    const { sides, from } = this.#strips,
      all = Math.max(0, ...sides.map(({ known }) => known.of(this.#strips.kernel).at(-1)?.number ?? 0)) + 1;
    this.#pages.hidden = all <= ROWS;
    if (all <= ROWS) return;
    const first = from ?? (sides[0] ? (this.#strips.shown(sides[0])[0]?.number ?? 0) : 0);
    this.#page.max = String(Math.max(0, all - ROWS));
    this.#page.value = String(first);
    this.#follow.hidden = from === undefined;
    setText(this.#paged, `${whole(first + 1)} to ${whole(Math.min(all, first + ROWS))} of ${whole(all)}`);
  }

  /** Chunks and queues, where they are open. */
  #fill(): void {
    const { sides, kernel } = this.#strips,
      known = sides.map(({ shares }) => shares[kernel] ?? null);
    this.#before.hidden = known.every((shares) => shares === null);
    if (!this.#before.open || this.#before.hidden) return;
    const now = performance.now();
    // In one go, a few times a second.
    if (now - this.#sharesAt < 50) return;
    this.#sharesAt = now;
    this.#shares.replaceChildren(
      ...sides.flatMap(({ run }, i) => {
        const shares = known[i];
        return shares
          ? [
              h(
                "div",
                null,
                run.mark === "" ? null : sideHeading(run.mark, run.title),
                h(
                  "p",
                  { class: "ln-said" },
                  shares.sms.length === 0 ? "Chunks are dealt with the launch's first CTA." : directionText(shares),
                ),
                sharesTable(shares),
              ),
            ]
          : [];
      }),
    );
  }
}

function sharesTable({ sms }: Shares): HTMLElement {
  const dark = theme().dark,
    keeps = sms.some(({ chunk }) => chunk),
    steals = keeps;
  const heads = [
    "SM",
    ...(keeps ? ["Chunk"] : []),
    "To run of it",
    ...(steals ? ["Steal queue, oldest first", "To run of that"] : []),
  ];
  return h(
    "div",
    { class: "ln-scroll", tabIndex: 0, role: "region", "aria-label": "Chunks and steal queues" },
    h(
      "table",
      { class: "ln-table" },
      h("thead", null, h("tr", null, ...heads.map((head) => h("th", { scope: "col" }, head)))),
      h(
        "tbody",
        null,
        ...sms.map((share, sm) => {
          const { chunk, left, queue, waits } = shareTexts(share),
            key = h("span", { class: "ln-key", "aria-hidden": "true" });
          key.style.background = smColour(sm, sms.length, dark);
          return h(
            "tr",
            null,
            h("th", { scope: "row" }, key, `SM ${sm}`),
            keeps && h("td", null, chunk),
            h("td", null, left),
            steals && h("td", null, queue || "empty"),
            steals && h("td", null, waits || "nothing"),
          );
        }),
      ),
    ),
  );
}

customElements.define("corun-launches", CorunLaunches);
