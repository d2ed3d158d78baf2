// A Lab whose work is done when the test says so.
import { Failure, type Lab } from "../src/engine/lab/lab.ts";
import type { Problem } from "../src/model/types.ts";

interface Done {
  work: string;
  of: unknown;
  give(value: unknown): void;
  fail(why: string, problems?: readonly Problem[]): void;
}

export function fakeLab(): { lab: Pick<Lab, "ask" | "end" | "stamp">; asked: Done[]; ends: () => number } {
  const asked: Done[] = [];
  let ends = 0;
  const lab = {
    stamp: "1.0-01234567",
    ask: (work: string, of: unknown) => {
      const ended = new Promise((give, failed) => {
        const fail = (why: string, problems: readonly Problem[] = []): void => failed(new Failure(why, problems));
        asked.push({ work, of, give, fail });
      });
      return { ended, drop: () => undefined };
    },
    end: () => {
      ends += 1;
    },
  };
  return { lab: lab as unknown as Lab, asked, ends: () => ends };
}

/** Until all that was given has been heard. */
export const heard = (): Promise<void> => new Promise((done) => setImmediate(done));
