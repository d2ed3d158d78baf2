// What a file is for that is dropped or opened, and the dialog that says what is in a profiler's timeline, which is loaded for it.
import { toast } from "../parts/dialogs.tsx";
import { isRecorded } from "../parts/recorded.tsx";
import { errorText } from "../model/format.ts";
import { isPicture } from "../teach/reopen.ts";
import type { Catalogue } from "../model/types.ts";

/** How a file begins, as text; what is UTF-16 is none of Corun's. */
const headOf = (file: File): Promise<string> => file.slice(0, 1 << 16).text();

/** Whose a file is. What nobody else takes is read as a timeline: its module says what else it is, and what makes one. */
export async function kindOf(file: File): Promise<"recorded" | "measured" | "timeline" | "own"> {
  if (isRecorded(file)) return "recorded";
  if (isPicture(file)) return "own";
  const head = await headOf(file);
  if (head.startsWith("# corun silicon")) return "measured";
  return /^\s*[{[]/.test(head) && !/"(traceEvents|deviceProperties|corun_timeline)"/.test(head) ? "own" : "timeline";
}

/** Whether something of Corun's is in a file that could not be opened. */
export const isOwn = async (file: File): Promise<boolean> =>
  isPicture(file) || /"(corun|link|stamp)"|"kernels"\s*:\s*\[/.test(await headOf(file));

export function openTimeline(file: File, catalogue: Catalogue): void {
  import("./dialog.tsx")
    .then(({ showTimeline }) => showTimeline(file, catalogue))
    .catch((error: unknown) => toast(`The timeline cannot be opened: ${errorText(error)}`));
}
