// In what B differs from A beside its scheme, as chips of the row: what each field is in B. A press opens it in the form.
import type { Difference } from "../model/difference.ts";

/** The last of them has the rest. */
const SHOWN = 3;

export function Differs({ of, edit }: { of: readonly Difference[]; edit(side: number, path: string): void }) {
  const fields = of.filter(({ path }) => path !== "policy"),
    rest = fields.slice(SHOWN),
    said = ({ title, a, b }: Difference): string => `${title}: ${b} in B, ${a} in A`;
  return (
    <>
      {fields.slice(0, SHOWN).map((one) => (
        <button key={one.path} type="button" class="differs" title={said(one)} onClick={() => edit(1, one.path)}>
          {one.title}: {one.b}
        </button>
      ))}
      {rest[0] && (
        <button
          type="button"
          class="differs"
          aria-label={`${rest.length} more fields in which B differs`}
          title={rest.map(said).join("\n")}
          onClick={() => edit(1, rest[0]?.path ?? "")}
        >
          + {rest.length}
        </button>
      )}
    </>
  );
}
