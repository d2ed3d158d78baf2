// The little Markdown that docs/reference/schemes is written in, as data: headings, paragraphs, lists, tables, blocks of code, and within
// a line bold, italic, code and links. Anything else stays as it is written.

export type Inline =
  | { kind: "text" | "bold" | "italic" | "code"; text: string }
  | { kind: "link"; text: string; to: string };
export type Block =
  | { kind: "heading"; level: number; text: Inline[] }
  | { kind: "paragraph"; text: Inline[] }
  | { kind: "list"; ordered: boolean; items: Inline[][] }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][] }
  | { kind: "code"; language: string; text: string };

export function readMarkdown(text: string): Block[] {
  const lines = text.split("\n"),
    blocks: Block[] = [];
  const starts = /^(#{1,6} |```|\||(\d+\.|[*-]) )/;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string;
    const heading = /^(#{1,6}) (.*)$/.exec(line),
      fence = /^```(.*)$/.exec(line);
    if (line.trim() === "") at += 1;
    else if (heading) {
      blocks.push({ kind: "heading", level: (heading[1] as string).length, text: readInline(heading[2] as string) });
      at += 1;
    } else if (fence) {
      const end = lines.indexOf("```", at + 1),
        until = end < 0 ? lines.length : end;
      blocks.push({ kind: "code", language: (fence[1] as string).trim(), text: lines.slice(at + 1, until).join("\n") });
      at = until + 1;
    } else if (line.startsWith("|")) {
      const rows: Inline[][][] = [];
      for (; (lines[at] ?? "").startsWith("|"); at += 1)
        if (!/^\|[\s|:-]+\|$/.test(lines[at] as string)) rows.push(cells(lines[at] as string).map(readInline));
      const [head = [], ...rest] = rows;
      blocks.push({ kind: "table", head, rows: rest });
    } else if (/^(\d+\.|[*-]) /.test(line)) {
      const items: string[] = [];
      for (; at < lines.length && (lines[at] as string).trim() !== ""; at += 1) {
        const item = /^(?:\d+\.|[*-]) (.*)$/.exec(lines[at] as string);
        if (item) items.push(item[1] as string);
        else items[items.length - 1] += ` ${(lines[at] as string).trim()}`;
      }
      blocks.push({ kind: "list", ordered: /^\d/.test(line), items: items.map(readInline) });
    } else {
      const parts: string[] = [line];
      for (
        at += 1;
        at < lines.length && (lines[at] as string).trim() !== "" && !starts.test(lines[at] as string);
        at += 1
      )
        parts.push((lines[at] as string).trim());
      blocks.push({ kind: "paragraph", text: readInline(parts.join(" ")) });
    }
  }
  return blocks;
}

/** The cells of a table's row; a bar behind a backslash is one of the text. */
const cells = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

export function readInline(text: string): Inline[] {
  const found: Inline[] = [];
  let rest = text;
  while (rest !== "") {
    const next = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(([^)\s]+)\)/.exec(rest);
    if (!next) break;
    if (next.index > 0) found.push({ kind: "text", text: rest.slice(0, next.index) });
    const [whole, code, bold, italic, label, to] = next;
    if (code !== undefined) found.push({ kind: "code", text: code });
    else if (bold !== undefined) found.push({ kind: "bold", text: bold });
    else if (italic !== undefined) found.push({ kind: "italic", text: italic });
    else found.push({ kind: "link", text: (label as string).replaceAll("`", ""), to: to as string });
    rest = rest.slice(next.index + whole.length);
  }
  if (rest !== "") found.push({ kind: "text", text: rest });
  return found;
}

/** The blocks without those under the heading of this name, and what code those have. */
export function without(blocks: readonly Block[], name: string): { rest: Block[]; code: string[] } {
  const rest: Block[] = [],
    code: string[] = [];
  let level = 0;
  for (const block of blocks) {
    if (block.kind === "heading")
      level =
        block.text.map((part) => part.text).join("") === name
          ? block.level
          : block.level <= level || level === 0
            ? 0
            : level;
    if (level === 0) rest.push(block);
    else if (block.kind === "code") code.push(block.text);
  }
  return { rest, code };
}
