import { type DescField, type DescMessage, getOption, ScalarType } from "@bufbuild/protobuf";
import { event_id } from "../../gen/rules/v1/rules_pb.ts";
import type { NodeServerRequest } from "../http/node-http.ts";
import { type AnyMessage, getField, setField } from "./message-field.ts";

/**
 * The field that names an event, by which a client says where it goes on: the option
 * `rules.v1.event_id` marks it, in the messages of a stream and in the request for them.
 *
 * @returns undefined when the message has none
 * @throws Error when it is no string, or there are several
 */
export function findEventId(desc: DescMessage): DescField | undefined {
  const [field, another] = desc.fields.filter((each) => getOption(each, event_id));
  if (another) throw new Error(`${desc.typeName} has two fields with rules.v1.event_id`);
  if (field && (field.fieldKind !== "scalar" || field.scalar !== ScalarType.STRING)) {
    throw new Error(`${field} has rules.v1.event_id and is no string`);
  }
  return field;
}

/** The id of a message as an event; empty when it has none, or one that an event can't have. */
export function eventIdOf(message: object, field: DescField | undefined): string {
  if (!field) return "";
  const id = String(getField(message as AnyMessage, field) ?? "");
  return /[\0\r\n]/.test(id) ? "" : id;
}

/** Has the header field Last-Event-ID say where a client goes on that connects again. */
export function readLastEventId(
  message: AnyMessage,
  field: DescField | undefined,
  { headers }: NodeServerRequest,
): void {
  const id = headers["last-event-id"];
  if (field && id) setField(message, field, String(id));
}
