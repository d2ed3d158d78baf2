// The GPU: a preset, and what differs from it.
import {
  baselineOf,
  besideText,
  changesOf,
  emptyClasses,
  isClassName,
  MOST_CLASSES,
  STORAGE,
  storageOf,
  withClass,
  withFilled,
  withName,
  withoutClass,
  type SmClass,
} from "../model/classes.ts";
import { toast } from "../parts/dialogs.tsx";
import { byName, gpuTitle } from "../model/titles.ts";
import type { GpuChoice } from "../model/types.ts";
import { Text } from "../parts/controls.tsx";
import { Field, Group, useForm } from "./field.tsx";
import { fieldOf, sentence } from "./fields.ts";
import { Button, IconButton, Source, Table } from "../parts/widgets.tsx";
import { OwnJson } from "./own.tsx";
import { gpuGroup } from "./state.ts";

const GROUPS = byName({
  "": "Clocks",
  sm: "SMs",
  "sm.l1": "L1 data cache",
  noc: "Network (NoC)",
  l2: "L2 cache",
  dram: "DRAM",
  "dram.timing": "DRAM timings",
});

/** The GPU as the form has it: its preset, what differs, its classes, and how to set it. */
function useGpu() {
  const form = useForm(),
    fields = form.catalogue.gpu_fields,
    preset = form.preset(),
    changes = changesOf(form.now.gpu);
  const set = (gpu: GpuChoice): void => form.set("gpu", gpu);
  return { form, fields, preset, changes, classes: form.classes.value, shown: form.gpuFields.value, set };
}

export function Gpu() {
  const { form, preset, classes, shown, set } = useGpu(),
    entry = form.catalogue.gpus.find(({ name }) => name === preset),
    groups = new Set(shown.map(({ path }) => gpuGroup(path)));
  return (
    <>
      <Field path="gpu" hiddenLabel />
      {entry && (
        <p class="field-help">
          {sentence(entry.doc)}
          <Source of={sentence(entry.source)} />
        </p>
      )}
      {classes.length > 1 && <Storage />}
      {classes.length > 0 && <AddClass />}
      {[...groups].map((group) => (
        <Part key={group} group={group} />
      ))}
      <Group form={form} name="gpu-json" title="As JSON">
        {form.opened.value.has("gpu-json") && (
          <OwnJson
            id="f-gpu-json"
            label="The GPU as JSON"
            path="gpu"
            record="GpuChange"
            value={typeof form.now.gpu === "object" ? form.now.gpu : { preset }}
            put={(value) => set(value as GpuChoice)}
          />
        )}
      </Group>
    </>
  );
}

/** The fields of a part of the machine, or of a class of SMs. */
function Part({ group }: { group: string }) {
  const { form, changes, classes, shown } = useGpu(),
    mine = shown.filter(({ path }) => gpuGroup(path) === group),
    changed = mine.filter(({ path }) => changes[path] !== undefined).length,
    of = classes.length > 1 ? classes.find(({ name }) => group === `sm.${name}`) : undefined;
  const title = of
    ? `SM class ${of.name}: ${form.gpuValue(`sm.${of.name}.count`) ?? 0} SMs`
    : (GROUPS.get(group) ?? gpuTitle(group));
  return (
    <Group form={form} name={group} title={title} badge={changed === 0 ? "" : `${changed} changed`}>
      {of && <ClassTools of={of} />}
      {mine.map(({ path }) => {
        const { label, changed, put } = fieldOf(form, `gpu.${path}`);
        const reset = (
          <IconButton
            icon="reset"
            class={changed ? "small" : "small invisible"}
            label={`Back to the preset's ${label}`}
            title="Back to the preset's value"
            disabled={!changed}
            press={() => put(undefined)}
          />
        );
        return <Field key={path} path={`gpu.${path}`} extra={reset} />;
      })}
    </Group>
  );
}

// ---------------------------------------------------------------- classes of SMs

function AddClass() {
  const { form, fields, preset, changes, classes, set } = useGpu();
  return (
    <Button
      icon="plus"
      id="f-class-add"
      disabled={classes.length >= MOST_CLASSES}
      title="Half of the SMs of the first class become a class of their own"
      press={() => {
        const taken = (one: string): boolean => classes.some(({ name }) => name === one),
          name = ["small", "big", "other"].find((one) => !taken(one)) ?? `class-${classes.length + 1}`;
        form.open(`sm.${name}`, true);
        set(withClass(fields, preset, changes, name));
      }}
    >
      Add a class of SMs
    </Button>
  );
}

/** What all SMs hold together: classes that take as much as equal SMs take the same area. */
function Storage() {
  const { fields, preset, changes } = useGpu(),
    baseline = baselineOf(fields, preset),
    have = storageOf(fields, preset, changes),
    want = storageOf(fields, baseline, {}),
    number = (value = 0): string => value.toLocaleString("en", { maximumFractionDigits: 1 });
  return (
    <>
      <Table
        label="Storage for threads, of all SMs together"
        class="storage"
        head={[{ title: "All SMs hold" }, ...["now", baseline, "more"].map((title) => ({ title, num: true }))]}
        bodies={[
          {
            rows: STORAGE.map(({ title }, i) => ({
              name: title,
              cells: [number(have[i]), number(want[i]), besideText(have[i] ?? 0, want[i] ?? 0)],
            })),
          },
        ]}
      />
      <p class="field-help">Classes that hold as much together as equal SMs take the same area.</p>
    </>
  );
}

/** Of one class: its name and its end, if it was added, and a size that takes what the others leave. */
function ClassTools({ of: { name, own } }: { of: SmClass }) {
  const { form, fields, preset, changes, classes, set } = useGpu();
  const rename = (typed: string): void => {
    const to = typed.trim();
    if (to === name) return;
    if (!isClassName(to) || classes.some((one) => one.name === to)) {
      toast("A class's name is a word of letters, digits, - and _, and no other class has it: it is as it was.");
      return;
    }
    form.open(`sm.${to}`, true);
    set({ preset, ...withName(changes, name, to) });
  };
  return (
    <div class="class-tools">
      {!own && (
        <Text
          at={{ id: `f-class-name-${name}`, "aria-label": `Name of the class ${name}` }}
          value={name}
          maxLength={40}
          put={rename}
        />
      )}
      {!emptyClasses(fields, preset, changes).includes(name) && (
        <Button
          id={`f-class-fill-${name}`}
          title={`Registers, shared memory, threads and CTA slots that the other classes leave of ${baselineOf(fields, preset)}`}
          press={() => set(withFilled(fields, preset, changes, name))}
        >
          Fill up
        </Button>
      )}
      {!own && (
        <IconButton
          icon="close"
          id={`f-class-remove-${name}`}
          label={`Remove the class ${name}`}
          title="Its SMs go back to the first class"
          press={() => {
            set(withoutClass(fields, preset, changes, name));
            document.getElementById("f-class-add")?.focus();
          }}
        />
      )}
    </div>
  );
}
