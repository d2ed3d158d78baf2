// A timeline of a profiler: what it is known by, and the dialog that says what is in it, which is loaded for it.
import { toast } from "../parts/dialogs.tsx";
import { errorText } from "../model/format.ts";
import type { Catalogue } from "../model/types.ts";

/** Bytes of a file that are looked at. */
const LOOKED_AT = 1 << 16;

/** Byte order marks of UTF-16: what PowerShell redirects into a file is that. */
const MARKS: readonly (readonly [number, number, string])[] = [
  [0xff, 0xfe, "utf-16le"],
  [0xfe, 0xff, "utf-16be"],
];

/** Whether a file is a profiler's: whether it is a timeline, the module says that reads it, and else which command makes one. */
export async function isTimeline(file: File): Promise<boolean> {
  if (/\.((json|csv)\.(gz|xz)|nsys-rep|qdrep|ncu-rep|sqlite)$/i.test(file.name)) return true;
  if (!/\.(json|csv|tsv|txt)$/i.test(file.name)) return false;
  const head = new Uint8Array(await file.slice(0, LOOKED_AT).arrayBuffer()),
    [, , label = "utf-8"] = MARKS.find(([first, second]) => head[0] === first && head[1] === second) ?? [];
  return /"(traceEvents|deviceProperties|corun_timeline)"|^"?(Start|Time)(?: \(|:)[\w%]+\)?"?[,;\t]"?(Duration|Total Time)/m.test(
    new TextDecoder(label).decode(head),
  );
}

export function openTimeline(file: File, catalogue: Catalogue): void {
  import("./dialog.tsx")
    .then(({ showTimeline }) => showTimeline(file, catalogue))
    .catch((error: unknown) => toast(`The timeline cannot be opened: ${errorText(error)}`));
}
