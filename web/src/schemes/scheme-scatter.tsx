// Two kernels' slowdowns against each other, both logarithmic: a dot for schemes that behave alike, with intervals where they are asked for, and the diagonal of
// equal slowdowns.
import { Drawing, textWidth, fitText } from "../picture/drawing.ts";
import { below, rules, titles, type Box } from "../picture/marks.ts";
import { Drawn } from "../picture/surface.tsx";
import type { Theme } from "../picture/theme.ts";
import { fixed } from "../model/format.ts";
import type { SchemeAnswer } from "../model/model.ts";
import { type Anchor, type Axis, axisOf, commonName, placeNames, type SchemePoint, within } from "./scheme-points.ts";

export interface Place {
  x: number;
  y: number;
  r: number;
}

const TOP = 10,
  RIGHT = 14,
  LEFT = 44,
  BOTTOM = 38;
const SIZE = 11;
/** How much wider a text is in heavier letters. */
const HEAVY = 1.12;
/** Halves of a dot, of one for many, and of a side's mark. */
const MARK = 4,
  MANY = 7,
  SIDE = 8;
/** A finger's width, halved. */
const REACH = 22;
const times = (value: number): string => `${value < 1 ? fixed(value, 1) : fixed(value, 0)}×`;

/** So far apart two dots do not touch. */
const APART = 15;
/** Schemes at one dot differ by at most this part in the slowdown of any kernel. */
const ALIKE = 0.05;
/** So many places round a dot's own are tried, a turn for each pixel away. */
const TURNS = 16,
  STEPS = 64 * TURNS;
/** More names than these are not read. */
const NAMES = 8;
const LONGEST = 118;

/** Schemes in one place: one dot. */
interface Dot {
  point: SchemePoint;
  place: Place;
  /** Beyond the edge to the right, and above. */
  beyond: [boolean, boolean];
  cross: { x1: number; x2: number; y1: number; y2: number } | null;
  name: string;
  box: Box | null;
}

