// How often verdicts have held, from the page that `cargo xtask study verdicts` writes. No DOM.

/** So many of so many tested cases in which a cause was named. */
export interface Rate {
  held: number;
  of: number;
}

/** Reads docs/reference/verdicts.md; null for another text. */
export function rateOf(page: string): Rate | null {
  const found = /^\| that name a cause \| (\d+) of (\d+) /m.exec(page);
  return found ? { held: Number(found[1]), of: Number(found[2]) } : null;
}
