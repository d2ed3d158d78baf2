// Hands a trace over to Perfetto's page, which is asked until it answers: https://perfetto.dev/docs/visualization/deep-linking-to-perfetto-ui. No DOM of
// its own.

export const PERFETTO = "https://ui.perfetto.dev";
/** Bytes of a trace that go over in one message, which both pages hold in memory; a longer one is for Perfetto's own programs. */
export const MOST = 250e6;
/** Milliseconds between two questions, and after which nobody asks any more. */
const AGAIN = 100,
  LONGEST = 60_000;

interface Trace {
  bytes: Blob;
  title: string;
  file: string;
}
/** Perfetto's window, and this one, as far as they are needed. */
type Away = Pick<Window, "closed" | "postMessage">;
type Here = Pick<Window, "addEventListener" | "removeEventListener" | "setInterval" | "clearInterval">;

/** Done when it has been sent; throws where Perfetto's page does not answer. */
export async function handOver(trace: Trace, away: Away, here: Here): Promise<void> {
  await answered(away, here);
  const buffer = await trace.bytes.arrayBuffer();
  away.postMessage({ perfetto: { buffer, title: trace.title, fileName: trace.file } }, PERFETTO, [buffer]);
}

const answered = (away: Away, here: Here): Promise<void> =>
  new Promise((done, fail) => {
    let left = LONGEST / AGAIN;
    const end = (): void => {
      here.clearInterval(timer);
      here.removeEventListener("message", hear);
    };
    const hear = ({ origin, data }: MessageEvent): void => {
      if (origin !== PERFETTO || data !== "PONG") return;
      end();
      done();
    };
    const timer = here.setInterval(() => {
      left -= 1;
      if (left > 0 && !away.closed) return away.postMessage("PING", PERFETTO);
      end();
      fail(new Error(away.closed ? "Perfetto's window was closed." : "Perfetto's page does not answer."));
    }, AGAIN);
    here.addEventListener("message", hear);
  });
