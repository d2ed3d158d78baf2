// One figure: the stored data as a picture at once, each mark a way into the lab, and its runs again on this computer.
import type { ComponentChildren } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { kernelLabels } from "../model/choices.ts";
import { copyText, toast } from "../parts/dialogs.tsx";
import { errorText } from "../model/format.ts";
import { Button, IconButton, RunLink } from "../parts/widgets.tsx";
import { sameEngine } from "../model/stamp.ts";
import { sweepCommand } from "../sweeps/state.ts";
import { figureTitle } from "../model/titles.ts";
import type { Figure } from "../model/types.ts";
import { DataTable } from "../picture/parts.tsx";
import type { Again, Figures } from "./again.ts";
import { Terms } from "../parts/term.tsx";
import { Printed } from "./claims.tsx";
import { withGains, type Gain } from "./paper.ts";
import {
  elementCode,
  figureAddress,
  frameCode,
  lengthOf,
  neighbour,
  placeText,
  pointName,
  pointText,
  runsOf,
  sweepOf,
  tableOf,
  valueText,
} from "../embed/figure-document.ts";

/** Widths at which figures are drawn. */
const NARROWEST = 280,
  WIDEST = 1100;
/** Runs of a point that are listed. */
const LISTED = 80;

/** The looks of drawn figures: taken out of the first one, because the page's content policy refuses style elements. */
let looks: CSSStyleSheet | null = null;

/** Drawn text as elements; its style sheet holds for the whole page. */
function parsed(svg: string): SVGElement {
  const [whole = "", rules = ""] = /<style>([^<]*)<\/style>/.exec(svg) ?? [];
  if (!looks && rules !== "") {
    looks = new CSSStyleSheet();
    looks.replaceSync(rules);
    document.adoptedStyleSheets.push(looks);
  }
  const root = new DOMParser().parseFromString(svg.replace(whole, ""), "image/svg+xml").documentElement;
  if (root.localName !== "svg") throw new Error("what was drawn is not an SVG");
  return document.importNode(root, true) as unknown as SVGElement;
}

/** `open`: the claims that speak of it are; `report`: the address of the rest. */
export function FigureCard({ again, open, report }: { again: Again; open: boolean; report: string }) {
  const { of } = again,
    { document, base, embedded } = of,
    { paper, stamp, citation } = document,
    { id, title, source, differs } = again.figure,
    { claims, gains = [] } = of.claims.value[id] ?? {},
    figure = useMemo(() => withGains(again.figure, gains), [gains]);
  /** The point that was come to, and whether it is open. */
  const at = useSignal<number | null>(null),
    shown = useSignal(false),
    tabular = useSignal(false),
    spoken = useSignal(""),
    focus = useSignal(false),
    stage = useRef<HTMLDivElement>(null);
  const show = (point: number, focused: boolean): void => {
    at.value = point;
    focus.value = focused;
    shown.value = true;
  };
  const walk = (key: string): void => {
    const next = neighbour(figure, at.value, key);
    if (next === null) return;
    at.value = next;
    focus.value = false;
    spoken.value = pointText(figure, next, gainOver(gains, next));
  };
  const engine = of.awake.value?.engine,
    outcome = again.outcome.value,
    running = again.running.value;
  return (
    <section class="card figure-card" id={id} aria-labelledby={`${id}-title ${id}-source`} tabIndex={-1}>
      <h2 id={`${id}-title`}>{title}</h2>
      <p class="note" id={`${id}-source`}>
        {source || citation}
        {gains.length > 0
          ? "; hollow marks: where the gain that the paper prints over a bar would put it"
          : figure.points.some((point) => point.paper !== undefined) && "; hollow marks: what the paper prints"}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has looks of its own. */}
      <div
        ref={stage}
        class="figure-stage"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its points are walked by the arrow keys.
        tabIndex={0}
        role="group"
        aria-label={`${title}: points`}
        aria-describedby={`${id}-hint`}
        onClick={({ target }) => {
          const mark = (target as Element).closest("[data-point]");
          if (mark) show(Number(mark.getAttribute("data-point")), false);
        }}
        onKeyDown={(event) => {
          if (event.altKey || event.ctrlKey || event.metaKey) return;
          if (event.key === "Enter" && at.value !== null) show(at.value, true);
          else if (/^(Arrow.*|Home|End)$/.test(event.key)) walk(event.key);
          else return;
          event.preventDefault();
        }}
      >
        <Picture again={again} figure={figure} gains={gains} at={at.value} />
      </div>
      <p class="hidden" id={`${id}-hint`}>
        Arrow keys walk the points and speak their values; Enter opens one. The table has all of them.
      </p>
      {tabular.value && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <section class="cv-tablebox" tabIndex={0} aria-label={`${title}, as a table`}>
          <DataTable of={tableOf(again.figure, again.here.value)} />
        </section>
      )}
      {differs && (
        <p class="figure-differs">
          <b>Beside the paper. </b>
          <Terms text={differs} />
        </p>
      )}
      <div class="figure-claims">{claims && !embedded && <Printed claims={claims} report={report} open={open} />}</div>
      {shown.value && at.value !== null && (
        <Point
          again={again}
          figure={figure}
          gain={gainOver(gains, at.value)}
          index={at.value}
          focus={focus.value}
          close={() => {
            shown.value = false;
            stage.current?.focus();
          }}
        />
      )}
      <div class="flow figure-run">
        {running ? (
          <Button press={() => again.stop()}>Stop</Button>
        ) : (
          <Button
            primary
            disabled={!again.can.value || again.runs.length === 0}
            title={again.title.value}
            press={() => again.start()}
          >
            {outcome?.kind === "stopped" ? "Go on" : "Run it again here"}
          </Button>
        )}
        {running && <progress max={1} value={again.part.value} aria-label="Runs done" />}
        <span class="aside figure-progress">{again.words}</span>
        <span class="flow figure-copies">
          <Button
            aria-pressed={tabular.value}
            press={() => {
              tabular.value = !tabular.value;
            }}
          >
            Table
          </Button>
          <Button
            icon="terminal"
            title="Commands that make the same runs with the native runner"
            press={() => void copyCommand(again, again.runs)}
          >
            Copy the command
          </Button>
          {!embedded && (
            <>
              <Button
                icon="download"
                title="The picture with its numbers, and the simulator: it runs when asked, also without a network"
                press={() => void save(again)}
              >
                One HTML file
              </Button>
              <Button
                icon="link"
                title="An element for articles, with a picture for readers without scripts"
                press={() =>
                  void copyText(elementCode(base, paper, figure), "The embed code is copied: paste it into an article.")
                }
              >
                Copy embed code
              </Button>
              <Button
                title="For articles that allow no scripts"
                press={() =>
                  void copyText(
                    frameCode(base, paper, figure, (stage.current?.offsetHeight ?? 0) + 260),
                    "The iframe is copied: paste it into an article.",
                  )
                }
              >
                As iframe
              </Button>
            </>
          )}
        </span>
      </div>
      <p class="figure-outcome" role="status" hidden={outcome === null} data-outcome={outcome?.kind}>
        {outcome?.text}
      </p>
      <span class="hidden" role="status">
        {spoken.value || again.spoken.value}
      </span>
      <p class="note figure-stamp">
        {`Computed by Corun ${stamp.engine}, commit ${stamp.commit}, ${stamp.mode} study: ${lengthOf(document, figure)}, seed ${stamp.seed}. `}
        {engine && !sameEngine(stamp.engine, engine.stamp()) && (
          <span>{`This page's engine is ${engine.stamp()}: run again here, values can differ. `}</span>
        )}
        {embedded ? (
          <a href={figureAddress("./", paper, id)} target="_blank" rel="noopener">
            Open in Corun
          </a>
        ) : (
          <a href={figureAddress("./", paper, id)}>Link to this figure</a>
        )}
      </p>
    </section>
  );
}

