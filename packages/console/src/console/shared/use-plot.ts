import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";

/** All options of a plot but its size. */
export type PlotOptions = Omit<UPlot.Options, "width" | "height">;

const height = 220;

/**
 * Draws a plot in an element, and draws it again when its data or its width changes, and when the page turns light or
 * dark.
 *
 * @param options called once
 * @returns the place of the element
 */
export function usePlot(
  options: () => PlotOptions,
  data: UPlot.AlignedData,
): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const size = () => ({ width: Math.max(1, element.clientWidth), height });
    const drawn = new UPlot({ ...options(), ...size() }, data, element);
    plot.current = drawn;
    const observer = new ResizeObserver(() => drawn.setSize(size()));
    observer.observe(element);
    const stopFollowing = onThemeChange(() => drawn.redraw(true));
    return () => {
      observer.disconnect();
      stopFollowing();
      drawn.destroy();
      plot.current = undefined;
    };
  }, []);
  useEffect(() => plot.current?.setData(data), [data]);
  return place;
}

/** Calls `listener` when the page turns light or dark, by its own switch or by that of the system. */
function onThemeChange(listener: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const own = new MutationObserver(listener);
  own.observe(document.documentElement, { attributes: true });
  system.addEventListener("change", listener);
  return () => {
    own.disconnect();
    system.removeEventListener("change", listener);
  };
}
