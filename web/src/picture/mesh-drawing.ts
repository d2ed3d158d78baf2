// The mesh as a drawing: routers with what sits at each, and links in the colour and width of their load in the last window. No DOM.
import { Drawing, textWidth } from "./drawing.ts";
import { figure, whole } from "../model/scale.ts";
import { mix } from "./mix.ts";
import type { Theme } from "./theme.ts";
import type { FrameLayout } from "../model/types.ts";
import { FrameReader } from "../engine/frame-reader.ts";

/** Requests and replies have a mesh each, and what L2 asks of L1Ds one more; their links are drawn as one. */
export const PEAK = "at most 1 in each network";
/** Load from which on a shade is used; and the ways in the order of a frame. */
export const STEPS = [0, 0.02, 0.1, 0.25, 0.5, 1];
const WAYS = [
  { name: "east", dx: 1, dy: 0 },
  { name: "west", dx: -1, dy: 0 },
  { name: "south", dx: 0, dy: 1 },
  { name: "north", dx: 0, dy: -1 },
] as const;

export interface Link {
  from: number;
  to: number;
  way: (typeof WAYS)[number];
  flits: number;
  /** Flits for each NoC cycle. */
  load: number;
}

export class MeshModel {
  readonly reader: FrameReader;
  /** Cycles of a window. */
  window = 400;
  constructor(readonly layout: FrameLayout) {
    this.reader = new FrameReader(layout);
  }

  update(frame: Uint32Array): void {
    this.reader.load(frame);
  }

  /** The first cycle of the last complete window, and the one after it; null before there is one. */
  get shown(): [number, number] | null {
    const windows = Math.floor(this.reader.cycle / this.window);
    return windows === 0 ? null : [(windows - 1) * this.window, windows * this.window];
  }

  get links(): Link[] {
    const { mesh, core_mhz: core } = this.layout;
    if (!mesh) return [];
    const { width, height, mhz } = mesh,
      ticks = (this.window * mhz) / core;
    return Array.from({ length: width * height }, (_, from) =>
      WAYS.flatMap((way, w) => {
        const x = (from % width) + way.dx,
          y = Math.floor(from / width) + way.dy,
          flits = this.reader.get("noc.link_flits", from, w);
        return x < 0 || y < 0 || x >= width || y >= height
          ? []
          : [{ from, to: y * width + x, way, flits, load: flits / ticks }];
      }),
    ).flat();
  }

  /** What sits at a router. */
  at(router: number): { sm: number; bank: number; channels: number[] } {
    const { mesh, banks } = this.layout;
    return {
      sm: mesh?.sms.indexOf(router) ?? -1,
      bank: router < banks ? router : -1,
      channels: mesh?.channels.flatMap((of, channel) => (of === router ? [channel] : [])) ?? [],
    };
  }
}

export const shade = (load: number, t: Theme): string => {
  const step = load === 0 ? 0 : STEPS.filter((from) => load >= from).length - 1;
  return step <= 0 ? t.line : mix(t.dark ? "#ff9d5c" : "#c2410c", t.plot, 0.3 + (0.7 * step) / (STEPS.length - 1));
};

