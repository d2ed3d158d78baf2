// What the engine says, as the session hears it.
import type { EngineEvents } from "../engine/engine.ts";
import type { Session } from "./session.ts";

export const engineEvents = (session: Session): EngineEvents => ({
  loaded: (at, message) => session.loaded(at, message),
  problems: (at, problems) => session.problems(at, problems),
  frames: (frames, state, rate) => session.frames(frames, state, rate),
  failed: (message) => session.failed(message),
  underWay: (cycle, rate) => session.underWay(cycle, rate),
  alone: (at, kernel, ipc, why) => session.alone(at, kernel, ipc, why),
  aloneProgress: (at, kernel, done) => session.aloneProgress(at, kernel, done),
  profiling: (at, name, done, of, part) => session.profiling(at, name, done, of, part),
  profilingStopped: (at) => session.profilingStopped(at),
  why: (at, asking) => session.why(at, asking),
});
