// <corun-sm-detail>: one SM in full; of two runs that are compared, the SM of each, one below the other, or of one of them. Hidden while no SM is
// selected; the way back fires `select-sm` with null.
import { h, setText, sideHeading } from "../parts/dom.ts";
import type { Paint } from "./drawing.ts";
import { figure, percent, whole } from "../model/scale.ts";
import { kernelInk, kernelPaint, onRetheme, theme } from "./theme.ts";
import { contentsOf, contentsText, STATES, stateColour, stateTitle } from "./l1.ts";
import { shareTexts } from "../model/launches.ts";
import { kernelStyle } from "../parts/palette.ts";
import type { Catalogue, SelectSm, Shares, ShownRun, SmView } from "../model/types.ts";
import { meaningsButton, smDetailMeanings } from "./meanings.ts";
import { button, cssFill, swatch } from "./parts.ts";
import { stallPaint } from "./theme.ts";
import { stateLetters } from "../model/letters.ts";
import { SmModel, smName } from "./sm-model.ts";

/** A frame's worth of this panel is a few hundred texts: ten times a second is as fast as they can be read. */
const EVERY = 100;

/** A bar in parts, with what it says. */
interface Bar {
  name: string;
  /** `share`: of the whole bar. */
  parts: { paint: Paint; share: number; title?: string }[];
  text: string;
  hidden?: boolean;
}

/** Fills bars in place; those that are not there yet are made. */
function fillBars(box: HTMLElement, bars: readonly Bar[]): void {
  bars.forEach(({ name, parts, text, hidden = false }, b) => {
    const row =
      (box.children[b] as HTMLElement | undefined) ??
      box.appendChild(
        h(
          "div",
          { class: "cv-row" },
          h("span", { class: "cv-name" }, name),
          h(
            "span",
            { class: "cv-bar", "aria-hidden": "true" },
            ...parts.map(({ paint, title }) => {
              const part = h("span", { class: "cv-part", ...(title === undefined ? {} : { title }) });
              cssFill(part, paint);
              return part;
            }),
          ),
          h("span", { class: "cv-value" }),
        ),
      );
    row.hidden = hidden;
    const [, bar, value] = [...row.children] as [Element, Element, Element];
    parts.forEach(({ share }, i) => {
      (bar.children[i] as HTMLElement).style.width = `${100 * Math.max(0, Math.min(1, share))}%`;
    });
    setText(value, text);
  });
}

export class SmDetail extends HTMLElement implements SmView {
  private panels: SmPanel[] = [];
  private sm: number | null = null;
  private readonly heading = h("h2", { class: "cv-heading" });
  private readonly back = button("‹ All SMs", { class: "cv-button" }, () => {
    this.selected = null;
    this.dispatchEvent(new CustomEvent<SelectSm>("select-sm", { bubbles: true, detail: { sm: null } }));
  });
  private one: number | null = null;
  private made = -1;
  private drawn = 0;
  private timer = 0;
  private cleanup: (() => void) | null = null;

  connectedCallback(): void {
    this.classList.add("cv-detail");
    this.cleanup = onRetheme(() => {
      this.made = -1;
      this.draw();
    });
    this.draw();
  }

  disconnectedCallback(): void {
    this.cleanup?.();
    clearTimeout(this.timer);
    this.timer = 0;
  }

  setRuns(runs: readonly ShownRun[], _catalogue: Catalogue): void {
    this.panels = runs.map((run) => new SmPanel(run));
    this.selected = this.sm;
    this.made = -1;
    this.draw();
  }

  update(frames: readonly Uint32Array[]): void {
    this.panels.forEach((panel, i) => {
      const frame = frames[i];
      if (frame) panel.model.update(frame);
    });
    if (this.sm === null || this.timer !== 0) return;
    const wait = this.drawn + EVERY - performance.now();
    if (wait <= 0) this.draw();
    else
      this.timer = setTimeout(() => {
        this.timer = 0;
        this.draw();
      }, wait) as unknown as number;
  }

  /** What the L1Ds of a run hold. */
  setHeld(run: number, held: Uint32Array): void {
    const panel = this.panels[run];
    if (panel) {
      panel.held = held;
      this.draw();
    }
  }

