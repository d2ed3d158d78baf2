// Reads a timeline and answers what is asked about it. Who wants it to stop ends the worker.
import { importModule, reads } from "../engine/import-module.ts";
import { live } from "../engine/life.ts";
import { errorText } from "../model/format.ts";
import type { Timeline } from "../wasm/corun_import.js";
import type { Launches } from "./launches.ts";
import type { Report } from "./report.ts";

/** A file to read, or a GPU to say it for. */
export type ToTimeline = { file: File } | { gpu: string };
export type FromTimeline =
  | { t: "part"; part: number }
  | { t: "read"; launches: Launches; report: Report }
  | { t: "report"; report: Report }
  | { t: "wrong"; message: string };

const send = (message: FromTimeline): void => self.postMessage(message);
let timeline: Timeline | null = null;

live();
self.onmessage = ({ data }: MessageEvent<ToTimeline>): void => {
  void (async () => {
    if ("gpu" in data) {
      if (timeline) send({ t: "report", report: JSON.parse(timeline.report(data.gpu || undefined)) as Report });
      return;
    }
    const { file } = data,
      module = await importModule();
    timeline = new module.Timeline(file.name, file.size, reads([file], (part) => send({ t: "part", part }))(file));
    send({ t: "read", launches: timeline.launches(), report: JSON.parse(timeline.report(undefined)) as Report });
  })().catch((error: unknown) => send({ t: "wrong", message: errorText(error) }));
};
