// The card of a policy: its page of docs/reference/schemes, which the build puts into this chunk, and how it and Corun are cited.
// Loaded when it is first asked for.
import CITATION from "../../../CITATION.cff?raw";
import { copyText } from "../dialogs.ts";
import { h, icon } from "../dom.ts";
import type { PolicyEntry } from "../types.ts";
import { corunBibtex } from "./cite.ts";
import { blockOf, DocumentDialog } from "./document.ts";
import { readMarkdown, without } from "./markdown.ts";

const PAGES = import.meta.glob<string>("../../../docs/reference/schemes/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});
/** A combination's page is that of the policy that it adds to `ws`. */
const pageOf = (name: string): string | undefined =>
  PAGES[`../../../docs/reference/schemes/${name.replace(/^ws\+/, "").replaceAll("+", "-")}.md`];

/** Opens the card of a policy. `engine` is the stamp that citations name. */
export function openCard(policy: PolicyEntry, policies: readonly PolicyEntry[], engine: string): void {
  const dialog = new DocumentDialog(""),
    { title, body } = dialog;
  const show = (one: PolicyEntry): void => {
    title.textContent = one.title || one.name;
    const { rest, code } = without(readMarkdown(pageOf(one.name) ?? ""), "Cite");
    // Its first heading is the dialog's.
    body.replaceChildren(...rest.slice(1).map((block) => blockOf(block, link)), ...citations(one, code, engine));
    body.scrollTop = 0;
  };
  /** A link to another scheme's page opens its card; one into the repository says where it leads. */
  const link = (text: string, to: string): HTMLElement => {
    if (/^https:/.test(to)) return h("a", { href: to, target: "_blank", rel: "noopener noreferrer" }, text);
    const other = policies.find((one) => `${one.name.replaceAll("+", "-")}.md` === to.replace(/#.*$/, ""));
    return other
      ? h(
          "button",
          {
            type: "button",
            class: "link-button",
            onclick: () => {
              show(other);
              body.focus();
            },
          },
          text,
        )
      : h("span", { title: to }, text);
  };
  show(policy);
  dialog.open();
}

function citations(policy: PolicyEntry, papers: readonly string[], engine: string): HTMLElement[] {
  const one = (what: string, bibtex: string): HTMLElement =>
    h(
      "div",
      { class: "citation" },
      h("pre", { tabIndex: 0, "aria-label": `BibTeX of ${what}` }, bibtex),
      h(
        "button",
        {
          type: "button",
          class: "button",
          onclick: () => void copyText(`${bibtex}\n`, `The BibTeX of ${what} is copied.`),
        },
        icon("link"),
        `Copy the BibTeX of ${what}`,
      ),
    );
  const paper =
    papers.length > 0
      ? [one("the scheme's paper", papers.join("\n\n"))]
      : [h("p", { class: "note" }, `No paper of its own. Source: ${policy.source}.`)];
  return [
    h("h3", null, "Cite"),
    h("p", null, "Whoever uses Corun, please cite it, and the paper of the scheme."),
    ...paper,
    one("Corun", corunBibtex(CITATION, engine)),
  ];
}
