// A menu with a search: a button that says what is chosen, and a list in a popover, grouped, one line each.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { found, type Choice } from "../model/choice.ts";
import { place, useFreshId } from "./dom.ts";

/** An input with a list of its own, not the browser's. */
const COMBOBOX = { role: "combobox", list: undefined, "aria-expanded": "true" } as const;
/** Shown at once; a search finds the others. */
const SHOWN = 200;

/** A choice of more than this menu has. */
export type Beyond = Choice & { run(): void };

export function Menu(props: {
  /** What is chosen here: the name of the button. */
  label: string;
  /** Asked for while it is open. */
  choices(): readonly Choice[];
  value: string;
  onChoose(value: string): void;
  /** What words say that name more than a choice of this menu, or nothing of it (`none`): a choice, or what is wrong with them. */
  beyond?(sought: string, none: boolean): Beyond | string | null;
  /** Such words. */
  hint?: string;
  id: string;
  /** Before the text of the button. */
  mark?: ComponentChildren;
  /** The text of the button. */
  text: string;
  disabled?: boolean;
}) {
  const popover = useRef<HTMLDivElement>(null),
    button = useRef<HTMLButtonElement>(null),
    list = useRef<HTMLDivElement>(null);
  const sought = useSignal(""),
    at = useSignal(0),
    open = useSignal(false);
  const ids = useFreshId("choice");
  const all = (): { shown: (Choice | Beyond)[]; wrong: string } => {
    const choices = props.choices(),
      own = found(choices, sought.value).slice(0, SHOWN),
      beyond = sought.value.trim() === "" ? null : props.beyond?.(sought.value, own.length === 0);
    return typeof beyond === "object" && beyond
      ? { shown: [beyond, ...own], wrong: "" }
      : {
          shown: own,
          wrong: own.length > 0 ? "" : choices.length === 0 ? "Loading…" : (beyond ?? "Nothing is called that."),
        };
  };
  const { shown, wrong } = open.value ? all() : { shown: [], wrong: "" };

  // The list begins at its top, whatever is chosen now; keys take it along.
  const moved = useRef(false);
  useEffect(() => {
    if (moved.current) list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
    moved.current = false;
  });

  useLayoutEffect(() => {
    if (open.value) place(popover.current, button.current);
  }, [open.value]);
  const onToggle = (event: { newState: string }): void => {
    open.value = event.newState === "open";
    // That it is open is told a moment later: words may have been entered by then.
    if (!open.value) {
      sought.value = "";
      held.current = false;
    }
    // What was typed before the list was there has chosen already.
    if (sought.value === "")
      at.value = Math.max(
        0,
        props.choices().findIndex(({ value }) => value === props.value),
      );
  };
  const choose = (choice: Choice | Beyond | undefined): void => {
    if (!choice) return;
    popover.current?.hidePopover();
    button.current?.focus();
    if ("run" in choice) choice.run();
    else props.onChoose(choice.value);
  };
  // Words that were entered before there was anything to choose are taken once there is.
  const held = useRef(false);
  useEffect(() => {
    if (!held.current || props.choices().length === 0) return;
    held.current = false;
    choose(all().shown[at.value]);
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = { ArrowDown: at.value + 1, ArrowUp: at.value - 1, PageDown: at.value + 8, PageUp: at.value - 8 }[
      event.key
    ];
    moved.current = to !== undefined;
    if (to !== undefined) at.value = Math.max(0, Math.min(shown.length - 1, to));
    else if (event.key === "Enter") {
      held.current = props.choices().length === 0 && sought.value.trim() !== "";
      choose(all().shown[at.value]);
    } else return;
    event.preventDefault();
  };

  return (
    <>
      <button
        type="button"
        class="menu-button"
        id={props.id}
        ref={button}
        popovertarget={`${ids}-menu`}
        aria-haspopup="listbox"
        aria-label={`${props.label}: ${props.text}`}
        disabled={props.disabled}
      >
        {props.mark}
        <span>{props.text}</span>
      </button>
      <div id={`${ids}-menu`} ref={popover} popover="auto" class="menu" onToggle={onToggle}>
        {/* It is there before the list, and has the focus as soon as the popover opens: no letter is lost. */}
        <input
          class="menu-search"
          autofocus
          type="text"
          {...COMBOBOX}
          aria-controls={`${ids}-list`}
          placeholder={props.hint ? `Search, or: ${props.hint}` : "Search"}
          autocomplete="off"
          aria-label={`${props.label}: search`}
          aria-activedescendant={shown.length > 0 ? `${ids}-${at.value}` : undefined}
          value={sought.value}
          onInput={(event) => {
            sought.value = event.currentTarget.value;
            at.value = 0;
            held.current = false;
          }}
          onKeyDown={onKeyDown}
        />
        {open.value && (
          <>
            <div id={`${ids}-list`} class="menu-list" role="listbox" aria-label={props.label} ref={list}>
              {shown.map((choice, i) => (
                <>
                  {choice.group !== shown[i - 1]?.group && choice.group && (
                    <div class="menu-group" key={`group ${choice.group}`}>
                      {choice.group}
                    </div>
                  )}
                  {/* biome-ignore lint/a11y/useKeyWithClickEvents: the search has the keys of the whole list */}
                  <div
                    id={`${ids}-${i}`}
                    key={choice.value}
                    role="option"
                    tabIndex={-1}
                    aria-selected={i === at.value}
                    data-now={choice.value === props.value}
                    onClick={() => choose(choice)}
                    onPointerMove={() => {
                      at.value = i;
                    }}
                  >
                    <b>{choice.title}</b>
                    {choice.note && <span>{choice.note}</span>}
                  </div>
                </>
              ))}
            </div>
            {wrong !== "" && <p class="menu-none">{wrong}</p>}
          </>
        )}
      </div>
    </>
  );
}
