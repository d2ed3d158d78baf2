// What the place Papers shows of each paper, put together when the page is built: of the claims, the study and the figures in papers/,
// the report and the pictures in docs/reports, and the documents of the page. No value is typed in here.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { parse } from "smol-toml";
import type { Claim, FigureClaims, Gain, PaperCard } from "../src/papers/paper.ts";
import { readMarkdown, type Block, type Inline } from "../src/model/markdown.ts";
import type { Experiment } from "../src/model/types.ts";

/** One entry of docs/reports/papers.json: what no file says in a sentence, and which of the data stand for the paper. */
interface Chosen {
  paper: string;
  name: string;
  says: string;
  /** Claims by id. */
  headline: string[];
  /** A figure by id. */
  picture: string;
  /** Runs of the paper's document by name: the baseline, then its own scheme. */
  open: string[];
  /** What a reader of the paper does not find here, and why. */
  lacks?: [what: string, why: string][];
}
type Table = Record<string, unknown>;
interface Document {
  title: string;
  citation: string;
  stamp: { engine: string; mode: string; cycles: number };
  runs: { experiment: Experiment }[];
  figures: { id: string; points: { series: number; x: number; paper?: number }[] }[];
}

/** Reads the files of a checkout. `root` is its folder, with a slash at its end. */
export class Papers {
  readonly #root: URL;

  constructor(root: URL) {
    this.#root = root;
  }

