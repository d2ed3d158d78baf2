// The glossary of the documentation, as data: one term a paragraph, in bold, with a colon.
import { readMarkdown, type Inline } from "./markdown.ts";

interface Term {
  /** What a link to it ends in. */
  id: string;
  name: string;
  means: readonly Inline[];
}

export const termId = (name: string): string =>
  `term-${name
    .toLowerCase()
    .replaceAll(/[’']/g, "")
    .replaceAll(/\(.*?\)/g, "")
    .trim()
    .replaceAll(/[^a-z0-9]+/g, "-")}`;

export function readGlossary(text: string): Term[] {
  return readMarkdown(text).flatMap((block): Term[] => {
    if (block.kind !== "paragraph") return [];
    const [name, first, ...rest] = block.text;
    if (name?.kind !== "bold" || first?.kind !== "text" || !first.text.startsWith(":")) return [];
    return [
      {
        id: termId(name.text),
        name: name.text,
        means: [{ kind: "text", text: first.text.replace(/^:\s*/, "") }, ...rest],
      },
    ];
  });
}
