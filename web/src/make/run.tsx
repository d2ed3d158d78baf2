// How the run goes: the orders of warps and CTAs, when it stops, its seed, and what else the format says of it.
import { Field, Group, useForm } from "./field.tsx";
import { ctaOrderEntry, plainFields, stopFields, warpOrderOf } from "./fields.ts";
import { IconButton } from "../parts/widgets.tsx";
import { Param } from "./policy.tsx";

export function Run() {
  const form = useForm(),
    cta = ctaOrderEntry(form);
  return (
    <>
      <Field path="warp_order" />
      {warpOrderOf(form).size !== null && <Field path="warp_order.size" />}
      <Field path="cta_order" />
      {cta?.params.map((param) => (
        <Param key={`${cta.name} ${param.name}`} param={param} path={`cta_order.${param.name}`} />
      ))}
      {stopFields(form).map((path) => (
        <Field key={path} path={path} />
      ))}
      <Field
        path="seed"
        extra={
          <IconButton
            icon="dice"
            id="f-fresh-seed"
            label="A fresh seed"
            press={() => void form.events.freshSeed().then((value) => form.set("seed", value))}
          />
        }
      />
      <Group form={form} name="more" title="More of the run">
        {plainFields(form.catalogue, "Experiment", ["corun", "seed"]).map((path) => (
          <Field key={path} path={path} />
        ))}
      </Group>
    </>
  );
}
