// Whether somebody has come to a part of the page.
import { useEffect, useRef, useState } from "preact/hooks";

/** For the `ref` of an element, and whether it has been in view, or near. */
export function useSeen() {
  const [seen, come] = useState(false),
    place = useRef<HTMLElement>(null);
  useEffect(() => {
    const views = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) come(true);
      },
      { rootMargin: "200px" },
    );
    if (place.current) views.observe(place.current);
    return () => views.disconnect();
  }, []);
  return [seen, place] as const;
}
