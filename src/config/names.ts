import type { Setting } from "./setting.ts";
import { settings } from "./settings.ts";
import { isTypoOf } from "./typo.ts";

/** Every name that can be set: the settings, and `<name>_FILE` for each secret. */
const knownNames: readonly string[] = Object.entries<Setting<unknown>>(settings).flatMap(
  ([name, { secret }]) => (secret ? [name, `${name}_FILE`] : [name]),
);

/**
 * Finds names that are not settings. In the file CONFIG_FILE these are all unknown names. The environment has names of
 * other programs, too, so there only a name that looks like a typo is reported, and only while the setting that was
 * meant is not set. Names of one word are not compared, because others use similar ones.
 *
 * @returns a line for each name
 */
export function unknownNames(
  environment: Readonly<Record<string, unknown>>,
  file: ReadonlyMap<string, string>,
  path: string | undefined,
): string[] {
  const isIn = (name: string) => environment[name] !== undefined || file.has(name);
  const isSet = (name: string) => isIn(name) || isIn(`${name}_FILE`);
  const faults: string[] = [];
  for (const name of Object.keys(environment)) {
    if (isOther(name)) continue;
    const meant = knownNames.find((known) => isTypoOf(name, known));
    if (meant !== undefined && !isSet(meant)) {
      faults.push(`${name} is not a setting: did you mean ${meant}? Rename or remove it`);
    }
  }
  for (const name of file.keys()) {
    if (name === "CONFIG_FILE") {
      faults.push(`CONFIG_FILE is set in ${path}: set it in the environment`);
    } else if (!knownNames.includes(name)) {
      const meant = knownNames.find((known) => isTypoOf(name, known));
      const advice = meant === undefined ? "Remove it" : `Did you mean ${meant}?`;
      faults.push(`${name} in ${path} is not a setting. ${advice}`);
    }
  }
  return faults;
}

/** Whether a name of the environment is right, or one of another program. */
function isOther(name: string): boolean {
  return knownNames.includes(name) || !name.includes("_");
}
