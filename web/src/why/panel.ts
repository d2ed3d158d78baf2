// The panel behind the verdict: the chain from the warps' waits to who fills the place that is full, as bars with words, and schemes that would help.
import { definition, h, setText, swatch } from "../dom.ts";
import { chain, helps, segmentText, type Row, type Step } from "./chain.ts";
import type { Facts } from "./facts.ts";
import { placeOf, Prose } from "./stands.ts";

class Bar {
  readonly element: HTMLElement;
  readonly #track = h("span", { class: "why-track", "aria-hidden": "true" });
  readonly #value: HTMLElement;
  readonly #text = h("span", { class: "why-text" });
  readonly #place: string;
  #shape = "";

  constructor(row: Row, mark: string) {
    this.#place = placeOf(mark, row.at);
    this.#value = h("span", { class: "why-value", "data-stands": this.#place });
    this.element = h(
      "li",
      { class: "why-row" },
      h("span", { class: "why-name" }, row.kernel === null ? null : swatch(row.kernel), h("span", null, row.name)),
      this.#track,
      this.#value,
      this.#text,
    );
  }

  show(row: Row): void {
    const shape = row.segments.map(({ what, kernel }) => `${what} ${kernel}`).join();
    if (shape !== this.#shape) {
      this.#shape = shape;
      this.#track.replaceChildren(
        ...row.segments.map(({ kernel }, i) =>
          h("span", { class: kernel === null ? `why-part part-${i}` : `why-part swatch-${kernel % 8}` }),
        ),
      );
      // A kernel's part of a place stands in the words under its bar.
      this.#text.replaceChildren(
        ...row.segments.map(({ kernel }, k) =>
          h(
            "span",
            { class: "why-word" },
            kernel === null ? h("i", { class: `why-dot part-${k}` }) : null,
            h("span", row.kernel === null ? { "data-stands": `${this.#place}.${k}` } : null),
          ),
        ),
      );
    }
    row.segments.forEach((segment, i) => {
      (this.#track.children[i] as HTMLElement).style.width = `${segment.share * 100}%`;
      const word = this.#text.children[i] as HTMLElement,
        said = segmentText(segment);
      setText(word.lastElementChild as HTMLElement, said);
      word.hidden = said === "";
    });
    setText(this.#value, row.value);
    this.element.toggleAttribute("data-full", row.full);
  }
}

/** One step of the chain. */
class StepView {
  readonly element: HTMLElement;
  readonly #says: Prose;
  #bars: Bar[] = [];
  readonly #list = h("ul", { class: "why-rows" });

  constructor(step: Step, mark: string) {
    this.#says = new Prose(mark);
    this.#bars = step.rows.map((row) => new Bar(row, mark));
    this.#list.append(...this.#bars.map(({ element }) => element));
    this.element = h(
      "li",
      { class: "why-step" },
      h("h3", null, step.title, definition(step.title, h("p", null, step.doc))),
      this.#says.element,
      this.#list,
    );
  }

  show(step: Step): void {
    this.#says.show([step.says]);
    for (const [i, row] of step.rows.entries()) this.#bars[i]?.show(row);
  }
}

export class Panel {
  readonly element = h("ol", { class: "why-steps" });
  readonly #mark: string;
  readonly #schemes: readonly { name: string; title: string }[];
  readonly #compare: (scheme: string) => void;
  #steps: StepView[] = [];
  #shape = "";
  readonly #help = h("li", { class: "why-step" });
  #helpShown = "";

  constructor(mark: string, schemes: readonly { name: string; title: string }[], compare: (scheme: string) => void) {
    this.#mark = mark;
    this.#schemes = schemes;
    this.#compare = compare;
  }

  show(facts: Facts): void {
    const steps = chain(facts),
      shape = steps.map(({ key, rows }) => `${key} ${rows.length}`).join();
    if (shape !== this.#shape) {
      this.#shape = shape;
      this.#steps = steps.map((step) => new StepView(step, this.#mark));
      this.element.replaceChildren(...this.#steps.map(({ element }) => element), this.#help);
    }
    for (const [i, step] of steps.entries()) this.#steps[i]?.show(step);
    this.#showHelp(facts);
  }

  #showHelp(facts: Facts): void {
    const offers = helps(
        facts,
        this.#schemes.map(({ name }) => name),
      ),
      key = JSON.stringify(offers);
    if (key === this.#helpShown) return;
    this.#helpShown = key;
    const title = (scheme: string): string => this.#schemes.find(({ name }) => name === scheme)?.title || scheme;
    this.#help.replaceChildren(
      h("h3", null, "What may help"),
      ...(offers.length === 0
        ? [h("p", { class: "note" }, "Nobody suffers, or it is not known yet who does.")]
        : offers.map(({ scheme, says }) => {
            const prose = new Prose(this.#mark);
            prose.show([[`${title(scheme)} `, ...says, "."]]);
            return h(
              "div",
              { class: "why-help" },
              prose.element,
              h(
                "button",
                {
                  type: "button",
                  class: "button",
                  onclick: () => {
                    this.#compare(scheme);
                  },
                },
                `Compare with ${scheme}`,
              ),
            );
          })),
    );
  }
}
