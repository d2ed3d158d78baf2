// The tour: five stops, from what there is to see to how it is shared. It points at what it speaks of, moves nothing of the run, and ends at any time.
import "./first.css";
import { h } from "../dom.ts";

interface Stop {
  title: string;
  text: string;
  at: string;
  begin?(): void;
}

const STOPS = (openWhy: () => void): Stop[] => [
  {
    title: "What you see",
    at: "#sms",
    text: "A GPU with its SMs, cycle by cycle. Each small box is a slot for a CTA (a thread block), in the colour and with the number of its kernel. The bars below say what the SM’s schedulers did lately, and which of its resources is fullest.",
  },
  {
    title: "Who suffers",
    at: "#verdict",
    text: "How many times slower each kernel runs than with the whole GPU to itself. At the black line it is as fast as alone. The sentence says the same in words, and why; its numbers lead to where they stand.",
  },
  {
    title: "Why",
    at: "#why",
    begin: openWhy,
    text: "The chain behind it: what each kernel holds, what its warps wait for, where its reads wait, and whose entries fill the queues there.",
  },
  {
    title: "Another scheme",
    at: "#editor",
    text: "A scheme decides who gets which share. “Compare with…” beside the policy runs a second one beside the first, on one clock; “All schemes” runs them all.",
  },
  {
    title: "Share it",
    at: "#actions",
    text: "The address is the whole run. Copy the link, and whoever opens it sees the same, to the cycle.",
  },
];

export class Tour {
  readonly #box = h("div", {
    class: "tour",
    role: "dialog",
    "aria-labelledby": "tour-title",
    tabIndex: -1,
    hidden: true,
  });
  readonly #stops: Stop[];
  #at = 0;
  #target: Element | null = null;
  #before: Element | null = null;

  constructor(openWhy: () => void) {
    this.#stops = STOPS(openWhy);
    this.#box.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        this.end();
        event.preventDefault();
      }
    });
    document.body.append(this.#box);
  }

  start(): void {
    this.#before = document.activeElement;
    this.#go(0);
  }

  end(): void {
    this.#box.hidden = true;
    this.#target?.classList.remove("tour-target");
    this.#target = null;
    if (this.#before instanceof HTMLElement && this.#before.isConnected) this.#before.focus();
  }

  #go(at: number): void {
    const stop = this.#stops[at];
    if (!stop) {
      this.end();
      return;
    }
    this.#at = at;
    stop.begin?.();
    this.#target?.classList.remove("tour-target");
    const target = document.querySelector(stop.at);
    this.#target = target;
    target?.classList.add("tour-target");
    target?.scrollIntoView({ block: "start" });
    const button = (text: string, primary: boolean, run: () => void): HTMLElement =>
      h("button", { type: "button", class: primary ? "button primary" : "button", onclick: run }, text);
    const last = at === this.#stops.length - 1;
    this.#box.replaceChildren(
      h("h2", { id: "tour-title" }, stop.title),
      h("p", { class: "note" }, `Stop ${at + 1} of ${this.#stops.length}`),
      h("p", null, stop.text),
      h(
        "div",
        { class: "tour-buttons" },
        last
          ? null
          : button("End the tour", false, () => {
              this.end();
            }),
        at === 0
          ? null
          : button("Back", false, () => {
              this.#go(this.#at - 1);
            }),
        button(last ? "Done" : "Next", true, () => {
          this.#go(this.#at + 1);
        }),
      ),
    );
    this.#box.hidden = false;
    this.#box.focus();
  }
}
