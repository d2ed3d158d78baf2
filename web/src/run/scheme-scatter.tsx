// Two kernels' slowdowns against each other, both logarithmic: a point a scheme, its intervals as a cross, the diagonal of equal slowdowns.
import { textWidth, fitText } from "../draw/drawing.ts";
import { fixed } from "../format.ts";
import { type Anchor, type Box, along, axisOf, overlap, placeNames, type SchemePoint } from "./scheme-points.ts";

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
const MARK = 4,
  SIDE = 8;
/** A finger's width, halved. */
const REACH = 22;
/** Of a name's forms. */
const LONGEST = [176, 110] as const;

const times = (value: number): string => `${value < 1 ? fixed(value, 1) : fixed(value, 0)}×`;

interface Cross {
  x1: number;
  x2: number;
  y1: number;
  y2: number;
}

export function scatterOf(points: readonly SchemePoint[], bestOne: SchemePoint | null, width: number, height: number) {
  const [across, up] = [0, 1].map((k) =>
    axisOf(points.map((p) => p.slowdowns[k] as number).filter(Number.isFinite)),
  ) as [ReturnType<typeof axisOf>, ReturnType<typeof axisOf>];
  const room: Box = { x: LEFT, y: TOP, w: width - LEFT - RIGHT, h: height - TOP - BOTTOM };
  const toX = (value: number): number => room.x + room.w * along(across, value),
    toY = (value: number): number => room.y + room.h * (1 - along(up, value));
  const places = points.map(({ slowdowns: [x = 1, y = 1], marks }): Place => {
    const r = marks === "" ? MARK : SIDE;
    return {
      // At the edge it is inside.
      x: x > across.to ? room.x + room.w - r : toX(x),
      y: y > up.to ? room.y + r : toY(y),
      r,
    };
  });
  const crosses = points.map(({ ends: [x = null, y = null] }): Cross | null =>
    x && y ? { x1: toX(x[0]), x2: toX(x[1]), y1: toY(y[1]), y2: toY(y[0]) } : null,
  );
  const names = points.map((point) => {
    const beyond = point.slowdowns.filter((v, k) => v > (k === 0 ? across : up).to);
    const forms = / \(\d+ \w+\)$/.exec(point.name)?.[0] ?? "",
      more = `${forms}${beyond.map((v) => ` ${Number.isFinite(v) ? times(v) : "∞"}`).join("")}${point === bestOne ? ", best" : ""}`;
    const plain = point.name.slice(0, point.name.length - forms.length);
    // A number that is cut would be another one.
    const fitted = (longest: number): string =>
      fitText(plain, SIZE, longest - textWidth(forms, SIZE)).replace(/[\s+(]*[\d.,]*…$/, "…");
    return [...new Set(LONGEST.map((longest) => `${fitted(longest)}${more}`))];
  });
  // A and B first, then the best.
  const order = points
    .map((_, i) => i)
    .sort((a, b) => Number(points[b]?.marks !== "") - Number(points[a]?.marks !== ""));
  const end = Math.min(across.to, up.to),
    start = Math.max(across.from, up.from);
  const fair = { x1: toX(start), y1: toY(start), x2: toX(end), y2: toY(end) };
  const marks = places.map(({ x, y, r }): Box => ({ x: x - r, y: y - r, w: 2 * r, h: 2 * r }));
  const fairText = "as slow as each other";
  const fairBox = [0.97, 0.85, 0.7, 0.55]
    .flatMap((t) => {
      const x = fair.x1 + (fair.x2 - fair.x1) * t,
        y = fair.y1 + (fair.y2 - fair.y1) * t,
        w = textWidth(fairText, SIZE);
      return [
        { x: x + 10, y: y - 3, w, h: 14 },
        { x: x - w - 10, y: y - 11, w, h: 14 },
      ];
    })
    .find(
      (box) =>
        box.x >= room.x &&
        box.x + box.w <= room.x + room.w &&
        box.y >= room.y &&
        !marks.some((mark) => overlap(mark, { x: box.x - 8, y: box.y - 8, w: box.w + 16, h: box.h + 16 })),
    );
  const placed = placeNames(
    order.map((i): Anchor => {
      const place = places[i] as Place;
      // A, B and the best are in heavier letters.
      const wide = points[i]?.marks !== "" || points[i] === bestOne ? HEAVY : 1;
      return { ...place, widths: (names[i] as string[]).map((name) => wide * textWidth(name, SIZE)), h: 13 };
    }),
    fairBox ? [fairBox] : [],
    room,
  );
  const boxes = points.map((_, i) => placed[order.indexOf(i)] ?? null);
  return { across, up, room, toX, toY, places, crosses, names, boxes, fair, fairText, fairBox };
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

interface Props {
  points: readonly SchemePoint[];
  scatter: Scatter;
  kernels: readonly string[];
  width: number;
  height: number;
  active: number | null;
  best: SchemePoint | null;
  optionId(i: number): string;
  spoken(point: SchemePoint): string;
}

export function SchemeScatter({ points, scatter, kernels, width, height, active, best, optionId, spoken }: Props) {
  const { room, across, up, toX, toY, fair } = scatter;
  const right = room.x + room.w,
    bottom = room.y + room.h;
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="presentation">
      <g class="grid" {...UNSAID}>
        {across.ticks.map((tick) => (
          <g key={tick}>
            <line x1={toX(tick)} x2={toX(tick)} y1={room.y} y2={bottom} />
            <text x={toX(tick)} y={bottom + 15} text-anchor="middle">
              {times(tick)}
            </text>
          </g>
        ))}
        {up.ticks.map((tick) => (
          <g key={tick}>
            <line x1={room.x} x2={right} y1={toY(tick)} y2={toY(tick)} />
            <text x={room.x - 7} y={toY(tick) + 4} text-anchor="end">
              {times(tick)}
            </text>
          </g>
        ))}
        <text class="title" x={room.x + room.w / 2} y={height - 6} text-anchor="middle">
          {kernels[0]} slower than alone
        </text>
        <text class="title" transform={`translate(12 ${room.y + room.h / 2}) rotate(-90)`} text-anchor="middle">
          {kernels[1]} slower than alone
        </text>
        <line class="fair" {...fair} />
        {scatter.fairBox && (
          <text x={scatter.fairBox.x} y={scatter.fairBox.y + 10.5}>
            {scatter.fairText}
          </text>
        )}
      </g>
      <g class="crosses" {...UNSAID}>
        {points.map((point, i) => {
          const cross = scatter.crosses[i],
            { x, y } = scatter.places[i] as Place;
          return (
            cross && (
              <path
                key={point.name}
                class={`${point.marks === "" ? "" : "mine"} ${i === active ? "active" : ""}`}
                d={`M${cross.x1} ${y}H${cross.x2}M${x} ${cross.y1}V${cross.y2}`}
              />
            )
          );
        })}
      </g>
      {points.map((point, i) => {
        const { x, y } = scatter.places[i] as Place,
          box = scatter.boxes[i];
        return (
          <g
            key={point.answers[0]?.scheme}
            id={optionId(i)}
            role="option"
            aria-selected={point.marks.includes("B")}
            aria-label={spoken(point)}
            class={`point ${point.marks} ${point === best ? "best" : ""} ${point.learning === "" ? "" : "learning"} ${raceClass(point)} ${i === active ? "active" : ""}`}
          >
            {box?.lead && <line class="lead" x1={box.lead[0]} y1={box.lead[1]} x2={box.lead[2]} y2={box.lead[3]} />}
            {i === active && <circle class="ring" cx={x} cy={y} r={(scatter.places[i] as Place).r + 4} />}
            <Mark x={x} y={y} marks={point.marks} dropped={point.dropped} />
            {box && (
              <text class="scheme-name" x={box.x} y={box.y + 10}>
                {scatter.names[i]?.[box.form]}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

const raceClass = ({ race, dropped }: SchemePoint): string => (dropped ? "dropped" : race === "" ? "" : "races");

/** A is square, B round: shape, colour and letter. What a race has dropped is a cross. */
function Mark({ x, y, marks, dropped }: { x: number; y: number; marks: string; dropped: boolean }) {
  if (dropped && marks === "")
    return <path class="mark" d={`M${x - 3} ${y - 3}L${x + 3} ${y + 3}M${x - 3} ${y + 3}L${x + 3} ${y - 3}`} />;
  if (marks === "") return <circle class="mark" cx={x} cy={y} r={MARK} />;
  const w = marks === "AB" ? 2 * SIDE + 6 : 2 * SIDE;
  return (
    <>
      <rect class="mark" x={x - w / 2} y={y - SIDE} width={w} height={2 * SIDE} rx={marks.includes("B") ? SIDE : 3} />
      <text class="letter" x={x} y={y + 4} text-anchor="middle" {...UNSAID}>
        {marks}
      </text>
    </>
  );
}
