// Eight examples, each with a mark that draws how it shares a GPU: a column is an SM, a row a part of its room, a digit the kernel that has it.

export interface Shown {
  /** Of the catalogue. */
  example: string;
  title: string;
  mark: readonly string[];
}
export const GALLERY: readonly Shown[] = [
  { example: "tiny-bp-sad", title: "Two SMs to follow", mark: ["00", "00", "11", "11"] },
  { example: "bp-cfd-leftover", title: "Leftover", mark: ["000000", "000000", "000000", "1.1.1."] },
  { example: "bp-cfd-spatial", title: "Spatial partitioning", mark: ["00000111", "00000111", "00000111", "00000111"] },
  { example: "bp-cfd-ws-online", title: "Warped-Slicer", mark: ["01010000", "01011111", "01011111"] },
  { example: "bp-cfd-ccbp", title: "CCBP", mark: ["000000", "000000", "000000", "111111", "111111"] },
  { example: "sgemm-lbm-qos-rollover", title: "A QoS goal", mark: ["000000", "000000", "000000", "111111"] },
  { example: "fdtd3d-syrk-hetero-dynamic", title: "Big and small SMs", mark: ["0000....", "0000....", "00001111"] },
  { example: "four-kernels", title: "Four kernels", mark: ["00112233", "00112233", "00112233"] },
];
