// Examples to open, and the experiment as a file.
import { painted } from "../parts/palette.ts";
import { errorText } from "../model/format.ts";
import { toast } from "../parts/dialogs.tsx";
import { openFile } from "../model/file.ts";
import { isOwn, kindOf, openTimeline } from "../timelines/open.ts";
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

/** Opens a file; what is wrong with an experiment is said beside the buttons, where they are shown. */
export async function take(form: FormState, file: File, all: readonly File[], dropped = false): Promise<void> {
  const kind = await kindOf(file);
  form.refused.value = "";
  if (kind === "timeline") return openTimeline(file, form.catalogue);
  if (kind === "measured") return form.events.measured(file);
  if (kind === "recorded") return form.events.recorded(all);
  if (dropped) form.events.dropped();
  try {
    const link = await linkIn(file);
    if (link === null && isPicture(file))
      throw new Error("It is a picture, but none that this page saved: there is no run in it.");
    if (link === null) form.events.open(await openFile(file, (e) => form.events.validate(e)));
    else form.events.reopen(link);
  } catch (error) {
    if (!(await isOwn(file))) return openTimeline(file, form.catalogue);
    form.refused.value = `“${file.name}” cannot be opened. ${errorText(error)}`;
  }
}

export function Keep() {
  const { events } = useForm();
  return (
    <div class="file-buttons">
      <Button icon="download" id="f-export" press={() => events.exportExperiment()}>
        Save the experiment
      </Button>
      <Button icon="terminal" id="f-command" press={() => events.copyCommand()}>
        Copy the command
      </Button>
    </div>
  );
}

export function Open() {
  const form = useForm();
  return (
    <>
      <div class="file-buttons">
        <OpenFile
          id="f-open-file"
          button="f-open"
          label="An experiment, a picture, a table or a result that was saved here, the CSV of a GPU that was measured, a trace or a recording of a kernel, or a profile of a program"
          take={(file, all) => void take(form, file, all)}
        >
          Open a file
        </OpenFile>
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
