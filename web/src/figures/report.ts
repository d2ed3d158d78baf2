// The report of a paper as a page: every claim with its verdict and its cause, and the figures. Loaded when it is asked for.
import { h } from "../dom.ts";
import { blockOf } from "../teach/document.ts";
import { readMarkdown, type Block, type Inline } from "../teach/markdown.ts";
import { NAME } from "./document.ts";

const plain = (parts: readonly Inline[]): string => parts.map((part) => part.text).join("");

/** A heading's name in addresses: “What came out” is report-what-came-out. The page has names of its own, such as figures. */
const slug = (text: string): string =>
  `report-${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "")}`;

/** A paragraph that is one picture. */
function pictureOf(block: Block): { title: string; file: string } | null {
  if (block.kind !== "paragraph" || block.text.length !== 2) return null;
  const [mark, link] = block.text;
  return mark?.text === "!" && link?.kind === "link" ? { title: link.text, file: link.to } : null;
}

/** Its headings of the second level, for the way through it, and all of it as elements. */
export function reportOf(
  text: string,
  paper: string,
): { title: string; parts: { id: string; title: string }[]; elements: HTMLElement[] } {
  // What is said to those who read the file stands before it.
  const blocks = readMarkdown(text.replaceAll(/<!--.*?-->/gs, ""));
  const elements: HTMLElement[] = [],
    parts: { id: string; title: string }[] = [];
  let title = "",
    heading = "",
    tables = 0;
  for (const block of blocks) {
    const picture = pictureOf(block);
    if (block.kind === "heading") {
      const words = plain(block.text),
        id = slug(words);
      if (block.level === 1) {
        title = words;
        continue;
      }
      if (block.level === 2) parts.push({ id, title: words });
      elements.push(h(block.level === 2 ? "h2" : "h3", { id, tabIndex: -1 }, words));
      heading = words;
      tables = 0;
    } else if (picture) elements.push(figureOf(picture, paper));
    else if (block.kind === "table") {
      tables += 1;
      elements.push(tableOf(block, tables > 1 ? `${heading}, table ${tables}` : heading));
    } else elements.push(blockOf(block, link));
  }
  return { title, parts, elements };
}

function figureOf({ title, file }: { title: string; file: string }, paper: string): HTMLElement {
  const id = file.replace(/\.svg$/, ""),
    img = h("img", { src: `./papers/${paper}/${file}`, alt: title, loading: "lazy", width: 720, height: 400 });
  return h(
    "figure",
    null,
    NAME.test(id) ? h("a", { href: `./figures.html?paper=${paper}&figure=${id}` }, img) : img,
    h("figcaption", null, title),
  );
}

const link = (text: string, to: string): HTMLElement =>
  /^https:/.test(to)
    ? h("a", { href: to, target: "_blank", rel: "noopener noreferrer" }, text)
    : h("span", { title: to }, text);

/** The rows of claims are marked by the claims' names, so that links lead to them. */
function tableOf(block: Block & { kind: "table" }, name: string): HTMLElement {
  const made = blockOf(block, link);
  breakLines(made);
  made.setAttribute("aria-label", `Table: ${name}`);
  const corner = made.querySelector("th");
  if (corner?.textContent === "") corner.replaceWith(h("td"));
  if (plain(block.head[0] ?? []) === "claim") {
    made.classList.add("report-claims");
    made.querySelectorAll("tbody tr").forEach((row, i) => {
      row.id = block.rows[i]?.[0]?.[0]?.text ?? "";
    });
  }
  return made;
}

/** A cell's lines are parted by the one tag that the reports have. */
function breakLines(table: HTMLElement): void {
  const walker = document.createTreeWalker(table, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    const lines = text.data.split("<br>");
    if (lines.length > 1) text.replaceWith(...lines.flatMap((line, i) => (i === 0 ? [line] : [h("br"), line])));
  }
}
