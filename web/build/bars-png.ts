// The picture of a shared link: how much slower each kernel is, as bars, in a PNG, which hosts of links want. Without text, which stands beside it.
import { deflateSync } from "node:zlib";
import { LIGHT } from "../src/picture/theme.ts";
import { crc32 } from "../src/picture/png.ts";
import { kernelStyle } from "../src/parts/palette.ts";
import { bars, tops } from "../src/model/bars.ts";
import type { RunSide } from "../src/model/model.ts";

/** What hosts of links show whole. */
const WIDTH = 1200,
  HEIGHT = 630,
  MARGIN = 60,
  /** From one bar to the next, at most. */
  STEP = 180;
/** Of a kernel's stripes, in pixels; the first kernel has none. */
const STRIPE = 8;

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]),
    all = Buffer.alloc(body.length + 8);
  all.writeUInt32BE(data.length, 0);
  body.copy(all, 4);
  all.writeUInt32BE(crc32(body), body.length + 4);
  return all;
}

/** An image of a byte a pixel, each the place of its colour. */
function png(pixels: Buffer, colours: readonly string[]): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(WIDTH, 0);
  head.writeUInt32BE(HEIGHT, 4);
  head.set([8, 3], 8);
  const lines = Buffer.alloc((WIDTH + 1) * HEIGHT);
  for (let y = 0; y < HEIGHT; y++) pixels.copy(lines, y * (WIDTH + 1) + 1, y * WIDTH, (y + 1) * WIDTH);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", head),
    chunk("PLTE", Buffer.from(colours.map((colour) => colour.slice(1)).join(""), "hex")),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Bars of all sides on one scale, and a line where a kernel is as fast as alone; null where all of them would be empty. */
export function barsPng(sides: readonly RunSide[]): Buffer | null {
  const pixels = Buffer.alloc(WIDTH * HEIGHT),
    colours = [LIGHT.surface];
  const colour = (of: string): number => {
    const at = colours.indexOf(of);
    return at >= 0 ? at : colours.push(of) - 1;
  };
  const fill = (x: number, y: number, w: number, h: number, of: (x: number, y: number) => number): void => {
    for (let row = Math.max(0, y); row < Math.min(HEIGHT, y + h); row++)
      for (let column = Math.max(0, x); column < Math.min(WIDTH, x + w); column++)
        pixels[row * WIDTH + column] = of(column, row);
  };
  const rows = sides.map(bars),
    every = rows.flat(),
    top = tops(every);
  if (!every.some(({ value }) => value !== null && value > 0)) return null;
  // Between two sides there is room for half a bar.
  const many = every.length + (rows.length - 1) / 2,
    step = Math.min(STEP, Math.floor((HEIGHT - 2 * MARGIN) / many)),
    room = WIDTH - 2 * MARGIN,
    ink = colour(LIGHT.ink),
    empty = colour(LIGHT.slotEmpty);
  let y = Math.round((HEIGHT - step * (many - 0.3)) / 2);
  for (const row of rows) {
    for (const { kernel, kind, value } of row) {
      const { light, inkLight } = kernelStyle(kernel),
        [plain, stripe] = [colour(light), colour(inkLight)];
      const thick = Math.round(step * 0.7),
        long = Math.round(room * Math.min(1, (value ?? 0) / top[kind]));
      fill(MARGIN, y, room, thick, () => empty);
      fill(MARGIN, y, long, thick, (column, line) =>
        kernel > 0 && (column + line) % (STRIPE * 3) < STRIPE / 2 ? stripe : plain,
      );
      fill(Math.round(MARGIN + room / top[kind]) - 3, y - 4, 6, thick + 8, () => ink);
      y += step;
    }
    y += Math.floor(step / 2);
  }
  return png(pixels, colours);
}
