/** The port on the loopback address that the benchmark chose for this process. */
export const port = Number(process.env.PORT);

export const host = "127.0.0.1";

/** @throws Error if the benchmark did not set the variable */
export function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
