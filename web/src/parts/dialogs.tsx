// What is shown over the page, or in place of a picture.
import { made } from "./dom.ts";
import { Button, IconButton } from "./widgets.tsx";

export interface Key {
  keys: string[];
  does: string;
}

export function helpDialog(
  keys: Key[],
  lettersOn: () => boolean,
  setLetters: (on: boolean) => void,
): HTMLDialogElement {
  const close = (): void => dialog.close();
  const dialog = made<HTMLDialogElement>(
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it.
    <dialog
      class="help"
      aria-labelledby="help-title"
      onClick={(event) => {
        if (event.target === dialog) close();
      }}
    >
      <div class="dialog-head">
        <h2 id="help-title">Keys</h2>
        <IconButton icon="close" label="Close" press={close} />
      </div>
      <dl class="keys">
        {keys.map(({ keys: names, does }) => [
          <dt key={`${does} keys`}>
            {names.map((name) => (
              <kbd key={name}>{name}</kbd>
            ))}
          </dt>,
          <dd key={does}>{does}</dd>,
        ])}
      </dl>
      <label class="check">
        <input
          id="letters"
          type="checkbox"
          checked={lettersOn()}
          onChange={({ currentTarget }) => setLetters(currentTarget.checked)}
        />
        Single keys do these things (turn off if they get in the way of your own)
      </label>
      <h2>What you are looking at</h2>
      <p>
        Corun simulates one GPU that runs several kernels at once, cycle by cycle, and lets you choose which kernel gets
        which share of it. The pictures show the machine as it is in this cycle; the time axis shows windows of 400
        cycles. It is a model: its schemes are what papers describe, not what a certain GPU does.
      </p>
      <p>
        Of all schemes, the fairest is the one under which the least progress of a kernel, beside its speed alone, is
        closest to the greatest. The one with most work has the greatest sum of these (STP).
      </p>
      <p>The address of the page is the whole experiment. Whoever opens it sees the same run, to the cycle.</p>
      <p>
        A profile of PyTorch or Nsight Systems, a trace of a kernel or an experiment may be dropped anywhere on the
        page.
      </p>
      <p>
        Six short stories and ten things to try are in <a href="./learn.html">Learn</a>. The whole experiment as a form
        is behind <b>Make</b> ( x ). Many experiments at once are in <a href="./sweeps.html">Schemes</a>. What papers
        say, computed again and beside what they print, is in <a href="./figures.html">Papers</a>.
      </p>
    </dialog>,
  );
  document.body.append(dialog);
  return dialog;
}

let toastTimer = 0;
/** A short word about something that was done. */
export function toast(text: string): void {
  const place = document.querySelector("#toast");
  if (!place) return;
  place.textContent = text;
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
    const dialog = made<HTMLDialogElement>(
      <dialog class="help" aria-label="Copy" onClose={() => dialog.remove()}>
        <h2>Copy this</h2>
        <textarea readOnly value={text} rows={8} aria-label="Text to copy" />
        <Button primary press={() => dialog.close()}>
          Done
        </Button>
      </dialog>,
    );
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("textarea")?.select();
  }
}
