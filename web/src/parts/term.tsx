// A word that explains itself on hover, focus and tap: in a line of text, in the legend of a picture, in the name of a scheme.
import type { ComponentChildren } from "preact";
import { listen } from "./term-tip.tsx";
import { termsOf } from "../model/terms.ts";

const meaning = (term: string): Promise<string | undefined> =>
  import("./glossary.ts").then(
    ({ meanings }) => meanings.get(term),
    () => undefined,
  );

interface Props {
  /** The glossary's word. */
  of?: string;
  /** What it means here, where that is no word of the glossary. */
  says?: string;
  children: ComponentChildren;
}
export const Term = ({ of, says, children }: Props) => {
  listen(meaning);
  return (
    <button type="button" class="term" data-term={of} data-says={says}>
      {children}
    </button>
  );
};

/** A text whose words of the field explain themselves. */
export const Terms = ({ text }: { text: string }) => (
  <>
    {termsOf(text).map((part, i) =>
      part.term === null ? (
        part.text
      ) : (
        <Term key={i} of={part.term}>
          {part.text}
        </Term>
      ),
    )}
  </>
);
