// What the engine shows of the mechanisms in force and of the policy, as the page's tables have it. No DOM.
import type { ShownTable } from "../model/types.ts";

/** Columns of one kernel that stand together. */
export interface Group {
  kernel: number | null;
  columns: number;
}

export function groups({ columns }: ShownTable): Group[] {
  const all: Group[] = [];
  for (const { kernel } of columns) {
    const last = all.at(-1);
    if (last?.kernel === kernel) last.columns += 1;
    else all.push({ kernel, columns: 1 });
  }
  return all;
}

/** The first column of each group but the first: a line stands before it. */
export function begins(table: ShownTable): ReadonlySet<number> {
  const first = new Set<number>();
  let at = 0;
  for (const { columns } of groups(table)) {
    if (at > 0) first.add(at);
    at += columns;
  }
  return first;
}

/** What each column means, each once: kernels have the same ones. */
export function meanings({ columns }: ShownTable): { title: string; doc: string }[] {
  const all = columns.map(({ title, unit, doc }) => ({ title: unit === "" ? title : `${title} (${unit})`, doc }));
  return [...new Map(all.map((one) => [`${one.title} ${one.doc}`, one])).values()];
}
