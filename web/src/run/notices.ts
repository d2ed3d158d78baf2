// What the session says where it does not just run: which words, and which presses lead on.
import { kernelName, schemeText } from "../model/choices.ts";
import { edited, otherKernel } from "../model/mix.ts";
import { MARKS, type Event, type State } from "../model/session.ts";
import type { Catalogue, Experiment } from "../model/types.ts";
import {
  atItsEnd,
  cannotRun,
  crashed,
  missingIn,
  notBegun,
  notOpened,
  notRecorded,
  notStarted,
  profiling,
  unknownKernel,
  type Action,
  type Notice,
} from "../parts/notice.tsx";

/** What decides the words. */
export type Told = Pick<State, "sides" | "laid" | "profile" | "ended" | "trouble" | "aside">;

export function noticeOf(
  { sides, laid, profile, ended, trouble, aside }: Told,
  catalogue: Catalogue | null,
  send: (...event: Event) => void,
): Notice | null {
  const press = (label: string, ...event: Event): Action => ({ label, run: () => send(...event) }),
    openFirst = press("Open the default experiment", "openFirst"),
    mark = (at: number): string => (sides.length > 1 ? (MARKS[at] ?? "") : "");
  switch (trouble?.what) {
    case "unable":
      return notStarted(
        trouble.text,
        "It needs a browser with WebAssembly and module workers: any that was current in 2023 or later.",
      );
    case "unreadable":
      return notOpened(trouble.error, { ...openFirst, primary: true });
    case "crashed":
      return crashed(trouble.text, { ...press("Start this experiment again", "again"), primary: true }, openFirst);
    case "restarting":
      return { kind: "info", title: "Starting again…" };
  }
  const unbuilt = sides.filter(({ loaded }) => !loaded),
    wrong = unbuilt.findIndex(({ problems }) => problems.length > 0),
    before = sides.flatMap((one) => (one.laid ? [one.laid.experiment] : []));
  /** To what ran before, where there is such. */
  const wayBack =
    sides[0]?.loaded && sides[1]?.laid === null
      ? [press("Drop B", "only", 0)]
      : laid === sides.length && before.length === sides.length && unbuilt.length > 0
        ? [press(`Back to ${before.map((one) => schemeText(one, catalogue)).join(" and ")}`, "takeBack")]
        : [];
  if (sides.some(({ stopped }) => stopped))
    return notBegun({ ...press("Go on", "goOn"), primary: true }, ...wayBack, openFirst);
  if (profile) {
    const { at, name, done, of, part } = profile,
      what = `${mark(at) === "" ? "" : `for ${mark(at)}, `}${name}`;
    return profiling(what, done, of, part, press("Stop", "stopProfiling"), ...wayBack);
  }
  const bad = unbuilt[wrong],
    missing = missingIn(bad?.problems ?? []);
  if (missing.length > 0) return notRecorded(missing, ...wayBack, { ...openFirst, primary: laid === 0 });
  /** In place of a kernel that nobody knows, in each side that has it: one that is near, or any. */
  const instead = (bad?.problems ?? []).flatMap((problem): Action[] => {
    const { at, near = [] } = unknownKernel(problem) ?? {};
    if (at === undefined || !bad) return [];
    const nameOf = ({ kernels }: Experiment): string => kernelName(kernels[at] ?? ""),
      had = nameOf(bad.experiment);
    const to = (other: string): Experiment[] =>
      sides.map(({ experiment: one }) => (nameOf(one) === had ? edited(one, otherKernel(at, other)) : one));
    return [
      ...near.slice(0, 2).map((other) => press(`${other} in its place`, "change", to(other))),
      { label: `Choose kernel ${at + 1}`, run: () => document.getElementById(`choose-kernel-${at}`)?.click() },
    ];
  });
  if (bad && laid === 0) return cannotRun(bad.problems, ...instead, { ...openFirst, primary: true });
  if (bad && sides.length > 1) {
    const at = sides.indexOf(bad),
      alone = press(`Go on with ${MARKS[1 - at] ?? ""} alone`, "only", 1 - at);
    return {
      ...cannotRun(bad.problems, ...instead, { ...alone, primary: true }),
      title: `${MARKS[at] ?? ""} cannot run`,
    };
  }
  if (unbuilt.length > 0) return null;
  if (ended) return atItsEnd(ended, mark(ended.at));
  if (!aside) return null;
  const { title, back } = aside,
    leads = back ? [press(back.label, "open", back.to)] : [];
  return { kind: "info", title, actions: [...leads, press("Close this notice", "aside", null)] };
}
