// What a key does anywhere on the page. Space and Escape have rules of their own.
import { helpDialog, type Key } from "../parts/dialogs.tsx";
import { store, stored } from "../parts/remembered.ts";

interface PageKey extends Key {
  /** The browser's name of it. */
  key: string;
  run(): void;
}

/** An entry of the list: what is pressed, what it does in words, and what it does. */
export const pageKey = (key: string, does: string, run: () => void, name = key): PageKey => ({
  key,
  keys: [name],
  does,
  run,
});

/** From now on they are heard; the list of them opens with `?`, and with what is given back. */
export function listen(all: readonly PageKey[]): () => void {
  const open = (): void => help.showModal();
  const keys = [...all, pageKey("?", "this list", open)];
  const off = (): boolean => stored("corun-keys") === "off";
  const help = helpDialog(
    keys,
    () => !off(),
    (on) => store("corun-keys", on ? "on" : "off"),
  );
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const target = event.target as HTMLElement,
      key = keys.find((one) => one.key === event.key);
    if (!key || target.closest("input:not([type=checkbox]):not([type=range]), textarea, select, dialog")) return;
    // Escape closes what is open, also where the other keys are off.
    if (event.key !== "Escape" && off()) return;
    if (event.key === " " && target.closest("button, summary, a, input, [role=button], [role=gridcell]")) return;
    key.run();
    if (event.key !== "Escape") event.preventDefault();
  });
  return open;
}
