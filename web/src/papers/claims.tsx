// Claims with what the paper prints and what came out here.
import { Terms } from "../parts/term.tsx";
import { VERDICTS, withUnit, type Claim } from "./paper.ts";

export function ClaimTable({ claims, label, report }: { claims: readonly Claim[]; label: string; report: string }) {
  return (
    <table class="claims" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Claim</th>
          <th scope="col" class="num">
            Paper
          </th>
          <th scope="col" class="num">
            Here
          </th>
          <th scope="col">Came out</th>
        </tr>
      </thead>
      <tbody>
        {claims.map((claim) => (
          <tr key={claim.id}>
            <th scope="row">
              <a href={`${report}#${claim.id}`}>{claim.says}</a>
              {claim.why && (
                <span class="aside claim-why">
                  <Terms text={claim.why} />
                </span>
              )}
            </th>
            <td class="num">{claim.paper}</td>
            <td class="num">{withUnit(claim)}</td>
            <td class={`verdict verdict-${claim.verdict.replaceAll(" ", "-")}`}>
              <span aria-hidden="true">{VERDICTS[claim.verdict]}</span> {claim.verdict}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

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
