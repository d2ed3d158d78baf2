// <corun-sm-detail>: one SM in full; of two runs that are compared, the SM of each, one below the other, or of one of them. Hidden while no SM is
// selected; the way back fires `select-sm` with null.
import { Fragment, render } from "preact";
import { SideHeading, What } from "../parts/widgets.tsx";
import type { Paint } from "./drawing.ts";
import { figure, percent, whole } from "../model/scale.ts";
import { kernelInk, kernelPaint, onRetheme, theme, type Theme } from "./theme.ts";
import { contentsOf, contentsText, STATES, stateColour, stateTitle } from "./l1.ts";
import { shareTexts } from "../model/launches.ts";
import { kernelStyle } from "../parts/palette.ts";
import type { Catalogue, SelectSm, Shares, ShownRun, SmView } from "../model/types.ts";
import { smDetailMeanings } from "./meanings.ts";
import { fillStyle, MeaningsList, PaintSwatch } from "./parts.tsx";
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

const BarRow = ({ name, parts, text }: Bar) => (
  <div class="cv-row">
    <span class="cv-name">{name}</span>
    <span class="cv-bar" aria-hidden="true">
      {parts.map(({ paint, share, title }, i) => (
        <span
          key={i}
          class="cv-part"
          title={title}
          style={{ ...fillStyle(paint), width: `${100 * Math.max(0, Math.min(1, share))}%` }}
        />
      ))}
    </span>
    <span class="cv-value">{text}</span>
  </div>
);

export class SmDetail extends HTMLElement implements SmView {
  private panels: SmPanel[] = [];
  private sm: number | null = null;
  private one: number | null = null;
  private drawn = 0;
  private timer = 0;
  private cleanup: (() => void) | null = null;

  connectedCallback(): void {
    this.classList.add("cv-detail");
    this.cleanup = onRetheme(() => this.draw());
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
    this.draw();
  }

  private draw(): void {
    this.hidden = this.sm === null || this.panels.length === 0;
    if (this.hidden || this.sm === null || !this.isConnected) return;
    const sm = this.sm,
      only = this.panels.length > 1 ? this.one : null,
      shown = this.panels.filter((panel, i) => panel.has(sm) && (only === null || i === only)),
      layout = shown[0]?.model.layout;
    if (!layout) return;
    this.drawn = performance.now();
    const leave = (): void => {
      this.selected = null;
      this.dispatchEvent(new CustomEvent<SelectSm>("select-sm", { bubbles: true, detail: { sm: null } }));
    };
    render(
      <>
        <div class="cv-head">
          <button type="button" class="cv-button" onClick={leave}>
            ‹ All SMs
          </button>
          <h2 class="cv-heading">{smName(layout, sm)}</h2>
          <div class="cv-actions">
            <What title="the numbers of an SM">
              <MeaningsList of={smDetailMeanings(layout)} />
            </What>
          </div>
        </div>
        {shown.map((panel) => panel.view(sm))}
      </>,
      this,
    );
  }
}

/** One run's SM. */
class SmPanel {
  model: SmModel;
  private readonly run: ShownRun;
  private readonly letters: string[];
  /** By kernel; null where its CTA order deals no chunks. */
  shares: readonly (Shares | null)[] = [];
  /** What the L1Ds hold. */
  held: Uint32Array | null = null;

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

  /** What is left of a launch that is dealt in chunks. */
  private before(sm: number, k: number): string {
    const share = this.shares[k]?.sms[sm];
    if (!share) return "";
    const { chunk, left, queue, waits } = shareTexts(share);
    return `Of this launch of ${this.model.layout.kernels[k] ?? ""} it has ${left === "nothing" ? "no CTA of its chunk left" : `CTA${left.includes("to") ? "s" : ""} ${left} left of its chunk`}${chunk === "" ? "" : ` (${chunk})`}.${queue === "" ? "" : ` Its steal queue: ${queue}, of which ${waits === "" ? "none waits" : `${waits} wait`}.`}`;
  }

  private slot(sm: number, slot: number, t: Theme) {
    const text = this.model.slotText(sm, slot),
      holds = this.model.reader.get("sm.slot_kernel", sm, slot);
    return (
      <li
        key={slot}
        class="cv-slot"
        title={text}
        style={fillStyle(holds === 0 ? t.slotEmpty : kernelPaint(holds - 1, t))}
      >
        <span class="cv-spoken">{text}</span>
      </li>
    );
  }

