// The views by the names of their elements, none of which is registered.
import { Gpu } from "./gpu.ts";
import { Mesh } from "./mesh.ts";
import { MemoryPath } from "./memory-path.ts";
import { SmDetail } from "./sm-detail.tsx";

export const VIEWS = [
  ["corun-gpu", Gpu],
  ["corun-sm-detail", SmDetail],
  ["corun-memory-path", MemoryPath],
  ["corun-mesh", Mesh],
] as const;

declare global {
  interface HTMLElementTagNameMap {
    "corun-gpu": Gpu;
    "corun-sm-detail": SmDetail;
    "corun-memory-path": MemoryPath;
    "corun-mesh": Mesh;
  }
}
