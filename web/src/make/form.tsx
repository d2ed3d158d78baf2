// The experiment as a form.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { fieldFor } from "../model/format.ts";
import { Form, useForm } from "./field.tsx";
import { Examples, Keep, Open } from "./file.tsx";
import { Gpu } from "./gpu.tsx";
import { Kernels } from "./kernels.tsx";
import { Policies } from "./policy.tsx";
import { Run } from "./run.tsx";
import { placed, type FormState } from "./state.ts";

export const ExperimentForm = ({ form }: { form: FormState }) => (
  <Form.Provider value={form}>
    <Whole />
  </Form.Provider>
);

function Whole() {
  const form = useForm(),
    parts = useRef<HTMLDivElement>(null),
    problems = form.problems.value,
    seen = form.seen.value;
  // Which fields there are follows from the experiment, and what the engine has filled in.
  useLayoutEffect(() => {
    const next = placed(problems, [...fields(parts.current).keys()]);
    if (JSON.stringify([...next]) !== JSON.stringify([...form.placed.peek()])) form.placed.value = next;
  }, [problems, seen, form.experiment.value, form.normal.value]);
  if (!seen) return null;
  return (
    <>
      <Sides />
      <Summary fields={() => fields(parts.current)} />
      <div ref={parts}>
        <Section name="file" label="Files">
          <Open />
        </Section>
        {form.experiment.value !== null && (
          <>
            <Section name="examples" label="Examples">
              <Examples />
            </Section>
            <Section name="kernels" title="Kernels">
              <Kernels />
            </Section>
            <Section name="gpu" title="GPU">
              <Gpu />
            </Section>
            <Section name="policy" title="Sharing policy">
              <Policies />
            </Section>
            <Section name="run" title="Run">
              <Run />
            </Section>
            <Section name="keep" title="Take it with you">
              <Keep />
            </Section>
          </>
        )}
      </div>
    </>
  );
}

const Section = (props: { name: string; title?: string; label?: string; children: ComponentChildren }) => (
  <section class={`editor-section section-${props.name}`} aria-label={props.title ?? props.label}>
    {props.title && <h2>{props.title}</h2>}
    <div class="section-body">{props.children}</div>
  </section>
);

const CONTROLS = "input, select, textarea, button, [contenteditable]";
/** The elements that edit a path, or have the fields of one, by their paths. */
function fields(within: HTMLElement | null): Map<string, HTMLElement> {
  const all = [...(within?.querySelectorAll<HTMLElement>("[data-path]") ?? [])];
  return new Map(all.map((one): [string, HTMLElement] => [one.dataset["path"] ?? "", one]));
}

/** Leads to what edits a path, in groups that may be closed. */
function lead(there: ReadonlyMap<string, HTMLElement>, path: string): void {
  const field = there.get(fieldFor(path, there.keys()) ?? "");
  for (let group = field?.closest("details"); group; group = group.parentElement?.closest("details")) group.open = true;
  // An editor of code has its text in a root of its own, and passes the focus on once it is there.
  const control = field?.matches(CONTROLS) ? field : (field?.shadowRoot ?? field)?.querySelector<HTMLElement>(CONTROLS);
  (control ?? field)?.focus();
}
export const leadTo = (form: HTMLElement, path: string): void => lead(fields(form), path);

/** Which of two experiments is edited. */
function Sides() {
  const { sides, side, events } = useForm();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a frame
    <div class="side-tabs" role="group" aria-label="Which experiment is edited" hidden={sides.value.length === 0}>
      {sides.value.map((title, i) => (
        <button key={i} type="button" class="side-tab" aria-pressed={i === side.value} onClick={() => events.edit(i)}>
          <b class="side-mark">{"AB"[i]}</b>
          <span>Edit {"AB"[i]}</span>
          <span class="side-tab-title">{title}</span>
        </button>
      ))}
    </div>
  );
}

/** All problems, each with the way to its field. */
function Summary({ fields }: { fields(): Map<string, HTMLElement> }) {
  const { problems, placed, normal } = useForm(),
    all = problems.value;
  return (
    <div class="problems" role="alert" hidden={all.length === 0}>
      {all.length > 0 && (
        <>
          <h2>{all.length === 1 ? "One problem" : `${all.length} problems`}</h2>
          <ul>
            {all.map(({ path, found, want }, i) => {
              const name = path || "experiment",
                text = `: found ${found}, want ${want}`;
              return (
                <li key={i}>
                  {fieldFor(path, placed.value.keys()) === null ? (
                    <b>{name}</b>
                  ) : (
                    // biome-ignore lint/a11y/useValidAnchor: it leads to the field, beyond its closed group
                    <a
                      href="#editor"
                      onClick={(event) => {
                        event.preventDefault();
                        lead(fields(), path);
                      }}
                    >
                      {name}
                    </a>
                  )}
                  {text}
                </li>
              );
            })}
          </ul>
          <p>
            {normal.value
              ? "The page still shows the last experiment that worked."
              : "There is nothing to show until this is put right."}
          </p>
        </>
      )}
    </div>
  );
}
