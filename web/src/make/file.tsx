// Examples to open, and the experiment as a file.
import { painted } from "../parts/palette.ts";
import { errorText } from "../model/format.ts";
import { toast } from "../parts/dialogs.tsx";
import { openFile } from "../model/file.ts";
import { isRecorded } from "../parts/recorded.tsx";
import { isMeasured } from "../silicon/open.ts";
import { isTimeline, openTimeline } from "../timelines/open.ts";
import { isPicture, linkIn } from "../teach/reopen.ts";
import { useForm } from "./field.tsx";
import { Button, OpenFile } from "../parts/widgets.tsx";
import { GALLERY } from "./gallery.ts";
import { copy, type FormState } from "./state.ts";
import type { Experiment } from "../model/types.ts";

export function Examples() {
  const { catalogue, events } = useForm();
  return (
    <>
      <ul class="gallery">
        {GALLERY.map(({ example, title, mark }) => {
          const found = catalogue.experiments.find(({ name }) => name === example);
          return found ? (
            <li key={example}>
              <button
                type="button"
                title={found.title}
                onClick={() => events.open(copy(found.experiment as Experiment))}
              >
                <Drawn mark={mark} />
                {title}
              </button>
            </li>
          ) : null;
        })}
      </ul>
      <p class="field-help">
        <code>corun list experiments</code> has more; their files open here.
      </p>
    </>
  );
}

const Drawn = ({ mark }: { mark: readonly string[] }) => (
  <span class="gallery-mark" aria-hidden="true">
    {mark.map((row, y) => (
      <span key={y}>
        {[...row].map((kernel, x) => (
          <i key={x} style={kernel === "." ? {} : painted(Number(kernel))} />
        ))}
      </span>
    ))}
  </span>
);

/** Opens an experiment's file; what is wrong with it is said beside the buttons, where they are shown. */
export async function take(form: FormState, file: File, all: readonly File[]): Promise<void> {
  if (await isTimeline(file)) {
    form.refused.value = "";
    openTimeline(file, form.catalogue);
    return;
  }
  if (isMeasured(file) || isRecorded(file)) {
    form.refused.value = "";
    if (isMeasured(file)) form.events.measured(file);
    else form.events.recorded(all);
    return;
  }
  try {
    const link = await linkIn(file);
    if (link === null && isPicture(file))
      throw new Error("It is a picture, but none that this page saved: there is no run in it.");
    const experiment = link === null ? await openFile(file, (e) => form.events.validate(e)) : null;
    form.refused.value = "";
    if (experiment) form.events.open(experiment);
    else if (link !== null) form.events.reopen(link);
  } catch (error) {
    form.refused.value = `“${file.name}” cannot be opened. ${errorText(error)}`;
  }
}

export function Files() {
  const form = useForm(),
    { events } = form;
  return (
    <>
      <div class="file-buttons">
        <Button icon="download" id="f-export" press={() => events.exportExperiment()}>
          Save the experiment
        </Button>
        <OpenFile
          id="f-open-file"
          button="f-open"
          accept=".json,application/json,.png,.svg,.csv,.corun,.trace,.traceg,.tracez,.xz,.gz"
          label="An experiment, a picture, a table or a result that was saved here, the CSV of a GPU that was measured, a trace or a recording of a kernel, or a profile of a program"
          take={(file, all) => void take(form, file, all)}
        >
          Open a file
        </OpenFile>
        <Button icon="terminal" id="f-command" press={() => events.copyCommand()}>
          Copy the command
        </Button>
      </div>
      <p
        class="field-problem"
        role="alert"
        hidden={form.refused.value === ""}
        // Where it is not in view, it is said over the page.
        ref={(said) => {
          if (!said || form.refused.value === "") return;
          if (said.checkVisibility()) said.scrollIntoView({ block: "center" });
          else toast(form.refused.value);
        }}
      >
        {form.refused.value}
      </p>
      <p class="field-help">
        Opened here, or dropped anywhere on the page: an experiment, a trace of a kernel, a profile of PyTorch or Nsight
        Systems. Everything stays on this computer: the page sends nothing anywhere.
      </p>
    </>
  );
}
