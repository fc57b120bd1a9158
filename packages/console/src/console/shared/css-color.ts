/** Returns a color of the style sheet as it is now, such as `--accent`. Canvases cannot use CSS variables. */
export function cssColor(variable: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
