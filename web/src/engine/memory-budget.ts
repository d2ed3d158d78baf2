// What a tab may take, for all runs that it shows. Browsers do not say: where fingers point, it is little.
import { CAPACITY } from "../model/window-store.ts";

/** Bytes that moments may take: in the tab's memory, or in files. */
export interface MemoryBudget {
  memory: number;
  file: number;
}
interface TabBudget extends MemoryBudget {
  /** Edges between windows that are kept of each run. */
  edges: number;
}

const FILE = 800e6,
  DESKTOP: TabBudget = { memory: 60e6, file: FILE, edges: CAPACITY },
  PHONE: TabBudget = { memory: 16e6, file: FILE, edges: CAPACITY / 4 };

export const tabBudget = (): TabBudget => (matchMedia("(pointer: coarse)").matches ? PHONE : DESKTOP);
