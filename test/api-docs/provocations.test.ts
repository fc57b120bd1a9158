import { expect, test } from "vitest";
import { operations, resolve } from "./support/document.ts";
import { provocations } from "./support/provocations.ts";

const howToMend =
  "the document and the provocations must have the same responses: " +
  "correct the errors of the sample in packaging/generate/samples, or test/api-docs/support/provocations.ts";

test.each(operations)(
  "$operation.operationId: every status in the document occurs",
  ({ operation }) => {
    const { operationId, responses } = operation;
    const occurring = provocations
      .filter((provocation) => provocation.operationId === operationId)
      .map(({ status, isDefault }) => (isDefault ? "default" : String(status)));
    expect(new Set(occurring), `${operationId}: ${howToMend}`).toEqual(
      new Set(Object.keys(responses)),
    );
  },
);

/** Returns the reasons at a location of the document. */
function reasonsAt(...place: readonly string[]): readonly string[] {
  return resolve<{ enum: readonly string[] }>([...place, "headers", "X-Error-Reason", "schema"])
    .value.enum;
}

test.each(operations)(
  "$operation.operationId: every reason in the document occurs, status by status",
  ({ operation: { operationId, responses }, place }) => {
    const errors = Object.keys(responses).filter((status) => Number(status) >= 400);
    for (const status of errors) {
      const occurring = provocations
        .filter((provocation) => provocation.operationId === operationId)
        .filter((provocation) => !provocation.isDefault && String(provocation.status) === status)
        .map(({ reason }) => reason);
      expect
        .soft(
          new Set(reasonsAt(...place, "responses", status)),
          `${operationId} ${status}: ${howToMend}`,
        )
        .toEqual(new Set(occurring));
    }
  },
);

test("every reason of the statuses without an entry of their own occurs", () => {
  const occurring = provocations.filter(({ isDefault }) => isDefault).map(({ reason }) => reason);
  for (const { place } of operations) {
    const named = reasonsAt(...place, "responses", "default");
    expect(new Set(named), howToMend).toEqual(new Set(occurring));
  }
});
