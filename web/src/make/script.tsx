// The program of an own policy: checked while it is typed, run when it is asked to.
import { useEffect, useRef, useState } from "preact/hooks";
import { completionsAt, lineOf } from "../engine/script/complete.ts";
import { fieldOf } from "./fields.ts";
import { Code } from "./code.tsx";
import { Deeds } from "../parts/controls.tsx";
import { useForm } from "./field.tsx";
import { Button, Icon } from "../parts/widgets.tsx";
import type { Mark } from "./json.ts";

const CHECK_AFTER = 350;

/** What a message says of a line, there; of none, nowhere. */
function marksOf(text: string, why: string): Mark[] {
  const line = lineOf(why),
    lines = text.split("\n");
  if (line === null || line > lines.length) return [];
  const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  return [{ from, to: from + (lines[line - 1] ?? "").length, message: why }];
}

export function Script({ path }: { path: string }) {
  const form = useForm(),
    { script, controls } = form.catalogue,
    { value, put, help } = fieldOf(form, path),
    running = typeof value === "string" ? value : "",
    box = useRef<HTMLDivElement>(null),
    [draft, setDraft] = useState({ text: running, of: running }),
    [wrong, setWrong] = useState({ text: "", why: "" }),
    [large, setLarge] = useState(false);
  // What is being typed stays, until another program comes from elsewhere.
  const text = draft.of === running ? draft.text : running,
    failed = form.failed.value?.why ?? "",
    said = form.problems.value.find((one) => one.path.replace(/\[(\d+)\]/, ".$1") === path)?.found ?? failed,
    why = text === running && said !== "" ? said : wrong.text === text ? wrong.why : "";
  useEffect(() => {
    if (text === running) return;
    let old = false;
    const timer = setTimeout(() => {
      const at = path.startsWith("policy.source") ? 0 : Number(path.split(".")[1]),
        other = form.withPolicy(at, (policy) => ({ ...policy, source: text }));
      void form.events.validate(other).then((problems) => {
        const mine = problems.find((one) => one.path.endsWith("source"));
        if (!old) setWrong({ text, why: mine?.found ?? "" });
      });
    }, CHECK_AFTER);
    return () => {
      old = true;
      clearTimeout(timer);
    };
  }, [text, running]);
  useEffect(() => {
    const changed = (): void => setLarge(document.fullscreenElement === box.current);
    document.addEventListener("fullscreenchange", changed);
    return () => document.removeEventListener("fullscreenchange", changed);
  }, []);
  const run = (next = text): void => {
    setDraft({ text: next, of: next });
    put(next);
  };
  const named = (of: readonly { name: string; unit?: string; doc: string }[], before = ""): [string, string][] =>
    of.map(({ name, unit, doc }) => [`${before}${name}`, unit ? `${doc} (${unit})` : doc]);
  return (
    <div class="field">
      <span title={path}>Program</span>
      <p class="field-help">{help}</p>
      <div class="script-box" ref={box}>
        <Deeds
          id="f-script-example"
          label="Start from an example"
          first="Start from an example…"
          options={script.examples.map(({ name, title }) => ({ value: name, text: title }))}
          choose={(name) => run(script.examples.find((one) => one.name === name)?.source)}
        />
        <Code
          id="f-policy-source"
          label="Program"
          path={path}
          language="rhai"
          text={text}
          marks={marksOf(text, why)}
          names={(all, at) => completionsAt(all, at, script, controls)}
          says={() => null}
          typed={(typed) => setDraft({ text: typed, of: running })}
          run={() => run()}
        />
        <p class="field-problem" id="f-policy-source-problem" role="alert" hidden={why === ""}>
          {why.charAt(0).toUpperCase() + why.slice(1)}
        </p>
        <div class="flow">
          <Button primary id="f-run-script" title="Ctrl+Enter" disabled={text === running} press={() => run()}>
            <Icon name="play" />
            Run this script
          </Button>
          <Button
            id="f-large-script"
            press={() => void (large ? document.exitFullscreen() : box.current?.requestFullscreen())}
          >
            {large ? "Done" : "Larger"}
          </Button>
        </div>
        <details class="script-reference">
          <summary>What a script can say</summary>
          <p class="field-help">
            The language is Rhai. A function with one of these names is called; what this.x holds, it keeps from call to
            call; () is no limit, or not known.
          </p>
          <Names
            title="Functions that are called"
            of={script.hooks.map(({ name, params, doc }) => [`fn ${name}(${params.join(", ")})`, doc])}
          />
          <Names
            title="Controls, which it sets"
            of={controls.map(({ key, scope, title, doc }) => [
              `controls.${key}${scope.startsWith("kernel") ? "[k]" : ""}`,
              `${title}: ${doc}`,
            ])}
          />
          <Names
            title="The run and its kernels"
            of={[
              ...named(script.run, "seen."),
              ...named(script.kernel, "seen.kernels[k]."),
              ...named(script.on_sm, "seen.sms[n].kernels[k]."),
            ]}
          />
          <Names title="Counters of a kernel" of={named(script.counters)} />
          <Names title="Functions that it calls" of={script.functions.map(({ call, doc }) => [call, doc])} />
        </details>
      </div>
    </div>
  );
}

const Names = ({ title, of }: { title: string; of: readonly [string, string][] }) => (
  <details>
    <summary>{title}</summary>
    <dl class="script-names">
      {of.map(([name, doc]) => (
        <div key={name}>
          <dt>
            <code>{name}</code>
          </dt>
          <dd>{doc}.</dd>
        </div>
      ))}
    </dl>
  </details>
);
