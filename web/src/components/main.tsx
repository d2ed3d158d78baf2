// The component lab: a crossbar, a DRAM channel or a cache by itself. The curves are measured by the code that the machine runs, point by
// point in a worker; the address bar always is the link to what is shown.
import "../style/tokens.css";
import "../style/base.css";
import "../style/layout.css";
import "../style/parts.css";
import "../views/views.css";
import "./components.css";
import { computed, effect, signal } from "@preact/signals";
import { render, type ComponentType } from "preact";
import { Select, Text } from "../controls.tsx";
import { copyText } from "../dialogs.ts";
import { wrongText } from "../format.ts";
import { Button, Fold, Host, IconButton, ThemeButton, What } from "../widgets.tsx";
import { Lab } from "../lab/lab.ts";
import { compileModule } from "../module.ts";
import { NoticeBox, Problems, notOpened, notStarted, starting, type Notice } from "../run/notice.tsx";
import { provideStamp } from "../stamp.ts";
import { startTheme } from "../theme.ts";
import { choiceTitle, titleOf } from "../titles.ts";
import type { ProbeFigure, ProbeInfo, ProbeOption } from "../types.ts";
import { Curve } from "./curve.ts";
import { Probes, curveOf, fresh, presetOf } from "./probes.ts";
import { command, decodeLab, encodeLab, read, type LabState } from "./state.ts";

startTheme();

const probes = new Probes();

// ---------------------------------------------------------------- what is wrong

/** Why there is no component to measure. */
const without = signal<Notice | null>(starting);
const notice = computed((): Notice | null => {
  if (without.value) return without.value;
  if (probes.broken.value !== "")
    return {
      kind: "error",
      title: "The measurement stopped",
      text: ["That is a defect of Corun, not of the options. It said:", <pre key="why">{probes.broken.value}</pre>],
      actions: [{ label: "Measure again", primary: true, run: () => probes.measure() }],
    };
  return probes.problems.value.length === 0
    ? null
    : { kind: "error", title: "This cannot be measured", text: [<Problems key="all" of={probes.problems.value} />] };
});

// ---------------------------------------------------------------- the parts of the page

function Run() {
  if (!probes.state.value) return null;
  const going = probes.ended.value === "";
  return (
    <>
      <progress
        max={1}
        value={probes.results.value.length / Math.max(1, probes.at.value.length)}
        aria-label="Points measured"
        hidden={!going}
      />
      <span class="lab-progress" role="status">
        {probes.words.value}
      </span>
      {going ? (
        <Button press={() => probes.stop()}>Stop</Button>
      ) : (
        <Button primary press={() => probes.measure()}>
          Measure again
        </Button>
      )}
    </>
  );
}

function Figure({ info, figure }: { info: ProbeInfo; figure: ProbeFigure }) {
  const at = probes.at.value,
    points = curveOf(figure.key, at, probes.results.value);
  // A law that says nothing of this traffic is not shown beside it.
  const silent = figure.law === "" || (points.length > 0 && points.every(({ theory }) => theory === null));
  return (
    <section class="card" aria-labelledby={`curve-${figure.key}`}>
      <h2 id={`curve-${figure.key}`}>{figure.title}</h2>
      <Host
        make={() => new Curve()}
        set={(curve) => {
          curve.data = {
            component: info.name,
            figure,
            sweep: { name: info.sweep, unit: info.options.find(({ name }) => name === info.sweep)?.unit ?? "" },
            from: at[0] ?? 0,
            to: at.at(-1) ?? 1,
            points,
          };
        }}
      />
      <p class="note lab-law" hidden={silent}>
        <b>Theory: </b>
        {figure.law}.
      </p>
    </section>
  );
}
function Curves() {
  const info = probes.info.value;
  return info?.figures.map((figure) => <Figure key={`${info.name} ${figure.key}`} {...{ info, figure }} />);
}

/** An option, or what is swept: its title, what it is, its control, and what is wrong with it. `range`: what it takes. */
function Field({ option, range }: { option: ProbeOption; range?: string }) {
  const { name, doc, min, max, unit, kind, choices = [], default: none } = option,
    state = probes.state.value as LabState,
    swept = name === probes.info.value?.sweep,
    value = state.options[name] ?? none,
    id = `f-${name}`,
    title = titleOf(name),
    wrong = probes.problems.value.filter(({ path }) => path === name);
  const limits =
      min === undefined || max === undefined ? "" : `${min.toLocaleString("en")} to ${max.toLocaleString("en")}`,
    takes = range ?? (limits && `${limits}${unit && ` ${unit}`}`);
  const at = {
    id,
    "aria-describedby": `${id}-problem`,
    "aria-invalid": wrong.length > 0 ? ("true" as const) : undefined,
  };
  const text = swept ? state.points : value === null ? "" : String(value);
  return (
    <div class="field">
      <div class="field-row">
        <label for={id} title={name}>
          {title}
          <What title={title}>
            <p>{doc}.</p>
            {takes && <p class="source">{takes}</p>}
          </What>
        </label>
        <span class="field-control">
          {kind === "choice" && !swept ? (
            <Select
              at={at}
              options={choices.map((one) => ({ value: one, text: choiceTitle(one, doc) }))}
              value={String(value)}
              put={(to) => probes.set(option, to)}
            />
          ) : kind === "bool" && !swept ? (
            <input
              {...at}
              type="checkbox"
              checked={value === true}
              onChange={({ currentTarget }) => probes.set(option, currentTarget.checked)}
            />
          ) : (
            <Text
              at={at}
              value={text}
              placeholder={text === "" ? "automatic" : ""}
              put={(typed) => {
                if (swept) probes.change({ points: typed.trim() || (probes.info.value?.points ?? "") });
                else probes.set(option, typed.trim() === "" ? null : read(option, typed));
              }}
            />
          )}
        </span>
      </div>
      <p class="field-problem" id={`${id}-problem`} hidden={wrong.length === 0}>
        {wrong.map(wrongText).join("; ")}
      </p>
    </div>
  );
}

