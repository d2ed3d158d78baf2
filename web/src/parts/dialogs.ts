// What is shown over the page, or in place of a picture.
import { h, icon, setText } from "./dom.ts";

export interface Key {
  keys: string[];
  does: string;
}

export function helpDialog(
  keys: Key[],
  lettersOn: () => boolean,
  setLetters: (on: boolean) => void,
): HTMLDialogElement {
  const box = h("input", { checked: lettersOn(), id: "letters" });
  box.setAttribute("type", "checkbox");
  box.addEventListener("change", () => setLetters(box.checked));
  const close = h("button", { type: "button", class: "icon-button", "aria-label": "Close" }, icon("close"));
  const dialog = h(
    "dialog",
    { class: "help", "aria-labelledby": "help-title" },
    h("div", { class: "dialog-head" }, h("h2", { id: "help-title" }, "Keys"), close),
    h(
      "dl",
      { class: "keys" },
      ...keys.flatMap((key) => [h("dt", null, ...key.keys.map((k) => h("kbd", null, k))), h("dd", null, key.does)]),
    ),
    h("label", { class: "check" }, box, "Single keys do these things (turn off if they get in the way of your own)"),
    h("h2", null, "What you are looking at"),
    h(
      "p",
      null,
      "Corun simulates one GPU that runs several kernels at once, cycle by cycle, and lets you choose which kernel gets which share of it. The pictures show the machine as it is in this cycle; the time axis shows windows of 400 cycles. It is a model: its schemes are what papers describe, not what a certain GPU does.",
    ),
    h("p", null, "The address of the page is the whole experiment. Whoever opens it sees the same run, to the cycle."),
    h(
      "p",
      null,
      "Six short stories and ten things to try are in ",
      h("a", { href: "./learn.html" }, "Learn"),
      ". The whole experiment as a form is behind ",
      h("b", null, "Make"),
      " ( x ). Many experiments at once are in ",
      h("a", { href: "./sweeps.html" }, "Schemes"),
      ". What papers say, computed again and beside what they print, is in ",
      h("a", { href: "./figures.html" }, "Papers"),
      ".",
    ),
  );
  close.onclick = () => dialog.close();
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  return dialog;
}

let toastTimer = 0;
/** A short word about something that was done. */
export function toast(text: string): void {
  const place = document.querySelector("#toast");
  if (!place) return;
  setText(place, text);
  place.classList.add("shown");
  clearTimeout(toastTimer);
  toastTimer = window.setTimeout(() => {
    place.classList.remove("shown");
  }, 3500);
}

export async function copyText(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(said);
  } catch {
    // Without the permission, or on plain http: show it, selected, to be copied by hand.
    const area = h("textarea", { readOnly: true, value: text, rows: 8, "aria-label": "Text to copy" });
    const close = h("button", { type: "button", class: "button primary" }, "Done");
    const dialog = h("dialog", { class: "help", "aria-label": "Copy" }, h("h2", null, "Copy this"), area, close);
    close.onclick = () => dialog.close();
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    area.select();
  }
}
