// The mix: each kernel with what is said of it beside.
import { changesOf, emptyClasses } from "../model/classes.ts";
import { eachPerKernel, kernelEntry, kernelLabels, kernelName, ownBody, withBody } from "../model/choices.ts";
import { goalOf } from "../model/goal.ts";
import { limitedClasses, limitOf } from "../model/limits.ts";
import { oneLess, oneMore } from "../model/mix.ts";
import type { KernelChoice } from "../model/types.ts";
import { Control, Field, Group, Said, useForm } from "./field.tsx";
import { fieldOf, plainFields } from "./fields.ts";
import { mostOf } from "../model/shape.ts";
import { Button, Moves, Swatch, What } from "../parts/widgets.tsx";
import { OwnJson } from "./own.tsx";

export function Kernels() {
  const form = useForm(),
    { catalogue, now } = form,
    { kernels } = now,
    labels = kernelLabels(kernels);
  const most = mostOf(catalogue, "kernels"),
    used = new Set(kernels.map((choice) => kernelEntry(catalogue, kernelName(choice)))),
    next = catalogue.kernels.find((kernel) => !used.has(kernel)) ?? catalogue.kernels[0];
  return (
    <>
      <ol class="mix">
        {kernels.map((choice, i) => (
          <Kernel key={i} choice={choice} at={i} name={labels[i] ?? ""} />
        ))}
      </ol>
      {kernels.length === 0 && <p class="field-help">No kernel yet. Add one to have something to run.</p>}
      <div class="add-row">
        <Button
          icon="plus"
          id="f-add-kernel"
          data-path="kernels"
          disabled={kernels.length >= most || !next}
          press={() => form.edit(oneMore(catalogue, next?.name ?? ""))}
        >
          Add a kernel
        </Button>
      </div>
      <Said path="kernels" />
    </>
  );
}

function Kernel({ choice, at: i, name }: { choice: KernelChoice; at: number; name: string }) {
  const form = useForm(),
    { catalogue, now } = form,
    fields = catalogue.gpu_fields,
    path = `kernels.${i}`;
  const own = ownBody(choice),
    entry = own ? undefined : kernelEntry(catalogue, kernelName(choice)),
    goal = goalOf(typeof choice === "object" ? choice["qos"] : undefined);
  const gone = emptyClasses(fields, form.preset(), changesOf(now.gpu)),
    classes = form.classes.value.flatMap(({ name }) => (gone.includes(name) ? [] : [name]));
  const move = (by: number) => (values: unknown[]) => {
    [values[i], values[i + by]] = [values[i + by], values[i]];
  };
  return (
    <li class="mix-item">
      <div class="mix-head">
        <Swatch kernel={i} />
        <Control path={path} label={`Kernel ${i + 1}`} />
        <Moves
          name={name}
          at={i}
          of={now.kernels.length}
          ids="f-"
          move={(by) =>
            form.edit((e) => {
              move(by)(e.kernels);
              eachPerKernel(catalogue, e, move(by));
            })
          }
          remove={() => {
            form.edit(oneLess(catalogue, i));
            document.getElementById("f-add-kernel")?.focus();
          }}
        />
      </div>
      {["", ...limitedClasses(limitOf(choice), classes).map((one) => `.${one}`)].map((one) => (
        <Field key={one} path={`${path}.ctas_per_sm${one}`} />
      ))}
      <div class="field goal">
        <label for={`f-kernels-${i}-qos`} title={`${path}.qos`}>
          Goal
        </label>
        <Control path={`${path}.qos`} />
        <Said path={`${path}.qos`} />
        {goal && (
          <div class="goal-amount">
            <Control key={goal.kind} path={`${path}.goal`} label={fieldOf(form, `${path}.goal`).label} />
            <span class="unit">{fieldOf(form, `${path}.goal`).unit}</span>
          </div>
        )}
      </div>
      {own && (
        <OwnJson
          id={`f-own-${i}`}
          label={`Kernel ${i + 1} as JSON`}
          path={path}
          record="Kernel"
          value={own}
          put={(body) =>
            form.edit((e) => {
              e.kernels[i] = withBody(e.kernels[i] ?? "", body);
            })
          }
        />
      )}
      {entry && (
        <p class="field-help">
          {entry.threads} threads, {entry.registers} registers a thread, {entry.shared_bytes.toLocaleString("en")} B
          shared.{" "}
          <What title={entry.title || entry.name}>
            <p>{entry.doc}</p>
            {entry.source !== "" && <p class="source">Source: {entry.source}</p>}
          </What>
        </p>
      )}
      <p class="field-help fits">{form.fits.value[i] ?? ""}</p>
      <Group form={form} name={`more-${i}`} title="More of this kernel">
        {plainFields(catalogue, "KernelUse", []).map((key) => (
          <Field key={key} path={`${path}.${key}`} />
        ))}
      </Group>
      <Said path={path} />
    </li>
  );
}
