// Some lines of the engine's registry of controls, one of each kind that a kernel has an entry for.
import type { ControlEntry } from "../src/model/types.ts";

const entry = (
  key: string,
  title: string,
  unit: string,
  kind: ControlEntry["kind"],
  neutral: string,
  range: { min?: number; max?: number } = {},
): ControlEntry => ({
  key,
  title,
  unit,
  kind,
  neutral,
  scope: key === "dram_rank" ? "kernel" : "kernel on SM",
  doc: title,
  bites: "",
  ...range,
});

export const CONTROLS: readonly ControlEntry[] = [
  entry("sm_mask", "SMs", "SMs", "sms", "all"),
  entry("cta_target", "CTA target", "CTAs per SM", "limit", "no limit", { min: 0, max: 64 }),
  entry("cta_switch", "Context switch", "", "flag", "false"),
  entry("warp_quota", "Warp quota", "warp instructions", "limit", "no limit", { min: 0, max: 1e9 }),
  entry("miss_credits", "Miss credits", "requests", "requests", "no limit", { min: 0, max: 1e6 }),
  entry("l1_ways", "L1D ways", "ways", "numbers", "all", { min: 0, max: 31 }),
  entry("dram_rank", "DRAM rank", "", "int", "0", { min: 0, max: 255 }),
  {
    key: "quota_interval",
    title: "Quota interval",
    unit: "cycles",
    kind: "int",
    neutral: "10000",
    scope: "SM",
    doc: "",
    bites: "",
    min: 1,
    max: 1e9,
  },
];
