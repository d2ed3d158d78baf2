// The one control of a picture beside itself: a “…” with its table, its exports and what its numbers mean.
import { errorText } from "../model/format.ts";
import { h, showDefinition, download } from "../parts/dom.ts";
import { currentStamp, stampName } from "../model/stamp.ts";
import { meaningsList } from "./meanings.ts";
import type { Meaning } from "./meanings.ts";
import { button, exportAs, freshId } from "./parts.ts";
import type { Exportable, ExportKind } from "./parts.ts";

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

export function pictureMenu({ name, exported, table, meanings, announce }: MenuOf): HTMLElement {
  const id = freshId("menu");
  const menu = h("div", { class: "cv-menu", role: "menu", id, "aria-label": name, hidden: true });
  const open = button(
    "…",
    {
      class: "cv-button cv-more",
      "aria-label": `More: ${name}`,
      title: "Table, export, what the numbers mean",
      "aria-haspopup": "menu",
      "aria-expanded": "false",
      "aria-controls": id,
    },
    () => {
      show(menu.hidden !== false);
    },
  );
  const box = h("div", { class: "cv-export" }, open, menu);
  const entry = (text: string, attributes: Record<string, string>, act: () => void): HTMLButtonElement =>
    button(text, { role: "menuitem", tabindex: "-1", ...attributes }, () => {
      show(false);
      open.focus();
      act();
    });
  const toggle = entry(
    "Table",
    { role: "menuitemcheckbox", "aria-checked": "false", "aria-label": `${name} as a table` },
    () => {
      const shown = toggle.getAttribute("aria-checked") !== "true";
      toggle.setAttribute("aria-checked", String(shown));
      table(shown);
    },
  );
  const what = entry("What are the numbers?", { "aria-label": `What are the numbers of ${name}?` }, () => {
    showDefinition(open, `the numbers of ${name}`, [meaningsList(meanings())]);
  });
  const saves = KINDS.map(([kind, title]) =>
    entry(title, { "data-kind": kind }, () => {
      void save(kind);
    }),
  );
  menu.append(toggle, h("div", { role: "group", "aria-label": "Export" }, ...saves), what);

  const save = async (kind: ExportKind): Promise<void> => {
    announce(await saveAs(kind, exported()));
  };
  const outside = (event: Event): void => {
    if (!box.contains(event.target as Node)) show(false);
  };
  const show = (shown: boolean): void => {
    menu.hidden = !shown;
    open.setAttribute("aria-expanded", String(shown));
    if (shown) {
      what.hidden = meanings().length === 0;
      document.addEventListener("pointerdown", outside);
      // At the right edge of the page the menu opens to the left; where there is no room for that, to the right.
      menu.classList.toggle("cv-menu-left", open.getBoundingClientRect().right < 200);
      toggle.focus();
    } else document.removeEventListener("pointerdown", outside);
  };
  box.addEventListener("keydown", (event) => {
    if (menu.hidden) return;
    const items = [toggle, ...saves, what].filter((item) => !item.hidden);
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Escape") {
      show(false);
      open.focus();
    } else if (event.key === "Tab") {
      show(false);
      return;
    } else if (to !== undefined) items[(to + items.length) % items.length]?.focus();
    else if (event.key !== "Enter" && event.key !== " ") return;
    else {
      event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  });
  return box;
}
