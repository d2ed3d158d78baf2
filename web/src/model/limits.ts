// CTAs that a kernel may hold on an SM, as the form edits them (`kernels[k].ctas_per_sm`): one number for every SM, or one for SMs of each class. No DOM.
import { withExtra } from "./goal.ts";
import type { KernelChoice } from "./types.ts";

/** null: as many as fit. */
type CtaLimit = number | Readonly<Record<string, number>> | null;

/** What an experiment says of a kernel. */
export function limitOf(choice: KernelChoice): CtaLimit {
  const limit = typeof choice === "object" ? choice["ctas_per_sm"] : undefined;
  if (typeof limit === "number") return limit;
  return typeof limit === "object" && limit !== null ? ({ ...limit } as Record<string, number>) : null;
}

/** Classes that a limit of their own can be shown for: the GPU's, where it has several; and those that the limit names, though they be another GPU's. */
export function limitedClasses(limit: CtaLimit, classes: readonly string[]): string[] {
  const named = typeof limit === "object" && limit !== null ? Object.keys(limit) : [];
  return [...new Set([...(classes.length > 1 ? classes : []), ...named])];
}

/** The limit on SMs of a class; null for none of its own. */
export const limitOn = (limit: CtaLimit, name: string): number | null =>
  typeof limit === "object" && limit !== null && Object.hasOwn(limit, name) ? (limit[name] ?? null) : null;

/** A kernel with a limit on SMs of one class, or, with null, without it. One for every SM holds no longer. */
export function withClassLimit(choice: KernelChoice, name: string, ctas: number | null): KernelChoice {
  const old = limitOf(choice),
    // A class may be called `__proto__`, which only a literal and a deletion take for a name.
    limits: Record<string, number> = {
      ...(typeof old === "object" ? old : null),
      ...(ctas === null ? null : { [name]: ctas }),
    };
  if (ctas === null) delete limits[name];
  return withExtra(choice, "ctas_per_sm", Object.keys(limits).length === 0 ? null : limits);
}
