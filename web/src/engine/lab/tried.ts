// What kernels did in a run that tells why, as it is kept. No DOM.
import { fieldsOf } from "../browser-store.ts";
import type { Tried } from "../../model/types.ts";

const isRate = (value: unknown): boolean => typeof value === "number" && value >= 0 && value <= 1e12;

/** A value as what kernels did; null for what the engine does not take for that. */
export function readTried(value: unknown): readonly Tried[] | null {
  const whole = (one: unknown): boolean => {
    const { ipc, ci95, held } = fieldsOf(one);
    return (
      (ipc === null || isRate(ipc)) &&
      (held === null || isRate(held)) &&
      (ci95 === null || (Array.isArray(ci95) && ci95.length === 2 && ci95.every(isRate)))
    );
  };
  return Array.isArray(value) && value.length > 0 && value.every(whole) ? (value as Tried[]) : null;
}
