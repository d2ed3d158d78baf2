// Claims with what the paper prints and what came out here.
import { Terms } from "../parts/term.tsx";
import { Rows } from "../parts/widgets.tsx";
import { VERDICTS, withUnit, type Claim } from "./paper.ts";

export const ClaimTable = (props: { claims: readonly Claim[]; label: string; report: string }) => (
  <Rows
    label={props.label}
    class="claims"
    head={[{ title: "Claim" }, { title: "Paper", num: true }, { title: "Here", num: true }, { title: "Came out" }]}
    bodies={[
      {
        rows: props.claims.map((claim) => ({
          name: (
            <>
              <a href={`${props.report}#${claim.id}`}>{claim.says}</a>
              {claim.why && (
                <span class="aside claim-why">
                  <Terms text={claim.why} />
                </span>
              )}
            </>
          ),
          cells: [
            claim.paper,
            withUnit(claim),
            <span key="verdict" class={`verdict-${claim.verdict.replaceAll(" ", "-")}`}>
              <span aria-hidden="true">{VERDICTS[claim.verdict]}</span> {claim.verdict}
            </span>,
          ],
        })),
      },
    ]}
  />
);

/** What the paper prints of a figure. */
export function Printed({ claims, report, open }: { claims: readonly Claim[]; report: string; open: boolean }) {
  const reproduced = claims.filter(({ verdict }) => verdict === "reproduced").length;
  return (
    <details class="printed" open={open}>
      <summary>
        What the paper says of it: {claims.length} {claims.length === 1 ? "claim" : "claims"}, {reproduced} reproduced
      </summary>
      <ClaimTable claims={claims} label="What the paper says of this figure" report={report} />
    </details>
  );
}
