// The link to its run in a file that the page saved: a picture (PNG, SVG), a table or a result. Dropped on the page, it opens that run.
import { fieldsOf } from "../engine/browser-store.ts";
import { crc32 } from "../picture/png.ts";

/** The keyword of the chunk that a PNG has its stamp in (views/parts.ts). */
const CHUNK = "Corun stamp";
const LARGEST = 50_000_000;

/** What follows the `#` in the link of a saved file, with it; null where the file is none of these, or has no link. */
export async function linkIn(file: File): Promise<string | null> {
  if (file.size > LARGEST) return null;
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] === 0x89 && bytes[1] === 0x50) return hashOf(parsed(textOfPng(bytes)));
  const text = new TextDecoder().decode(bytes);
  if (/^\s*(<\?xml|<svg)/.test(text)) return hashOf(parsed(textOfSvg(text)));
  return hashOf(parsed(text));
}

/** Whether a file is a picture, which cannot be an experiment. */
export const isPicture = (file: File): boolean => /\.(png|svg)$/i.test(file.name) || /^image\//.test(file.type);

function parsed(text: string | null): unknown {
  try {
    return text === null ? null : (JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}

/** Of a stamp, or of what has a stamp or a link in it. Only the part behind the `#` counts: the run opens here, wherever it was saved. */
function hashOf(value: unknown): string | null {
  const { link: own, stamp } = fieldsOf(value),
    link = own ?? fieldsOf(stamp)["link"];
  if (typeof link !== "string") return null;
  const at = link.indexOf("#");
  return at < 0 || at + 1 === link.length ? null : link.slice(at);
}

/** The text of the stamp's chunk (iTXt, not compressed); null where there is none, or it is damaged. */
function textOfPng(bytes: Uint8Array): string | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    decoder = new TextDecoder();
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at),
      end = at + 8 + length;
    if (end + 4 > bytes.length) return null;
    const chunk = bytes.subarray(at + 4, end);
    if (decoder.decode(chunk.subarray(0, 4)) === "iTXt" && crc32(chunk) === view.getUint32(end)) {
      const body = chunk.subarray(4),
        key = body.indexOf(0);
      // After the keyword: 0, whether it is compressed, the method, a language, 0, a translated keyword, 0.
      if (decoder.decode(body.subarray(0, key)) === CHUNK && body[key + 1] === 0) {
        const language = body.indexOf(0, key + 3),
          translated = body.indexOf(0, language + 1);
        return translated < 0 ? null : decoder.decode(body.subarray(translated + 1));
      }
    }
    at = end + 4;
  }
  return null;
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
function textOfSvg(text: string): string | null {
  const found = /<metadata>([^<]*)<\/metadata>/.exec(text)?.[1];
  return found === undefined
    ? null
    : found.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] ?? "");
}
