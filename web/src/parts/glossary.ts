// The glossary of the documentation as plain text, by term: a chunk of its own, which comes when somebody asks for the first word.
import GLOSSARY from "../../../docs/glossary.md?raw";
import { readGlossary } from "../model/glossary.ts";

/** Without where it comes from, which Learn has. */
export const meanings: ReadonlyMap<string, string> = new Map(
  readGlossary(GLOSSARY).map(({ name, means }) => [
    name,
    means
      .map(({ text }) => text)
      .join("")
      .replace(/ \([^()]*(\([^()]*\)[^()]*)*\)$/, ""),
  ]),
);
