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