  private scheduler(sm: number, s: number) {
    const { layout, reader: r } = this.model,
      did = r.get("sm.scheduler", sm, s),
      issued = (did & 0x100) !== 0,
      text =
        r.cycle === 0
          ? "not started"
          : issued
            ? `issued for ${layout.kernels[did & 0xff] ?? "?"}`
            : (layout.stalls[did & 0xff]?.title ?? "?");
    return (
      <span key={s} class={`cv-scheduler ${issued && r.cycle > 0 ? "cv-issued" : ""}`}>
        {s}: {text}
      </span>
    );
  }

  private warp(sm: number, w: number, t: Theme) {
    const { layout, reader: r } = this.model,
      holds = r.get("warp.kernel", sm, w);
    if (holds === 0)
      return (
        <li key={w} class="cv-warp" title={`Warp ${w}: none`} style={fillStyle(t.slotEmpty)}>
          <span class="cv-spoken">warp {w}: none</span>
        </li>
      );
    const kernel = holds - 1,
      state = r.get("warp.state", sm, w),
      paint = kernelPaint(kernel, t),
      name = layout.kernels[kernel] ?? "?",
      does = layout.warp_states[state]?.title ?? "?";
    return (
      <li
        key={w}
        class="cv-warp"
        title={`Warp ${w}: ${name}, CTA slot ${r.get("warp.slot", sm, w)}, operation ${figure(r.get("warp.pc", sm, w))}, ${does}`}
        style={fillStyle(paint)}
      >
        <span
          class="cv-letter"
          aria-hidden="true"
          style={{ color: kernelInk(kernel, t), backgroundColor: paint.colour }}
        >
          {this.letters[state] ?? "?"}
        </span>
        <span class="cv-spoken">{`warp ${w}: ${name} (${kernelStyle(kernel).number}), ${does}`}</span>
      </li>
    );
  }

  view(sm: number) {
    const { layout, reader: r } = this.model,
      { kernels } = layout,
      shape = layout.sms[sm],
      t = theme();
    if (!shape) return null;
    const each = <T,>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i)),
      drains = kernels.filter((_, k) => r.get("sm.drains", sm, k) > 0),
      states = each(shape.warps, (w) => r.get("warp.state", sm, w));
    return (
      <Fragment key={`${this.run.mark} ${sm}`}>
        <SideHeading mark={this.run.mark} title={this.run.title} />
        <div class="cv-legend">
          {kernels.map((name, k) => (
            <span key={k} class="cv-key">
              <PaintSwatch of={kernelPaint(k, t)} />
              {name}
            </span>
          ))}
        </div>
        <div class="cv-detailgrid">
          <section class="cv-block">
            <h3>Schedulers, this cycle</h3>
            <div class="cv-schedulers">{each(shape.schedulers, (s) => this.scheduler(sm, s))}</div>
            <h3>CTA slots</h3>
            <ol class="cv-slots" aria-label={this.named("CTA slots and what they hold")}>
              {each(shape.slots, (slot) => this.slot(sm, slot, t))}
            </ol>
            <h3>Warps 0 to {shape.warps - 1}</h3>
            <ol class="cv-warps" aria-label={this.named("Warps and their states")}>
              {each(shape.warps, (w) => this.warp(sm, w, t))}
            </ol>
            <ul class="cv-legend cv-states" aria-label={this.named("Warp states and how many warps are in each")}>
              {layout.warp_states.map(({ title, doc }, i) => (
                <li key={title} class="cv-key" title={doc}>
                  <kbd class="cv-letter">{this.letters[i]}</kbd> {title}{" "}
                  <b class="cv-count">{whole(states.filter((state) => state === i).length)}</b>
                </li>
              ))}
            </ul>
          </section>
          <section class="cv-block">
            <h3>Resources</h3>
            {drains.length > 0 && (
              <p class="cv-drains">
                It drains: {drains.join(" and ")} {drains.length > 1 ? "hold" : "holds"} more CTAs than may stay.
              </p>
            )}
            <div class="cv-bars">{this.barsOf(sm).map((bar) => bar.hidden || <BarRow key={bar.name} {...bar} />)}</div>
            {kernels
              .map((_, k) => this.before(sm, k))
              .map(
                (text, k) =>
                  text && (
                    <p key={k} class="cv-before-it">
                      {text}
                    </p>
                  ),
              )}
          </section>
        </div>
      </Fragment>
    );
  }
}
