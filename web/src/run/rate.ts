// How often verdicts have held, from the page that `cargo xtask study verdicts` writes. No DOM.

/** So many of so many tested cases. */
interface Held {
  held: number;
  of: number;
}
/** By whether the run was sure; both name a cause. */
export interface Rate {
  sure: Held;
  unsure: Held;
}

/** Reads docs/reference/verdicts.md; null for another text. */
export function rateOf(page: string): Rate | null {
  const row = (name: string): Held | null => {
    const found = new RegExp(`^\\| ${name} \\| (\\d+) of (\\d+) `, "m").exec(page);
    return found ? { held: Number(found[1]), of: Number(found[2]) } : null;
  };
  const sure = row("that are sure"),
    all = row("that name a cause");
  return sure && all ? { sure, unsure: { held: all.held - sure.held, of: all.of - sure.of } } : null;
}