export function drawMesh(model: MeshModel, width: number, t: Theme): Drawing {
  const { mesh, kernels } = model.layout,
    { reader } = model;
  const columns = mesh?.width ?? 1,
    rows = mesh?.height ?? 1,
    step = Math.min(170, Math.floor(width / columns)),
    pitch = Math.min(step, 96);
  const node = Math.max(8, Math.round(step * 0.52)),
    tall = Math.max(8, Math.round(pitch * 0.56)),
    left = Math.floor((width - (columns - 1) * step - node) / 2);
  const d = new Drawing(width, rows * pitch + 2, t.surface, t.font, t.mono);
  const x = (router: number): number => left + (router % columns) * step,
    y = (router: number): number => 1 + Math.floor((pitch - tall) / 2) + Math.floor(router / columns) * pitch;
  const most = Math.max(1, ...model.links.map(({ load }) => load));
  for (const { from, to, way, flits, load } of model.links) {
    // The way there is above or to the right of the way back.
    const side = way.dx + way.dy > 0 ? -1 : 1,
      off = Math.max(2, Math.min(7, node / 7)),
      thick = 2 + 5 * Math.min(1, load / most) * (load > 0 ? 1 : 0);
    const cx = (router: number): number => x(router) + node / 2,
      cy = (router: number): number => y(router) + tall / 2;
    const ox = way.dy === 0 ? 0 : -side * off,
      oy = way.dx === 0 ? 0 : side * off;
    const x1 = cx(from) + ox + (way.dx * node) / 2,
      y1 = cy(from) + oy + (way.dy * tall) / 2,
      x2 = cx(to) + ox - (way.dx * node) / 2,
      y2 = cy(to) + oy - (way.dy * tall) / 2;
    const colour = shade(load, t),
      head = Math.min(5, Math.abs(x2 - x1 + y2 - y1) / 3);
    d.line(x1, y1, x2 - way.dx * head, y2 - way.dy * head, colour, thick);
    d.path(
      [
        x2,
        y2,
        x2 - way.dx * head - way.dy * (head - 1),
        y2 - way.dy * head - way.dx * (head - 1),
        x2 - way.dx * head + way.dy * (head - 1),
        y2 - way.dy * head + way.dx * (head - 1),
      ],
      { closed: true, fill: colour },
    );
    const said = (): string =>
      `Link from router ${from} ${way.name} to router ${to}: ${whole(flits)} flits in the last window, ${figure(load)} for each NoC cycle, ${PEAK}`;
    d.spot(
      `link:${from}:${way.name}`,
      Math.min(x1, x2) - (way.dx === 0 ? off : 0),
      Math.min(y1, y2) - (way.dy === 0 ? off : 0),
      Math.max(Math.abs(x2 - x1), 2 * off),
      Math.max(Math.abs(y2 - y1), 2 * off),
      said,
    );
  }
  for (let router = 0; router < columns * rows; router += 1) {
    const { sm, bank, channels } = model.at(router),
      nx = x(router),
      ny = y(router);
    d.rect(nx + 0.5, ny + 0.5, node - 1, tall - 1, {
      fill: sm >= 0 ? t.plot : t.sunken,
      stroke: channels.length > 0 ? t.accent : t.lineStrong,
      width: channels.length > 0 ? 2 : 1,
      radius: 4,
    });
    const lines = [
      ...(sm >= 0 ? [{ text: `SM ${sm}`, ink: t.ink, weight: 600 }] : []),
      ...(bank >= 0 ? [{ text: `L2 ${bank}`, ink: t.ink2, weight: 400 }] : []),
      ...(channels.length > 0 ? [{ text: `DRAM ${channels.join(", ")}`, ink: t.accent, weight: 600 }] : []),
    ];
    const size = Math.min(11, (tall - 4) / Math.max(1, lines.length));
    lines.forEach(({ text, ink, weight }, i) => {
      const own = Math.min(size, (size * (node - 4)) / textWidth(text, size));
      if (own >= 7)
        d.text(nx + node / 2, ny + tall / 2 + (i - (lines.length - 1) / 2) * (size + 2), text, ink, own, {
          align: "middle",
          baseline: "middle",
          weight,
        });
    });
    d.spot(`router:${router}`, nx, ny, node, tall, () => {
      const parts: string[] = [];
      if (sm >= 0)
        parts.push(
          `SM ${sm} with ${kernels.map((name, k) => `${reader.get("sm.ctas", sm, k)} CTAs of ${name}`).join(", ")}`,
        );
      if (bank >= 0)
        parts.push(
          `L2 bank ${bank}, ${kernels.reduce((sum, _, k) => sum + reader.get("l2.queue", bank, k), 0)} requests wait`,
        );
      if (channels.length > 0) parts.push(`DRAM channel${channels.length > 1 ? "s" : ""} ${channels.join(", ")}`);
      return `Router ${router}: ${parts.join("; ") || "nothing"}`;
    });
  }
  return d;
}
