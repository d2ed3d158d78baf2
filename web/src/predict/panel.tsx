// The panel of predictions: what each kernel will take on its SMs beside the others, by formula, with the simulation beside it; a bar whose borders move the
// partition, deadlines, the search for a partition that meets them, and the run that proves it.
import "./predict.css";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Select } from "../controls.tsx";
import { MISSING } from "../format.ts";
import { Button, Host, KernelName, SideMark, Table, What } from "../widgets.tsx";
import { PartitionBar } from "./bar.tsx";
import { Measures } from "./measures.ts";
import { READINGS } from "./model.ts";
import type { Around, Predictor } from "./predictor.ts";
import { COLUMNS, MARGIN, type Row } from "./rows.ts";
import "./windows.ts";
import type { WindowsPicture } from "./windows.ts";

/** The formulas and the measurer of an engine. */
export const aroundOf = (module: WebAssembly.Module, stamp: string): Around => ({
  formulas: async () => {
    const formulas = await import("../wasm/corun.js");
    await formulas.default({ module_or_path: module });
    return formulas;
  },
  measurer: (changed) => new Measures(module, stamp, changed),
});

export function Predicted({ of }: { of: Predictor }) {
  const setup = of.setup.value,
    box = useRef<HTMLDivElement>(null);
  if (!setup) return null;
  const { part, left, paused, says } = of.measuring.value,
    windows = of.windows.value;
  return (
    <div class="predictions" ref={box}>
      {of.mark.value !== "" && <SideMark mark={of.mark.value} />}
      {of.whyNot.value !== "" ? (
        <p class="predicted-row">
          <span>{of.whyNot}</span>
          {of.canPart.value && (
            <Button id="f-predict-apart" press={() => of.simulate()}>
              Partition the SMs
            </Button>
          )}
        </p>
      ) : (
        <div class="predicted">
          <p class="predicted-row">
            <span>{says}</span>
            {part !== null && <progress max={1} value={part} aria-label="How much is measured" />}
            {left && (
              <Button id="f-predict-pause" press={() => of.pause()}>
                {paused ? "Measure the rest" : "Stop"}
              </Button>
            )}
          </p>
          <div>
            <div class="partition-frame">
              <PartitionBar
                names={setup.names}
                sms={setup.sms}
                split={of.split.value}
                move={(kernel, to) => of.move(kernel, to)}
              />
            </div>
            <p class="field-help">
              Drag a border, or move it with the arrow keys: the prediction follows. Each kernel runs once, from the
              start; SMs that it has left stay idle.
            </p>
          </div>
          <div class="predicted-row">
            <Button id="f-predict-simulate" primary press={() => of.simulate()}>
              Simulate
            </Button>
            <Button
              id="f-predict-find"
              disabled={!of.canFind.value}
              press={() => {
                const wrong = of.find();
                if (wrong !== null) box.current?.querySelector<HTMLElement>(`#f-deadline-${wrong}`)?.focus();
              }}
            >
              Find a partition
            </Button>
            <Choices of={of} />
          </div>
          <p class="field-help">{READINGS.find(({ name }) => name === of.reading.value)?.doc}</p>
          <p class="predicted-proof" role="status">
            {of.proof}
          </p>
          <Table
            label="Predicted and simulated"
            class="predicted-table"
            head={besideFirst<{ title: ComponentChildren; num?: boolean }>(
              { title: "Kernel" },
              COLUMNS.map(({ title, doc }) => ({
                title: (
                  <>
                    {title}
                    <What title={title}>
                      <p>{doc}</p>
                    </What>
                  </>
                ),
                num: true,
              })),
              { title: "Deadline" },
            )}
            bodies={[{ rows: of.rows.value.map((row, kernel) => rowOf(of, row, kernel)) }]}
          />
          {windows && (
            <Host
              make={() => document.createElement("corun-windows") as WindowsPicture}
              set={(picture) => {
                picture.data = windows;
              }}
            />
          )}
          <p class="field-help">{of.remarks}</p>
        </div>
      )}
    </div>
  );
}

function Choices({ of }: { of: Predictor }) {
  return (
    <>
      <span class="predicted-row predicted-field">
        <label for="f-predict-reading">Reading</label>
        <Select
          at={{ id: "f-predict-reading" }}
          options={READINGS.map(({ name, title }) => ({ value: name, text: title }))}
          value={of.reading.value}
          put={(reading) => of.read(reading)}
        />
        <What title="A reading">
          {READINGS.map(({ name, title, doc }) => (
            <p key={name}>
              <b>{title}</b>: {doc}
            </p>
          ))}
        </What>
      </span>
      <span class="predicted-row predicted-field">
        <label for="f-predict-alone">Alone on its SMs</label>
        <Select
          at={{ id: "f-predict-alone" }}
          options={[
            { value: "", text: "by formula" },
            { value: "measured", text: "measured" },
          ]}
          value={of.measured.value ? "measured" : ""}
          put={(how) => of.measureOwn(how !== "")}
        />
        <What title="A kernel alone on its SMs">
          <p>
            Windows are cut where kernels would end alone on their SMs, and S is what they ask for there. By formula:
            Eqs. 4 and 17, from runs on all SMs, for every partition at once. Measured: by more runs, for the partition
            that the bar shows; until they have ended, by formula. A search then takes what is measured, has the
            partition measured that it finds, and goes on until that is one that is measured.
          </p>
        </What>
      </span>
    </>
  );
}

/** The deadline stands beside what is predicted, where a narrow screen shows it too. */
const besideFirst = <T,>(name: T, [first, ...rest]: readonly T[], deadline: T): T[] =>
  first === undefined ? [] : [name, first, deadline, ...rest];

function rowOf(of: Predictor, { name, sms, cells, error, judged }: Row, kernel: number) {
  const id = `f-deadline-${kernel}`,
    problem = of.deadlines.value[kernel]?.problem ?? "";
  const [kernelName, ...others] = besideFirst(
    <>
      <KernelName kernel={kernel} name={name} />
      <span class="beside predicted-sms">{sms}</span>
    </>,
    COLUMNS.map(({ key }) => {
      const [value, beside] = cells[key];
      return (
        <span key={key} class="with-beside">
          <span class="value" data-missing={value === MISSING ? "" : undefined}>
            {value}
          </span>
          <span class="beside">{beside}</span>
          {key === "error" && (
            <span
              class="error-meter"
              aria-hidden="true"
              data-far={error !== null && Math.abs(error) > MARGIN ? "" : undefined}
            >
              <span style={{ width: `${Math.min(100, Math.abs(error ?? 0) * 100)}%` }} />
            </span>
          )}
        </span>
      );
    }),
    <div class="predicted-deadline">
      <span class="predicted-row">
        <input
          id={id}
          class="number"
          type="text"
          inputMode="decimal"
          autocomplete="off"
          placeholder="none"
          value={of.typed.value[kernel] ?? ""}
          aria-label={`Deadline of ${name}, ms`}
          aria-describedby={`${id}-problem`}
          aria-invalid={problem !== ""}
          onInput={({ currentTarget }) => of.type(kernel, currentTarget.value)}
        />
        <span class="unit">ms</span>
      </span>
      <span class="beside deadline-said" data-met={judged ? String(judged.met ?? judged.meets) : ""}>
        {judged?.text}
      </span>
      <span class="field-problem" id={`${id}-problem`} role="alert">
        {problem}
      </span>
    </div>,
  );
  return { name: kernelName, cells: others };
}
