// A button with a few things to do behind it.
import { useId, useRef } from "preact/hooks";

export interface Deed {
  title: string;
  /** What it is good for. */
  note?: string;
  run(): void;
}

/** Puts a popover under its button, within the window. */
export function place(box: HTMLElement | null, button: HTMLElement | null): void {
  const from = button?.getBoundingClientRect();
  if (!from || !box) return;
  box.style.left = `${Math.max(8, Math.min(from.left, innerWidth - box.offsetWidth - 8))}px`;
  box.style.top = `${from.bottom + 4}px`;
  box.style.maxHeight = `${Math.max(200, innerHeight - from.bottom - 16)}px`;
}

export function Popup({ title, label, deeds }: { title: string; label: string; deeds: readonly Deed[] }) {
  const box = useRef<HTMLDivElement>(null),
    button = useRef<HTMLButtonElement>(null),
    id = `${useId()}-deeds`;
  return (
    <>
      <button type="button" class="menu-button" ref={button} popovertarget={id} aria-label={label}>
        {title}
      </button>
      <div
        id={id}
        class="menu deeds"
        popover="auto"
        ref={box}
        onToggle={(event) => event.newState === "open" && place(box.current, button.current)}
      >
        {deeds.map((deed) => (
          <button
            key={deed.title}
            type="button"
            onClick={() => {
              box.current?.hidePopover();
              deed.run();
            }}
          >
            <b>{deed.title}</b>
            {deed.note && <span>{deed.note}</span>}
          </button>
        ))}
      </div>
    </>
  );
}
