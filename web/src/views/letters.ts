/** A letter for each title, all different: its first letter if that is free, then its others, then any. A dash stays a dash. */
export function stateLetters(titles: readonly string[]): string[] {
  const used = new Set<string>();
  return titles.map((title) => {
    if (title === "–") return title;
    const candidates = `${title.replace(/[^a-z]/gi, "")}ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789`.toUpperCase();
    const letter = [...candidates].find((c) => !used.has(c)) ?? "?";
    used.add(letter);
    return letter;
  });
}

/** The same kernel may run twice: names that repeat get their kernel's number, so that no table has two equal columns. */
export function distinctNames(names: readonly string[], number: (kernel: number) => string): string[] {
  return names.map((name, k) => (names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${number(k)})`));
}
