// What the page hands out: the link, the experiment, the result, and a command that runs the same elsewhere.
import { download } from "../parts/dom.ts";
import { errorText } from "../model/format.ts";
import { copyText, toast } from "../parts/dialogs.tsx";
import type { Engine } from "../engine/engine.ts";
import { currentStamp, stampName, stampText } from "../model/stamp.ts";
import { sharedAddress } from "../model/share.ts";
import type * as Saves from "../embed/save.ts";
import type { Address } from "./address.ts";
import type { Session } from "./session.ts";
import { MARKS } from "../model/session.ts";
import { resultName } from "../model/stored.ts";

/** Where all is as an example has it, the page that says so where the link is posted. */
export async function copyLink(session: Session, address: Address): Promise<void> {
  await address.writeNow();
  const names = session.sides.peek().map(({ loaded, experiment }) => loaded && resultName(loaded.hash, experiment));
  const plain = Object.keys(session.view.peek()).length === 0 && names.every((name) => name !== null);
  const page = plain ? await sharedAddress(names) : null;
  await copyText(page ?? location.href, "The link is copied. Whoever opens it sees the same run.");
}

/** The run in a frame of an article, as it stands here: docs/how-to/embed-a-figure.md. */
export async function copyEmbed(session: Session, address: Address): Promise<void> {
  await address.writeNow();
  const { href } = new URL(`./?embed=1${location.hash}`, location.href),
    attribute = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  await copyText(
    `<iframe src="${attribute(href)}" title="${attribute(session.title.peek())}" width="100%" height="600" loading="lazy"></iframe>\n`,
    "The embed is copied. Paste it into the HTML of a page.",
  );
}

/** The file is stamped in its `source`, which is for people: the hash of the experiment leaves it out. */
function experimentText(session: Session): string | null {
  const side = session.sides.peek()[session.edited.peek()];
  if (!side) return null;
  const { corun, ...rest } = side.experiment;
  const source = stampText({ ...currentStamp(), config: side.loaded?.hash ?? "" });
  return `${JSON.stringify({ corun, source, ...rest }, null, 2)}\n`;
}

export function saveExperiment(session: Session): void {
  const text = experimentText(session);
  if (text) download(stampName("experiment", "json"), text, "application/json");
}

/** A command that runs the same experiment natively, file and all; where the page has stopped, it stops too. */
export async function copyCommand(session: Session): Promise<void> {
  const text = experimentText(session);
  if (!text) return;
  const name = stampName("experiment", "json"),
    { cycle } = session.view.peek();
  const until = cycle !== undefined && session.state.peek() !== "done" ? ` --cycles ${cycle}` : "";
  await copyText(
    `# ${stampText()}\ncat > ${name} <<'EXPERIMENT'\n${text}EXPERIMENT\ntarget/release/corun run ${name}${until} --json\n`,
    "The command is copied. Paste it into a shell in a clone of Corun, after `cargo build --release`.",
  );
}

export async function saveResult(session: Session, engine: Engine): Promise<void> {
  if (!session.shown.peek()) return;
  const results = await Promise.all(session.sides.peek().map((_, at) => engine.result(at)));
  // Of two runs, each by its mark.
  const runs =
    results.length > 1 ? Object.fromEntries(results.map((result, at) => [MARKS[at] ?? "", result])) : results[0];
  // With the link, the file opens the run again.
  const saved = { ...runs, link: location.href };
  download(stampName("result", "json"), `${JSON.stringify(saved, null, 2)}\n`, "application/json");
}

/** What is shown, in a file that needs neither the page nor a network: as a picture, or as a page whose runs can be made again. */
export async function saveFile(save: (by: typeof Saves) => void | Promise<void>): Promise<void> {
  try {
    await save(await import("../embed/save.ts"));
  } catch (error) {
    toast(`The file could not be made: ${errorText(error)}`);
  }
}
