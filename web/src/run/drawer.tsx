// Details of the run, beside the pictures: a row of tabs, and what the chosen one has. Closed until somebody asks.
import type { Signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Host } from "../parts/widgets.tsx";
import type { Panel } from "./panel.ts";

function Card({ panel, open }: { panel: Panel; open: boolean }) {
  const { id, title, heading = title, view: View } = panel;
  return (
    <div
      class="drawer-panel"
      role="tabpanel"
      id={`drawer-${id}`}
      aria-labelledby={`tab-${id}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
      hidden={!open}
    >
      <section class="card" id={id} tabIndex={-1} aria-label={heading || title}>
        {heading !== "" && <h2>{heading}</h2>}
        {View instanceof HTMLElement ? <Host make={() => View} /> : open && <View />}
      </section>
    </div>
  );
}

interface Props {
  panels: readonly Panel[];
  /** The open tab; null closes the drawer. */
  open: Signal<string | null>;
}

const opened = ({ panels, open }: Props): { there: Panel[]; now: Panel | null } => {
  const there = panels.filter((panel) => panel.there?.value ?? true);
  return { there, now: there.find(({ id }) => id === open.value) ?? null };
};
const OPENER = "details";

/** Closes it. What has the focus there hands it to what opens it. */
export function closeDrawer(open: Signal<string | null>): void {
  const inside = document.getElementById("drawer")?.contains(document.activeElement);
  open.value = null;
  if (inside) document.getElementById(OPENER)?.focus();
}

/** Opens the drawer where it was left, and closes it. */
export function DrawerButton(
  props: Props & { /** How many things the run cannot show, which stand there. */ cannot: number },
) {
  const { there, now } = opened(props),
    { cannot } = props,
    last = useRef("");
  const lacks = cannot === 0 ? "" : `${cannot === 1 ? "one thing" : `${cannot} things`} that this run cannot show`;
  if (now) last.current = now.id;
  return (
    <button
      type="button"
      class="menu-button"
      id={OPENER}
      aria-label={lacks === "" ? undefined : `Details: ${lacks}`}
      title={lacks || undefined}
      aria-expanded={now !== null}
      aria-controls="drawer"
      onClick={() => {
        props.open.value = now ? null : ((there.find(({ id }) => id === last.current) ?? there[0])?.id ?? null);
      }}
    >
      Details
      {cannot > 0 ? <b class="drawer-cannot">!</b> : null}
    </button>
  );
}

export function Drawer(props: Props) {
  const { there, now } = opened(props),
    { panels, open } = props;
  const body = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // The pictures make room.
    document.documentElement.toggleAttribute("data-details", now !== null);
    // Where the page scrolls, what has opened may be below the window.
    if (now) body.current?.previousElementSibling?.scrollIntoView({ block: "nearest" });
  }, [now?.id]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role="tab"]'),
      at = [...row].indexOf(event.target as HTMLElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: row.length - 1 }[event.key];
    if (to === undefined) return;
    row[(to + row.length) % row.length]?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="drawer-sheet" hidden={now === null}>
      <div class="drawer-head">
        <div class="drawer-tabs" role="tablist" aria-label="Details of this run" onKeyDown={onKeyDown}>
          {there.map((tab) => (
            <button
              key={tab.id}
              type="button"
              role="tab"
              id={`tab-${tab.id}`}
              title={tab.help}
              aria-selected={tab === now}
              aria-controls={`drawer-${tab.id}`}
              tabIndex={tab === now ? 0 : -1}
              onClick={() => {
                open.value = tab.id;
              }}
            >
              {tab.title}
            </button>
          ))}
        </div>
        <button
          type="button"
          class="drawer-close"
          aria-label="Close the details"
          title="Close ( esc )"
          onClick={() => closeDrawer(open)}
        >
          ×
        </button>
      </div>
      <div class="drawer-body" ref={body}>
        {panels.map((panel) => (
          <Card key={panel.id} panel={panel} open={panel === now} />
        ))}
      </div>
    </div>
  );
}
