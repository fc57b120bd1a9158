/**
 * Parses a file of settings. A line is `NAME=value`, a comment that begins with `#`, or blank. A value may be in single
 * or double quotes, which are removed. Nothing else is special. systemd, Docker and shells read such lines alike.
 *
 * @param faults gets a line for each line that is something else, and each name that repeats
 */
export function parseEnvironmentFile(
  text: string,
  path: string,
  faults: string[],
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const seen = new Map<string, number>();
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, name, rawValue = ""] = /^\s*([A-Za-z_]\w*)=(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined) {
      // Without the text of the line, which may be a password.
      faults.push(`${path}, line ${index + 1}: write NAME=value, or # before a comment`);
      continue;
    }
    const earlier = seen.get(name);
    if (earlier !== undefined) {
      faults.push(`${path}, line ${index + 1}: ${name} is set in line ${earlier} too. Remove one`);
    }
    seen.set(name, index + 1);
    values.set(name, /^(["'])(.*)\1$/.exec(rawValue)?.[2] ?? rawValue);
  }
  return values;
}
