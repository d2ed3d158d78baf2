// The cards of the papers: what each claims, what of it came out here, its setting and its figures.
import { Terms } from "../parts/term.tsx";
import { RunLink } from "../parts/widgets.tsx";
import { sameEngine } from "../model/stamp.ts";
import type { Catalogue, Experiment } from "../model/types.ts";
import { ClaimTable } from "./claims.tsx";
import { keptText, type PaperCard, type Total } from "./paper.ts";

/** The engine of this page, once it is there. */
export interface Here {
  stamp: string;
  catalogue: Catalogue;
}

export function Cards({ papers, here }: { papers: readonly PaperCard[]; here: Here | null }) {
  return (
    <>
      <p class="papers-lead">
        What each paper claims, what of it came out when its runs were made again here, and its figures, live.
      </p>
      <div class="papers">
        {papers.map((paper) => (
          <Card key={paper.paper} of={paper} here={here} />
        ))}
      </div>
    </>
  );
}

function Card({ of, here }: { of: PaperCard; here: Here | null }) {
  const address = `./figures.html?paper=${of.paper}`,
    title = `paper-${of.paper}`;
  return (
    <article class="card paper-card" id={of.paper} aria-labelledby={title}>
      <div class="paper-head">
        <div>
          <p class="paper-name">{of.name}</p>
          <h2 id={title}>
            <a href={address}>{of.title}</a>
          </h2>
          <Source of={of} />
        </div>
        <a class="paper-picture" href={`${address}&figure=${of.picture}`}>
          <img src={`./papers/${of.paper}/${of.picture}.svg`} alt={`${of.name}, a figure`} width={320} height={180} />
        </a>
      </div>
      <p class="paper-says">{of.says}</p>
      <div class="paper-totals">
        <TotalBar of={of.totals.directions} what="directions" />
        <TotalBar of={of.totals.magnitudes} what="magnitudes" />
      </div>
      <ClaimTable claims={of.headline} label={`${of.name}: its first claims`} report={`${address}&report=1`} />
      <Setting of={of} here={here} />
      {of.lacks.length > 0 && (
        <details class="paper-lacks">
          <summary>Not here, and why</summary>
          <ul>
            {of.lacks.map(([what, why]) => (
              <li key={what}>
                <b>{what}:</b> {why}
              </li>
            ))}
          </ul>
        </details>
      )}
      <p class="flow paper-links">
        <a class="button primary" href={address}>
          {of.figures} figures
        </a>
        <a class="button" href={`${address}&report=1`}>
          Report
        </a>
        <SettingLink of={of} engine={here?.stamp} />
      </p>
      <Made stamp={of.stamp} here={here?.stamp} />
    </article>
  );
}

export function Source({ of }: { of: PaperCard }) {
  return (
    <p class="note">
      {of.authors}.{" "}
      <a href={of.doi} target="_blank" rel="noopener noreferrer">
        {of.venue}
      </a>
    </p>
  );
}

/** How the claims of a kind came out, in the report's words, which say all of it. */
function TotalBar({ of, what }: { of: Total; what: string }) {
  const part = (name: string, n: number) =>
    n > 0 ? <span class={`total-part total-${name}`} style={{ flexGrow: n }} /> : null;
  const rest = [of.partly > 0 ? `${of.partly} direction only` : "", `${of.failed} not reproduced`].filter(Boolean);
  return (
    <div class="total">
      <p class="aside">
        <b>{keptText(of, what)}</b> reproduced; {rest.join(", ")}
      </p>
      <div class="total-bar" aria-hidden="true">
        {part("kept", of.kept)}
        {part("partly", of.partly)}
        {part("failed", of.failed)}
      </div>
    </div>
  );
}

/** The GPU, the order of warps, the kernels by class, and the schemes that a paper compares. */
export function Setting({ of: { setting }, here }: { of: PaperCard; here: Here | null }) {
  const gpu = (name: string): string => here?.catalogue.gpus.find((one) => one.name === name)?.title || name;
  return (
    <dl class="paper-setting">
      <dt>GPU</dt>
      <dd>{setting.gpus.map(gpu).join("; ")}</dd>
      <dt>Warps</dt>
      <dd>{setting.orders.map((order) => order.toUpperCase()).join(", ")}</dd>
      <dt>Kernels</dt>
      <dd>
        {setting.classes.map(({ name, kernels }) => (
          <span key={name} class="paper-class">
            <b>
              <Terms text={name} />
            </b>{" "}
            {kernels.join(", ")}
          </span>
        ))}
      </dd>
      <dt>Schemes</dt>
      <dd>{setting.schemes.join(", ")}</dd>
    </dl>
  );
}

/** A mix of the paper under its baseline, and beside it under its own scheme. */
export function SettingLink({ of, engine }: { of: PaperCard; engine: string | undefined }) {
  const [experiment, other] = of.open as [Experiment, Experiment?];
  return (
    <RunLink
      class="button"
      title={of.open.map(({ name }) => name).join("; beside it: ")}
      of={{ experiment, engine, ...(other ? { other } : {}) }}
    >
      Open its setting
    </RunLink>
  );
}

/** Of which engine the stored values are, where it is not the page's own, and of how much of the study. */
export function Made({ stamp, here }: { stamp: PaperCard["stamp"]; here: string | undefined }) {
  const parts = [
    stamp.mode === "full" ? "" : `A ${stamp.mode} of the paper's cases.`,
    here === undefined || sameEngine(stamp.engine, here)
      ? ""
      : `Computed with engine ${stamp.engine}; this page's is ${here}: run a figure again here for its values.`,
  ].filter(Boolean);
  return parts.length === 0 ? null : <p class="note paper-made">{parts.join(" ")}</p>;
}