  /** What each SM of a run has before it, by kernel. */
  setShares(run: number, shares: readonly (Shares | null)[]): void {
    const panel = this.panels[run];
    if (panel) {
      panel.shares = shares;
      this.draw();
    }
  }

  reset(): void {
    for (const panel of this.panels) panel.model = new SmModel(panel.model.layout);
    this.draw();
  }

  get selected(): number | null {
    return this.sm;
  }
  set selected(sm: number | null) {
    this.sm = sm !== null && this.panels.length > 0 && !this.panels.some((panel) => panel.has(sm)) ? null : sm;
    this.draw();
  }

  /** Of two runs, 0 or 1: the one whose SM is shown; null: both. */
  set shown(one: number | null) {
    this.one = one;
    this.made = -1;
    this.draw();
  }

  private draw(): void {
    this.hidden = this.sm === null || this.panels.length === 0;
    if (this.hidden || this.sm === null || !this.isConnected) return;
    const only = this.panels.length > 1 ? this.one : null,
      shown = this.panels.filter((panel, i) => panel.has(this.sm as number) && (only === null || i === only));
    if (this.made !== this.sm) this.make(this.sm, shown);
    this.drawn = performance.now();
    for (const panel of shown) panel.fill(this.sm);
  }

  private make(sm: number, shown: readonly SmPanel[]): void {
    this.made = sm;
    const layout = shown[0]?.model.layout;
    if (!layout?.sms[sm]) return;
    setText(this.heading, smName(layout, sm));
    this.replaceChildren(
      h(
        "div",
        { class: "cv-head" },
        this.back,
        this.heading,
        h("div", { class: "cv-actions" }, meaningsButton("an SM", smDetailMeanings(layout)) ?? ""),
      ),
      ...shown.flatMap((panel) => panel.make(sm)),
    );
  }
}

/** One run's SM. */
class SmPanel {
  model: SmModel;
  private readonly run: ShownRun;
  private readonly letters: string[];
  private bars = h("div", { class: "cv-bars" });
  /** By kernel; null where its CTA order deals no chunks. */
  shares: readonly (Shares | null)[] = [];
  private before: HTMLElement[] = [];
  /** What the L1Ds hold. */
  held: Uint32Array | null = null;
  private readonly drains = h("p", { class: "cv-drains", hidden: true });
  private slots: HTMLElement[] = [];
  private warps: HTMLElement[] = [];
  private schedulers: HTMLElement[] = [];
  private counts: HTMLElement[] = [];

  constructor(run: ShownRun) {
    this.run = run;
    this.model = new SmModel(run.layout);
    this.letters = stateLetters(run.layout.warp_states.map((s) => (s.key === "empty" ? "–" : s.title)));
  }

  private named(what: string): string {
    return this.run.mark === "" ? what : `${what}, ${this.run.mark}`;
  }

  has(sm: number): boolean {
    return sm < this.model.layout.sms.length;
  }

  // -------------------------------------------------------------- structure, once for each SM

  make(sm: number): HTMLElement[] {
    const { layout } = this.model,
      shape = layout.sms[sm];
    if (!shape) return [];
    const t = theme();
    this.bars = h("div", { class: "cv-bars" });
    this.slots = Array.from({ length: shape.slots }, () => h("li", { class: "cv-slot" }));
    this.before = layout.kernels.map(() => h("p", { class: "cv-before-it", hidden: true }));
    this.schedulers = Array.from({ length: shape.schedulers }, () => h("span", { class: "cv-scheduler" }));
    this.warps = Array.from({ length: shape.warps }, () => h("li", { class: "cv-warp" }));
    this.counts = layout.warp_states.map(() => h("b", { class: "cv-count" }));
    const states = layout.warp_states.map((s, i) =>
      h(
        "li",
        { class: "cv-key", title: s.doc },
        h("kbd", { class: "cv-letter" }, this.letters[i] ?? "?"),
        ` ${s.title} `,
        this.counts[i] as HTMLElement,
      ),
    );
    return [
      ...(this.run.mark === "" ? [] : [sideHeading(this.run.mark, this.run.title)]),
      h(
        "div",
        { class: "cv-legend" },
        ...layout.kernels.map((name, k) => h("span", { class: "cv-key" }, swatch(kernelPaint(k, t)), name)),
      ),
      h(
        "div",
        { class: "cv-detailgrid" },
        h(
          "section",
          { class: "cv-block" },
          h("h3", null, "Schedulers, this cycle"),
          h("div", { class: "cv-schedulers" }, ...this.schedulers),
          h("h3", null, "CTA slots"),
          h("ol", { class: "cv-slots", "aria-label": this.named("CTA slots and what they hold") }, ...this.slots),
          h("h3", null, `Warps 0 to ${shape.warps - 1}`),
          h("ol", { class: "cv-warps", "aria-label": this.named("Warps and their states") }, ...this.warps),
          h(
            "ul",
            { class: "cv-legend cv-states", "aria-label": this.named("Warp states and how many warps are in each") },
            ...states,
          ),
        ),
        h("section", { class: "cv-block" }, h("h3", null, "Resources"), this.drains, this.bars, ...this.before),
      ),
    ];
  }

