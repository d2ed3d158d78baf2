// A part of the experiment as JSON: what is typed is read as soon as it is JSON, and stays as it was typed.
import { useRef, useState } from "preact/hooks";
import { brokenAt, jsonError } from "../model/file.ts";
import { Code } from "./code.tsx";
import { useForm } from "./field.tsx";
import { jsonMarks, jsonNames, jsonSays, type Mark } from "./json.ts";

type Json = Record<string, unknown>;
const READ_AFTER = 350;

function parsed(text: string): Json {
  const value = JSON.parse(text) as unknown;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("an object is wanted: { … }");
  return value as Json;
}

/** Of a text that ends too early, its last letter. */
function brokenMark(text: string, message: string): Mark {
  const from = Math.max(0, Math.min(brokenAt(text), text.length - 1));
  return { from, to: Math.min(from + 1, text.length), message };
}

export function OwnJson(props: {
  id: string;
  label: string;
  path: string;
  /** The record of the format that it is. */
  record: string;
  value: Json;
  put(value: Json): void;
}) {
  const { id, label, path, record, value, put } = props,
    { catalogue, problems } = useForm(),
    timer = useRef(0),
    latest = useRef({ value, put }),
    [draft, setDraft] = useState({ text: "", of: "", wrong: "" });
  latest.current = { value, put };
  // Another value than what was typed comes from elsewhere.
  const mine = draft.of === JSON.stringify(value),
    text = mine ? draft.text : JSON.stringify(value, null, 2),
    wrong = mine ? draft.wrong : "";
  const read = (typed: string): void => {
    const now = JSON.stringify(latest.current.value);
    try {
      const next = parsed(typed),
        of = JSON.stringify(next);
      setDraft({ text: typed, of, wrong: "" });
      if (of !== now) latest.current.put(next);
    } catch (error) {
      setDraft({ text: typed, of: now, wrong: `This is not JSON yet: ${jsonError(error, typed)}` });
    }
  };
  return (
    <div class="own">
      <p class="field-problem" id={`${id}-json`} role="alert" hidden={wrong === ""}>
        {wrong}
      </p>
      <Code
        id={id}
        label={label}
        path={path}
        language="json"
        text={text}
        marks={wrong === "" ? jsonMarks(text, problems.value, path) : [brokenMark(text, wrong)]}
        names={(all, at) => jsonNames(all, at, catalogue, record)}
        says={(all, at) => jsonSays(all, at, catalogue, record)}
        typed={(typed) => {
          setDraft({ text: typed, of: JSON.stringify(value), wrong });
          clearTimeout(timer.current);
          timer.current = window.setTimeout(() => read(typed), READ_AFTER);
        }}
        run={() => read(text)}
      />
    </div>
  );
}
