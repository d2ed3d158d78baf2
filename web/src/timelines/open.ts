// A timeline of a profiler: what it is known by, and the dialog that says what is in it, which is loaded for it.
import { toast } from "../parts/dialogs.tsx";
import { errorText } from "../model/format.ts";
import type { Catalogue } from "../model/types.ts";

/** Bytes of a file that are looked at. */
const LOOKED_AT = 1 << 16;

/** Whether a file looks like a timeline: whether it is one, the module says that reads it. */
export async function isTimeline(file: File): Promise<boolean> {
  if (/\.json\.gz$/i.test(file.name)) return true;
  if (!/\.(json|csv)$/i.test(file.name)) return false;
  const head = await file.slice(0, LOOKED_AT).text();
  return /"(traceEvents|deviceProperties|corun_timeline)"|^"?Start \(\w+\)"?,"?Duration \(/m.test(head);
}

export function openTimeline(file: File, catalogue: Catalogue): void {
  import("./dialog.tsx")
    .then(({ showTimeline }) => showTimeline(file, catalogue))
    .catch((error: unknown) => toast(`The timeline cannot be opened: ${errorText(error)}`));
}
