// The explanation of a word, on hover, focus and tap: one box for all words.
import { render, type ComponentChildren } from "preact";
import { made, place } from "./dom.ts";

const ID = "term-tip";
/** What a term of the glossary means: for those of which nothing else is said. */
type Meaning = (term: string) => Promise<string | undefined>;

let tip: HTMLElement | null = null,
  shown: HTMLElement | null = null,
  meaning: Meaning | null = null;

/** Also within an element of an article. */
const termAt = (event: Event): HTMLElement | null => {
  const [target] = event.composedPath();
  return target instanceof Element ? target.closest<HTMLElement>(".term") : null;
};

function hide(): void {
  shown?.removeAttribute("aria-describedby");
  shown = null;
  tip?.remove();
}

async function show(term: HTMLElement): Promise<void> {
  if (shown === term) return;
  hide();
  shown = term;
  const { term: name = "", says } = term.dataset,
    text = says ?? (await meaning?.(name));
  if (shown !== term || text === undefined || !term.isConnected) return;
  tip ??= made<HTMLElement>(<div id={ID} class="term-tip" role="tooltip" popover="manual" />);
  render(
    <>
      {name !== "" && (
        <>
          <b>{name}</b>:{" "}
        </>
      )}
      {text}
    </>,
    tip,
  );
  // In its landmark, and not behind a dialog that is open.
  (term.closest("dialog, main") ?? document.body).append(tip);
  tip.showPopover();
  term.setAttribute("aria-describedby", ID);
  // The pointer goes over to it without a gap.
  place(tip, term, 0);
}

let listens = false;
/** From the first word on, all are heard. */
export function listen(of?: Meaning): void {
  meaning ??= of ?? null;
  if (listens) return;
  listens = true;
  const over = (event: Event): void => {
    const term = termAt(event);
    if (term) void show(term);
  };
  const out = (event: PointerEvent | FocusEvent): void => {
    const to = event.relatedTarget as Node | null,
      stays =
        tip?.contains(to) || shown?.contains(to) || (event.type === "pointerout" && shown?.matches(":focus-visible"));
    if (shown && !stays) hide();
  };
  document.addEventListener("pointerover", over);
  document.addEventListener("focusin", over);
  document.addEventListener("click", over);
  document.addEventListener("pointerout", out);
  document.addEventListener("focusout", out);
  // What has the focus may have been scrolled to.
  const follow = ({ target }: Event): void => {
    if (shown && tip?.isConnected && target !== tip) place(tip, shown, 0);
  };
  document.addEventListener("scroll", follow, { capture: true, passive: true });
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || !shown) return;
      hide();
      event.preventDefault();
      event.stopPropagation();
    },
    { capture: true },
  );
}

/** A word that says this. */
export function Said({ says, children }: { says: string; children: ComponentChildren }) {
  listen();
  return (
    <button type="button" class="term" data-says={says}>
      {children}
    </button>
  );
}
