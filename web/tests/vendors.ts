// The vendors' words as a catalogue has them.
import shipped from "../src/model/answers.json" with { type: "json" };
import type { Vendors } from "../src/model/types.ts";

const profiles = (names: string[], sms: number[]) =>
  names.map((name, i) => ({ name, sms: sms[i] as number, memory: [1, 2, 2, 4, 4, 8][i] as number, starts: [0] }));
/** As the engine's catalogue has it, of two GPUs. */
export const VENDORS: Vendors = {
  words: shipped.words,
  gpus: [
    {
      gpu: "a100-40gb",
      least_sms: 4,
      step_sms: 2,
      mig: profiles(["1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"], [14, 14, 28, 42, 56, 98]),
    },
    {
      gpu: "h100-sxm5",
      least_sms: 8,
      step_sms: 8,
      mig: profiles(["1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"], [16, 26, 32, 60, 64, 132]),
    },
  ],
  time_slices: [],
};
