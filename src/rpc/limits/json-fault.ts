import type { DescMessage } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { acceptedIntegers, rangeText } from "../../call/integer-range.ts";

/** The error message of protobuf-es for a JSON field that it cannot parse. */
const fieldFault = /^cannot decode field (?<type>[\w.]+)\.(?<name>\w+) from JSON: /;

/**
 * Rewrites the message of an error about an integer in JSON so that it states the range that the contract accepts.
 * protobuf-es states the range of the type. Leaves other errors unchanged.
 *
 * @param input the request message of the method
 */
export function describeJsonFault(error: ConnectError, input: DescMessage): void {
  const { 0: start = "", groups: { type = "", name = "" } = {} } =
    fieldFault.exec(error.rawMessage) ?? {};
  const field = start && messageIn(input, type)?.fields.find((each) => each.name === name);
  const range = field ? acceptedIntegers(field) : undefined;
  if (range) Object.assign(error, { rawMessage: `${start}must be an integer ${rangeText(range)}` });
}

/** Finds a message type by name, in a message type and the types of its fields. */
function messageIn(
  desc: DescMessage,
  typeName: string,
  seen = new Set<DescMessage>(),
): DescMessage | undefined {
  if (desc.typeName === typeName) return desc;
  seen.add(desc);
  for (const { message } of desc.fields) {
    const found = message && !seen.has(message) && messageIn(message, typeName, seen);
    if (found) return found;
  }
  return undefined;
}