interface Drawn {
  figure: Figure;
  gains: readonly Gain[];
}
const gainOver = (gains: readonly Gain[], point: number): number | undefined =>
  gains.find(({ over }) => over === point)?.times;

/** What was drawn when the data was computed stands there until the module is, and where it does not come. */
function Picture({ again, figure, gains, at }: Drawn & { again: Again; at: number | null }) {
  const { of } = again,
    engine = of.awake.value?.engine,
    img = useRef<HTMLImageElement>(null),
    drawn = useRef<SVGElement | null>(null),
    now = useRef(at);
  now.current = at;
  const mark = (): void => {
    for (const old of drawn.current?.querySelectorAll(".figure-at") ?? []) old.classList.remove("figure-at");
    drawn.current?.querySelector(`[data-point="${now.current}"]`)?.classList.add("figure-at");
  };
  useLayoutEffect(mark, [at]);
  useEffect(() => {
    const stage = img.current?.parentElement;
    if (!engine || !stage) return undefined;
    let width = 0;
    const draw = (): void => {
      const next = Math.round(Math.min(WIDEST, Math.max(NARROWEST, stage.clientWidth)));
      if (next === width || stage.clientWidth === 0) return;
      width = next;
      const svg = engine.figureSvg(figure, { width, title: false }),
        picture = parsed(gains.length > 0 ? svg.replace(/\(paper(?= )|>paper(?=<)/g, "$&’s gain") : svg);
      drawn.current?.remove();
      drawn.current = picture;
      img.current?.after(picture);
      if (img.current) img.current.hidden = true;
      mark();
    };
    const observer = new ResizeObserver(draw);
    observer.observe(stage);
    draw();
    return () => observer.disconnect();
  }, [engine, figure]);
  return <img ref={img} src={`./papers/${of.document.paper}/${figure.id}.svg`} alt={figure.title} />;
}

// ---------------------------------------------------------------- a point

interface PointProps {
  again: Again;
  figure: Figure;
  /** What the paper prints of another bar over it. */
  gain: number | undefined;
  index: number;
  /** It was opened by a key: what leads on has the focus then. */
  focus: boolean;
  close(): void;
}

function Point({ again, figure, gain, index, focus, close }: PointProps) {
  const { of } = again,
    engine = of.awake.value?.engine,
    box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const first = (selector: string) => box.current?.querySelector<HTMLElement>(selector);
    if (focus) (first(".figure-links a") ?? first(".card-close"))?.focus();
  }, [index, focus]);
  const point = figure.points[index];
  if (!point) return null;
  const here = again.here.value?.[index] ?? null,
    kernels = kernelLabels(of.document.runs[point.runs[0] ?? -1]?.experiment.kernels ?? []),
    ratio = point.paper && typeof point.value === "number" ? point.value / point.paper : null;
  const links = [
    ...point.runs.map((run) => ({ run, before: "" })),
    ...(point.baseline ?? []).map((run) => ({ run, before: "divided by " })),
  ];
  const stat = (name: string, value: string) => (
    <div class="stat">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape leaves it from wherever the focus is.
    <div
      class="figure-panel"
      ref={box}
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
    >
      <IconButton icon="close" class="card-close" label="Close the point" press={close} />
      <h3>{pointName(figure, index)}</h3>
      <dl class="stats figure-values">
        {stat("Ours", valueText(figure, point.value))}
        {stat(gain === undefined ? "Paper" : `By the paper’s gain of ${gain} ×`, valueText(figure, point.paper))}
        {stat(gain === undefined ? "Ours / paper" : "Ours / that", valueText({ ...figure, y: {} }, ratio))}
        {here !== null && stat("Computed here", `${valueText(figure, here)}${here === point.value ? ", equal" : ""}`)}
      </dl>
      {links.length === 0 ? (
        <p class="note">This point has no runs.</p>
      ) : (
        <p class="aside figure-measure">
          {how(figure, index, (path) => figureTitle(path, engine?.presets().metrics ?? [], kernels))}
        </p>
      )}
      <ul class="figure-links">
        {links.slice(0, LISTED).map(({ run, before }, i) => (
          <li key={i}>
            {before}
            <Lab of={of} run={run} engine={engine?.stamp()} />
          </li>
        ))}
      </ul>
      {links.length > LISTED && <p class="note">and {links.length - LISTED} more</p>}
      {links.length > 0 && (
        <div class="flow figure-run">
          <Button disabled={!again.can.value} press={() => again.start(runsOf([point]))}>
            Run this point again here
          </Button>
          <Button icon="terminal" press={() => void copyCommand(again, runsOf([point]))}>
            Copy its command
          </Button>
        </div>
      )}
    </div>
  );
}

