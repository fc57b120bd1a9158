/** Port that the benchmark chose for this process, on the loopback address. */
export const port = Number(process.env.PORT);

export const host = "127.0.0.1";

/** @throws Error when the benchmark did not set the variable */
export function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`${name} is not set`);
  }
  return value;
}
