// The figure of a story: a canvas with its sentence below. The arrow keys walk its parts, which is its one stop for the Tab key.
import { useRef, useState } from "preact/hooks";
import type { Drawing } from "../picture/drawing.ts";
import { Surface } from "../picture/surface.tsx";
import type { Theme } from "../picture/theme.ts";

interface Props {
  name: string;
  /** In a sentence; empty until something is known. */
  summary: string;
  draw(width: number, t: Theme): Drawing;
}

export function Figure({ name, summary, draw }: Props) {
  const drawing = useRef<Drawing | null>(null),
    [spot, setSpot] = useState<string | null>(null);

  const walk = (event: KeyboardEvent): void => {
    const spots = drawing.current?.spots ?? [],
      at = spots.findIndex((one) => one.id === spot),
      to = {
        ArrowRight: at + 1,
        ArrowDown: at + 1,
        ArrowLeft: at - 1,
        ArrowUp: at - 1,
        Home: 0,
        End: spots.length - 1,
      }[event.key];
    if (event.key === "Escape") setSpot(null);
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    setSpot(spots[Math.max(0, Math.min(spots.length - 1, to))]?.id ?? null);
  };
  const point = (event: PointerEvent): void => {
    setSpot(drawing.current?.spotAt(event.offsetX, event.offsetY)?.id ?? null);
  };
  const found = drawing.current?.spots.find((one) => one.id === spot) ?? null;
  return (
    <>
      <div class="learn-stage">
        <Surface
          draw={(width, t) => (drawing.current = draw(width, t))}
          tabIndex={0}
          aria-label={`${name}. ${summary}`}
          aria-describedby="learn-keys"
          onKeyDown={walk}
          onBlur={() => {
            setSpot(null);
          }}
          onPointerMove={point}
          onPointerLeave={() => {
            setSpot(null);
          }}
        />
        {found && (
          <div
            class="learn-ring"
            aria-hidden="true"
            style={{
              left: `${found.x - 2}px`,
              top: `${found.y - 2}px`,
              width: `${found.w + 4}px`,
              height: `${found.h + 4}px`,
            }}
          />
        )}
      </div>
      <p class="learn-spot" role="status">
        {found?.text() ?? ""}
      </p>
    </>
  );
}
