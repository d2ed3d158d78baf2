// Under the answer: what a scale model is off by, and the way to one and back.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Experiment, Problem } from "../model/types.ts";
import type { RunSide } from "../model/model.ts";
import { pressed, scaleWords, type Measured, type ScaleWords } from "../model/scaled.ts";

export function ScaleLine(props: {
  sides: readonly RunSide[];
  measured: readonly Measured[];
  /** SMs of the whole. */
  sms: number;
  /** What the engine has against an experiment. */
  validate(experiment: Experiment): Promise<readonly Problem[]>;
  onPress(part: string): void;
}) {
  const { sides, measured, sms, validate, onPress } = props;
  const said = scaleWords(sides, measured, sms),
    next = said ? pressed(sides, said) : [],
    asked = JSON.stringify(next);
  // What cannot be scaled is not offered.
  const [runs, setRuns] = useState("");
  useEffect(() => {
    let current = true;
    if (next.length > 0)
      void Promise.all(next.map(validate)).then((problems) => {
        if (current) setRuns(problems.flat().length === 0 ? asked : "");
      });
    return () => {
      current = false;
    };
  }, [asked]);
  // Its room is there before it may be offered, and stays until another experiment: nothing below moves.
  const of = JSON.stringify(sides.map(({ experiment }) => experiment)),
    before = useRef<{ of: string; words: ScaleWords } | null>(null);
  if (said) before.current = { of, words: said };
  const words = said ?? (before.current?.of === of ? before.current.words : null);
  if (words === null) return null;
  return (
    <p class="answer-sure scale-line" data-offered={(said !== null && runs === asked) || undefined}>
      {words.says}{" "}
      <button type="button" class="text-button" onClick={() => onPress(words.part)}>
        {words.press}
      </button>
    </p>
  );
}
