import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { httpJson } from "../../contract/http-json.ts";
import type { Environment } from "../environment.ts";
import { jsonArray, printResult, type Result } from "./output.ts";
import { type Column, table } from "./table.ts";

/** Prints a message. @param textOf returns it as human-readable text */
export function printMessage<D extends DescMessage>(
  environment: Environment,
  desc: D,
  message: MessageShape<D>,
  textOf: (message: MessageShape<D>, width: number) => ReturnType<Result["text"]>,
): Promise<void> {
  return printResult(environment, {
    json: () => httpJson.encodeJson(desc, message),
    text: (width) => textOf(message, width),
  });
}

/** How messages are shown in a table. */
interface Columns<M> {
  readonly columns: readonly (Column | string)[];
  /** Returns a row, with as many values as there are columns. */
  readonly cellsOf: (message: M) => readonly string[] | Readonly<Record<string, string>>;
}

/** Prints a list of messages. */
export function printMessages<D extends DescMessage>(
  environment: Environment,
  desc: D,
  messages: readonly MessageShape<D>[],
  { columns, cellsOf }: Columns<MessageShape<D>>,
): Promise<void> {
  return printResult(environment, {
    json: () => jsonArray(messages.map((message) => httpJson.encodeJson(desc, message))),
    text: () =>
      table(
        columns,
        messages.map((message) => Object.values(cellsOf(message))),
      ),
  });
}
