// What stands where the pictures would be, or above them: why nothing runs, and what can be done about it.
import type { ReadonlySignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { count, errorText } from "../model/format.ts";
import { LinkError } from "../model/link.ts";
import type { Arrived } from "../model/session.ts";
import type { Problem } from "../model/types.ts";
import { Button } from "./widgets.tsx";

export interface Action {
  label: string;
  primary?: boolean;
  run(): void;
}
export interface Notice {
  /** `line`: it goes on below without being in the way of anything. */
  kind: "error" | "info" | "line";
  title: string;
  text?: readonly ComponentChildren[];
  actions?: readonly Action[];
}

/** `key`: one that only changes its words stays the same element, so that its button can be pressed. */
export function NoticeBox({ of }: { of: ReadonlySignal<Notice | null> }) {
  if (of.value === null) return null;
  const { kind, title, text = [], actions = [] } = of.value;
  return (
    <div key={kind} class={`notice notice-${kind}`} role={kind === "error" ? "alert" : "status"}>
      <h2>{title}</h2>
      {text.map((part, i) => (typeof part === "string" ? <p key={i}>{part}</p> : part))}
      {actions.length > 0 && (
        <div class="flow notice-actions">
          {actions.map(({ label, primary, run }) => (
            <Button key={label} primary={primary ?? false} press={run}>
              {label}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

/** A name that no kernel has: of which kernel of the mix, and the names that are near. */
export function unknownKernel({ path, want }: Problem): { at: number; near: readonly string[] } | null {
  const at = /^kernels\[(\d+)\](?:\.kernel)?$/.exec(path)?.[1],
    [, how, names = ""] = /^the name of a kernel, (perhaps|such as) (.*?)(?:, or a full kernel)?$/.exec(want) ?? [];
  return at === undefined || !how ? null : { at: Number(at), near: how === "perhaps" ? names.split(" or ") : [] };
}
const words = (problem: Problem): string | null => {
  const unknown = unknownKernel(problem);
  if (!unknown) return null;
  return `No kernel is called ${problem.found}${unknown.near.length > 0 ? `: perhaps ${unknown.near.join(" or ")}` : ""}.`;
};

export const Problems = ({ of }: { of: readonly Problem[] }) => (
  <ul>
    {of.map((problem) => {
      const { path, found, want } = problem;
      return (
        <li key={path}>
          {words(problem) ?? (
            <>
              <b>{path || "experiment"}</b>: found {found}, want {want}
            </>
          )}
        </li>
      );
    })}
  </ul>
);

// ---------------------------------------------------------------- on any page

export const retry: Action = { label: "Try again", primary: true, run: () => location.reload() };
export const notStarted = (error: unknown, ...more: string[]): Notice => ({
  kind: "error",
  title: "The simulator could not be started",
  text: [errorText(error), ...more],
  actions: [retry],
});
export const notOpened = (error: unknown, ...actions: Action[]): Notice => ({
  kind: "error",
  title: "This link cannot be opened",
  text: error instanceof LinkError ? [error.message, error.advice] : [`It is damaged (${String(error)}).`],
  actions,
});

// ---------------------------------------------------------------- of a run

export const cannotRun = (problems: readonly Problem[], ...actions: Action[]): Notice => ({
  kind: "error",
  title: "This experiment cannot run",
  text: [<Problems key="problems" of={problems} />],
  actions,
});

/** Recordings that an experiment names and this browser does not keep. */
export const missingIn = (problems: readonly Problem[]): string[] => [
  ...new Set(problems.flatMap(({ found }) => /^recording ([0-9a-f]{16}), which is not here/.exec(found)?.[1] ?? [])),
];
export const notRecorded = (hashes: readonly string[], ...actions: Action[]): Notice => ({
  kind: "error",
  title: `Recording ${hashes.join(", ")} is not here: drop its file`,
  text: [
    "A kernel of this experiment is recorded, and a link has only the hash of the recording. Its file, or the trace that it was made of, can be " +
      "dropped anywhere on this page. It stays in this browser.",
  ],
  actions,
});

/** `done` of `of` runs are done, and `part` of the present one; null: another tab measures that. */
export const profiling = (
  what: string,
  done: number,
  of: number,
  part: number | null,
  ...actions: Action[]
): Notice => ({
  kind: "line",
  title: `Profiling ${what}: ${done + 1} of ${of}${part === null ? ", which another tab measures now" : ""}`,
  text: [<progress key="bar" max={1} value={(done + (part ?? 0)) / of} aria-label="How much is measured" />],
  actions,
});

export const notBegun = (...actions: Action[]): Notice => ({
  kind: "info",
  title: "Stopped before the run began",
  text: ["What was measured until then is kept."],
  actions,
});

/** Why a run cannot go on; null for one that can. `mark`: A or B, where there are two. */
export function atItsEnd({ state, cycle, why }: Arrived, mark: string): Notice | null {
  const words = <pre key="why">{why}</pre>;
  if (state === "stuck")
    return {
      kind: "error",
      title: `The machine is stuck${mark === "" ? "" : ` in ${mark}`} at cycle ${count(cycle)}`,
      text: ["Nothing can happen any more, in this cycle or a later one. The engine says why:", words],
    };
  return state === "failed"
    ? {
        kind: "error",
        title: `The script${mark === "" ? "" : ` of ${mark}`} has failed at cycle ${count(cycle)}`,
        text: ["The run ends there. What it set before holds; what the call that failed has set does not.", words],
      }
    : null;
}

export const crashed = (message: string, ...actions: Action[]): Notice => ({
  kind: "error",
  title: "The simulation stopped",
  text: [
    "The engine met something that it cannot go on from. That is a defect of Corun, not of the experiment. It said:",
    <pre key="message">{message}</pre>,
  ],
  actions,
});
