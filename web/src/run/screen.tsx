// The first screen: what stands where, of what the session runs and what is known of it.
import { effect, signal, type ReadonlySignal } from "@preact/signals";
import { render, type ComponentType } from "preact";
import type { Answered } from "./answered.ts";
import { Sentence, standing } from "./answer.tsx";
import { shapeOf } from "../model/vendors.ts";
import { warningsOf } from "../teach/warnings.ts";
import { linesOf } from "../teach/warnings-view.tsx";
import { Choices, type Chosen } from "../parts/choices.tsx";
import { Differs } from "./differs.tsx";
import { Drawer, DrawerButton } from "./drawer.tsx";
import { Knobs, KnobsButton } from "./knobs.tsx";
import { later } from "./later.ts";
import { NoticeBox } from "../parts/notice.tsx";
import type { Panel } from "./panel.ts";
import { importNotice } from "../parts/recorded.tsx";
import { Popup, type Deed } from "../parts/popup.tsx";
import { scaledTo } from "../model/scaled.ts";
import { ScaleLine } from "./scaled.tsx";
import { Reads } from "./reads.tsx";
import { SchemesPicture } from "../schemes/schemes-picture.tsx";
import { SlowBars } from "./slows.tsx";
import type { Experiment } from "../model/types.ts";
import { isRunning } from "../model/session.ts";
import type { Session } from "./session.ts";

interface ScreenDeeds {
  /** Of two runs, the one that the pictures show; null: both, or there is one. */
  shown: ReadonlySignal<number | null>;
  choose: Chosen;
  /** The form shows a field of a side. */
  edit(side: number, path: string): void;
  /** Behind the button at the top. */
  share(): readonly Deed[];
  /** Leads to a number of the answer among all numbers. */
  lead(stands: string): void;
}

/** A's experiment under a scheme of the picture. */
function under(a: Experiment, { policy = "even", cta_order: order }: Experiment): Experiment {
  const { name: _name, source: _source, ...mix } = structuredClone(a);
  return { ...mix, policy: structuredClone(policy), ...(order === undefined ? {} : { cta_order: order }) };
}

export function startScreen(
  session: Session,
  answered: Answered,
  panels: readonly Panel[],
  { shown, choose, edit, share, lead }: ScreenDeeds,
): void {
  const { sides } = answered,
    told = standing(sides),
    pauses = (): void => {
      if (isRunning(session.now)) session.send("toggle");
    },
    knobs = signal(false),
    schemes = later(() => {
      const run = answered.schemes.value;
      return { of: sides.value, answers: answered.answers.value, run, progress: run?.progress.value ?? null };
    });
  // By itself: it follows each result, and the row of choices need not.
  const Details = () => (
    <DrawerButton
      panels={panels}
      open={session.tab}
      cannot={linesOf(warningsOf(session.sides.value, session.over.value)).length}
    />
  );
  const parts: Record<string, ComponentType> = {
    actions: () => <Popup title="Share" label="Share this run, and help" deeds={share()} />,
    choices: () => (
      <>
        <Choices catalogue={session.catalogue} experiments={session.experiments} onChoose={choose}>
          <Differs of={session.differ.value} edit={edit} />
          <KnobsButton open={knobs} />
          <Details />
        </Choices>
        {knobs.value && <Knobs session={session} sides={sides.value} />}
      </>
    ),
    verdict: () =>
      told.value.some(({ result }) => result) ? (
        <>
          <Sentence
            sides={told.value}
            asking={sides.value.flatMap(({ asking }) => asking ?? [])}
            rate={__VERDICTS__}
            lead={lead}
            onStop={(stopped) => session.engine?.stopWhy(stopped)}
          />
          <ScaleLine
            sides={sides.value}
            measured={__SCALES__}
            sms={session.catalogue ? shapeOf(session.catalogue, sides.value[0]?.experiment.gpu).sms : 0}
            validate={(one) => session.engine?.validate(one) ?? Promise.resolve([])}
            onPress={(part) => session.changeBoth(scaledTo(part))}
          />
        </>
      ) : null,
    notices: () => (
      <>
        <NoticeBox of={session.notice} />
        <NoticeBox of={importNotice} />
      </>
    ),
    slows: () => <SlowBars sides={told.value} />,
    reads: () => <Reads sides={told.value} shown={shown.value} />,
    "all-schemes": () => {
      const { of, answers, run, progress } = schemes.value,
        [a, b = null] = of;
      return a ? (
        <SchemesPicture
          answers={answers}
          kernels={a.kernels}
          a={a}
          b={b}
          onChoose={(answer) => {
            session.send("change", { 1: under(a.experiment, answer.experiment) });
            document.getElementById("pictures")?.scrollIntoView({ block: "start" });
          }}
          onRunAll={() => {
            pauses();
            run?.start();
          }}
          onRunDropped={() => {
            pauses();
            run?.start(true);
          }}
          onStop={() => run?.stop()}
          progress={progress}
          metrics={session.catalogue?.metrics ?? []}
          policies={session.catalogue?.policies ?? []}
        />
      ) : null;
    },
    drawer: () => <Drawer panels={panels} open={session.tab} />,
  };
  for (const [id, View] of Object.entries(parts)) render(<View />, document.getElementById(id) as HTMLElement);

  // A panel that has nothing to show any more closes.
  for (const { id, there } of panels) {
    let was = false;
    if (there)
      effect(() => {
        if (was && !there.value && session.tab.peek() === id) session.tab.value = null;
        was = there.value;
      });
  }
}
