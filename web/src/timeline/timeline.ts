// <corun-timeline>: the whole run, as far as it is known, with the present cycle on it: launches and CTAs of the kernels, the policy's decisions.
// Drag it, or give it a cycle, and the run goes there, forwards or back. Bookmarks are the user's own; they are in the link.
//
// Keys on it: ← → a hundredth of the run (Shift: a tenth), Page Up and Down a tenth, Home, End.
import "./timeline.css";
import { toast } from "../dialogs.ts";
import { h, icon, setText } from "../dom.ts";
import { show } from "../draw/canvas.ts";
import { whole } from "../draw/scale.ts";
import { onRetheme, theme } from "../draw/theme.ts";
import { count } from "../format.ts";
import type { Past } from "../past.ts";
import { asNote, MAX_BOOKMARKS, MAX_NOTE } from "../link.ts";
import type { Bookmark, Decision, ShownRun, Zoom } from "../types.ts";
import { kernelNames } from "../views/parts.ts";
import { Pace } from "../views/pace.ts";
import { metText, type Met, type StopWhen } from "../stop-when.ts";
import { drawTimeline, launchText, onTopOf, onTopText, switchText } from "./drawing.ts";
import type { TimelineDrawing, TimelineRun } from "./drawing.ts";
import { StopField } from "./stop-field.ts";

export interface TimelineEvents {
  /** The run is to go to a cycle, and stay there. */
  go(cycle: number): void;
  /** Playing is to stop where this is met. */
  stopWhen(when: StopWhen | null): void;
  /** The bookmarks are others now. */
  bookmarks(bookmarks: readonly Bookmark[]): void;
}

/** The least that the axis shows. */
const LEAST = 2_000;
/** Entries of the list. */
const LISTED = 200;