  // -------------------------------------------------------------- numbers, each time

  private barsOf(sm: number): Bar[] {
    const { layout, reader: r } = this.model,
      { kernels, stalls } = layout,
      shape = layout.sms[sm],
      t = theme();
    if (!shape) return [];
    const each = (parts: readonly number[]): string =>
      parts.length > 1 ? ` · ${parts.map((v, k) => `${kernels[k] ?? ""}\u00a0${whole(v)}`).join(" · ")}` : "";
    const used = (section: string): number[] => kernels.map((_, k) => r.get(section, sm, k));
    /** Hidden where the SM has none of it. */
    const bar = (name: string, unit: string, capacity: number, parts: readonly number[], own = true): Bar => {
      const total = parts.reduce((a, b) => a + b, 0);
      return {
        hidden: capacity <= 0,
        name,
        parts: parts.map((v, k) => ({ paint: own ? kernelPaint(k, t) : t.ink3, share: v / capacity })),
        text: `${whole(total)} of ${whole(capacity)}${unit ? ` ${unit}` : ""} (${percent(total, capacity)})${each(parts)}`,
      };
    };
    // The LSU has room for so many instructions of each kernel that its bar only compares: a full bar is eight of each.
    const inLsu = used("sm.lsu"),
      lsu = bar("LSU", "", 8 * kernels.length, inLsu);
    const contents = contentsOf(layout, this.held ?? new Uint32Array(), sm);
    const slots = this.model.shares(sm).map((share, i) => {
      const of = kernels[i],
        cause = stalls[i - kernels.length];
      return {
        share,
        name: of ?? cause?.title ?? "?",
        title: of === undefined ? (cause?.doc ?? "") : `Issued for ${of}`,
        paint: of === undefined ? stallPaint(i - kernels.length, t) : kernelPaint(i, t),
      };
    });
    const said = slots.flatMap(({ name, share }) => (share >= 0.005 ? [`${name}\u00a0${percent(share, 1)}`] : []));
    return [
      bar("Registers", "", shape.registers, used("sm.registers")),
      bar("Shared memory", "bytes", shape.shared_bytes, used("sm.shared")),
      bar("Threads", "", shape.threads, used("sm.threads")),
      bar("CTA slots", "", shape.slots, used("sm.ctas")),
      bar("MSHRs", "", shape.mshrs, [r.get("sm.mshr", sm, 0)], false),
      bar("Miss queue", "requests", shape.miss_queue, used("sm.miss_queue")),
      { ...lsu, text: `${whole(inLsu.reduce((a, b) => a + b, 0))} instructions${each(inLsu)}` },
      ...kernels.map((name, k): Bar => {
        const given = r.get("sm.quota", sm, k),
          quota = given - 1,
          left = r.signed("sm.quota_left", sm, k);
        return {
          name: `Quota of ${name}`,
          hidden: given === 0,
          parts: [{ paint: kernelPaint(k, t), share: quota > 0 ? left / quota : 0 }],
          text: `${whole(left)} left of ${whole(quota)} instructions${left <= 0 ? ": it waits for a refill" : ""}`,
        };
      }),
      {
        name: "L1D",
        hidden: this.held === null || layout.arrays.length === 0,
        parts: STATES.map((state) => ({
          paint: stateColour(state, t),
          share: contents.capacity === 0 ? 0 : contents.words[state] / contents.capacity,
          title: stateTitle[state],
        })),
        text: contentsText(layout, contents),
      },
      { name: "Issue slots lately", parts: slots, text: said.join(" · ") || "not started" },
    ];
  }

