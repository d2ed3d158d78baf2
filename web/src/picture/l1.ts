// What an L1D holds, by array and by state. No DOM.
import { mix } from "./mix.ts";
import { percent, whole } from "../model/scale.ts";
import type { Theme } from "./theme.ts";
import type { FrameLayout } from "../model/types.ts";
import { WORDS } from "../model/launch-log.ts";

/** States of a word in an L1D, in the order in which a bar has them: what stays when a launch begins comes first. */
export const STATES = ["owned", "kept", "copies", "written"] as const;
type State = (typeof STATES)[number];
export const stateTitle: Readonly<Record<State, string>> = {
  owned: "owned",
  kept: "read only, kept",
  copies: "copies",
  written: "written, not made known",
};

export function stateColour(state: State, t: Theme): string {
  switch (state) {
    case "owned":
      return t.accent;
    case "kept":
      return mix(t.accent, t.surface, 0.55);
    case "copies":
      return mix(t.lineStrong, t.surface, 0.75);
    case "written":
      return t.ink2;
  }
}

interface Held {
  array: number;
  words: Readonly<Record<State, number>>;
  all: number;
}
interface Contents {
  capacity: number;
  arrays: readonly Held[];
  words: Readonly<Record<State, number>>;
  all: number;
}

const none = (): Record<State, number> => ({ owned: 0, kept: 0, copies: 0, written: 0 });

/** What one SM's L1D holds. */
export function contentsOf({ sms, arrays }: FrameLayout, held: Uint32Array, sm: number): Contents {
  const shape = sms[sm],
    words = none();
  const each = arrays.map(({ read_only: readOnly }, array): Held => {
    const at = (sm * arrays.length + array) * WORDS,
      [copies = 0, written = 0, owned = 0] = held.subarray(at, at + WORDS);
    const stays = readOnly && (shape?.l1_keeps_read_only ?? false),
      own = { owned, kept: stays ? copies : 0, copies: stays ? 0 : copies, written };
    for (const state of STATES) words[state] += own[state];
    return { array, words: own, all: copies + written + owned };
  });
  return {
    capacity: (shape?.l1_bytes ?? 0) / 4,
    arrays: each,
    words,
    all: each.reduce((sum, { all }) => sum + all, 0),
  };
}

/** An array's name; that of its kernel before it where there are several. */
const arrayName = ({ arrays, kernels }: FrameLayout, array: number): string => {
  const of = arrays[array];
  return of ? `${kernels.length > 1 ? `${kernels[of.kernel] ?? ""}: ` : ""}${of.name}` : "";
};

const statesText = (words: Readonly<Record<State, number>>): string =>
  STATES.filter((state) => words[state] > 0)
    .map((state) => `${whole(words[state])} ${stateTitle[state]}`)
    .join(", ");

/** “12,288 of 16,384 words (75 %): temperature 8,192 owned; power 4,096 read only, kept; 4,096 invalid”. */
export function contentsText(layout: FrameLayout, { capacity, arrays, all }: Contents): string {
  const parts = arrays
    .filter((held) => held.all > 0)
    .map(({ array, words }) => `${arrayName(layout, array)} ${statesText(words)}`);
  return `${whole(all)} of ${whole(capacity)} words (${percent(all, capacity)}): ${[...parts, `${whole(capacity - all)} invalid`].join("; ")}`;
}
