// Under the answer: what a scale model is off by, and the way to one and back.
import { useEffect, useState } from "preact/hooks";
import type { Experiment, Problem } from "../types.ts";
import type { RunSide } from "./model.ts";
import { pressed, scaleWords, type Measured } from "./scaled.ts";

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
  const words = scaleWords(sides, measured, sms),
    next = words ? pressed(sides, words) : [],
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
  if (words === null || runs !== asked) return null;
  return (
    <p class="answer-sure">
      {words.says}{" "}
      <button type="button" class="text-button" onClick={() => onPress(words.part)}>
        {words.press}
      </button>
    </p>
  );
}