  fill(sm: number): void {
    const { layout, reader: r } = this.model,
      t = theme();
    fillBars(this.bars, this.barsOf(sm));
    const drains = layout.kernels.filter((_, k) => r.get("sm.drains", sm, k) > 0);
    this.drains.hidden = drains.length === 0;
    setText(
      this.drains,
      `It drains: ${drains.join(" and ")} ${drains.length > 1 ? "hold" : "holds"} more CTAs than may stay.`,
    );
    this.before.forEach((e, k) => {
      const share = this.shares[k]?.sms[sm];
      e.hidden = !share;
      if (!share) return;
      const { chunk, left, queue, waits } = shareTexts(share);
      setText(
        e,
        `Of this launch of ${layout.kernels[k] ?? ""} it has ${left === "nothing" ? "no CTA of its chunk left" : `CTA${left.includes("to") ? "s" : ""} ${left} left of its chunk`}${chunk === "" ? "" : ` (${chunk})`}.${queue === "" ? "" : ` Its steal queue: ${queue}, of which ${waits === "" ? "none waits" : `${waits} wait`}.`}`,
      );
    });
    this.slots.forEach((e, slot) => {
      const text = this.model.slotText(sm, slot),
        holds = r.get("sm.slot_kernel", sm, slot);
      if (e.dataset["key"] !== String(holds)) {
        e.dataset["key"] = String(holds);
        cssFill(e, holds === 0 ? t.slotEmpty : kernelPaint(holds - 1, t));
        e.replaceChildren(h("span", { class: "cv-spoken" }));
      }
      setText(e.firstElementChild as Element, text);
      if (e.title !== text) e.title = text;
    });
    this.schedulers.forEach((e, s) => {
      const did = r.get("sm.scheduler", sm, s);
      const kernel = did & 0x100 ? did & 0xff : null;
      const cause = layout.stalls[did & 0xff];
      setText(
        e,
        r.cycle === 0
          ? `${s}: not started`
          : kernel !== null
            ? `${s}: issued for ${layout.kernels[kernel] ?? "?"}`
            : `${s}: ${cause?.title ?? "?"}`,
      );
      e.classList.toggle("cv-issued", kernel !== null && r.cycle > 0);
    });
    const counts = new Array<number>(layout.warp_states.length).fill(0);
    this.warps.forEach((e, w) => {
      const holds = r.get("warp.kernel", sm, w),
        state = r.get("warp.state", sm, w);
      const key = holds === 0 ? "" : `${holds} ${state}`;
      if (state < counts.length) counts[state] = (counts[state] as number) + 1;
      if (e.dataset["key"] !== key) {
        e.dataset["key"] = key;
        if (holds === 0) {
          cssFill(e, t.slotEmpty);
          e.replaceChildren(h("span", { class: "cv-spoken" }, `warp ${w}: none`));
        } else {
          const paint = kernelPaint(holds - 1, t);
          cssFill(e, paint);
          const letter = h("span", { class: "cv-letter", "aria-hidden": "true" }, this.letters[state] ?? "?");
          letter.style.color = kernelInk(holds - 1, t);
          letter.style.backgroundColor = paint.colour;
          e.replaceChildren(
            letter,
            h(
              "span",
              { class: "cv-spoken" },
              `warp ${w}: ${layout.kernels[holds - 1] ?? "?"} (${kernelStyle(holds - 1).number}), ${layout.warp_states[state]?.title ?? "?"}`,
            ),
          );
        }
      }
      const title =
        holds === 0
          ? `Warp ${w}: none`
          : `Warp ${w}: ${layout.kernels[holds - 1] ?? "?"}, CTA slot ${r.get("warp.slot", sm, w)}, operation ${figure(r.get("warp.pc", sm, w))}, ${layout.warp_states[state]?.title ?? "?"}`;
      if (e.title !== title) e.title = title;
    });
    this.counts.forEach((e, i) => {
      setText(e, whole(counts[i] as number));
    });
  }
}
