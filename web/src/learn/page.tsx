// The place itself: stories, things to try, terms.
import { signal, type Signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import GLOSSARY from "../../../docs/glossary.md?raw";
import { RunLink } from "../parts/widgets.tsx";
import { Algorithm, type Allocator } from "./algorithm.tsx";
import { readInline, type Inline } from "../model/markdown.ts";
import { Figure } from "./figure.tsx";
import { readGlossary } from "../model/glossary.ts";
import type { Runs } from "./runs.ts";
import { shown, type Known, type Story } from "./story.ts";
import { useSeen } from "./seen.ts";
import { STORIES } from "./stories.ts";
import TRIES from "./tries.json";
import type { Try } from "./tries.ts";

/** A number keeps its sign of percent on its line. */
const kept = (text: string): string => text.replaceAll(/(\d) %/g, "$1\u00a0%");

/** Text with its marks. A link into the documentation's files leads nowhere from here: it keeps its words. */
function Marked({ text }: { text: string | readonly Inline[] }) {
  const parts = typeof text === "string" ? readInline(shown(text)) : text;
  return (
    <>
      {parts.map((part, i) => {
        const key = `${i} ${part.text}`;
        if (part.kind === "bold") return <strong key={key}>{part.text}</strong>;
        if (part.kind === "italic") return <em key={key}>{part.text}</em>;
        if (part.kind === "code") return <code key={key}>{part.text}</code>;
        if (part.kind === "text" || !/^(#|https:)/.test(part.kind === "link" ? part.to : ""))
          return <span key={key}>{kept(part.text)}</span>;
        return (
          <a key={key} href={(part as Inline & { kind: "link" }).to}>
            {part.text}
          </a>
        );
      })}
    </>
  );
}

function StoryPart({ story, runs, version }: { story: Story; runs: Runs; version: Signal<number> }) {
  const { knob } = story,
    [at, setAt] = useState(knob.first),
    [seen, place] = useSeen(),
    known = useRef<(Known | null)[]>(knob.values.map(() => null));
  // All positions run as soon as the story is in view, the nearest first: a drag finds them there.
  useEffect(() => {
    if (!seen) return;
    const near = knob.values.map((value, i) => ({ value, far: Math.abs(i - at) })).sort((a, b) => a.far - b.far);
    runs.want(near.flatMap(({ value }) => story.jobs(value)));
  }, [seen, at]);

  // Read, so that this is drawn again when something has run.
  void version.value;
  knob.values.forEach((value, i) => {
    if (known.current[i]) return;
    const outcomes = runs.outcomes(story.jobs(value));
    if (outcomes) known.current[i] = story.known(outcomes, value);
  });
  const value = knob.values[at] ?? 0,
    summary = known.current[at]?.summary ?? "",
    opens = useMemo(() => story.opens(value), [story, value]);
  return (
    <section class="learn-story" aria-labelledby={story.id} ref={place}>
      <h2 id={story.id}>{story.title}</h2>
      {story.text.map((paragraph) => (
        <p key={paragraph}>
          <Marked text={paragraph} />
        </p>
      ))}
      <figure>
        <label class="learn-knob">
          <span>{knob.name}</span>
          <input
            type="range"
            min={0}
            max={knob.values.length - 1}
            step={1}
            value={at}
            aria-valuetext={knob.say(value)}
            onInput={(event) => {
              setAt(Number(event.currentTarget.value));
            }}
          />
          <span class="learn-value" aria-hidden="true">
            {knob.say(value)}
          </span>
        </label>
        <Figure name={story.title} summary={summary} draw={(width, t) => story.draw(known.current, at, width, t)} />
        <figcaption aria-live="polite">
          {runs.failure === "" ? kept(summary) || "It runs…" : `This could not run here: ${runs.failure}`}
        </figcaption>
      </figure>
      <p>
        <RunLink class="learn-run" of={opens}>
          Open this run ({knob.say(value)})
        </RunLink>
      </p>
    </section>
  );
}

const TERMS = readGlossary(GLOSSARY);

export function Page(props: { runs: Runs; version?: Signal<number>; allocator(): Promise<Allocator> }) {
  const { runs, version = signal(0), allocator } = props;
  return (
    <>
      <div class="learn-head">
        <h1>Learn</h1>
        <p>
          Six short stories of kernels that share a GPU. Each has one figure and one knob. The figures run on your
          computer while you read; no number in them is stored.
        </p>
        <nav aria-label="On this page">
          <ol>
            {STORIES.map((story) => (
              <li key={story.id}>
                <a href={`#${story.id}`}>{story.title}</a>
              </li>
            ))}
          </ol>
          <ul>
            <li>
              <a href="#try">Ten things to try</a>
            </li>
            <li>
              <a href="#algorithm-1">Algorithm 1 with your own numbers</a>
            </li>
            <li>
              <a href="#glossary">Glossary</a>
            </li>
            <li>
              <a href="#checked">How the parts were checked</a>
            </li>
          </ul>
        </nav>
        <p id="learn-keys" class="hidden">
          Arrow keys walk the parts of the figure and say their numbers.
        </p>
      </div>
      {STORIES.map((story) => (
        <StoryPart key={story.id} story={story} runs={runs} version={version} />
      ))}
      <section aria-labelledby="try">
        <h2 id="try">Ten things to try</h2>
        <p>
          Each opens a run that is ready: a quarter of the GPU of the CCBP paper, four SMs, so that it takes seconds. A
          and B run side by side.
        </p>
        <ol class="learn-tries">
          {(TRIES as unknown as readonly Try[]).map((one) => (
            <li key={one.id}>
              <h3>{one.title}</h3>
              <dl>
                <dt>Press</dt>
                <dd>
                  <Marked text={one.press} />
                </dd>
                <dt>Watch</dt>
                <dd>
                  <Marked text={one.watch} />
                </dd>
                <dt>Why</dt>
                <dd>
                  <Marked text={one.why} />
                </dd>
              </dl>
              <p>
                <RunLink
                  class="learn-run"
                  of={one.other ? { experiment: one.experiment, other: one.other } : { experiment: one.experiment }}
                >
                  Open: {one.title}
                </RunLink>
              </p>
            </li>
          ))}
        </ol>
      </section>
      <Algorithm start={allocator} />
      <section aria-labelledby="glossary">
        <h2 id="glossary">Glossary</h2>
        <p>Each term once, with the paper or manual that it comes from.</p>
        <dl class="learn-terms">
          {TERMS.map((term) => (
            <div key={term.id} id={term.id}>
              <dt>{term.name}</dt>
              <dd>
                <Marked text={term.means} />
              </dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  );
}