function Options() {
  const info = probes.info.value,
    state = probes.state.value;
  if (!info || !state) return null;
  const timing = ({ unit }: ProbeOption): boolean => unit === "clocks",
    swept = info.options.find(({ name }) => name === info.sweep),
    others = info.options.filter((option) => option !== swept),
    timings = others.filter(timing),
    preset = presetOf(info, state.options);
  const presets = info.presets.map(({ name }, i) => ({ value: String(i), text: name }));
  const choice = (id: string, label: string, options: typeof presets, value: string, put: (value: string) => void) => (
    <div class="field-row">
      <label for={id}>{label}</label>
      <span class="field-control">
        <Select at={{ id }} {...{ options, value, put }} />
      </span>
    </div>
  );
  const fields = (some: readonly ProbeOption[]) => some.map((option) => <Field key={option.name} option={option} />);
  const parts = probes.probes.value.map(({ name, title }) => ({ value: name, text: title }));
  return (
    <>
      <section class="editor-section">
        <h2>Component</h2>
        <div class="section-body">
          {choice("part", "Part", parts, info.name, (name) =>
            probes.open(fresh(probes.probes.value.find((one) => one.name === name) as ProbeInfo)),
          )}
          {choice(
            "preset",
            "Begin with",
            preset < 0 ? [...presets, { value: "-1", text: "something else" }] : presets,
            String(preset),
            (at) => probes.open(fresh(info, Number(at))),
          )}
          <p class="note">{info.doc}.</p>
        </div>
      </section>
      <section class="editor-section" key={info.name}>
        <h2>Traffic and shape</h2>
        <div class="section-body">
          {swept && <Field option={swept} range="The points of the curves: FROM:TO:STEP" />}
          {fields(others.filter((option) => !timing(option)))}
          {timings.length > 0 && (
            <Fold
              class="group"
              summary={<span>Timings</span>}
              open={probes.problems.value.some(({ path }) => timings.some(({ name }) => name === path))}
            >
              {fields(timings)}
            </Fold>
          )}
        </div>
      </section>
      <section class="editor-section">
        <div class="section-body">
          <Button
            icon="terminal"
            press={() =>
              void copyText(
                `${command(state, info.sweep)}\n`,
                "The command is copied. It prints the same numbers, in a clone of Corun after `cargo build --release`.",
              )
            }
          >
            Copy the command
          </Button>
        </div>
      </section>
    </>
  );
}

const Actions = () => (
  <>
    <IconButton
      icon="link"
      label="Copy the link"
      title="Copy the link to these curves"
      press={() => void copyText(location.href, "The link is copied.")}
    />
    <ThemeButton />
  </>
);

const PARTS: Readonly<Record<string, ComponentType>> = {
  run: Run,
  actions: Actions,
  options: Options,
  notices: () => <NoticeBox of={notice} />,
  curves: Curves,
};
for (const [id, Part] of Object.entries(PARTS)) render(<Part />, document.getElementById(id) as HTMLElement);

// ---------------------------------------------------------------- the address bar

effect(() => {
  const state = probes.state.value;
  if (!state) return;
  document.title = `${probes.info.value?.title} · Components · Corun`;
  const link = encodeLab(state);
  if (location.hash !== link) history.replaceState(null, "", link);
});

function readLink(): void {
  const state = probes.state.peek();
  if (location.hash === "#main" || (state && location.hash === encodeLab(state))) return;
  const first = probes.probes.peek()[0] as ProbeInfo,
    open = (next: LabState): void => {
      without.value = null;
      probes.open(next);
    };
  try {
    open(decodeLab(location.hash, probes.probes.peek()) ?? fresh(first, 0));
  } catch (error) {
    probes.clear();
    without.value = notOpened(error, {
      label: `Open the ${first.title.toLowerCase()}`,
      primary: true,
      run: () => open(fresh(first, 0)),
    });
  }
}
addEventListener("hashchange", readLink);

// ---------------------------------------------------------------- start

provideStamp(() => ({
  engine: probes.stamp,
  config: probes.state.peek()?.component ?? "",
  seed: Number(probes.state.peek()?.options["seed"] ?? 1),
  cycle: 0,
  link: location.href,
}));

async function start(): Promise<void> {
  try {
    const module = await compileModule();
    await probes.begin(new Lab(module, "component lab"));
  } catch (error) {
    without.value = notStarted(error);
    return;
  }
  readLink();
}
void start();
