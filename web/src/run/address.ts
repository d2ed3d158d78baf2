// The address bar, which always is the link to what is on the screen, and what opens when it changes.
import { decodeLink, encodeLink, otherEngine, type LinkState } from "../model/link.ts";
import { LINKED } from "../teach/embed.tsx";
import type { Experiment } from "../model/types.ts";
import first from "../model/first.json" with { type: "json" };
import type { Session } from "./session.ts";

/** The first screen: two schemes on one mix. */
export const FIRST: Experiment = { ...(first as Experiment), policy: { name: "even" } };
const FIRST_B: Experiment = { ...FIRST, policy: { name: "ccbp" } };
/** Where the first screen stops when motion is not wanted: the SMs are full and the lanes have begun. */
const STILL = 8_000;
/** The address that opens the form. */
const MAKE = "#make";

const linkedTo = (linked: LinkState | null): readonly Experiment[] =>
  linked ? [linked.experiment, ...(linked.other ? [linked.other] : [])] : [FIRST, FIRST_B];

export const calm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
/** The place Schemes, of a mix. */
export const schemesLink = async (experiment: Experiment): Promise<string> =>
  `./sweeps.html${await encodeLink({ experiment, view: {} })}`;

export class Address {
  readonly #session: Session;
  readonly #make: () => void;
  #link = "";
  /** Of what the pictures show. */
  #shown = "";
  #writing = 0;
  #timer = 0;

  /** `make`: opens the form. */
  constructor(session: Session, make: () => void) {
    this.#session = session;
    this.#make = make;
    addEventListener("hashchange", () => void this.read());
  }

  /** The address of what the pictures show. */
  get shown(): string {
    return new URL(this.#shown, location.href).href;
  }

  /** What is shown has changed; browsers allow only so many changes a second. */
  write(): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.writeNow(), 60);
  }
  async writeNow(): Promise<void> {
    const sides = this.#session.sides.peek(),
      [first, second] = sides;
    if (!first) return;
    const mine = ++this.#writing;
    const hash = await encodeLink({
      experiment: first.experiment,
      ...(second ? { other: second.experiment } : {}),
      view: this.#session.view.peek(),
      engine: this.#session.ready.peek()?.stamp ?? "",
    });
    // Nor over a link that came into the address bar meanwhile, of which the browser has not told yet.
    if (mine !== this.#writing || location.hash !== this.#link) return;
    if (sides.every(({ loaded }) => loaded)) this.#shown = hash;
    if (location.hash !== hash) history.replaceState(null, "", hash);
    this.#link = location.hash;
    dispatchEvent(new Event(LINKED));
  }

  /** What the link will open, as far as it can be read before the simulator is there. */
  async preview(): Promise<void> {
    const linked = await decodeLink(location.hash).catch(() => null);
    if (!linked && /^#./.test(location.hash)) return;
    this.#session.send("preview", linkedTo(linked));
  }

  /** Opens what the address bar says, if that is not what is shown. */
  async read(begins = false): Promise<void> {
    const session = this.#session,
      hash = location.hash;
    if (!begins && hash === this.#link) return;
    this.#link = hash;
    if (hash === MAKE) {
      this.#make();
      if (begins) session.send("open", linkedTo(null));
      else this.write();
      return;
    }
    clearTimeout(this.#timer);
    this.#writing += 1;
    try {
      const linked = await decodeLink(hash);
      if (hash !== location.hash) return;
      const view = linked?.view ?? {};
      // A tab that somebody has opened before the engine was there stays open.
      if (!begins || session.tab.peek() === null) session.tab.value = view.tab ?? null;
      session.send("open", linkedTo(linked), view, STILL);
      const foreign = linked && otherEngine(linked, session.ready.peek()?.stamp ?? "");
      session.send("aside", foreign === null ? null : { title: foreign });
    } catch (error) {
      session.send("unreadable", error);
    }
  }
}