/** A run as an ordinary link to its experiment. */
function Lab({ of, run, engine }: { of: Figures; run: number; engine: string | undefined }): ComponentChildren {
  return of.experiments([run]).map((experiment) => (
    <RunLink key={run} of={{ experiment, engine }} away={of.embedded}>
      Open in the lab: {experiment.name || `run ${run}`}
    </RunLink>
  ));
}

async function save({ of, figure, runs }: Again): Promise<void> {
  try {
    const engine = of.awake.value?.engine;
    if (!engine) throw new Error("the simulator is not there yet");
    const { saveFigure } = await import("../embed/save.ts");
    await saveFigure(of.document, figure, [...runs], engine.figureSvg(figure, { width: 860, title: false }));
  } catch (error) {
    toast(`The file could not be made: ${errorText(error)}`);
  }
}

async function copyCommand({ of, figure }: Again, runs: readonly number[]): Promise<void> {
  const engine = of.awake.value?.engine,
    { paper, stamp } = of.document;
  const sweep = sweepOf(
    of.experiments(runs),
    `${figure.source ?? ""} ${figure.title}`.trim(),
    (experiment) => engine?.normalise(experiment) ?? experiment,
  );
  await copyText(
    sweepCommand(`corun-${paper}-${figure.id}`, JSON.stringify(sweep)),
    `The command is copied: ${runs.length} runs, in a clone of Corun at commit ${stamp.commit} after \`cargo build --release\`.`,
  );
}

const bounds = ({ from, to }: Figure["measure"]): string =>
  [from === undefined ? "" : `${from} or more`, to === undefined ? "" : `less than ${to}`]
    .filter(Boolean)
    .join(" and ");

/** How the value of a point comes about. */
function how(figure: Figure, index: number, title: (path: string) => string): string {
  const point = figure.points[index] as Figure["points"][number],
    { path, reduce } = point.measure ?? figure.measure;
  const over = point.baseline && point.baseline.length > 0 ? ", each over the same of the run it is divided by" : "";
  if (reduce === "given")
    return `${path}: computed by the report from ${point.runs.length === 1 ? "this run" : `these ${point.runs.length} runs`}`;
  const words = { geomean: "Geometric mean", mean: "Mean", max: "Greatest", share: "", value: "" }[reduce];
  if (reduce === "share")
    return `Part of ${point.runs.length} runs in which ${title(path)} is ${bounds(point.measure ?? figure.measure)}, at ${placeText(figure, point.x)}`;
  return words === "" || point.runs.length === 1
    ? `${title(path)} in this run${over}`
    : `${words} of ${title(path)} over ${point.runs.length} runs${over}, at ${placeText(figure, point.x)}`;
}
