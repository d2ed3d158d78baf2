// The SMs of the GPU as a bar in parts, one for each kernel, with borders that the pointer drags and arrow keys move. SMs after the last part are idle.
import { kernelStyle } from "../palette.ts";
import { borderOf, rangeOf, smsText } from "./model.ts";

const FAR = 5;

interface Props {
  names: readonly string[];
  sms: number;
  split: readonly number[];
  /** The end of a kernel's part is to be at an SM, or as near as can be. */
  move(kernel: number, to: number): void;
}

export function PartitionBar({ names, sms, split, move }: Props) {
  const idle = sms - borderOf(split, split.length - 1);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has looks of its own.
    <div class="partition" role="group" aria-label="SMs of each kernel">
      {names.map((name, k) => (
        <div
          key={`${k} ${name}`}
          class={`partition-part swatch-${k}`}
          style={{ flexGrow: split[k] ?? 0 }}
          title={`${name}: ${smsText(split[k] ?? 0)}`}
        >
          <b>
            <span class="partition-name">{`${kernelStyle(k).number} ${name} · `}</span>
            <span>{split[k] ?? 0}</span>
          </b>
        </div>
      ))}
      <div class="partition-part partition-idle" style={{ flexGrow: Math.max(0, idle) }} hidden={idle <= 0}>
        <span>{`${idle} idle`}</span>
      </div>
      {names.map((name, k) => (
        <Border key={`${k} ${name}`} kernel={k} {...{ names, sms, split, move }} />
      ))}
    </div>
  );
}

function Border({ kernel, names, sms, split, move }: Props & { kernel: number }) {
  const at = borderOf(split, kernel),
    { least, most } = rangeOf(split, kernel, sms),
    [name = "", next] = names.slice(kernel),
    after = split[kernel + 1];
  return (
    <div
      class="partition-border"
      role="slider"
      tabIndex={0}
      style={{ left: `${(at / sms) * 100}%` }}
      aria-label={next === undefined ? `End of ${name}'s SMs` : `Border between ${name} and ${next}`}
      aria-orientation="horizontal"
      aria-valuemin={least}
      aria-valuemax={Math.max(least, most)}
      aria-valuenow={at}
      aria-valuetext={`${name} ${smsText(split[kernel] ?? 0)}, ${after === undefined ? `${sms - at} idle` : `${next ?? ""} ${smsText(after)}`}`}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -FAR, PageUp: FAR }[event.key],
          to = by === undefined ? { Home: 0, End: sms }[event.key] : at + by;
        if (event.ctrlKey || event.metaKey || event.altKey || to === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        move(kernel, to);
      }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        event.currentTarget.focus();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={({ currentTarget, pointerId, clientX }) => {
        if (!currentTarget.hasPointerCapture(pointerId)) return;
        const { left = 0, width = 1 } = currentTarget.parentElement?.getBoundingClientRect() ?? {};
        move(kernel, ((clientX - left) / width) * sms);
      }}
    />
  );
}
