// The trace of a run, in a dialog: the experiment runs again in a worker, and its trace is saved, or opened in Perfetto. Loaded when it is asked for.
import { Button } from "../parts/widgets.tsx";
import { download } from "../parts/dom.ts";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { errorText, percent } from "../model/format.ts";
import { Lab } from "../engine/lab/lab.ts";
import { stampName } from "../model/stamp.ts";
import { openPage, Page } from "../parts/document.tsx";
import type { Experiment } from "../model/types.ts";
import { handOver, MOST, PERFETTO } from "./perfetto.ts";

interface TracedRun {
  mark: string;
  scheme: string;
  kernels: readonly string[];
  experiment: Experiment;
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

function Made({ run, module }: { run: TracedRun; module: WebAssembly.Module }) {
  const part = useSignal<number | null>(null),
    trace = useSignal<Blob | null>(null),
    says = useSignal("");
  useEffect(() => {
    const lab = new Lab(module, "trace");
    lab
      .ask("trace", run.experiment, {
        soFar: (now) => {
          part.value = now;
        },
      })
      .ended.then(
        (made) => {
          trace.value = made;
        },
        (error: unknown) => {
          says.value = `The trace could not be made: ${errorText(error)}`;
        },
      )
      .finally(() => lab.end());
    // Who closes the dialog ends it.
    return () => lab.end();
  }, [run]);
  const bytes = trace.value,
    file = stampName("trace", "json");
  const open = (): void => {
    if (!bytes) return;
    // It must be able to answer: no `noopener`.
    const away = window.open(PERFETTO, "_blank");
    if (!away) {
      says.value = "The browser has opened no window: allow it for this page, or save the file.";
      return;
    }
    says.value = "Waiting for Perfetto's page.";
    handOver({ bytes, title: `${run.kernels.join(" + ")}, ${run.scheme}`, file }, away, window).then(
      () => {
        says.value = "Perfetto has it.";
      },
      (error: unknown) => {
        says.value = `${errorText(error)} The file can be opened there by hand.`;
      },
    );
  };
  return (
    <>
      {bytes ? (
        <p class="actions">
          {bytes.size <= MOST ? (
            <Button primary press={open}>
              Open in Perfetto
            </Button>
          ) : null}{" "}
          <Button press={() => download(file, bytes)}>Save the file, {megabytes(bytes.size)}</Button>
        </p>
      ) : says.value === "" ? (
        <p>
          <progress aria-label="The run so far" {...(part.value === null ? {} : { value: part.value })} />{" "}
          {part.value === null ? "The experiment runs again." : `${percent(part.value)} of the run`}
        </p>
      ) : null}
      {bytes && bytes.size > MOST ? (
        <p>A window takes at most {megabytes(MOST)}. Perfetto's own program trace_processor opens longer files.</p>
      ) : null}
      <p role="status">{says.value}</p>
    </>
  );
}

export const openTrace = (run: TracedRun, module: WebAssembly.Module): void =>
  openPage(
    <Page title={`Trace of ${run.mark === "" ? "the run" : run.mark}: ${run.scheme}`}>
      <p>
        CTAs by SM and slot, launches, decisions and bandwidth over time, as <code>corun run --trace</code> writes them;
        a cycle is shown as 1 µs. The trace goes from this window to Perfetto's page in this browser; that page says
        what it does with traces.
      </p>
      <Made run={run} module={module} />
    </Page>,
  );
