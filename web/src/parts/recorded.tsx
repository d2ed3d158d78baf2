// Recorded kernels on the page: what is dropped becomes a recording, which this browser keeps and the menus of kernels list.
import { computed, signal } from "@preact/signals";
import { ownName, watched } from "../engine/life.ts";
import type { FromImport, ToImport } from "../engine/import-worker.ts";
import { keptRecordings, type Recording, recordingsIn, removeRecording } from "../engine/recordings.ts";
import type { Choice } from "../model/choice.ts";
import { ownBody } from "../model/choices.ts";
import { edited, oneMore, otherKernel } from "../model/mix.ts";
import type { Catalogue, Experiment, KernelBody, KernelChoice } from "../model/types.ts";
import type { Notice } from "./notice.tsx";

/** Whether a file is a recording, a trace, or a list of traces. */
export const isRecorded = ({ name }: File): boolean =>
  /\.(corun|traceg?|tracez)$|\.traceg?\.(xz|gz)$|^kernelslist/i.test(name);

const kept = signal<readonly Recording[]>([]);
const list = (): Promise<void> =>
  keptRecordings().then((all) => {
    kept.value = all.sort((a, b) => a.file.localeCompare(b.file));
  });
void list();

// ---------------------------------------------------------------- in menus

/** The value of a choice in a menu of kernels. */
const choiceOf = (hash: string, at: number): string => `@${hash}.${at}`;
export const recordedChoices = (): Choice[] =>
  kept.value.flatMap(({ hash, kernels }) =>
    kernels.map((kernel, at) => ({
      value: choiceOf(hash, at),
      title: String(kernel["name"]),
      note: `${String(kernel["title"])}; kept in this browser`,
      group: "Recorded",
    })),
  );
/** The kernel that a choice is; null where it is another's. */
export function recordedKernel(value: string): KernelBody | null {
  for (const { hash, kernels } of kept.peek())
    for (const [at, kernel] of kernels.entries()) if (choiceOf(hash, at) === value) return kernel;
  return null;
}
/** The recording of a kernel that this browser keeps. */
export function recordingOf(kernel: KernelChoice): Recording | undefined {
  const body = ownBody(kernel),
    [hash] = body ? recordingsIn({ kernels: [body] }) : [];
  return kept.value.find((one) => one.hash === hash);
}
/** The choice that a kernel is. */
export function recordedValue(kernel: KernelChoice): string | undefined {
  const of = recordingOf(kernel),
    name = ownBody(kernel)?.["name"];
  return (
    of &&
    choiceOf(
      of.hash,
      of.kernels.findIndex((one) => one["name"] === name),
    )
  );
}
/** An experiment with a recording, its first kernel in place of the first one and those of its other streams behind all; as it is where it names it. */
export function withRecording(
  experiment: Experiment,
  { hash, kernels: [first = {}, ...more] }: Recording,
  catalogue: Catalogue | null,
): Experiment {
  if (recordingsIn(experiment).includes(hash)) return experiment;
  return edited(experiment, (next) => {
    otherKernel(0, first)(next);
    for (const kernel of more) oneMore(catalogue, kernel)(next);
  });
}
export const forget = (hash: string): Promise<void> => removeRecording(hash).then(list);

// ---------------------------------------------------------------- what is dropped

type Standing =
  | { name: string; part: number }
  | { name: string; wrong: string }
  | { recording: Recording; notes: readonly string[] };
const standing = signal<Standing | null>(null);
let worker: Worker | null = null;
const end = (then: Standing | null): void => {
  worker?.terminate();
  worker = null;
  standing.value = then;
};

/** What is to be said of what was dropped. */
export const importNotice = computed((): Notice | null => {
  const now = standing.value,
    close = { label: "Close this notice", run: () => end(null) };
  if (!now) return null;
  if ("part" in now)
    return {
      kind: "line",
      title: `Reading ${now.name}`,
      text: [<progress key="bar" max={1} value={now.part} aria-label="How much is read" />],
      actions: [{ label: "Stop reading", run: () => end(null) }],
    };
  if ("wrong" in now)
    return { kind: "error", title: `“${now.name}” cannot be read`, text: [now.wrong], actions: [close] };
  const { recording, notes } = now;
  return {
    kind: "info",
    title: `${recording.kernels.map((one) => String(one["name"])).join(", ")}: recorded`,
    text: [
      "It is in the menu of kernels, under Recorded. This browser keeps it; it is sent nowhere.",
      ...(notes.length === 0
        ? []
        : [
            <ul key="notes">
              {notes.map((note) => (
                <li key={note}>{note}</li>
              ))}
            </ul>,
          ]),
    ],
    actions: [close],
  };
});

/** Makes a recording of these files, a trace or a list with its traces, in a worker. What was being read before is given up. */
export async function importRecorded(
  files: readonly File[],
  engine: WebAssembly.Module | Promise<WebAssembly.Module>,
  taken: (recording: Recording) => void,
): Promise<void> {
  const name = files.find((file) => /^kernelslist/i.test(file.name))?.name ?? files[0]?.name ?? "",
    own = ownName("import");
  end({ name, part: 0 });
  // The bundler finds the worker by this very expression.
  const mine = watched(
    new Worker(new URL("../engine/import-worker.ts", import.meta.url), { type: "module", name: own }),
    own,
  );
  worker = mine;
  mine.onerror = ({ message }) => end({ name, wrong: message || "its worker could not start" });
  mine.onmessage = ({ data }: MessageEvent<FromImport>) => {
    if (data.t === "part") standing.value = { name, part: data.part };
    else if (data.t === "wrong") end({ name, wrong: data.message });
    else {
      end(data);
      void list().then(() => taken(data.recording));
    }
  };
  const module = await engine;
  if (worker === mine) mine.postMessage({ module, files } satisfies ToImport);
}
