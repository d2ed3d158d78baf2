// The bar that says what the simulation is doing, and tells it what to do.
import { h, icon, setText } from "./dom.ts";
import { SPEED_STEPS, count, rate, speedAt, speedText, timeText } from "./format.ts";
import type { RunState } from "./protocol.ts";

export interface TransportEvents {
  toggle(): void;
  step(): void;
  back(): void;
  event(): void;
  reset(): void;
  speed(cyclesPerSecond: number): void;
}

/**
 * `idle`: not yet ready, and what is shown may be of before. `profiling`: neither, and kernels are measured alone first; `stopped`: that was stopped.
 * `empty`: ready, and there is nothing to run. `settled`: done, because what is measured is known.
 */
export type ShownState = RunState | "idle" | "profiling" | "stopped" | "empty" | "settled";
const STATES: Record<ShownState, string> = {
  idle: "Loading",
  profiling: "Profiling",
  stopped: "Not begun",
  empty: "Nothing open",
  paused: "Paused",
  playing: "Running",
  seeking: "Going there",
  done: "Finished",
  settled: "Settled",
  stuck: "Stuck",
  failed: "Script failed",
};

/** “12 % of the way, about 3 min left”. */
export function wayText(cycle: number, toward: number, perSecond: number): string {
  const share = `${Math.floor((100 * cycle) / toward)} % of the way`;
  return perSecond > 0 ? `${share}, about ${timeText((1000 * (toward - cycle)) / perSecond)} left` : share;
}

export class CorunTransport extends HTMLElement {
  #play = h(
    "button",
    { type: "button", class: "play", "aria-label": "Play", title: "Play or pause (space)", "aria-pressed": "false" },
    icon("play"),
  );
  #step = h(
    "button",
    { type: "button", class: "icon-button", "aria-label": "Step one cycle", title: "Step one cycle ( . )" },
    icon("step"),
  );
  #back = h(
    "button",
    { type: "button", class: "icon-button", "aria-label": "Step back one cycle", title: "Step back one cycle ( , )" },
    icon("back"),
  );
  #event = h(
    "button",
    {
      type: "button",
      class: "icon-button",
      "aria-label": "Step to the next event",
      title: "To the next event: a CTA launched or retired, a decision of the policy ( e )",
    },
    icon("event"),
  );
  #reset = h(
    "button",
    { type: "button", class: "icon-button", "aria-label": "Reset to cycle 0", title: "Reset to cycle 0 ( r )" },
    icon("reset"),
  );
  #speed = h("input", { min: "0", max: String(SPEED_STEPS), step: "1", value: String(SPEED_STEPS), id: "speed" });
  #speedText = h("output", { class: "speed-text", for: "speed" }, speedText(Infinity));
  #state = h(
    "span",
    { class: "state", "data-state": "idle" },
    h("span", { class: "dot", "aria-hidden": "true" }),
    h("span", { class: "state-text" }, "Loading"),
  );
  #cycle = h("span", { class: "figure cycle", id: "cycle" }, "0");
  #rate = h("span", { class: "figure rate", id: "rate" }, "0 cycles/s");
  /** What the rate is, or how much of a long way is done. */
  #way = h("span", { class: "figure-label", id: "way" }, "simulated");
  /** Where the run goes, while it goes there. */
  toward = 0;
  #live = h("span", { class: "hidden", role: "status" });
  #shown: ShownState = "idle";

  init(events: TransportEvents): void {
    this.#speed.setAttribute("type", "range");
    this.#speed.setAttribute("aria-label", "Speed, in simulated cycles per second");
    this.#play.onclick = () => events.toggle();
    this.#step.onclick = () => events.step();
    this.#back.onclick = () => events.back();
    this.#event.onclick = () => events.event();
    this.#reset.onclick = () => events.reset();
    const apply = (): void => {
      const speed = speedAt(Number(this.#speed.value));
      setText(this.#speedText, speedText(speed));
      this.#speed.setAttribute("aria-valuetext", speedText(speed));
      events.speed(speed);
    };
    this.#speed.addEventListener("input", apply);
    this.#speed.setAttribute("aria-valuetext", speedText(Infinity));
    this.setAttribute("role", "toolbar");
    this.setAttribute("aria-label", "Transport");
    this.replaceChildren(
      h("div", { class: "buttons" }, this.#reset, this.#back, this.#play, this.#step, this.#event),
      h("div", { class: "speed" }, this.#speed, this.#speedText),
      h(
        "div",
        { class: "readout" },
        this.#state,
        h("span", { class: "figure-box" }, h("span", { class: "figure-label" }, "cycle"), this.#cycle),
        h("span", { class: "figure-box" }, this.#way, this.#rate),
      ),
      this.#live,
    );
    this.show("idle", 0, 0);
  }

  /** Another speed than the slider's last: it shows it, and nobody is told. */
  set speed(cyclesPerSecond: number) {
    const step =
      Array.from({ length: SPEED_STEPS + 1 }, (_, i) => i).find((i) => speedAt(i) >= cyclesPerSecond) ?? SPEED_STEPS;
    this.#speed.value = String(step);
    setText(this.#speedText, speedText(cyclesPerSecond));
    this.#speed.setAttribute("aria-valuetext", speedText(cyclesPerSecond));
  }

  /** One notch slower or faster. */
  nudge(by: number): void {
    this.#speed.value = String(Number(this.#speed.value) + by);
    this.#speed.dispatchEvent(new Event("input"));
  }

  show(state: ShownState, cycle: number, perSecond: number): void {
    setText(this.#cycle, count(cycle));
    setText(this.#rate, rate(perSecond));
    const going = state === "seeking" && this.toward > cycle;
    setText(this.#way, going ? wayText(cycle, this.toward, perSecond) : "simulated");
    this.#way.dataset["going"] = String(going);
    if (state !== this.#shown || this.#live.textContent === "") {
      this.#shown = state;
      const running = state === "playing" || state === "seeking";
      this.#play.replaceChildren(icon(running ? "pause" : "play"));
      this.#play.setAttribute("aria-label", running ? "Pause" : "Play");
      this.#play.setAttribute("aria-pressed", String(running));
      this.#state.dataset["state"] = state;
      setText(this.#state.querySelector(".state-text") as Element, STATES[state]);
      const over =
        state === "done" ||
        state === "settled" ||
        state === "stuck" ||
        state === "failed" ||
        ["idle", "profiling", "stopped", "empty"].includes(state);
      for (const button of [this.#step, this.#event]) {
        if (over) button.setAttribute("aria-disabled", "true");
        else button.removeAttribute("aria-disabled");
      }
      setText(this.#live, running ? STATES[state] : `${STATES[state]} at cycle ${count(cycle)}`);
    }
  }
}

customElements.define("corun-transport", CorunTransport);
