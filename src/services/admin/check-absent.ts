import { fieldsInvalid } from "../../contract/errors.ts";

/**
 * Checks that no field is set that another one excludes.
 *
 * @param others the values of the excluded fields, by their names in the proto
 * @throws ConnectError invalid_argument
 */
export function checkAbsent(others: Readonly<Record<string, unknown>>, field: string): void {
  const violations = Object.entries(others)
    .filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value))
    .map(([name]) => ({ field: name, description: `must be absent with ${field}` }));
  if (violations.length > 0) throw fieldsInvalid(violations);
}
