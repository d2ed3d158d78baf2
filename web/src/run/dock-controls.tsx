// The row above the picture: play and the cycle; and behind "More" what is needed less often.
import { useRef, useState } from "preact/hooks";
import type { Tabular } from "../model/tabular.ts";
import { toast } from "../parts/dialogs.tsx";
import { Button, Icon, Scrolls } from "../parts/widgets.tsx";
import { KINDS, saveAs } from "../picture/menu.tsx";
import { DataTable } from "../picture/parts.tsx";
import { short } from "../model/scale.ts";
import { speedText } from "../model/format.ts";
import type { Axis } from "./dock-axis.tsx";
import { SPEEDS, STATES, type DockState } from "./dock-state.ts";
import { place, type IconName } from "../parts/dom.ts";

export function Controls({ dock, picture }: { dock: DockState; picture: Axis }) {
  return (
    <>
      <Play dock={dock} />
      <Cycle dock={dock} picture={picture} />
      <span class="state" data-state={dock.state}>
        <span class="dot" aria-hidden="true" />
        <span class="state-text">{STATES[dock.state.value]}</span>
      </span>
      <span class="dk-rate" hidden={!dock.running}>
        <span id="rate" hidden={dock.wayText.value !== ""}>
          {dock.rateText}
        </span>
        <span id="way" hidden={dock.wayText.value === ""}>
          {dock.wayText}
        </span>
      </span>
      <Words dock={dock} />
      <Stretch dock={dock} picture={picture} />
      {dock.session.view.value.zoom && (
        <Button class="dk-all" title="Show all cycles (0 on the picture)" press={() => picture.all()}>
          Whole run
        </Button>
      )}
      <More dock={dock} picture={picture} />
      <span class="hidden" role="status">
        {dock.said}
      </span>
    </>
  );
}

function Play({ dock }: { dock: DockState }) {
  const { running, session } = dock,
    { send } = session,
    plays = session.plays.value;
  return (
    <button
      type="button"
      class="play"
      aria-label={plays}
      aria-pressed={running ? "true" : "false"}
      title={`${plays} ( space )`}
      onClick={() => send("toggle")}
    >
      <Icon name={running ? "pause" : "play"} />
    </button>
  );
}

/** The cycle, and the field over it in which another one is typed. */
function Cycle({ dock, picture }: { dock: DockState; picture: Axis }) {
  const wrong = dock.wrong.value !== "";
  return (
    <form
      class="dk-cycle"
      title="Type a cycle to go there ( g )"
      onSubmit={(event) => {
        event.preventDefault();
        const input = event.currentTarget.elements.namedItem("go") as HTMLInputElement;
        if (dock.goTo(input.value)) picture.focus();
      }}
    >
      <span class="dk-cycle-label">cycle</span>
      <span class="cycle" id="cycle">
        {dock.cycleText}
      </span>
      <input
        id="f-go"
        name="go"
        type="text"
        inputMode="numeric"
        autocomplete="off"
        spellcheck={false}
        aria-label="Go to cycle"
        aria-invalid={wrong ? "true" : "false"}
        aria-describedby="f-go-said"
        onFocus={({ currentTarget }) => {
          currentTarget.value = dock.cycleText.peek();
          currentTarget.select();
        }}
        onBlur={({ currentTarget }) => {
          currentTarget.value = "";
          dock.wrong.value = "";
        }}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          picture.focus();
        }}
      />
    </form>
  );
}

function Speed({ dock }: { dock: DockState }) {
  return (
    <select
      id="speed"
      class="dk-speed"
      aria-label="Speed, in simulated cycles per second"
      title="How fast it runs"
      value={String(dock.speed.value)}
      onChange={({ currentTarget }) => {
        dock.setSpeed(Number(currentTarget.value));
      }}
    >
      {SPEEDS.map((one) => (
        <option key={one} value={String(one)}>
          {speedText(one)}
        </option>
      ))}
    </select>
  );
}

