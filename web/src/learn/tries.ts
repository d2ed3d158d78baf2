// Ten things to try, as data (tries.json). Their texts have marks as those of stories do.
import type { Experiment } from "../model/types.ts";

export interface Try {
  id: string;
  title: string;
  press: string;
  watch: string;
  why: string;
  experiment: Experiment;
  other?: Experiment;
}