/** As it is called in a picture: without what explains it. A number that is cut would be another one. */
const short = ({ scheme }: SchemeAnswer): string =>
  fitText(scheme.split(": ")[0] ?? "", SIZE, LONGEST).replace(/[\s+(-]*[\d.,]*…$/, "…");

/** A point that stands for others, too. */
function joined(point: SchemePoint, other: SchemePoint): SchemePoint {
  const answers = [...point.answers, ...other.answers];
  return { ...point, answers, name: commonName(answers.map(({ scheme }) => scheme)) };
}

/** Puts a dot that covers another, or is covered, in the nearest place where at least half of both shows, and all of what is at the edge; A and B stay. */
function uncover(dots: readonly Dot[], room: Box): void {
  const placed: Dot[] = [];
  for (const dot of dots) {
    const { point, place } = dot,
      { x, y, r } = place,
      far = dot.beyond.includes(true);
    const free = (): boolean =>
      placed.every(
        ({ place: other, beyond }) =>
          Math.hypot(place.x - other.x, place.y - other.y) >=
          (far && beyond.includes(true) ? r + other.r : Math.max(r, other.r)),
      );
    for (let step = 1; point.marks === "" && !free() && step < STEPS; step += 1) {
      const away = Math.ceil(step / TURNS),
        turn = (2 * Math.PI * step) / TURNS;
      place.x = Math.min(room.x + room.w - r, Math.max(room.x, x + away * Math.cos(turn)));
      place.y = Math.min(room.y + room.h, Math.max(room.y + r, y + away * Math.sin(turn)));
    }
    placed.push(dot);
  }
}

/** How many more schemes there are at a dot than those that it names. */
const others = ({ answers, marks }: SchemePoint): number => answers.length - Math.max(1, marks.length);

/** Where everything stands. `first`: a point that has a name, whatever there is beside it. */
export function scatterOf(points: readonly SchemePoint[], first: SchemePoint | null, width: number, height: number) {
  const axis = (k: number): Axis =>
    axisOf(
      points.map((p) => p.slowdowns[k] as number),
      points.flatMap((p) => (p.marks === "" ? [] : [p.slowdowns[k] as number])),
    );
  const across = axis(0),
    up = axis(1);
  const room: Box = { x: LEFT, y: TOP, w: width - LEFT - RIGHT, h: height - TOP - BOTTOM };
  const toX = (value: number): number => room.x + room.w * across.at(value),
    toY = (value: number): number => room.y + room.h * (1 - up.at(value));

  // A and B have their places; who is near one of them, or a better one, and behaves alike is at its dot.
  const dots: Dot[] = [];
  const order = [...points].sort((a, b) => Number(b.marks !== "") - Number(a.marks !== ""));
  for (const point of order) {
    const [sx = 1, sy = 1] = point.slowdowns,
      beyond: Dot["beyond"] = [sx > across.to, sy > up.to],
      r = point.marks !== "" ? SIDE : point.answers.length > 1 ? MANY : MARK;
    // At the edge it is inside.
    const x = beyond[0] ? room.x + room.w - r : toX(sx),
      y = beyond[1] ? room.y + r : toY(sy);
    const near = dots.find(
      (dot) =>
        !(dot.point.marks !== "" && point.marks !== "") &&
        Math.hypot(dot.place.x - x, dot.place.y - y) < APART + dot.place.r - MARK &&
        within(ALIKE, dot.point.slowdowns, point.slowdowns),
    );
    if (near) {
      near.point = joined(near.point, point);
      if (near.point.marks === "") near.place.r = MANY;
      continue;
    }
    const [ex = null, ey = null] = point.ends;
    const cross =
      beyond.includes(true) || !ex || !ey ? null : { x1: toX(ex[0]), x2: toX(ex[1]), y1: toY(ey[1]), y2: toY(ey[0]) };
    // A and B side by side, where they would cover each other.
    const twin =
      point.marks === "" ? undefined : dots.find(({ place }) => Math.hypot(place.x - x, place.y - y) < 2 * SIDE);
    const place = twin ? { x: twin.place.x + (x < twin.place.x ? -2 : 2) * SIDE, y: twin.place.y, r } : { x, y, r };
    dots.push({ point, place, beyond, cross, name: "", box: null });
  }
  uncover(dots, room);
  for (const dot of dots) {
    const { point, beyond } = dot,
      more = others(point),
      far = more > 0 ? [] : point.slowdowns.filter((_, k) => beyond[k]);
    dot.name = [
      point.answers.slice(0, Math.max(1, point.marks.length)).map(short).join(", "),
      ...(more > 0 && point.marks !== "" ? [`+${more}`] : []),
      ...far.map((v) => (Number.isFinite(v) ? times(v) : "∞")),
    ].join(" ");
  }
  const rank = ({ point, beyond }: Dot): number =>
    point.marks !== "" ? 0 : point === first ? 1 : beyond.includes(true) ? 4 : point.answers.length > 1 ? 2 : 3;
  const named = [...dots].sort((a, b) => rank(a) - rank(b));
  const end = Math.min(across.to, up.to),
    start = Math.max(across.from, up.from);
  const fair = { x1: toX(start), y1: toY(start), x2: toX(end), y2: toY(end) };
  const boxes = placeNames(
    named.map(
      ({ place, point, name }): Anchor => ({
        ...place,
        w: (point.marks === "" ? 1 : HEAVY) * textWidth(name, SIZE),
        h: 13,
        must: point.marks !== "" || point === first,
      }),
    ),
    NAMES,
    dots.map(({ place: { x, y, r } }): Box => ({ x: x - r, y: y - r, w: 2 * r, h: 2 * r })),
    room,
  );
  named.forEach((dot, i) => {
    dot.box = boxes[i] ?? null;
  });
  return { across, up, room, toX, toY, dots, fair };
}

type Scatter = ReturnType<typeof scatterOf>;

/** Which point is meant by a place. */
export function pointAt(places: readonly Place[], x: number, y: number): number | null {
  let found: number | null = null,
    least = REACH;
  places.forEach((place, i) => {
    const far = Math.hypot(place.x - x, place.y - y);
    if (far < least) {
      least = far;
      found = i;
    }
  });
  return found;
}

/** What the options say by themselves. */
const UNSAID = { "aria-hidden": true } as const;

/** What options stand on: the axes, the diagonal, and the intervals of A, B and who is meant. */
function drawGrid(
  { room, across, up, fair, dots }: Scatter,
  [first = "", second = ""]: readonly string[],
  width: number,
  height: number,
  active: number | null,
  t: Theme,
): Drawing {
  const d = new Drawing(width, height, t.surface, t.font, t.mono),
    plot = { ...room, up };
  rules(d, plot, t, { say: times });
  below(d, plot, across, t, { say: times, rise: true });
  titles(d, plot, `${first} slower than alone`, `${second} slower than alone`, t);
  d.line(fair.x1, fair.y1, fair.x2, fair.y2, t.peak, 1, [3, 4]);
  dots.forEach(({ point, cross, place: { x, y } }, i) => {
    if (!cross || (point.marks === "" && i !== active)) return;
    const colour = i === active ? t.ink : t.accent;
    d.line(cross.x1, y, cross.x2, y, colour);
    d.line(x, cross.y1, x, cross.y2, colour);
  });
  return d;
}

interface Props {
  scatter: Scatter;
  kernels: readonly string[];
  width: number;
  height: number;
  active: number | null;
  optionId(i: number): string;
  spoken(point: SchemePoint): string;
}

export function SchemeScatter({ scatter, kernels, width, height, active, optionId, spoken }: Props) {
  const { dots } = scatter;
  return (
    <Drawn draw={(t) => drawGrid(scatter, kernels, width, height, active, t)} role="presentation">
      {dots.map(({ point, place, beyond, name, box }, i) => (
        <g
          key={point.answers[0]?.scheme}
          id={optionId(i)}
          role="option"
          aria-selected={point.marks.includes("B")}
          aria-label={spoken(point)}
          class={`point ${point.marks} ${point.learning === "" ? "" : "learning"} ${raceClass(point)} ${i === active ? "active" : ""}`}
        >
          {i === active && <circle class="ring" cx={place.x} cy={place.y} r={place.r + 4} />}
          <Mark place={place} point={point} beyond={beyond} />
          {box && (
            <text class="scheme-name" x={box.x} y={box.y + 10}>
              {name}
            </text>
          )}
        </g>
      ))}
    </Drawn>
  );
}

const raceClass = ({ race, dropped }: SchemePoint): string => (dropped ? "dropped" : race === "" ? "" : "races");

/** A is square, B round: shape, colour and letter. What a race has dropped is a cross; at the edge an arrow points to where it is. */
function Mark({ place: { x, y, r }, point, beyond }: { place: Place; point: SchemePoint; beyond: Dot["beyond"] }) {
  const { marks, dropped, answers } = point;
  if (marks === "" && answers.length === 1) {
    if (dropped)
      return <path class="mark" d={`M${x - 3} ${y - 3}L${x + 3} ${y + 3}M${x - 3} ${y + 3}L${x + 3} ${y - 3}`} />;
    const [right, up] = beyond;
    if (right || up)
      return (
        <path
          class="mark"
          d="M5 0L-4 -4.5V4.5Z"
          transform={`translate(${x} ${y}) rotate(${right && up ? -45 : up ? -90 : 0})`}
        />
      );
    return <circle class="mark" cx={x} cy={y} r={MARK} />;
  }
  const w = marks === "AB" ? 2 * SIDE + 6 : 2 * r;
  return (
    <>
      <rect
        class="mark"
        x={x - w / 2}
        y={y - r}
        width={w}
        height={2 * r}
        rx={marks === "A" || (marks === "" && beyond.includes(true)) ? 3 : r}
      />
      <text class="letter" x={x} y={y + 3.5} text-anchor="middle" {...UNSAID}>
        {marks === "" ? answers.length : marks}
      </text>
    </>
  );
}
