// The drawer under the first screen: a row of tabs, and what the chosen one has. Closed until somebody asks.
import type { Signal } from "@preact/signals";
import { Host } from "../widgets.tsx";
import type { Panel } from "./panel.ts";

function Card({ panel, open }: { panel: Panel; open: boolean }) {
  const { id, title, heading = title, view: View } = panel;
  return (
    <div
      class="drawer-panel"
      role="tabpanel"
      id={`drawer-${id}`}
      aria-labelledby={`tab-${id}`}
      tabIndex={-1}
      hidden={!open}
    >
      <section class="card" id={id} tabIndex={-1} aria-label={heading || title}>
        {heading !== "" && <h2>{heading}</h2>}
        {View instanceof HTMLElement ? <Host make={() => View} /> : open && <View />}
      </section>
    </div>
  );
}

export function Drawer({
  panels,
  open,
}: {
  panels: readonly Panel[] /** The open tab; null closes the drawer. */;
  open: Signal<string | null>;
}) {
  const there = panels.filter((panel) => panel.there?.value ?? true),
    now = there.some(({ id }) => id === open.value) ? open.value : null;
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
    <>
      <div class="drawer-body" hidden={now === null}>
        {panels.map((panel) => (
          <Card key={panel.id} panel={panel} open={panel.id === now} />
        ))}
      </div>
      <div class="drawer-tabs" role="tablist" aria-label="Its parts" onKeyDown={onKeyDown}>
        {there.map((tab, i) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`tab-${tab.id}`}
            title={tab.help}
            aria-selected={tab.id === now}
            aria-controls={`drawer-${tab.id}`}
            tabIndex={tab.id === now || (now === null && i === 0) ? 0 : -1}
            onClick={({ currentTarget: { parentElement: row } }) => {
              open.value = tab.id === now ? null : tab.id;
              // Where the page scrolls, what has opened is below the window.
              const body = row?.previousElementSibling;
              if (body && open.value !== null && getComputedStyle(body).position === "static")
                requestAnimationFrame(() => row.scrollIntoView({ block: "start" }));
            }}
          >
            {tab.title}
          </button>
        ))}
      </div>
    </>
  );
}