  #text(path: string): string {
    return readFileSync(new URL(path, this.#root), "utf8");
  }
  #toml(path: string): Table {
    return parse(this.#text(path)) as Table;
  }
  get chosen(): Chosen[] {
    return JSON.parse(this.#text("docs/reports/papers.json")) as Chosen[];
  }

  /** Files beside the built page, by their address below it: kept once, in docs/reports. */
  files(): Map<string, URL> {
    const found = new Map<string, URL>();
    for (const { paper } of this.chosen) {
      const folder = new URL(`docs/reports/${paper}/`, this.#root);
      for (const file of readdirSync(folder).filter((name) => /\.svg$|^report\.md$/.test(name)))
        found.set(`papers/${paper}/${file}`, new URL(file, folder));
    }
    return found;
  }

  /** What is made anew, by its address below the page. */
  made(): Map<string, () => string> {
    const found = new Map([["papers/list.json", () => JSON.stringify(this.chosen.map((one) => this.card(one)))]]);
    for (const { paper } of this.chosen)
      found.set(`papers/${paper}/claims.json`, () => JSON.stringify(this.claimsByFigure(paper)));
    return found;
  }

  card({ paper, name, says, headline, picture, open, lacks = [] }: Chosen): PaperCard {
    const document = JSON.parse(this.#text(`web/public/papers/${paper}.json`)) as Document;
    const study = this.#toml(`papers/${paper}/study.toml`);
    const blocks = readMarkdown(this.#text(`docs/reports/${paper}/report.md`));
    const claims = this.#claims(paper);
    const points = document.figures.flatMap((figure) => figure.points);
    const runs = open.map((run) => runNamed(document, run));
    if (!existsSync(new URL(`docs/reports/${paper}/${picture}.svg`, this.#root)))
      throw new Error(`${paper}: there is no picture ${picture}`);
    return {
      paper,
      name,
      says,
      picture,
      title: document.title,
      ...cited(document.citation),
      stamp: document.stamp,
      figures: document.figures.length,
      points: points.length,
      printed: points.filter((point) => point.paper !== undefined).length,
      totals: totalsOf(blocks),
      headline: headline.map((id) => {
        const claim = claims.get(id);
        if (!claim) throw new Error(`${paper}: the report has no claim ${id}`);
        return claim;
      }),
      setting: settingOf(study, runs),
      lacks,
      // Reports run kernels alone once for all mixes; the page has this mix only.
      open: runs.map((run) => (run.kernels.length > 1 ? { ...run, alone: true } : run)),
    };
  }

  /** Every claim of a paper by its id: its row of the report, in the words of its statement alone. */
  #claims(paper: string): Map<string, Claim> {
    const blocks = readMarkdown(this.#text(`docs/reports/${paper}/report.md`)),
      rows = claimsOf(blocks),
      causes = causesOf(blocks);
    const plans = this.#toml(`papers/${paper}/claims.toml`)["claim"] as Table[];
    return new Map(
      rows.map((row) => {
        const plan = plans.find((one) => one["id"] === row.id);
        if (!plan) throw new Error(`${paper}: the report's claim ${row.id} is none of the paper's`);
        const says = plan["statement"] as string;
        const times = plan["unit"] === "ratio" && /^[\d.]+$/.test(row.paper) ? " ×" : "";
        return [
          row.id,
          {
            ...row,
            says: `${says.slice(0, 1).toUpperCase()}${says.slice(1)}`,
            paper: row.paper + times,
            why: [causes.get(row.id) || (row.why ? "" : nearness(row)), row.why].filter(Boolean).join(" "),
          },
        ];
      }),
    );
  }

  /** Of each figure the claims that speak of it: their values are drawn in it, they name it, or they measure what its points show. */
  claimsByFigure(paper: string): FigureClaims {
    const claims = this.#claims(paper);
    const measures = this.#toml(`papers/${paper}/claims.toml`)["claim"] as Table[];
    const plans = this.#toml(`papers/${paper}/figures.toml`)["figure"] as Table[];
    const { figures } = JSON.parse(this.#text(`web/public/papers/${paper}.json`)) as Document;
    const found: FigureClaims = {};
    for (const plan of plans) {
      const id = plan["id"] as string,
        points = pointsOf(plan),
        drawn = (plan["series"] as Table[]).flatMap((series) =>
          Object.values((series["paper"] as Table | undefined) ?? {}),
        );
      const mine = measures.filter((claim) => {
        if (drawn.includes(claim["id"])) return true;
        const named = figuresNamed(claim["section"] as string);
        return named.length > 0
          ? named.some((figure) => id === figure || new RegExp(`^${figure}([a-z]|-.*)$`).test(id))
          : leaves(claim["measure"]).some((leaf) => isShown(leaf, points));
      });
      const listed = mine.flatMap((claim) => {
        const row = claims.get(claim["id"] as string);
        return row ? [row] : [];
      });
      const drawnAt = figures.find((figure) => figure.id === id)?.points ?? [];
      if (listed.length > 0)
        found[id] = { claims: listed, gains: mine.flatMap((claim) => gainOf(claim, plan, drawnAt)) };
    }
    return found;
  }
}

const plain = (parts: readonly Inline[]): string => parts.map((part) => part.text).join("");

/** Every claim with its row of the report. */
function claimsOf(blocks: readonly Block[]): Claim[] {
  return blocks.flatMap((block) =>
    block.kind === "table" && plain(block.head[0] ?? []) === "claim"
      ? block.rows.map((row) => {
          const [claim = []] = row;
          // A report of which mixes are set aside has a column more.
          const at = (column: string): string =>
            plain(row[block.head.findIndex((head) => plain(head) === column)] ?? []);
          return {
            id: claim[0]?.text ?? "",
            says: plain(claim.slice(1)).trim(),
            section: at("§"),
            over: at("over"),
            paper: at("paper"),
            here: at("here"),
            verdict: at("verdict") as Claim["verdict"],
            why: sentence(/<br>(?!`)(.*)$/.exec(plain(claim))?.[1] ?? ""),
          };
        })
      : [],
  );
}

const sentence = (text: string): string =>
  text === "" ? "" : `${text.slice(0, 1).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;

/** The cause of each claim that failed, as the report lists them; without what leads to other places of the report. */
function causesOf(blocks: readonly Block[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const block of blocks)
    for (const item of block.kind === "list" ? block.items : []) {
      const [says, tested] = /^(.*?)\.? (Tested:|Not tested\.)/.exec(plain(item))?.slice(1) ?? [];
      if (says === undefined) continue;
      const cause = sentence(says.replace(/ \(see \d[^)]*\)/g, ""));
      for (const part of item)
        if (part.kind === "bold" && !found.has(part.text))
          found.set(part.text, tested === "Tested:" ? cause : `${cause} Not tested.`);
    }
  return found;
}

/** How near a value is that has no cause by its name. */
function nearness({ paper, here, verdict }: Claim): string {
  if (verdict === "not testable") return "";
  const [printed, ours] = [paper, here].map((text) => Number(/^-?[\d.]+(?= ?[^\d]*$)/.exec(text)?.[0] ?? Number.NaN));
  if (!printed || ours === undefined || Number.isNaN(ours))
    return verdict === "reproduced" ? "It comes out as the paper says." : "It comes out the other way.";
  const off = Math.round(100 * (ours / printed - 1));
  return off === 0 ? "Equal to what is printed." : `${Math.abs(off)} % ${off > 0 ? "above" : "below"} what is printed.`;
}

/** A printed gain of one bar over another of the same figure, both over the same mixes. */
function gainOf(claim: Table, plan: Table, points: readonly { series: number; x: number }[]): Gain[] {
  const { value, unit, kind, derived, measure } = claim as { value: unknown; measure: Table } & Table,
    { gain, of, over, mixes, reduce, alike } = measure;
  if (unit !== "ratio" || kind !== "magnitude" || derived === true || typeof value !== "number") return [];
  if (bare(gain) !== bare(plan["path"]) || reduce !== undefined || alike !== undefined || plan["over"] !== undefined)
    return [];
  const place = (scheme: unknown): number => {
    const series = (plan["series"] as Table[]).findIndex((one) => one["of"] === scheme),
      x = ((plan["categories"] as Table[] | undefined) ?? []).findIndex((one) => one["mixes"] === mixes);
    return series < 0 || x < 0 ? -1 : points.findIndex((point) => point.series === series && point.x === x);
  };
  const [at, base] = [place(of), place(over)];
  return at < 0 || base < 0 ? [] : [{ of: at, over: base, times: value }];
}

/** The table of what came out: how many directions and magnitudes there are, and how they came out. */
function totalsOf(blocks: readonly Block[]): PaperCard["totals"] {
  const table = blocks.find((block) => block.kind === "table" && plain(block.head[0] ?? []) === "claims");
  const of = (kind: string): PaperCard["totals"]["directions"] => {
    const row = table?.kind === "table" ? table.rows.find((one) => plain(one[0] ?? []) === kind) : undefined;
    const [all, kept, partly, failed, untested] = (row ?? []).slice(1).map((cell) => Number(plain(cell)));
    if (all === undefined || kept === undefined || partly === undefined || failed === undefined)
      throw new Error(`the report has no total of ${kind}`);
    if (all !== kept + partly + failed + (untested ?? 0)) throw new Error(`${kind} do not add up`);
    return { kept, partly, failed, tested: kept + partly + failed };
  };
  return { directions: of("Directions"), magnitudes: of("Magnitudes") };
}

/** Authors, venue and address. Authors end with a surname, initials with a point. */
export function cited(citation: string): { authors: string; venue: string; doi: string } {
  const found = /^(.*?\p{Ll}{2,})\. (.*)\. (https:\S+)$/u.exec(citation);
  if (!found) throw new Error(`not authors, venue and address: ${citation}`);
  return { authors: found[1] as string, venue: found[2] as string, doi: found[3] as string };
}

const distinct = (values: readonly unknown[]): string[] => [...new Set(values.map(String))];

function settingOf(study: Table, runs: readonly Experiment[]): PaperCard["setting"] {
  const schemes = study["scheme"] as Record<string, Table>;
  const rows = ((study["table"] as Table[] | undefined)?.[0]?.["rows"] as Table[] | undefined) ?? [];
  // The first table has the paper's schemes; modifiers stand behind their names.
  const named = rows.flatMap((row) => (typeof row["of"] === "string" ? [row["of"].split(" ")[0] as string] : []));
  const ids = distinct(named).filter((id) => id in schemes);
  return {
    gpus: distinct(runs.map(({ gpu }) => gpu)),
    orders: distinct(runs.map((run) => run.warp_order)),
    prefix: study["prefix"] as string,
    classes: Object.entries(study["classes"] as Record<string, string[]>).map(([name, kernels]) => ({ name, kernels })),
    schemes: (ids.length > 1 ? ids : Object.keys(schemes)).map((id) => schemes[id]?.["title"] as string),
  };
}

/** A run by its name; `KERNELS: NAME` where runs of several mixes have the same one. */
function runNamed(document: Document, name: string): Experiment {
  const run = document.runs.find(({ experiment }) => {
    const kernels = experiment.kernels.map((kernel) => (typeof kernel === "string" ? kernel : "")).join("+");
    const own = experiment["name"] as string;
    return own === name || `${kernels}: ${own}` === name;
  });
  if (!run) throw new Error(`there is no run “${name}”`);
  return run.experiment;
}

// ---------------------------------------------------------------- claims and figures

/** The ids of figures that a section names: `Fig.7b` is fig7b, `Fig. 11(d)` fig11d. */
export const figuresNamed = (section: string): string[] =>
  [...section.matchAll(/Fig\. ?(\d+)\(?([a-d]?)\)?/g)].map(([, number, part]) => `fig${number}${part}`);

interface Leaf {
  path: string;
  of: string[];
  over?: string;
  mixes: string;
}
const bare = (path: unknown): string => String(path ?? "").replace(/^metrics\./, "");

/** What a measure compares, taken apart. */
function leaves(measure: unknown): Leaf[] {
  if (Array.isArray(measure)) return measure.flatMap(leaves);
  if (typeof measure !== "object" || measure === null) return [];
  const { gain, level, share, of, over, mixes, ...rest } = measure as Table;
  const path = gain ?? level ?? share;
  if (path === undefined) return Object.values(rest).flatMap(leaves);
  return [
    {
      path: bare(path),
      of: [of].flat().map(String),
      ...(typeof over === "string" ? { over } : {}),
      mixes: String(mixes),
    },
  ];
}

/** What a figure's series and categories say of its points: of a stacked one each part, and all of a category's together. */
function pointsOf(plan: Table): Leaf[] {
  const categories = (plan["categories"] as Table[] | undefined) ?? [],
    each = ((plan["each"] as string[] | undefined) ?? []).map((mixes): Table => ({ mixes }));
  return (plan["series"] as Table[]).flatMap((series) =>
    [...categories, ...each].flatMap((category) => {
      const words: Table = { ...plan, ...category, ...series };
      return [words["path"], words["what"], words["whole"]].filter(Boolean).map((path) => ({
        path: bare(path),
        of: [[words["of"], words["with"]].filter(Boolean).join(" ")],
        ...(typeof words["over"] === "string" ? { over: words["over"] } : {}),
        mixes: String(words["mixes"]),
      }));
    }),
  );
}

/** Whether a point shows what is measured, or two points do whose quotient it is: over nothing, or over one baseline. */
function isShown(leaf: Leaf, points: readonly Leaf[]): boolean {
  const shows = (of: string, over: string | undefined): boolean =>
    points.some((p) => p.path === leaf.path && p.of[0] === of && p.mixes === leaf.mixes && p.over === over);
  const { over } = leaf;
  return leaf.of.some(
    (of) => shows(of, over) || (over !== undefined && points.some((p) => shows(of, p.over) && shows(over, p.over))),
  );
}
