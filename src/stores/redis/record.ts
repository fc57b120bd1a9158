/**
 * Reads the fields of a record. Each record is read by this function, so that a damaged one is an error, and not an empty or
 * impossible value.
 *
 * @param form matches the whole record, with a group for each field
 * @param key the Redis key that has the record
 * @param name the field or member, if the key has several records
 * @throws Error that names the record, for the log: the caller gets an internal error
 */
export function recordFields(
  form: RegExp,
  record: string | null | undefined,
  key: string,
  name?: string | bigint,
): Fields {
  const match = form.exec(record ?? "");
  if (!match) throw damagedRecord(key, name);
  return match.slice(1) as unknown as Fields;
}

/** The fields of a record, which has at most six. */
type Fields = readonly [string, string, string, string, string, string];

/** Returns the error of a record that cannot be read. It does not have the record, which can have data of an account. */
export function damagedRecord(key: string, name?: string | bigint): Error {
  const record = name === undefined ? key : `${name} in ${key}`;
  return new Error(`${record} is damaged: run inventory verify, which lists all damage`);
}
