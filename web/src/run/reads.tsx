// Where a read of the kernel that suffers waits: a bar of its stations, which add up to the number over it. In each, what it takes alone is pale, and
// what goes beyond is in the colours of whom it waits behind.
import { count, MISSING } from "../model/format.ts";
import { Term } from "../parts/term.tsx";
import { painted } from "../parts/palette.ts";
import { Chip, Mark } from "./answer.tsx";
import type { RunSide } from "../model/model.ts";
import { paths, STATIONS, type ReadPath } from "../model/where.ts";
import "./reads.css";

const docOf = (station: string): string => STATIONS.find(({ key }) => key === station)?.doc ?? "";

function Read({ path, two }: { path: ReadPath; two: boolean }) {
  const { name, kernel, stations, here, alone, behind, why } = path,
    by = behind?.kernel ?? kernel;
  return (
    <figure class="read" aria-label={`${two ? `${path.mark}: ` : ""}where a read of ${name} waits`}>
      <h3>
        {two ? <Mark mark={path.mark} /> : null}
        <b>A read of {name}</b>{" "}
        {here === null ? (
          `${MISSING} ${why}`
        ) : (
          <>
            takes {count(here)} cycles,{" "}
            {alone === null ? (
              why
            ) : (
              <span class="read-alone" style={{ "--of": `var(--k${kernel})` }}>
                alone {count(alone)}
              </span>
            )}
            {alone !== null && behind ? (
              <span class="read-behind">
                {" "}
                <Chip kernel={behind.kernel} />
                behind {behind.name}
              </span>
            ) : null}
          </>
        )}
      </h3>
      {here === null ? null : (
        <>
          <div class="read-bar" aria-hidden="true">
            {stations.map(({ key, name: station, here: all, alone: own }) => {
              const pale = own === null ? 0 : Math.min(all, own);
              return all === 0 ? null : (
                <span
                  key={key}
                  title={`${station}: ${count(all)} cycles, alone ${count(own)}`}
                  style={{ flexGrow: all, "--of": `var(--k${kernel})` }}
                >
                  <span class="read-pale" style={{ width: `${(100 * pale) / all}%` }} />
                  <span class="read-more" style={painted(by, true)} />
                </span>
              );
            })}
          </div>
          <ol class="read-stations">
            {stations.map(({ key, name: station, short, here: all, alone: own }) => (
              <li key={key} style={{ flexGrow: all }}>
                <Term says={`${station}. ${docOf(key)}`}>{short}</Term> <b>{count(all)}</b>
                <span class="hidden"> cycles, alone {count(own)}</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </figure>
  );
}

/** `shown`: of two runs, the one whose read is shown; null: all. */
export const Reads = ({ sides, shown }: { sides: readonly RunSide[]; shown: number | null }) => (
  <div class="reads">
    {paths(sides)
      .filter((_, i) => shown === null || i === shown)
      .map((path) => (
        <Read key={path.mark} path={path} two={sides.length > 1} />
      ))}
  </div>
);
