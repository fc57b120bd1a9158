import { expect, test } from "vitest";
import { catalogue, rpcReasons } from "../../src/contract/catalogue.ts";
import { documentText } from "./support/document.ts";

test("documented errors include all of HTTP, except that of a path without an operation", () => {
  const overRpc: readonly string[] = rpcReasons;
  const httpOnly = Object.keys(catalogue).filter((reason) => !overRpc.includes(reason));
  const ofOperations = httpOnly.filter((reason) => reason !== "PATH_NOT_FOUND");
  expect(ofOperations).toHaveLength(6);
  for (const reason of [...ofOperations, "MESSAGE_TOO_LARGE"]) {
    expect.soft(documentText).toContain(`"${reason}"`);
  }
});
