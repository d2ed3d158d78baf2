// A page of docs/ as elements, and in a dialog.
import { render, type ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { IconButton, Scrolls } from "./widgets.tsx";
import type { Block, Inline } from "../model/markdown.ts";

type LinkOf = (text: string, to: string) => ComponentChildren;

/** A link away; what leads into the repository says where it leads. */
export const away: LinkOf = (text, to) =>
  /^https:/.test(to) ? (
    <a href={to} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  ) : (
    <span title={to}>{text}</span>
  );

const TAGS = { bold: "strong", italic: "em", code: "code" } as const;
/** Lines of a cell are parted by the one tag that the documents have. */
function Part({ of, link }: { of: Inline; link: LinkOf }) {
  if (of.kind === "link") return <>{link(of.text, of.to)}</>;
  if (of.kind !== "text") {
    const Tag = TAGS[of.kind];
    return <Tag>{of.text}</Tag>;
  }
  return <>{of.text.split("<br>").flatMap((line, i) => (i === 0 ? [line] : [<br key={i} />, line]))}</>;
}
const Line = ({ of, link }: { of: readonly Inline[]; link: LinkOf }) => (
  <>
    {of.map((part, i) => (
      <Part key={i} of={part} link={link} />
    ))}
  </>
);
export const plain = (parts: readonly Inline[]): string => parts.map(({ text }) => text).join("");

interface TableProps {
  of: Block & { kind: "table" };
  link?: LinkOf;
  label?: string;
  class?: string;
  /** Names of the rows in addresses. */
  ids?: readonly string[];
}
export function DocumentTable({ of: { head, rows }, link = away, label, class: more = "", ids = [] }: TableProps) {
  const lines = (row: readonly Inline[][], Tag: "td" | "th") =>
    row.map((cell, i) =>
      Tag === "th" && cell.length > 0 ? (
        <th key={i} scope="col">
          <Line of={cell} link={link} />
        </th>
      ) : (
        <td key={i}>
          <Line of={cell} link={link} />
        </td>
      ),
    );
  return (
    <Scrolls class={`scroll-x ${more}`.trim()} label={`Table: ${label ?? head.map(plain).join(", ")}`}>
      <table class="numbers">
        <thead>
          <tr>{lines(head, "th")}</tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i} id={ids[i]}>
              {lines(row, "td")}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolls>
  );
}

export function DocumentBlock({ of, link = away }: { of: Block; link?: LinkOf }) {
  switch (of.kind) {
    case "heading":
      return (
        <h3>
          <Line of={of.text} link={link} />
        </h3>
      );
    case "paragraph":
      return (
        <p>
          <Line of={of.text} link={link} />
        </p>
      );
    case "list": {
      const List = of.ordered ? "ol" : "ul";
      return (
        <List>
          {of.items.map((item, i) => (
            <li key={i}>
              <Line of={item} link={link} />
            </li>
          ))}
        </List>
      );
    }
    case "code":
      return <pre>{of.text}</pre>;
    case "table":
      return <DocumentTable of={of} link={link} />;
  }
}
export const Blocks = ({ of, link = away }: { of: readonly Block[]; link?: LinkOf }) => (
  <>
    {of.map((block, i) => (
      <DocumentBlock key={i} of={block} link={link} />
    ))}
  </>
);

/** What stands in a dialog. Under another title it is another page, which begins at its top. */
export function Page({ title, children }: { title: string; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null),
    body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (dialog.current?.open) body.current?.focus();
    else dialog.current?.showModal();
  }, [title]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes every dialog.
    <dialog
      ref={dialog}
      class="help policy-dialog"
      aria-labelledby="document-title"
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) currentTarget.close();
      }}
      onClose={({ currentTarget }) => {
        if (currentTarget.parentElement) close(currentTarget.parentElement);
      }}
    >
      <div class="dialog-head">
        <h2 id="document-title">{title}</h2>
        <IconButton icon="close" label="Close" press={() => dialog.current?.close()} />
      </div>
      <div key={title} ref={body} class="policy-card" tabIndex={-1}>
        {children}
      </div>
    </dialog>
  );
}
function close(place: Element): void {
  render(null, place);
  place.remove();
}
/** Opens a dialog that is gone when it is closed. */
export function openPage(page: ComponentChildren): void {
  const place = document.createElement("div");
  document.body.append(place);
  render(page, place);
}
