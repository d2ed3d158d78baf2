// The address that a copied link has: that of a page with a title, a sentence and a picture, where the run is one of those that have one (build/share.ts).

/** `names`: of the results that are shown. Null where there is no such page, or it is not known. */
export async function sharedAddress(names: readonly string[]): Promise<string | null> {
  try {
    const response = await fetch("./share/index.json");
    if (!response.ok) return null;
    const name = ((await response.json()) as Record<string, string>)[names.join("+")];
    return name === undefined ? null : new URL(`./share/${name}.html`, location.href).href;
  } catch {
    return null;
  }
}
