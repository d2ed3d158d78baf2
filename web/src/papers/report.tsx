// The report of a paper as a page: every claim with its verdict and its cause, and the figures. Loaded when it is asked for.
import type { VNode } from "preact";
import { DocumentBlock, DocumentTable, plain } from "../parts/document.tsx";
import { readMarkdown, type Block } from "../model/markdown.ts";
import { NAME } from "../embed/figure-document.ts";

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

function Picture({ title, file, paper }: { title: string; file: string; paper: string }) {
  const id = file.replace(/\.svg$/, ""),
    img = <img src={`./papers/${paper}/${file}`} alt={title} loading="lazy" width={720} height={400} />;
  return (
    <figure>
      {NAME.test(id) ? <a href={`./figures.html?paper=${paper}&figure=${id}`}>{img}</a> : img}
      <figcaption class="aside">{title}</figcaption>
    </figure>
  );
}

/** The rows of claims are marked by the claims' names, so that links lead to them. */
function Table({ of, name }: { of: Block & { kind: "table" }; name: string }) {
  const claims = plain(of.head[0] ?? []) === "claim";
  return (
    <DocumentTable
      of={of}
      label={name}
      {...(claims ? { class: "report-claims", ids: of.rows.map((row) => row[0]?.[0]?.text ?? "") } : {})}
    />
  );
}

/** Its headings of the second level, for the way through it, and all of it. */
export function reportOf(text: string, paper: string) {
  // What is said to those who read the file stands before it.
  const blocks = readMarkdown(text.replaceAll(/<!--.*?-->/gs, ""));
  const content: VNode[] = [],
    parts: { id: string; title: string }[] = [];
  let title = "",
    heading = "",
    tables = 0;
  for (const [key, block] of blocks.entries()) {
    const picture = pictureOf(block);
    if (block.kind === "heading") {
      const words = plain(block.text),
        id = slug(words),
        Heading = block.level === 2 ? "h2" : "h3";
      if (block.level === 1) {
        title = words;
        continue;
      }
      if (block.level === 2) parts.push({ id, title: words });
      content.push(
        <Heading key={key} id={id} tabIndex={-1}>
          {words}
        </Heading>,
      );
      heading = words;
      tables = 0;
    } else if (picture) content.push(<Picture key={key} {...picture} paper={paper} />);
    else if (block.kind === "table") {
      tables += 1;
      content.push(<Table key={key} of={block} name={tables > 1 ? `${heading}, table ${tables}` : heading} />);
    } else content.push(<DocumentBlock key={key} of={block} />);
  }
  return { title, parts, content };
}
