/** Returns a value that cannot be missing. @param what its name in the error @throws Error when it is missing */
export function present<T>(value: T, what: string): NonNullable<T> {
  if (value === undefined || value === null) throw new Error(`${what} is missing`);
  return value;
}
