// The GPU in the middle of the first screen: all SMs with the memory that they share, or one SM large in their place. Of two runs it shows one, which a
// press changes, or both where there is room.
import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { render } from "preact";
import type { SelectSm } from "../model/types.ts";
import type { Gpu } from "../picture/gpu.ts";
import { Mark } from "./answer.tsx";
import type { Part } from "./panel.ts";
import type { Session } from "./session.ts";
import { MARKS } from "../model/session.ts";

/** So wide are the pictures where there is room for two GPUs. */
const BOTH = 1520;

export function gpuPart(
  place: HTMLElement,
  pictures: HTMLElement,
  session: Session,
): Part & { models: Gpu["models"]; shown: ReadonlySignal<number | null> } {
  const all = document.createElement("corun-gpu"),
    one = document.createElement("corun-sm-detail"),
    head = document.createElement("h3");
  const side = signal(0),
    roomy = signal(false);
  /** Of two runs, the one that is shown; null: both, or there is one. */
  const shown = computed(() => (session.two.value && !roomy.value ? side.value : null));
  new ResizeObserver(() => {
    roomy.value = pictures.clientWidth >= BOTH;
  }).observe(pictures);
  place.append(head, all, one);
  for (const element of [all, one])
    element.addEventListener("select-sm", (event) =>
      session.send("look", { sm: (event as CustomEvent<SelectSm>).detail.sm ?? undefined }),
    );
  all.addEventListener("select-memory", () => {
    session.tab.value = "path";
  });
  effect(() => {
    const sm = session.sm.value,
      hadFocus = place.contains(document.activeElement);
    one.selected = sm;
    all.hidden = sm !== null;
    // What had it is hidden now.
    if (hadFocus) (sm === null ? all.querySelector("canvas") : one.querySelector("button"))?.focus();
  });
  effect(() => {
    all.shown = one.shown = shown.value;
  });
  const Head = () => {
    const now = shown.value;
    return (
      <>
        <span>The GPU</span>
        {now === null ? null : (
          <>
            <span>under</span>
            <button
              type="button"
              class="side-switch"
              aria-label={`The pictures show ${MARKS[now]}: show ${MARKS[1 - now]}`}
              title={`Show ${MARKS[1 - now]}`}
              onClick={() => {
                side.value = 1 - now;
              }}
            >
              {MARKS.map((mark, i) => (
                <span key={mark} data-now={i === now || undefined}>
                  <Mark mark={mark} />
                </span>
              ))}
            </button>
          </>
        )}
      </>
    );
  };
  render(<Head />, head);
  return {
    pictures: [all, one],
    news: ({ frames }) =>
      frames.forEach(({ shares, held }, at) => {
        if (shares) one.setShares(at, shares);
        if (held) one.setHeld(at, held);
      }),
    get models() {
      return all.models;
    },
    shown,
  };
}
