// A button with a few things to do behind it.
import { useRef } from "preact/hooks";
import { place, useFreshId } from "./dom.ts";

export interface Deed {
  title: string;
  /** What it is good for. */
  note?: string;
  run(): void;
}

export function Popup({ title, label, deeds }: { title: string; label: string; deeds: readonly Deed[] }) {
  const box = useRef<HTMLDivElement>(null),
    button = useRef<HTMLButtonElement>(null),
    id = useFreshId("deeds");
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
