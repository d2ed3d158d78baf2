// A file of what a GPU measured: the dialog that compares it, which is loaded for it.
import { toast } from "../parts/dialogs.tsx";
import { errorText } from "../model/format.ts";

export function compareMeasured(file: File, module: WebAssembly.Module | Promise<WebAssembly.Module>): void {
  Promise.all([import("./dialog.tsx"), module])
    .then(([{ openMeasured }, ready]) => openMeasured(file, ready))
    .catch((error: unknown) => toast(`The comparison cannot be opened: ${errorText(error)}`));
}
