/** Returns a value that cannot be missing. @param what names it in the error @throws Error when it is missing, which is a bug */
export function present<T>(value: T, what: string): NonNullable<T> {
  if (value === undefined || value === null) throw new Error(`${what} is missing`);
  return value;
}
