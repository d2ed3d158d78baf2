// How Corun is cited: what CITATION.cff says, as BibTeX.

/** The value of a field of the file; its lines are few and plain. */
function field(cff: string, name: string): string {
  return new RegExp(`^(?: *- )?${name}: "?([^"\\n]*)"?$`, "m").exec(cff)?.[1] ?? "";
}

/** `engine` is the stamp of the engine that ran, by which the numbers can be had again. */
export function corunBibtex(cff: string, engine: string): string {
  return `@software{corun,
  title   = {{${field(cff, "title")}}},
  author  = {{${field(cff, "name")}}},
  version = {${field(cff, "version")}},
  note    = {Engine ${engine}}
}`;
}
