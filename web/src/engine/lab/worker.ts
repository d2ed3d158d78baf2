// A worker of the Lab: does one after the other, in slices, so that a message is never far from being read.
import { errorText, problemsIn } from "../../model/format.ts";
import { live } from "../life.ts";
import * as engine from "../../wasm/corun.js";
import type { FromLab, ToLab } from "./protocol.ts";
import { others } from "./slices.ts";
import { WORKS, type Between } from "./work.ts";

/** Milliseconds between two words on what goes on. */
const TELL = 250;

const send = (message: FromLab): void => {
  self.postMessage(message);
};

/** They are asked for in the order of their numbers: all up to this one are not wanted any more, if they have not ended. */
let dropped = 0;

/** Thrown where nobody waits any more. */
const DROPPED = Symbol("dropped");

let turn: Promise<unknown> = Promise.resolve();
live();
self.onmessage = ({ data }: MessageEvent<ToLab>): void => {
  if (data.t === "drop") dropped = data.id;
  else if (data.t === "do") turn = turn.then(() => begin(data));
  else
    turn = engine.default({ module_or_path: data.module }).then(() => {
      send({ t: "ready", stamp: engine.stamp() });
    });
};

async function begin({ id, work, of }: Extract<ToLab, { t: "do" }>): Promise<void> {
  let told = performance.now();
  const between: Between<unknown> = async (part, value) => {
    if (performance.now() - told > TELL) {
      told = performance.now();
      send({ t: "soFar", id, part, value: value?.() ?? null });
    }
    await others();
    if (id <= dropped) throw DROPPED;
  };
  try {
    if (id <= dropped) return;
    const value = await (WORKS[work] as (of: unknown, between: Between<unknown>) => unknown)(of, between);
    send({ t: "gives", id, value });
  } catch (error) {
    if (error === DROPPED) return;
    const problems = problemsIn(error);
    send({ t: "fails", id, problems, message: errorText(error) });
  }
}
