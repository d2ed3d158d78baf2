/** A point of a curve. */
export interface Point {
  x: number;
  measured: number | null;
  theory: number | null;
}
