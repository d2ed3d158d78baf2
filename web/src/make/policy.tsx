// How the kernels share the GPU: a policy, or several in turn, each with the parameters that its description names.
import { policyEntry, scheme } from "../model/choices.ts";
import { presetsOf, shapeOf } from "../model/vendors.ts";
import type { PolicyChoice, PolicyParam } from "../model/types.ts";
import { Deeds } from "../parts/controls.tsx";
import { Field, PerKernel, Said, useForm } from "./field.tsx";
import { policyOptions, sentence } from "./fields.ts";
import { mostOf } from "../model/shape.ts";
import { Button, Moves, Source } from "../parts/widgets.tsx";
import { Script } from "./script.tsx";
import { copy } from "./state.ts";

export function Policies() {
  const form = useForm(),
    { catalogue, policies, now } = form,
    names = policies.map(({ name }) => policyEntry(catalogue, name)?.name ?? name),
    others = policyOptions(catalogue).filter(({ value }) => !names.includes(value)),
    begin = (name: string): PolicyChoice => scheme(catalogue, name, now.kernels.length);
  return (
    <>
      {Array.isArray(now.policy) ? (
        <ol class="mix">
          {policies.map((_, i) => (
            <li key={i} class="mix-item">
              <Policy at={i} path={`policy.${i}`} />
              <Said path={`policy.${i}`} />
            </li>
          ))}
        </ol>
      ) : (
        <Policy at={0} path="policy" />
      )}
      {policies.length < mostOf(catalogue, "policy") && (
        <Deeds
          id="f-add-policy"
          label="Add a policy, which acts after the others"
          first="Add a policy…"
          options={others}
          choose={(name) => form.set("policy", [...policies.map(copy), begin(name)])}
        />
      )}
      <Said path="policy" />
      <Vendors />
    </>
  );
}

function Policy({ at: i, path }: { at: number; path: string }) {
  const form = useForm(),
    { catalogue, events, policies } = form,
    entry = policyEntry(catalogue, policies[i]?.name ?? "");
  const edit = (change: (list: PolicyChoice[]) => void): void => {
    const list = policies.map(copy);
    change(list);
    form.set("policy", list.length === 1 ? list[0] : list);
  };
  const moves = path !== "policy" && (
    <Moves
      name={entry?.name ?? ""}
      at={i}
      of={policies.length}
      ids="f-policy-"
      move={(by) => edit((list) => list.splice(i + by, 0, ...list.splice(i, 1)))}
      remove={() => {
        edit((list) => list.splice(i, 1));
        document.getElementById("f-add-policy")?.focus();
      }}
    />
  );
  return (
    <>
      <Field path={`${path}.name`} hiddenLabel extra={moves} />
      {entry && (
        <>
          <Button
            class="policy-about"
            id={i === 0 ? "f-about-policy" : `f-about-policy-${i}`}
            press={() => events.about(entry)}
          >
            About, and cite
          </Button>
          <p class="field-help">
            {sentence(entry.doc)}
            <Source of={sentence(entry.source)} />
          </p>
          {entry.params.map((param) => (
            <Param key={`${entry.name} ${param.name}`} param={param} path={`${path}.${param.name}`} />
          ))}
        </>
      )}
    </>
  );
}

/** A parameter of a policy, or of a CTA order. */
export function Param({ param, path }: { param: PolicyParam; path: string }) {
  if (param.kind === "record") return <Controls path={path} />;
  if (param.kind === "text") return <Script path={path} />;
  return param.kind.startsWith("per_kernel_") ? <PerKernel path={path} /> : <Field path={path} />;
}

/** The controls that the manual policy sets. */
function Controls({ path }: { path: string }) {
  const { controls } = useForm().catalogue,
    byKernel = controls.filter(({ scope }) => scope.startsWith("kernel"));
  return (
    <div class="section-body" data-path={path}>
      {byKernel.map(({ key }) => (
        <PerKernel key={key} path={`${path}.${key}`} />
      ))}
      {controls.map((one) => !byKernel.includes(one) && <Field key={one.key} path={`${path}.${one.key}`} />)}
    </div>
  );
}

/** Settings in the words of vendors, and what of the present one is an assumption. */
/** What the policy is in vendors' words. */
function Vendors() {
  const form = useForm(),
    mine = presetsOf(form.now, shapeOf(form.catalogue, form.now.gpu ?? form.preset())),
    [first] = mine;
  return first ? (
    <p class="field-help vendor-note">
      <b>{mine.map(({ group, title }) => `${group}: ${title}`).join("; or ")}.</b> {first.note} This is a modelling
      assumption, not validated hardware.
    </p>
  ) : null;
}
