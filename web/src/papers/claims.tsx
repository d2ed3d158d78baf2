// Claims with what the paper prints and what came out here.
import { withUnit, type Claim } from "./paper.ts";

const MARKS: Readonly<Record<Claim["verdict"], [mark: string, word: string]>> = {
  reproduced: ["✓", "kept"],
  "direction only": ["≈", "direction only"],
  "not reproduced": ["✗", "failed"],
  "not testable": ["–", "not testable"],
};

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
        {claims.map((claim) => {
          const [mark, word] = MARKS[claim.verdict];
          return (
            <tr key={claim.id}>
              <th scope="row">
                <a href={`${report}#${claim.id}`}>{claim.says}</a>
                {claim.why && <span class="claim-why">{claim.why}</span>}
              </th>
              <td class="num">{claim.paper}</td>
              <td class="num">{withUnit(claim)}</td>
              <td class={`verdict verdict-${claim.verdict.replaceAll(" ", "-")}`}>
                <span aria-hidden="true">{mark}</span> {word}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** What the paper prints of a figure. */
export function Printed({ claims, report, open }: { claims: readonly Claim[]; report: string; open: boolean }) {
  const kept = claims.filter(({ verdict }) => verdict === "reproduced").length;
  return (
    <details class="printed" open={open}>
      <summary>
        What the paper says of it: {claims.length} {claims.length === 1 ? "claim" : "claims"}, {kept} kept
      </summary>
      <ClaimTable claims={claims} label="What the paper says of this figure" report={report} />
    </details>
  );
}
