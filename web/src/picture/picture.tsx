// What all pictures share: a canvas with a name, spots that the pointer and the arrow keys find, the same content as a table, exports, and
// drawing as often as it is seen.
import { render } from "preact";
import { freshId, made } from "../parts/dom.ts";
import { show } from "./canvas.ts";
import type { Drawing, Paint, Spot } from "./drawing.ts";
import { onRetheme, theme } from "./theme.ts";
import type { Theme } from "./theme.ts";
import { framed } from "./framed.ts";
import { DataTable, PaintSwatch, type Exportable } from "./parts.tsx";
import { PictureMenu } from "./menu.tsx";
import type { Meaning } from "./meanings.ts";
import { Turn, UNSEEN } from "./pace.ts";
import type { Tabular } from "../model/tabular.ts";
import { Said } from "../parts/term-tip.tsx";

/** Without paint: words alone. */
export interface LegendItem {
  name: string;
  paint?: Paint;
  doc?: string;
}

export abstract class Picture extends HTMLElement {
  /** In file names; what it is called; what it shows. */
  protected abstract readonly file: string;
  protected abstract readonly name: string;
  protected abstract readonly about: string;
  /** What stands over it in a file. */
  protected get caption(): string {
    return this.name;
  }
  /** `sheet`: for a file, not for the page. */
  protected abstract build(width: number, t: Theme, sheet?: boolean): Drawing | null;
  protected abstract tabular(sheet?: boolean): Tabular | null;
  protected abstract legend(t: Theme): LegendItem[];
  /** One sentence with numbers, for those who do not see the picture. */
  protected abstract summary(): string;
  /** What its numbers mean. */
  protected meanings(): readonly Meaning[] {
    return [];
  }

  /** Spots that the arrow keys walk. */
  protected walks(_spot: Spot): boolean {
    return true;
  }
  protected chosen(_spot: Spot): void {
    /* nothing to choose */
  }
  /** Says one thing at a time, and says it again when asked again. */
  protected say(text: string): void {
    this.spoken.textContent = this.spoken.textContent === text ? `${text}\u00a0` : text;
  }
  /** How the keys work on it, for those who hear it. */
  protected get hint(): string {
    return "Arrow keys walk the parts and speak their numbers; the table has all of them.";
  }

