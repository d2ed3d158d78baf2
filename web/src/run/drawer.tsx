// The drawer under the first screen: a row of tabs, and what the chosen one has. Closed until somebody asks.
import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

export interface Tab {
  id: string;
  title: string;
  /** What it shows: elements that live as long as the page. */
  elements: readonly HTMLElement[];
}

function Panel({ tab, open }: { tab: Tab; open: boolean }) {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    body.current?.replaceChildren(...tab.elements);
  }, [tab.elements]);
  return (
    <div
      class="drawer-panel"
      role="tabpanel"
      id={`drawer-${tab.id}`}
      aria-labelledby={`tab-${tab.id}`}
      tabIndex={-1}
      hidden={!open}
      ref={body}
    />
  );
}

export function Drawer(props: {
  tabs: readonly Tab[];
  /** The tabs that have something to show. */
  shown: Signal<ReadonlySet<string>>;
  /** The open tab; null closes the drawer. */
  open: Signal<string | null>;
}) {
  const { tabs, shown, open } = props;
  const there = tabs.filter(({ id }) => shown.value.has(id)),
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
        {tabs.map((tab) => (
          <Panel key={tab.id} tab={tab} open={tab.id === now} />
        ))}
      </div>
      <div class="drawer-tabs" role="tablist" aria-label="Its parts" onKeyDown={onKeyDown}>
        {there.map((tab, i) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`tab-${tab.id}`}
            aria-selected={tab.id === now}
            aria-controls={`drawer-${tab.id}`}
            tabIndex={tab.id === now || (now === null && i === 0) ? 0 : -1}
            onClick={() => {
              open.value = tab.id === now ? null : tab.id;
            }}
          >
            {tab.title}
          </button>
        ))}
      </div>
    </>
  );
}
