import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { httpJson } from "../../contract/http-json.ts";
import type { Environment } from "../environment.ts";
import { jsonArray, printResult, type Result, table } from "./output.ts";

/** Prints a message. @param textOf returns it as human-readable text */
export function printMessage<D extends DescMessage>(
  environment: Environment,
  desc: D,
  message: MessageShape<D>,
  textOf: (message: MessageShape<D>) => ReturnType<Result["text"]>,
): Promise<void> {
  return printResult(environment, {
    json: () => httpJson.encodeJson(desc, message),
    text: () => textOf(message),
  });
}

/** How messages are shown in a table. */
interface Columns<M> {
  readonly header: readonly string[];
  /** Returns a row, with as many cells as the header. */
  readonly cellsOf: (message: M) => readonly string[];
}

/** Prints a list of messages. */
export function printMessages<D extends DescMessage>(
  environment: Environment,
  desc: D,
  messages: readonly MessageShape<D>[],
  { header, cellsOf }: Columns<MessageShape<D>>,
): Promise<void> {
  return printResult(environment, {
    json: () => jsonArray(messages.map((message) => httpJson.encodeJson(desc, message))),
    text: () => table(header, messages.map(cellsOf)),
  });
}
