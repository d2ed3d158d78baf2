// The points of a sweep as a table: what each sets, its figures with their intervals, how it ended, and where it opens.
import { h, setText } from "../dom.ts";
import { MISSING, count, fixed } from "../format.ts";
import { encodeLink } from "../link.ts";
import { plusMinus } from "../sure.ts";
import { pathTitle } from "../titles.ts";
import { endsOf, figureOf, metricsOf, type Metric } from "./metrics.ts";
import { axisText } from "./results.ts";
import type { Line, Plan } from "./types.ts";

/** Rows that the table begins with, and grows by. */
const ROWS = 200;
/** Figures that a table shows; the chart and the file have the others too. */
const SHOWN = /^(stp|hspeedup|antt|ipc|instructions_per_watt|goals_reached|(slowdown|latency|goal)_\d+)$/;

export interface Points {
  plan: Plan;
  lines: ReadonlyMap<number, Line>;
  broken: ReadonlyMap<number, string>;
}

export class PointsTable {
  readonly element: HTMLElement;
  readonly #head = h("thead");
  readonly #body = h("tbody");
  readonly #title = h("h3", { id: "points-title" }, "Points");
  readonly #more: HTMLButtonElement;
  #rows = ROWS;
  #of: Points | null = null;
  #metrics: Metric[] = [];
  readonly #stamp: () => string;

  constructor(savers: readonly HTMLElement[], stamp: () => string) {
    this.#stamp = stamp;
    this.#more = h(
      "button",
      {
        type: "button",
        class: "button",
        onclick: () => {
          this.#rows += ROWS;
          this.refresh();
        },
      },
      "Show more points",
    );
    this.element = h(
      "section",
      { class: "card", "aria-labelledby": "points-title" },
      h("div", { class: "sweep-head" }, this.#title, h("div", { class: "sweep-savers" }, ...savers)),
      h(
        "div",
        { class: "scroll-x", tabIndex: 0, role: "region", "aria-label": "The points of the sweep" },
        h(
          "table",
          { class: "numbers" },
          h("caption", { class: "hidden" }, "The points of the sweep"),
          this.#head,
          this.#body,
        ),
      ),
      this.#more,
    );
  }

  /** Another sweep; null for none. */
  show(of: Points | null): void {
    this.#of = of;
    this.#rows = ROWS;
    this.#body.replaceChildren();
    if (!of) return;
    this.#metrics = metricsOf(of.plan).filter(({ key }) => SHOWN.test(key));
    setText(this.#title, of.plan.name || "Points");
    this.#head.replaceChildren(
      h(
        "tr",
        null,
        h("th", { scope: "col" }, "Point"),
        ...of.plan.axes.flat().map((path) => h("th", { scope: "col", title: path }, pathTitle(path))),
        ...this.#metrics.map((m) => h("th", { scope: "col", class: "num", title: m.unit }, m.title)),
        h("th", { scope: "col" }, "Ended"),
        h("th", { scope: "col" }, h("span", { class: "hidden" }, "Experiment")),
      ),
    );
  }

  refresh(): void {
    const of = this.#of;
    if (!of) return;
    const { plan, lines, broken } = of,
      wanted = Math.min(this.#rows, plan.points.length),
      first = 1 + plan.axes.flat().length;
    while (this.#body.rows.length < wanted) this.#body.append(this.#row(plan, this.#body.rows.length));
    this.#more.hidden = wanted === plan.points.length;
    for (let index = 0; index < wanted; index += 1) {
      const cells = this.#body.rows[index]?.cells,
        line = lines.get(index);
      if (!cells) continue;
      this.#metrics.forEach((metric, i) => {
        const cell = cells[first + i],
          value = figureOf(line, metric),
          format = (v: number): string => fixed(v, metric.digits);
        if (!cell) return;
        setText(cell.children[0] as Element, value === null ? MISSING : format(value));
        setText(cell.children[1] as Element, plusMinus(value, endsOf(line, metric), format));
      });
      const ended = cells[first + this.#metrics.length];
      if (ended)
        setText(
          ended,
          line
            ? line.result.stop === "stuck" || line.result.stop === "failed"
              ? `${line.result.stop} at ${count(line.result.cycles)}`
              : `at ${count(line.result.cycles)}`
            : broken.has(index)
              ? "a defect"
              : "not run",
        );
    }
  }

  #row(plan: Plan, index: number): HTMLTableRowElement {
    const point = plan.points[index] as Plan["points"][number];
    const away = h("a", { "aria-label": `Open point ${index} in the simulator` }, "Open");
    void encodeLink({ experiment: point.experiment, view: {}, engine: this.#stamp() }).then((hash) => {
      away.href = `./${hash}`;
    });
    return h(
      "tr",
      null,
      h("th", { scope: "row" }, String(index)),
      ...plan.axes.flatMap((paths, a) =>
        paths.map((path) =>
          h(
            "td",
            null,
            paths.length === 1 ? axisText(plan, a, point) : axisText({ ...plan, axes: [[path]] }, 0, point),
          ),
        ),
      ),
      ...this.#metrics.map(() =>
        h("td", { class: "num" }, h("span", { class: "value" }, MISSING), h("span", { class: "beside" })),
      ),
      h("td"),
      h("td", null, away),
    );
  }
}
