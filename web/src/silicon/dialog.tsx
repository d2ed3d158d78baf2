// A file that silicon/interfere.cu wrote, beside the machine: what the GPU measured, what the same kernels take here, and how near that is. Loaded when a
// file is opened.
import "./dialog.css";
import { useEffect } from "preact/hooks";
import { errorText, problemsIn, timeText } from "../model/format.ts";
import { Button, Table } from "../parts/widgets.tsx";
import { Problems } from "../parts/notice.tsx";
import { schemesHost } from "../schemes/schemes-host.ts";
import { QueryWorker } from "./query-worker.ts";
import { openPage, Page } from "../parts/document.tsx";
import type { Catalogue, Problem } from "../model/types.ts";
import { Heat } from "../parts/heat.tsx";
import { Comparison, likely, progressText } from "./model.ts";

const MOST_BYTES = 4 << 20;

/** Opens the dialog, also on what is wrong with the file. */
export async function openMeasured(file: File, module: WebAssembly.Module): Promise<void> {
  // Read as far as the engine, which names what is too long.
  const text = await file.slice(0, MOST_BYTES + 1).text();
  const desk = await QueryWorker.open(module),
    { catalogue, stamp } = desk;
  const reader = desk.silicon(text);
  try {
    const measured = await reader.read("1", []);
    const host = schemesHost(module, catalogue, stamp, (one) => desk.validate(one)),
      of = new Comparison(host, reader, measured);
    void of.choose(likely(measured.presets, measured.gpu, file.name));
    const close = (): void => {
      of.close();
      desk.close();
    };
    openPage(<Measured of={of} file={file.name} gpus={catalogue.gpus} close={close} />);
  } catch (error) {
    desk.close();
    openPage(<Unread file={file.name} problems={problemsIn(error)} why={errorText(error)} />);
  }
}

function Unread({ file, problems, why }: { file: string; problems: Problem[] | null; why: string }) {
  return (
    <Page title={`“${file}” cannot be compared`}>
      <div role="alert">{problems ? <Problems of={problems} /> : <p>{why}</p>}</div>
      <p class="note">A table of times is what silicon/interfere.cu writes on a GPU.</p>
    </Page>
  );
}

interface MeasuredProps {
  of: Comparison;
  file: string;
  gpus: Catalogue["gpus"];
  close(): void;
}
function Measured({ of, file, gpus, close }: MeasuredProps) {
  useEffect(() => close, []);
  const shown = of.shown.value,
    runs = of.runs.value,
    { summary } = shown;
  const names = shown.alone.map(({ kernel }) => kernel),
    known = new Set(shown.alone.flatMap(({ kernel, program }) => (program ? [kernel] : [])));
  const pairOf = (kernel: string, beside: string) =>
    shown.pairs.find((one) => one.kernel === kernel && one.beside === beside);
  const measured = (kernel: string, beside: string) => ({ slowdown: pairOf(kernel, beside)?.measured ?? null });
  const simulated = (kernel: string, beside: string) => {
    const name = `${kernel} beside ${beside}`,
      pair = pairOf(kernel, beside),
      slowdown = pair?.simulated ?? null;
    // What is to come is empty.
    if (slowdown === null && known.has(kernel) && known.has(beside)) return null;
    const real = pair?.measured == null ? "" : ` ${pair.measured.toFixed(2)} measured.`;
    return { slowdown, run: runs.get(name) ?? null, says: `${name}:${real} Opens the run` };
  };
  return (
    <Page title={shown.title}>
      <Runs of={of} gpus={gpus} />
      <div class="heats">
        <Heat title={`Measured: ${file}`} names={names} cell={measured} />
        {of.gpu.value !== "" && <Heat title="Simulated; each opens its run" names={names} cell={simulated} />}
      </div>
      {summary && !of.progress.value && summary.errors.length > 1 && (
        <>
          <Errors of={summary.errors} />
          <p>{summary.right}</p>
          {summary.alone.map((said) => (
            <p key={said}>{said}</p>
          ))}
        </>
      )}
    </Page>
  );
}

/** On what it runs, and how far that is. */
function Runs({ of, gpus }: Pick<MeasuredProps, "of" | "gpus">) {
  const { presets } = of.shown.value,
    progress = of.progress.value,
    chosen = of.gpu.value;
  if (presets.length === 0)
    return (
      <p>No preset has as many SMs as this GPU, so nothing can be simulated beside it: this is what was measured.</p>
    );
  const title = (name: string): string => gpus.find((gpu) => gpu.name === name)?.title ?? "";
  const begun = of.left.value > 0 && of.left.value < of.runs.value.size;
  return (
    <>
      <div class="flow silicon-bar">
        <label for="f-silicon-gpu">Simulated on</label>
        <select
          id="f-silicon-gpu"
          value={chosen}
          disabled={presets.length === 1}
          onChange={({ currentTarget }) => void of.choose(currentTarget.value)}
        >
          {presets.map(({ name }) => (
            <option key={name} value={name}>
              {`${name}: ${title(name)}`}
            </option>
          ))}
        </select>
        {of.scale !== "1" && <span>{`${of.scale} of it`}</span>}
        <Button
          primary={!progress}
          disabled={!progress && of.left.value === 0}
          press={() => (progress ? of.stop() : of.start())}
        >
          {progress ? "Stop" : begun ? "Simulate the rest" : "Simulate"}
        </Button>
        {progress && <progress max={1} value={progress.part} aria-label="Simulated" />}
        <span class="aside silicon-progress" role="status">
          {progress && progressText(progress, progress.leftMs === null ? null : timeText(progress.leftMs))}
        </span>
      </div>
      {of.why.value !== "" && (
        <p class="field-problem" role="alert">
          {of.why}
        </p>
      )}
    </>
  );
}

function Errors({ of: [head = [], ...rows] }: { of: readonly (readonly string[])[] }) {
  return (
    <Table
      label={head[0] ?? ""}
      // The pair that is worst stands behind its error.
      head={head.map((title, i) => ({ title: title || <span class="hidden">of the pair</span>, num: i > 0 }))}
      bodies={[{ rows: rows.map(([name, ...cells]) => ({ name, cells })) }]}
    />
  );
}
