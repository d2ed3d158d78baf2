// A drawing as a PNG file, with words inside (tEXt and iTXt chunks), so that a picture that lost its name still says what it is.
import { paint } from "./canvas.ts";
import type { Drawing } from "./drawing.ts";

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

export function crc32(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (const b of bytes) c = (CRC_TABLE[(c ^ b) & 0xff] as number) ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** Puts text after the header of a PNG; anything that is not a PNG comes back as it was. */
export function withText(png: Uint8Array, words: Record<string, string>): Uint8Array {
  const HEADER = 8 + 25; // signature, IHDR
  if (png.length < HEADER || png[0] !== 0x89 || png[1] !== 0x50) return png;
  const encoder = new TextEncoder();
  const chunks = Object.entries(words).map(([key, value]) => {
    // iTXt: keyword, 0, not compressed, method 0, no language, no translated keyword, UTF-8.
    const k = encoder.encode(key.slice(0, 79)),
      v = encoder.encode(value);
    const body = new Uint8Array(4 + k.length + 5 + v.length);
    body.set(encoder.encode("iTXt"), 0);
    body.set(k, 4);
    body.set(v, 4 + k.length + 5);
    const chunk = new Uint8Array(body.length + 8);
    const view = new DataView(chunk.buffer);
    view.setUint32(0, body.length - 4);
    chunk.set(body, 4);
    view.setUint32(4 + body.length, crc32(body));
    return chunk;
  });
  const extra = chunks.reduce((n, c) => n + c.length, 0);
  const out = new Uint8Array(png.length + extra);
  out.set(png.subarray(0, HEADER), 0);
  let at = HEADER;
  for (const c of chunks) {
    out.set(c, at);
    at += c.length;
  }
  out.set(png.subarray(HEADER), at);
  return out;
}

/** Twice the screen's size by default: sharp in slides. */
export async function toPng(drawing: Drawing, words: Record<string, string>, scale = 2): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(drawing.width * scale));
  canvas.height = Math.max(1, Math.round(drawing.height * scale));
  const ctx = canvas.getContext("2d", { alpha: false });
  if (!ctx) throw new Error("this browser gives no 2D canvas");
  paint(ctx, drawing, scale);
  const blob = await new Promise<Blob | null>((done) => {
    canvas.toBlob(done, "image/png");
  });
  if (!blob) throw new Error("the picture is too large for a PNG");
  const bytes = withText(new Uint8Array(await blob.arrayBuffer()), words);
  return new Blob([bytes as Uint8Array<ArrayBuffer>], { type: "image/png" });
}