  private readonly parts = made<HTMLElement>(
    <div>
      <div class="cv-head" />
      <div class="cv-stage">
        <canvas class="cv-canvas" role="img" tabIndex={0}>
          <p />
        </canvas>
        <div class="cv-ring" hidden aria-hidden="true" />
        <div class="cv-tip" hidden aria-hidden="true" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section class="cv-tablebox" tabIndex={0} hidden />
      <p class="cv-spoken" />
      <div class="cv-spoken" role="status" aria-live="polite" />
    </div>,
  );
  protected readonly stage = this.#part(".cv-stage");
  private readonly canvas = this.#part("canvas") as HTMLCanvasElement;
  private readonly top = this.#part(".cv-head");
  private readonly tip = this.#part(".cv-tip");
  private readonly ring = this.#part(".cv-ring");
  private readonly tableBox = this.#part(".cv-tablebox");
  private readonly spoken = this.#part("[role=status]");
  #part(of: string): HTMLElement {
    return this.parts.querySelector(of) as HTMLElement;
  }
  private drawing: Drawing | null = null;
  private focused: string | null = null;
  /** Where in it a tap was. */
  private focusedAt: number | undefined;
  private pointed: { x: number; y: number } | null = null;
  private seen = true;
  /** The timer of a drawing that nobody sees. */
  private late = 0;
  private due = false;
  private readonly turn = new Turn(() => {
    if (this.isConnected && !this.due) this.drawNow();
  }, 33);
  private tableDue = 0;
  /** What the legend says. */
  private legended = "";
  private cleanups: (() => void)[] = [];
  private made = false;

  connectedCallback(): void {
    if (!this.made) this.make();
    const sizes = new ResizeObserver(() => {
      this.redraw();
    });
    sizes.observe(this.stage);
    const views = new IntersectionObserver(
      (entries) => {
        this.seen = entries.some((e) => e.isIntersecting);
        if (this.seen) this.redraw();
      },
      { rootMargin: "100px" },
    );
    views.observe(this);
    const printing = (): void => {
      this.drawNow(true);
    };
    addEventListener("beforeprint", printing);
    this.cleanups = [
      () => {
        sizes.disconnect();
      },
      () => {
        views.disconnect();
      },
      () => {
        removeEventListener("beforeprint", printing);
      },
      onRetheme(() => {
        this.redraw();
      }),
    ];
    this.relegend();
    this.redraw();
  }

  disconnectedCallback(): void {
    for (const done of this.cleanups) done();
    this.cleanups = [];
    clearTimeout(this.late);
    clearTimeout(this.telling);
    this.late = this.telling = 0;
    this.seen = true;
  }

  private make(): void {
    this.made = true;
    this.classList.add("cv-picture");
    const hint = this.#part("p.cv-spoken");
    hint.id = freshId("hint");
    hint.textContent = this.hint;
    this.canvas.setAttribute("aria-label", this.name);
    this.canvas.setAttribute("aria-describedby", hint.id);
    this.tableBox.setAttribute("aria-label", `${this.name}, as a table`);
    this.append(...this.parts.children);
    this.listen();
  }

  private listen(): void {
    this.canvas.addEventListener("pointermove", (e) => {
      this.pointed = { x: e.offsetX, y: e.offsetY };
      this.retip();
    });
    this.canvas.addEventListener("pointerleave", () => {
      this.pointed = null;
      this.retip();
    });
    this.canvas.addEventListener("click", (e) => {
      this.clicked(e.offsetX, e.offsetY);
    });
    this.canvas.addEventListener("keydown", (e) => {
      this.key(e);
    });
    this.canvas.addEventListener("blur", () => {
      this.focused = null;
      this.retip();
    });
  }

  /** Draws in the next animation frame; what is far from the screen, within `UNSEEN` milliseconds, for whoever prints or captures the page. */
  protected redraw(): void {
    if (this.due || !this.isConnected) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      if (this.isConnected) this.drawNow();
    });
  }

  /** Draws a new frame, now if it is time for one: for calls that already come from an animation frame. */
  protected drawFrame(): void {
    if (this.isConnected && !this.due) this.turn.ask(true);
  }

  private drawNow(unseen = false): void {
    if (!this.tableBox.hidden) {
      this.relegend();
      this.refreshTable();
      return;
    }
    if (!this.seen && !unseen) {
      if (this.late === 0)
        this.late = setTimeout(() => {
          this.late = 0;
          this.drawNow(true);
        }, UNSEEN) as unknown as number;
      return;
    }
    this.relegend();
    const width = Math.floor(this.stage.clientWidth);
    if (width < 40) return;
    const drawing = this.build(width, theme());
    this.drawing = drawing;
    this.canvas.hidden = drawing === null;
    if (!drawing) return;
    show(this.canvas, drawing);
    this.retip();
    this.tellSummary();
  }

  /** What stands in place of the picture for those who do not see it changes at most twice a second. */
  private toldAt = -Infinity;
  private telling = 0;
  private tellSummary(): void {
    const now = performance.now(),
      wait = this.toldAt + 500 - now;
    // The last one is told too.
    if (wait > 0) {
      if (this.telling === 0)
        this.telling = setTimeout(() => {
          this.telling = 0;
          this.tellSummary();
        }, wait) as unknown as number;
      return;
    }
    this.toldAt = now;
    const [words] = this.canvas.children;
    if (words) words.textContent = this.summary();
  }

  /** Made anew where it says something else. */
  protected relegend(): void {
    const items = this.legend(theme()),
      said = JSON.stringify(items);
    if (said === this.legended) return;
    this.legended = said;
    render(
      <>
        <div class="cv-legend">
          {items.map(({ name, paint, doc }) => (
            <span key={name} class={paint === undefined ? "cv-words" : "cv-key"}>
              {paint !== undefined && <PaintSwatch of={paint} />}
              {doc ? <Said says={doc}>{name}</Said> : name}
            </span>
          ))}
        </div>
        <div class="cv-actions">
          <PictureMenu
            name={this.name}
            exported={() => this.exportable()}
            table={(shown) => this.showTable(shown)}
            meanings={() => this.meanings()}
            announce={(text) => this.say(text)}
          />
        </div>
      </>,
      this.top,
    );
  }

  private showTable(shown: boolean): void {
    this.tableBox.hidden = !shown;
    this.stage.hidden = shown;
    this.tableDue = 0;
    this.drawNow();
  }

  private refreshTable(): void {
    const now = performance.now();
    if (now < this.tableDue) {
      setTimeout(() => {
        this.redraw();
      }, this.tableDue - now);
      return;
    }
    this.tableDue = now + 500;
    const data = this.tabular();
    if (data) render(<DataTable of={data} />, this.tableBox);
  }

  private exportable(): Exportable {
    return {
      name: this.file,
      title: this.name,
      description: this.about,
      table: () => this.tabular(true) ?? { title: this.name, columns: [], rows: [] },
      picture: (stamp) => {
        // On a sheet of its own.
        const shown = theme(),
          t = { ...shown, page: shown.surface };
        const drawing = this.build(Math.max(720, this.stage.clientWidth || 960), t, true);
        const legend = this.legend(t);
        if (!drawing) throw new Error("there is nothing to show yet");
        return framed(drawing, { title: this.caption, legend, stamp }, t, 12);
      },
    };
  }

  // -------------------------------------------------------------- pointer and keys

  private walk(): Spot[] {
    return (this.drawing?.spots ?? []).filter((s) => this.walks(s));
  }

  private clicked(x: number, y: number): void {
    const spot = this.walk()
      .reverse()
      .find((s) => x >= s.x && x < s.x + s.w && y >= s.y && y < s.y + s.h);
    if (spot) {
      this.focused = spot.id;
      this.focusedAt = x;
      this.chosen(spot);
      this.retip();
    }
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const spots = this.walk();
    const at = spots.findIndex((s) => s.id === this.focused);
    const here = spots[at];
    let to: Spot | undefined;
    switch (event.key) {
      case "ArrowRight":
        to = spots[Math.min(spots.length - 1, at + 1)];
        break;
      case "ArrowLeft":
        to = spots[Math.max(0, at - 1)];
        break;
      case "ArrowDown":
        to = here ? (nearest(spots, here, 1) ?? here) : spots[0];
        break;
      case "ArrowUp":
        to = here ? (nearest(spots, here, -1) ?? here) : spots[0];
        break;
      case "Home":
        to = spots[0];
        break;
      case "End":
        to = spots[spots.length - 1];
        break;
      case "Enter":
        if (!here) return;
        this.chosen(here);
        to = here;
        break;
      case "Escape":
        if (!here) return;
        this.focused = null;
        this.retip();
        return;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (!to) return;
    this.focused = to.id;
    this.focusedAt = undefined;
    this.say(to.text());
    this.retip();
    this.ring.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** The tip follows the pointer or the keyboard; its numbers follow the frames. */
  private retip(): void {
    const d = this.drawing;
    const focus = d && this.focused !== null ? (d.spots.find((s) => s.id === this.focused) ?? null) : null;
    this.ring.hidden = !focus;
    if (focus) place(this.ring, focus.x - 2, focus.y - 2, focus.w + 4, focus.h + 4);
    const spot =
      d && this.pointed
        ? d.spotAt(this.pointed.x, this.pointed.y)
        : document.activeElement === this.canvas
          ? focus
          : null;
    this.tip.hidden = !spot;
    if (!spot || !d) return;
    const x = spot === focus && !this.pointed ? this.focusedAt : this.pointed?.x;
    this.tip.textContent = spot.text(x);
    const w = Math.min(300, d.width);
    const left = Math.max(
      0,
      Math.min(d.width - w, (x !== undefined && spot.w > 2 * w ? x : spot.x + spot.w / 2) - w / 2),
    );
    const below = spot.y + spot.h + 6;
    this.tip.style.left = `${left}px`;
    this.tip.style.width = `${w}px`;
    const room = below + 60 < d.height;
    this.tip.style.top = room ? `${below}px` : "auto";
    this.tip.style.bottom = room ? "auto" : `${d.height - spot.y + 6}px`;
  }
}

function place(e: HTMLElement, x: number, y: number, w: number, h: number): void {
  e.style.left = `${x}px`;
  e.style.top = `${y}px`;
  e.style.width = `${w}px`;
  e.style.height = `${h}px`;
}

/** The closest spot above (-1) or below (1). */
function nearest(spots: readonly Spot[], from: Spot, direction: 1 | -1): Spot | null {
  let best: Spot | null = null,
    least = Infinity;
  const cx = from.x + from.w / 2;
  for (const s of spots) {
    const dy = (s.y - from.y) * direction;
    if (dy <= from.h / 2) continue;
    const cost = dy * 3 + Math.abs(s.x + s.w / 2 - cx);
    if (cost < least) {
      least = cost;
      best = s;
    }
  }
  return best;
}
