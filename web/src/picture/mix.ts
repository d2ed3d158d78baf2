// Colours from colours, as #rgb or #rrggbb.

/** A share of one colour on another one. */
export function mix(colour: string, on: string, share: number): string {
  const a = parts(colour),
    b = parts(on);
  return `#${a
    .map((part, i) =>
      Math.round(part * share + (b[i] as number) * (1 - share))
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

/** Red, green and blue of #rgb or #rrggbb. */
function parts(hex: string): number[] {
  const digits = hex.slice(1),
    each = digits.length === 3 ? 1 : 2;
  return [0, 1, 2].map((i) => Number.parseInt(digits.slice(each * i, each * (i + 1)).repeat(3 - each), 16));
}

/** Black or white, what is read better on a colour. */
export function inkOn(colour: string): string {
  const [r = 0, g = 0, b = 0] = parts(colour);
  return 0.3 * r + 0.59 * g + 0.11 * b > 125 ? "#10151b" : "#ffffff";
}
