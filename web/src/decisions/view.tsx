// The panel of decisions: what holds for each kernel, the controls as the machine reads them, what the scheme decides on, and
// all that happened in the run as a list, which leads to each of it. The time axis marks the same.
import "./decisions.css";
import { useFreshId } from "../parts/dom.ts";
import { Select } from "../parts/controls.tsx";
import { holding } from "./decided.ts";
import type { Decided } from "./decisions.ts";
import { Shown } from "./table.tsx";
import { toast } from "../parts/dialogs.tsx";
import { count } from "../model/format.ts";
import { Button, Fold, KernelName, SideHeading, Table } from "../parts/widgets.tsx";
import { saveAs } from "../picture/menu.tsx";

interface Props {
  of: Decided;
  /** The present one: what was decided later is not said. */
  cycle: number;
  /** Somebody wants to see the run's assignment of SM classes turned round. */
  swap(): void;
  /** The run is to go to a cycle. */
  go(cycle: number): void;
}

export function Decisions({ of, cycle, swap, go }: Props) {
  const { mark, title } = of.run,
    log = of.until(cycle),
    label = (what: string): string => (mark === "" ? what : `${what}, ${mark}`);
  return (
    <div class="decided-run">
      <SideHeading mark={mark} title={title} />
      <div>
        {log.length === 0 && <p class="note">The policy has decided nothing yet.</p>}
        {log.some(({ topic }) => topic === "assignment") && (
          <Button
            title="A second run beside this one, in which who got big SMs gets small ones, and the other way"
            press={swap}
          >
            Swap the assignment
          </Button>
        )}
        <Happened of={of} label={label("Launches, switches and decisions")} go={go} />
      </div>
      <dl class="decided">
        {holding(log, of.kernels.length).map(({ kernel, said }) => [
          <dt key={`${kernel}`}>
            {kernel === null ? "The whole GPU" : <KernelName kernel={kernel} name={of.name(kernel)} />}
          </dt>,
          said.map((decision, i) => (
            <dd key={`${kernel} ${i}`}>
              {decision.text}
              <span class="decided-when"> cycle {count(decision.cycle)}</span>
            </dd>
          )),
        ])}
      </dl>
      <InForce of={of} label={label("Controls in force")} />
      {of.shown.map((table) => (
        <Shown key={table.key} table={table} kernels={of.kernels} of={mark} />
      ))}
      {of.worksOut && (
        <p>
          <a href="./learn.html#algorithm-1">Algorithm 1, with numbers of your own</a>
        </p>
      )}
    </div>
  );
}

function Happened({ of, label, go }: { of: Decided; label: string } & Pick<Props, "go">) {
  const id = useFreshId("decisions");
  const save = (kind: "csv" | "json") => (
    <button
      type="button"
      class="cv-button"
      aria-label={`Save the list as ${kind.toUpperCase()}`}
      onClick={() => {
        const what = { name: "decisions", title: "Decisions", description: "", table: () => of.table() };
        void saveAs(kind, what).then(toast);
      }}
    >
      {kind.toUpperCase()}
    </button>
  );
  return (
    <Fold class="decided-log quiet" summary="Every decision, launch and switch, the last first">
      {() => (
        <>
          <div class="flow aside decided-kind">
            <label for={id}>Show</label>
            <Select
              at={{ id }}
              options={of.kinds}
              value={of.kind.value}
              put={(kind) => {
                of.kind.value = kind;
              }}
            />
            {save("csv")}
            {save("json")}
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
          <ol class="log" tabIndex={0} aria-label={label}>
            {of.listed.map(({ cycle, kernel, text }, i) => (
              <li key={i}>
                <button type="button" class="text-button" title="Go there" onClick={() => go(cycle)}>
                  cycle {count(cycle)}
                </button>{" "}
                <span>
                  {kernel !== null && <b>{of.name(kernel)} </b>}
                  {text}
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
    </Fold>
  );
}

function InForce({ of, label }: { of: Decided; label: string }) {
  const rows = of.inForce;
  if (of.controls.value === null) return null;
  if (rows.length === 0) return <p class="note">No control is set: every kernel takes what it finds.</p>;
  return (
    <Table
      label={label}
      head={[{ title: "In force" }, ...of.kernels.map((title) => ({ title, num: true }))]}
      bodies={[
        {
          rows: rows.map(({ control: { title, unit, doc }, entries }) => ({
            name: (
              <>
                {title}
                {unit && <span class="unit-of"> {unit}</span>}
              </>
            ),
            says: doc,
            cells: entries,
          })),
        },
      ]}
    />
  );
}
