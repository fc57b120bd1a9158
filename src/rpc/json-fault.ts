import type { DescMessage } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { acceptedIntegers, rangeText } from "../call/integer-range.ts";

/** How protobuf-es reports a field of a JSON message that it cannot read. */
const fieldFault = /^cannot decode field (?<type>[\w.]+)\.(?<name>\w+) from JSON: /;

/**
 * Makes the message of an error name the integers that the contract accepts. protobuf-es names those of the
 * type. Any other error stays as it is.
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

/** Finds a message type among those that a message is made of. */
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