/** What is wrong with what was typed; else how the picture is used. */
function Words({ dock }: { dock: DockState }) {
  const wrong = dock.wrong.value;
  return (
    <>
      <span
        class="dk-hint"
        title="Of each lane; press its name to make it large, drag to select cycles"
        hidden={wrong !== ""}
      >
        {dock.two.value ? "Line: A, area: B" : null}
      </span>
      <span class="dk-wrong" id="f-go-said" role="status">
        {wrong}
      </span>
    </>
  );
}

/** The cycles that numbers are of, until the button is pressed. */
function Stretch({ dock, picture }: { dock: DockState; picture: Axis }) {
  const stretch = dock.session.selected.value;
  return stretch === null ? null : (
    <>
      <Button
        class="dk-stretch"
        title="Numbers are of these cycles: press for those of the whole run (Escape)"
        press={() => {
          dock.session.send("stretchTo", null);
          picture.focus();
        }}
      >
        {short(stretch.from)} to {short(stretch.to)}
        <Icon name="close" />
      </Button>
      <Button class="dk-zoom" press={() => picture.zoomIn()}>
        Zoom in
      </Button>
    </>
  );
}

function Lanes({ dock }: { dock: DockState }) {
  const one = dock.offered.value.filter(({ on }) => on).length === 1;
  return (
    <fieldset class="dk-lanes">
      <legend>Lanes</legend>
      {dock.offered.value.map(({ key, title, doc, on }) => (
        <label key={key} class="check" title={doc}>
          <input type="checkbox" checked={on} disabled={on && one} onChange={() => dock.toggleLane(key)} />
          {title}
        </label>
      ))}
    </fieldset>
  );
}

/** The picture as a table, and as files. */
function Extras({ picture }: { picture: Axis }) {
  const [table, show] = useState<Tabular | null>(null);
  return (
    <div class="dk-extras">
      <div class="flow">
        <button
          type="button"
          class="cv-button"
          aria-label="Over time as a table"
          aria-pressed={table !== null}
          onClick={() => show(table ? null : picture.table())}
        >
          Table
        </button>
        {KINDS.map(([kind, title]) => (
          <button
            key={kind}
            type="button"
            class="cv-button"
            aria-label={`Save as ${title}`}
            data-kind={kind}
            onClick={() => {
              const what = picture.exportable();
              if (what) void saveAs(kind, what).then(toast);
            }}
          >
            {kind.toUpperCase()}
          </button>
        ))}
      </div>
      {table && (
        <Scrolls class="cv-tablebox" label="Over time, as a table">
          <DataTable of={table} />
        </Scrolls>
      )}
    </div>
  );
}

function More({ dock, picture }: { dock: DockState; picture: Axis }) {
  const box = useRef<HTMLDivElement>(null),
    opener = useRef<HTMLButtonElement>(null);
  const steps: [string, IconName, string, "reset" | "back" | "step" | "event", boolean][] = [
    ["Reset to cycle 0", "reset", "Reset to cycle 0", "reset", false],
    ["Step back one cycle", "back", "Step back one cycle ( , )", "back", false],
    ["Step one cycle", "step", "Step one cycle ( . )", "step", dock.over],
    [
      "Step to the next event",
      "event",
      "To the next event: a CTA launched or retired, a decision of the policy ( e )",
      "event",
      dock.over,
    ],
  ];
  return (
    <>
      <button
        type="button"
        class="icon-button dk-more"
        ref={opener}
        aria-label="More: steps, speed, lanes, table, export"
        title="Steps, speed, lanes, table and export"
        popovertarget="dk-more"
      >
        <b aria-hidden="true">…</b>
      </button>
      <div
        id="dk-more"
        class="dk-popover"
        popover="auto"
        role="dialog"
        aria-label="More of the run's time"
        ref={box}
        onToggle={({ newState }) => newState === "open" && place(box.current, opener.current)}
      >
        <div class="flow">
          {steps.map(([name, sign, title, step, off]) => (
            <button
              key={name}
              type="button"
              class="icon-button"
              aria-label={name}
              title={title}
              aria-disabled={off ? "true" : undefined}
              onClick={() => dock.session.send(step)}
            >
              <Icon name={sign} />
            </button>
          ))}
        </div>
        <Speed dock={dock} />
        <Lanes dock={dock} />
        <Extras picture={picture} />
      </div>
    </>
  );
}
