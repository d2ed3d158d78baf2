// The one control of a picture beside itself: a “…” with its table, its exports and what its numbers mean.
import { errorText } from "../model/format.ts";
import type { ComponentProps } from "preact";
import { useRef, useState } from "preact/hooks";
import { download, place, useFreshId } from "../parts/dom.ts";
import { Definition } from "../parts/widgets.tsx";
import { currentStamp, stampName } from "../model/stamp.ts";
import type { Meaning } from "./meanings.ts";
import { exportAs, MeaningsList, type Exportable, type ExportKind } from "./parts.tsx";

export const KINDS: readonly [ExportKind, string][] = [
  ["csv", "CSV (data)"],
  ["json", "JSON (data)"],
  ["svg", "SVG (picture)"],
  ["png", "PNG (picture)"],
];

/** Saves a picture, and says what became of it. */
export async function saveAs(kind: ExportKind, what: Exportable): Promise<string> {
  const stamp = currentStamp();
  try {
    const file = stampName(what.name, kind, stamp);
    download(file, await exportAs(kind, what, stamp));
    return `Saved ${file}`;
  } catch (error) {
    return `Could not export: ${errorText(error)}`;
  }
}

interface MenuOf {
  /** What the picture is called. */
  name: string;
  exported(): Exportable;
  /** The table is to be shown in place of the picture, or no longer. */
  table(shown: boolean): void;
  meanings(): readonly Meaning[];
  announce(text: string): void;
}

export function PictureMenu({ name, exported, table, meanings, announce }: MenuOf) {
  const [open, is] = useState(false),
    [tabular, tabulate] = useState(false),
    id = useFreshId("cv-menu"),
    menu = useRef<HTMLDivElement>(null),
    opener = useRef<HTMLButtonElement>(null),
    definition = useRef<HTMLDivElement>(null),
    items = (): HTMLElement[] => [...(menu.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])],
    close = (): void => {
      menu.current?.hidePopover();
      opener.current?.focus();
    };
  const key = (event: KeyboardEvent): void => {
    const all = items(),
      at = all.indexOf(document.activeElement as HTMLElement),
      to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Tab") {
      close();
      return;
    }
    event.stopPropagation();
    if (event.key === "Escape") close();
    else if (to !== undefined) all[(to + all.length) % all.length]?.focus();
    else return;
    event.preventDefault();
  };
  const entry = (text: string, act: () => void, more: ComponentProps<"button"> = {}) => (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      key={text}
      onClick={() => {
        close();
        act();
      }}
      {...more}
    >
      {text}
    </button>
  );
  const means = meanings();
  return (
    <>
      <button
        type="button"
        class="cv-button cv-more"
        ref={opener}
        aria-label={`More: ${name}`}
        title="Table, export, what the numbers mean"
        aria-haspopup="menu"
        aria-expanded={open}
        popovertarget={id}
      >
        …
      </button>
      <Definition title={`the numbers of ${name}`} box={definition}>
        <MeaningsList of={means} />
      </Definition>
      <div
        class="cv-menu"
        role="menu"
        id={id}
        aria-label={name}
        popover="auto"
        tabIndex={-1}
        ref={menu}
        onKeyDown={key}
        onToggle={({ newState }) => {
          is(newState === "open");
          if (newState === "open") place(menu.current, opener.current);
        }}
      >
        {entry(
          "Table",
          () => {
            tabulate(!tabular);
            table(!tabular);
          },
          // It has the focus as soon as the menu opens: no key is lost.
          { role: "menuitemcheckbox", "aria-checked": tabular, "aria-label": `${name} as a table`, autofocus: true },
        )}
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a menu. */}
        <div role="group" aria-label="Export">
          {KINDS.map(([kind, title]) =>
            entry(title, () => void saveAs(kind, exported()).then(announce), { "data-kind": kind } as object),
          )}
        </div>
        {means.length > 0 &&
          entry("What are the numbers?", () => definition.current?.showPopover(), {
            "aria-label": `What are the numbers of ${name}?`,
          })}
      </div>
    </>
  );
}
