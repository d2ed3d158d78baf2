// Pages that shared links lead to: one for each example that has stored answers, with the title, the sentence and the picture that a link is shown with
// where it is posted. Whoever opens one is led on to the run. Made when the page is built, of the answers and the examples alone.
import { readFileSync, readdirSync } from "node:fs";
import { escapeXml } from "../src/picture/svg.ts";
import { sentence, sidesOf, titleOf } from "../src/embed/says.ts";
import { encodeLink } from "../src/model/link.ts";
import type { RunSide } from "../src/model/model.ts";
import { answerOf, mixKey, readAnswers, resultName, type Index, type Stored } from "../src/model/stored.ts";
import type { Experiment } from "../src/model/types.ts";
import { barsPng } from "./bars-png.ts";

export interface SharedPage {
  /** Below share/, without its ending. */
  name: string;
  title: string;
  says: string;
  link: string;
  /** The names of its results, with a + between two: what a page that shows the same is found by. */
  hash: string;
  /** Where there is something to be drawn. */
  png: Buffer | null;
}

const json = (url: URL): unknown => JSON.parse(readFileSync(url, "utf8"));

/** The pages of a checkout. `root` is its folder, with a slash at its end. */
export async function sharedPages(root: URL): Promise<SharedPage[]> {
  const index = json(new URL("web/src/model/answers.json", root)) as Index,
    first = json(new URL("web/src/model/first.json", root)) as Experiment,
    examples = new URL("examples/experiments/", root);
  // What the page begins with are two runs.
  const wanted: { name: string; all: Experiment[] }[] = [
    { name: "first", all: ["even", "ccbp"].map((name) => ({ ...first, policy: { name } })) },
    ...readdirSync(examples)
      .filter((file) => file.endsWith(".json"))
      .sort()
      .map((file) => ({ name: file.replace(/\.json$/, ""), all: [json(new URL(file, examples)) as Experiment] })),
  ];
  const found = await Promise.all(wanted.map(async ({ name, all }) => pageOf(name, all, index, root)));
  return found.filter((page) => page !== null);
}

async function pageOf(name: string, all: Experiment[], index: Index, root: URL): Promise<SharedPage | null> {
  const [experiment, other] = all as [Experiment, Experiment?];
  const mix = index.mixes.find((one) => mixKey(one.mix) === mixKey(experiment));
  const answers =
    mix && readAnswers(json(new URL(`web/public/answers/${mix.file}.json`, root)) as Stored, experiment, index.engine);
  if (!answers) return null;
  const sides: RunSide[] = [];
  for (const side of sidesOf({ experiment, ...(other ? { other } : {}) })) {
    const answer = answerOf(answers, side.experiment);
    if (!answer?.result) return null;
    sides.push({ ...side, result: answer.result, origin: "stored" });
  }
  return {
    name,
    title: titleOf(all),
    says: sentence(sides),
    link: await encodeLink({ experiment, ...(other ? { other } : {}), view: {} }),
    hash: sides.map(({ result, experiment: one }) => resultName(result?.config_hash ?? "", one)).join("+"),
    png: barsPng(sides),
  };
}

/** `url`: where the page will be, with a slash at its end; where that is not known, the picture has a relative address, which few hosts of links take. */
export function sharedHtml({ name, title, says, link, png }: SharedPage, url: string): string {
  const run = escapeXml(`../${link}`),
    tag = (property: string, content: string): string =>
      `<meta property="og:${property}" content="${escapeXml(content)}">`;
  const [picture, shown] =
    png === null
      ? ["", ""]
      : [
          `${tag("image", `${url === "" ? "./" : `${url}share/`}${name}.png`)}
${tag("image:alt", `How much slower than alone each kernel is: ${title}`)}
<meta name="twitter:card" content="summary_large_image">`,
          `<p><img src="./${name}.png" alt="How much slower than alone each kernel is" width="600" height="315"></p>`,
        ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeXml(title)} · Corun</title>
<meta name="description" content="${escapeXml(says)}">
${tag("type", "website")}
${tag("site_name", "Corun")}
${tag("title", title)}
${tag("description", says)}
${picture}
<link rel="icon" href="../icon.svg" type="image/svg+xml">
<meta http-equiv="refresh" content="0; url=${run}">
</head>
<body>
<h1>${escapeXml(title)}</h1>
<p>${escapeXml(says)}</p>
${shown}
<p><a href="${run}">Open this run in Corun</a></p>
</body>
</html>
`;
}