export class CorunTimeline extends HTMLElement {
  #events: TimelineEvents | null = null;
  #runs: (TimelineRun & { past: Past | null; decisions: readonly Decision[] })[] = [];
  #zoom: Zoom | null = null;
  #bookmarks: readonly Bookmark[] = [];
  #cycle = 0;
  #drawn: TimelineDrawing | null = null;
  /** The cycle at the right end of what is drawn. */
  #end = LEAST;
  #dragging = false;
  #due = 0;
  readonly #stop = new StopField((when) => {
    this.#events?.stopWhen(when);
  });
  readonly #pace = new Pace(100, 0.1);
  readonly #field = h("input", {
    id: "f-go",
    type: "text",
    inputMode: "numeric",
    autocomplete: "off",
    spellcheck: false,
    "aria-describedby": "f-go-said",
    placeholder: "0",
  });
  readonly #canvas = h("canvas", { "aria-hidden": "true" });
  readonly #now = h("div", { class: "tl-now", "aria-hidden": "true" });
  readonly #ahead = h("div", { class: "tl-ahead", hidden: true, "aria-hidden": "true" });
  readonly #track = h(
    "div",
    { class: "tl-track", role: "slider", tabIndex: 0, "aria-label": "Timeline: the cycle that is shown" },
    this.#canvas,
    this.#ahead,
    this.#now,
  );
  readonly #said = h("p", { class: "tl-said", id: "f-go-said", role: "status" });
  readonly #marked = h("ol", { class: "tl-bookmarks", "aria-label": "Bookmarks" });
  readonly #met = h("p", { class: "tl-met", hidden: true });
  readonly #entries = h("ol", { class: "tl-list", tabIndex: 0, "aria-label": "Launches, switches and decisions" });
  readonly #kind = h("select", { id: "f-listed" });
  readonly #list = h(
    "details",
    null,
    h("summary", null, "As a list"),
    h("div", { class: "tl-field" }, h("label", { for: "f-listed" }, "Show"), this.#kind),
    this.#entries,
  );

  init(events: TimelineEvents): void {
    this.#events = events;
    const form = h(
      "form",
      { class: "tl-field" },
      h("label", { for: "f-go" }, "Go to cycle"),
      this.#field,
      h("button", { class: "button", type: "submit" }, "Go"),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#goToField();
    });
    const mark = h(
      "button",
      {
        class: "button",
        type: "button",
        title: "Mark the present cycle, with a note; bookmarks are in the link ( b )",
        onclick: () => this.mark(),
      },
      "Bookmark this cycle",
    );
    this.replaceChildren(
      h("div", { class: "tl-bar" }, form, this.#stop.element, mark),
      this.#met,
      this.#track,
      this.#said,
      this.#marked,
      this.#list,
    );
    this.#listen();
    new ResizeObserver(() => {
      this.#draw();
    }).observe(this.#track);
    onRetheme(() => {
      this.#draw();
    });
    this.#list.addEventListener("toggle", () => {
      this.#fill();
    });
  }

  // ---------------------------------------------------------------- what comes in

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
    this.#end = LEAST;
    setText(this.#said, "");
    this.#met.hidden = true;
    const [first, second] = this.#runs.map(({ kernels }) => kernels);
    // Where two runs have different kernels, they are told by their places.
    this.#stop.setKernels(
      second && first?.join() !== second.join()
        ? Array.from({ length: Math.max(first?.length ?? 0, second.length) }, (_, i) => `kernel ${i + 1}`)
        : (first ?? []),
    );
    this.#showBookmarks();
    this.#draw();
    this.#fill();
  }

  setPast(run: number, past: Past): void {
    const mine = this.#runs[run];
    if (!mine) return;
    mine.past = past;
    this.#later();
  }

  setDecisions(run: number, decisions: readonly Decision[]): void {
    const mine = this.#runs[run];
    if (!mine || mine.decisions.length === decisions.length) return;
    mine.decisions = [...decisions];
    this.#later();
  }

  /** The cycles that the charts show; null for all. */
  set zoom(zoom: Zoom | null) {
    this.#zoom = zoom;
    this.#later();
  }

  /** The present cycle. */
  set cycle(cycle: number) {
    this.#cycle = cycle;
    if (cycle > this.#end) this.#later();
    this.#place();
  }

  set bookmarks(bookmarks: readonly Bookmark[]) {
    this.#bookmarks = bookmarks;
    this.#showBookmarks();
    this.#later();
  }

  /** A bookmark at the present cycle; its note can be written at once. */
  mark(): void {
    const cycle = this.#cycle;
    if (!this.#bookmarks.some((one) => one.cycle === cycle)) {
      if (this.#bookmarks.length >= MAX_BOOKMARKS) {
        setText(this.#said, `There are ${MAX_BOOKMARKS} bookmarks, as many as a link holds.`);
        return;
      }
      this.#change([...this.#bookmarks, { cycle, note: "" }].sort((a, b) => a.cycle - b.cycle));
    }
    this.#marked.querySelector<HTMLElement>(`[data-cycle="${cycle}"] input`)?.focus();
  }
  #change(bookmarks: readonly Bookmark[]): void {
    this.bookmarks = bookmarks;
    this.#events?.bookmarks(bookmarks);
  }
  #showBookmarks(): void {
    this.#marked.hidden = this.#bookmarks.length === 0;
    this.#marked.replaceChildren(
      ...this.#bookmarks.map(({ cycle, note }) => {
        const input = h("input", {
          type: "text",
          value: note,
          maxLength: MAX_NOTE,
          placeholder: "note",
          "aria-label": `Note at cycle ${count(cycle)}`,
        });
        // The list stays as it is while a note is written.
        input.addEventListener("input", () => {
          this.#bookmarks = this.#bookmarks.map((one) =>
            one.cycle === cycle ? { cycle, note: asNote(input.value) } : one,
          );
          this.#later();
          this.#events?.bookmarks(this.#bookmarks);
        });
        input.addEventListener("keydown", (event) => {
          if (event.key === "Enter" || event.key === "Escape") {
            this.#track.focus();
            event.stopPropagation();
          }
        });
        return h(
          "li",
          { "data-cycle": String(cycle) },
          h(
            "button",
            { type: "button", class: "button", title: "Go there", onclick: () => this.#events?.go(cycle) },
            `cycle ${count(cycle)}`,
          ),
          input,
          h(
            "button",
            {
              type: "button",
              class: "icon-button",
              "aria-label": `Remove the bookmark at cycle ${count(cycle)}`,
              title: "Remove",
              onclick: () => {
                this.#change(this.#bookmarks.filter((one) => one.cycle !== cycle));
                this.#track.focus();
              },
            },
            icon("close"),
          ),
        );
      }),
    );
  }

  /** What each run has stopped at; null: nothing. */
  stoppedAt(met: readonly (Met | null)[]): void {
    const words = met.flatMap((one, run) =>
      one && this.#runs[run]
        ? [`${this.#runs.length > 1 ? `${this.#runs[run].mark}, ` : ""}${metText(one, this.#runs[run].kernels)}`]
        : [],
    );
    const said = words.length > 0 ? `Stopped at cycle ${count(this.#cycle)}: ${words.join("; ")}.` : "";
    if (said !== "" && said !== this.#met.textContent) toast(said);
    this.#met.hidden = said === "";
    setText(this.#met, said);
  }

  focusField(): void {
    this.scrollIntoView({ block: "center" });
    this.#field.focus();
    this.#field.select();
  }

  // ---------------------------------------------------------------- drawing

  #known(): number {
    return Math.max(
      LEAST,
      this.#cycle,
      ...this.#bookmarks.map(({ cycle }) => cycle),
      ...this.#runs.map(({ past }) => past?.until ?? 0),
    );
  }

  #later(): void {
    if (this.#due !== 0) return;
    this.#due = window.setTimeout(() => {
      this.#due = 0;
      requestAnimationFrame(() => {
        this.#draw();
        this.#fill();
      });
    }, this.#pace.wait(performance.now()));
  }

  #draw(): void {
    const width = Math.floor(this.#track.clientWidth);
    if (width < 80 || this.#runs.length === 0) return;
    const begin = performance.now();
    this.#end = this.#known();
    this.#drawn = drawTimeline({
      runs: this.#runs,
      end: this.#end,
      zoom: this.#zoom,
      bookmarks: this.#bookmarks,
      width,
      theme: theme(),
    });
    show(this.#canvas, this.#drawn.drawing);
    this.#place();
    this.#pace.took(begin, performance.now());
  }

  /** Puts the present cycle where it is; what lies ahead of it is known, and not what the pictures show. */
  #place(): void {
    const drawn = this.#drawn;
    if (!drawn) return;
    const share = Math.min(1, this.#cycle / this.#end);
    this.#now.style.left = `${drawn.x + drawn.w * share - 1}px`;
    this.#ahead.hidden = share >= 1;
    this.#ahead.style.left = `${drawn.x + drawn.w * share}px`;
    this.#track.setAttribute("aria-valuemin", "0");
    this.#track.setAttribute("aria-valuemax", String(this.#end));
    this.#track.setAttribute("aria-valuenow", String(Math.min(this.#cycle, this.#end)));
    this.#track.setAttribute("aria-valuetext", `cycle ${count(this.#cycle)} of ${count(this.#end)}`);
  }

  /** The same in words, where it is open. */
  #fill(): void {
    if (!this.#list.open) return;
    const two = this.#runs.length > 1;
    const known = this.#runs.flatMap(({ mark, kernels, past, decisions }): Entry[] => [
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
            { type: "button", class: "link", title: "Go there", onclick: () => this.#events?.go(cycle) },
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

  // ---------------------------------------------------------------- what the user does

  #go(cycle: number): void {
    this.#events?.go(Math.max(0, Math.round(cycle)));
  }

  #goToField(): void {
    const cycle = cycleFrom(this.#field.value);
    this.#field.setAttribute("aria-invalid", String(cycle === null));
    if (cycle === null) {
      setText(this.#said, `“${this.#field.value}” is no cycle: a whole number is, as in 250000, 250,000 or 250k.`);
      return;
    }
    setText(this.#said, "");
    this.#go(cycle);
  }

  #cycleAt(event: PointerEvent): number | null {
    const drawn = this.#drawn;
    if (!drawn) return null;
    const x = event.clientX - this.#track.getBoundingClientRect().left;
    return Math.round(Math.min(1, Math.max(0, (x - drawn.x) / drawn.w)) * this.#end);
  }

  #listen(): void {
    const track = this.#track;
    this.#kind.addEventListener("change", () => {
      this.#fill();
    });
    const drag = (event: PointerEvent): void => {
      const cycle = this.#cycleAt(event);
      if (cycle !== null && cycle !== this.#cycle) this.#go(cycle);
    };
    track.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.#dragging = true;
      track.setPointerCapture(event.pointerId);
      drag(event);
    });
    track.addEventListener("pointermove", (event) => {
      if (this.#dragging) {
        drag(event);
        return;
      }
      const box = track.getBoundingClientRect(),
        cycle = this.#cycleAt(event);
      const spot = this.#drawn?.drawing.spotAt(event.clientX - box.left, event.clientY - box.top);
      setText(this.#said, spot ? spot.text() : cycle === null ? "" : `Cycle ${whole(cycle)}`);
    });
    for (const name of ["pointerup", "pointercancel"] as const)
      track.addEventListener(name, () => {
        this.#dragging = false;
      });
    track.addEventListener("pointerleave", () => {
      if (!this.#dragging) setText(this.#said, "");
    });
    track.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const part = this.#end / (event.shiftKey ? 10 : 100);
      const to = {
        ArrowLeft: this.#cycle - part,
        ArrowDown: this.#cycle - part,
        ArrowRight: this.#cycle + part,
        ArrowUp: this.#cycle + part,
        PageDown: this.#cycle - this.#end / 10,
        PageUp: this.#cycle + this.#end / 10,
        Home: 0,
        End: this.#end,
      }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.#go(Math.min(to, this.#end));
    });
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

/** A cycle as people write it: 250000, 250,000, 250 000, 250k, 1.5M; null where it is none. */
export function cycleFrom(text: string): number | null {
  const found = /^(\d+(?:\.\d+)?)([kM]?)$/.exec(text.trim().replaceAll(/(?<=\d)[,_'\s](?=\d)/g, ""));
  if (!found) return null;
  const cycle = Number(found[1]) * (found[2] === "k" ? 1e3 : found[2] === "M" ? 1e6 : 1);
  const near = Math.round(cycle);
  return Math.abs(cycle - near) < 1e-6 && Number.isSafeInteger(near) ? near : null;
}

customElements.define("corun-timeline", CorunTimeline);
