// Drawings in a Preact view. A canvas is as wide as what it stands in, drawn with each rendering, and anew where its width or the theme changes; an SVG
// is as large as its drawing, and has elements of its own on top.
import type { ComponentProps } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { show } from "./canvas.ts";
import type { Drawing } from "./drawing.ts";
import { inlineSvg } from "./svg.ts";
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

interface DrawnProps extends ComponentProps<"svg"> {
  draw(t: Theme): Drawing;
}
export function Drawn({ draw, children, ...attributes }: DrawnProps) {
  const [, again] = useState(0);
  useEffect(() => onRetheme(() => again((n) => n + 1)), []);
  const drawing = draw(theme()),
    { width, height, font } = drawing;
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: whoever draws it says what it is.
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} font-family={font} {...attributes}>
      {/* Text is escaped there. */}
      <g dangerouslySetInnerHTML={{ __html: inlineSvg(drawing) }} />
      {children}
    </svg>
  );
}
