// A canvas in a Preact view: as wide as what it stands in, drawn with each rendering, and anew where its width or the theme changes.
import type { ComponentProps } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { show } from "./canvas.ts";
import type { Drawing } from "./drawing.ts";
import { onRetheme, theme, type Theme } from "./theme.ts";

interface Props extends ComponentProps<"canvas"> {
  draw(width: number, t: Theme): Drawing;
}

export function Surface({ draw, ...attributes }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null),
    paint = (): void => {
      const width = canvas.current?.parentElement?.clientWidth ?? 0;
      if (canvas.current && width >= 40) show(canvas.current, draw(width, theme()));
    },
    latest = useRef(paint);
  latest.current = paint;
  useEffect(paint);
  useEffect(() => {
    const again = (): void => latest.current(),
      sizes = new ResizeObserver(again),
      forget = onRetheme(again);
    if (canvas.current?.parentElement) sizes.observe(canvas.current.parentElement);
    return () => {
      sizes.disconnect();
      forget();
    };
  }, []);
  return <canvas ref={canvas} role="img" {...attributes} />;
}
