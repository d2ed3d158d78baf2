// One figure of each mix under each scheme. Every cell has its number; the colour only helps the eye.
import { h, setText } from "../dom.ts";
import { MISSING, fixed } from "../format.ts";
import type { Metric } from "./metrics.ts";
import { heatMap } from "./results.ts";
import type { Line, Plan } from "./types.ts";

export class HeatView {
  readonly element: HTMLElement;
  readonly #table = h("table", { class: "heat" });
  readonly #rest = h("select", { id: "f-heat-rest", "aria-label": "Values of the other axes" });
  readonly #says = h("p", { class: "note" });

  /** `changed`: other values of the other axes are to be shown. */
  constructor(changed: () => void) {
    this.#rest.addEventListener("change", changed);
    this.element = h(
      "section",
      { class: "card", "aria-labelledby": "heat-title" },
      h("h3", { id: "heat-title" }, "Mix × scheme"),
      h("div", { class: "sweep-choices" }, this.#rest),
      this.#says,
      h(
        "div",
        { class: "scroll-x", tabIndex: 0, role: "region", "aria-label": "The numbers of each mix and scheme" },
        this.#table,
      ),
    );
  }

  /** Another sweep. */
  reset(): void {
    this.#rest.replaceChildren();
  }

  show(plan: Plan, lines: ReadonlyMap<number, Line>, metric: Metric): void {
    const rest = this.#rest,
      map = heatMap(plan, lines, metric, rest.selectedIndex);
    if (!map) return;
    rest.parentElement?.toggleAttribute("hidden", map.rest.length < 2);
    if (rest.options.length !== map.rest.length)
      rest.replaceChildren(...map.rest.map((text) => h("option", null, text)));
    const unit = metric.unit ? `, ${metric.unit}` : "",
      number = (value: number | null): string => fixed(value, metric.digits);
    setText(
      this.#says,
      map.least === null
        ? `${metric.title}${unit}: no point has run yet.`
        : `${metric.title}${unit}: the deeper the colour, the more, from ${number(map.least)} to ${number(map.most)}.${metric.better ? ` ★ the best scheme of a mix: ${metric.better === "more" ? "more" : "less"} is better.` : ""}`,
    );
    const cell = (of: (typeof map.cells)[number][number]): HTMLElement => {
      const text =
        of.point === null
          ? "not in the sweep"
          : of.value === null
            ? lines.has(of.point)
              ? MISSING
              : "not run"
            : `${of.best ? "★ " : ""}${number(of.value)}`;
      const td = h(
        "td",
        { class: of.best ? "best" : "" },
        of.value === null ? h("span", { class: "heat-none" }, text) : text,
      );
      if (of.share !== null)
        td.style.background = `color-mix(in srgb, var(--accent) ${Math.round(4 + 36 * of.share)}%, var(--surface))`;
      return td;
    };
    this.#table.replaceChildren(
      h("caption", { class: "hidden" }, `${metric.title} of each mix under each scheme`),
      h(
        "thead",
        null,
        h("tr", null, h("th", { scope: "col" }, "Mix"), ...map.schemes.map((name) => h("th", { scope: "col" }, name))),
      ),
      h(
        "tbody",
        null,
        ...map.mixes.map((mix, m) => h("tr", null, h("th", { scope: "row" }, mix), ...(map.cells[m] ?? []).map(cell))),
      ),
    );
  }
}
