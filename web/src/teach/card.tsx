// The card of a policy: its page of docs/reference/schemes, which the build puts into this chunk, and how it and Corun are cited.
// Loaded when it is first asked for.
import CITATION from "../../../CITATION.cff?raw";
import { useSignal } from "@preact/signals";
import { copyText } from "../parts/dialogs.tsx";
import { Button, Scrolls } from "../parts/widgets.tsx";
import type { PolicyEntry } from "../model/types.ts";
import { corunBibtex } from "./cite.ts";
import { away, Blocks, openPage, Page } from "../parts/document.tsx";
import { readMarkdown, without } from "../model/markdown.ts";

const PAGES = import.meta.glob<string>("../../../docs/reference/schemes/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});
/** A combination's page is that of the policy that it adds to `ws`. */
const pageOf = (name: string): string | undefined =>
  PAGES[`../../../docs/reference/schemes/${name.replace(/^ws\+/, "").replaceAll("+", "-")}.md`];

interface Props {
  policy: PolicyEntry;
  policies: readonly PolicyEntry[];
  /** The stamp that citations name. */
  engine: string;
}

/** Opens the card of a policy. */
export const openCard = (policy: PolicyEntry, policies: readonly PolicyEntry[], engine: string): void =>
  openPage(<Card policy={policy} policies={policies} engine={engine} />);

function Card({ policy, policies, engine }: Props) {
  const shown = useSignal(policy),
    { name, title, source } = shown.value;
  const { rest, code } = without(readMarkdown(pageOf(name) ?? ""), "Cite");
  /** A link to another scheme's page opens its card. */
  const link = (text: string, to: string) => {
    const other = policies.find((one) => `${one.name.replaceAll("+", "-")}.md` === to.replace(/#.*$/, ""));
    if (!other) return away(text, to);
    const open = (): void => {
      shown.value = other;
    };
    return (
      <button type="button" class="text-button" onClick={open}>
        {text}
      </button>
    );
  };
  return (
    <Page title={title || name}>
      {/* Its first heading is the dialog's. */}
      <Blocks of={rest.slice(1)} link={link} />
      <h3>Cite</h3>
      <p>Whoever uses Corun, please cite it, and the paper of the scheme.</p>
      {code.length > 0 ? (
        <Citation what="the scheme's paper" bibtex={code.join("\n\n")} />
      ) : (
        <p class="note">No paper of its own. Source: {source}.</p>
      )}
      <Citation what="Corun" bibtex={corunBibtex(CITATION, engine)} />
    </Page>
  );
}

const Citation = ({ what, bibtex }: { what: string; bibtex: string }) => (
  <div class="citation">
    <Scrolls label={`BibTeX of ${what}`}>
      <pre>{bibtex}</pre>
    </Scrolls>
    <Button icon="link" press={() => void copyText(`${bibtex}\n`, `The BibTeX of ${what} is copied.`)}>
      Copy the BibTeX of {what}
    </Button>
  </div>
);
