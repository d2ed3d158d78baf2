// Words of the field that explain themselves where they stand: which they are, and what the glossary calls them. No DOM.
import { literally } from "./format.ts";

/** As they are written, without their plural, and their terms of the glossary where those are called otherwise. */
export const TERMS: Readonly<Record<string, string>> = {
  ANTT: "ANTT",
  BI: "BI",
  BMI: "BMI",
  CCBP: "CCBP",
  CTA: "CTA",
  DBI: "DBI",
  DRAM: "DRAM channel",
  "Even split": "Even split",
  GTO: "GTO",
  "Green context": "Green context",
  HSpeedup: "HSpeedup",
  HeteroCore: "HeteroCore",
  IPC: "IPC",
  fairest: "Fairness",
  "issue slot": "Issue",
  L1D: "L1D",
  L2: "L2",
  LRR: "LRR",
  LS: "LS",
  LSU: "LSU",
  "load-store unit": "LSU",
  MIG: "MIG",
  MIL: "MIL",
  MPS: "MPS",
  MSHR: "MSHR",
  "miss queue": "Miss queue",
  NBI: "NBI",
  NoC: "NoC",
  QoS: "QoS",
  "reply network": "NoC",
  "request network": "NoC",
  share: "Share",
  "shared memory": "Shared memory",
  SM: "SM",
  SMK: "SMK",
  STP: "STP",
  "most work": "STP",
  Spart: "Spart",
  "Spatial partitioning": "Spatial partitioning",
  TCM: "TCM",
  "Time slicing": "Time slicing",
  UCP: "UCP",
  warp: "Warp",
  "Warped-Slicer": "Warped-Slicer (WS)",
  WS: "Warped-Slicer (WS)",
};

const ANY = new RegExp(
  `(?<![\\p{L}\\p{N}_/-])(${Object.keys(TERMS)
    .sort((a, b) => b.length - a.length)
    .map(literally)
    .join("|")})s?(?![\\p{L}\\p{N}_/-])`,
  "gu",
);

/** A text in parts; `term`: the glossary's word for the part, where it is one that has not been there before. */
export function termsOf(text: string): { text: string; term: string | null }[] {
  const parts: { text: string; term: string | null }[] = [],
    met = new Set<string>();
  let at = 0;
  for (const match of text.matchAll(ANY)) {
    const term = TERMS[match[1] ?? ""] ?? "";
    if (met.has(term)) continue;
    met.add(term);
    if (match.index > at) parts.push({ text: text.slice(at, match.index), term: null });
    parts.push({ text: match[0], term });
    at = match.index + match[0].length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), term: null });
  return parts;
}
