import { vi } from "vitest";
import {
  bearer,
  type Contract,
  ownAccount,
  type Parts,
  type Reply,
  unknownPet,
} from "../../contract/support.ts";
import { type Provocation, table } from "./table.ts";

/** A change of pet 1, and the same change for another pet or quantity. */
interface Change {
  readonly operationId: string;
  readonly line: string;
  readonly body: string;
  readonly otherBody: string;
  readonly unknown: readonly [line: string, body: string];
  /** A body that conflicts with the stock, and one that expects another version, if a request can. */
  readonly conflicting: string;
  /** The reason of that conflict, and what it needs, if it is not a lack of units. */
  readonly conflict?: readonly [reason: string, prepare?: (contract: Contract) => Promise<unknown>];
  readonly stale?: readonly [body: string, headers: Parts["headers"]];
  /** What a strict account must send, and what it sends to have only the last reason. */
  readonly strict: readonly [reason: string, body: string, example?: string][];
}

function keyRequired(body: string): Change["strict"][number] {
  return ["IDEMPOTENCY_KEY_REQUIRED", body, "IDEMPOTENCY_KEY_REQUIRED"];
}

const changes: readonly Change[] = [
  {
    operationId: "updateInventory",
    line: "PATCH /v1/inventory/1?expectedQuantity=12",
    body: '{"quantity":5}',
    otherBody: '{"quantity":6}',
    unknown: [`PATCH /v1/inventory/${unknownPet}`, '{"quantity":5}'],
    conflicting: '{"quantity":5}',
    conflict: [
      "QUANTITY_MISMATCH",
      ({ send }) => send("PATCH /v1/inventory/1", { body: '{"quantity":6}' }),
    ],
    stale: ['{"quantity":5}', { "if-match": '"4"' }],
    strict: [["CONDITION_REQUIRED", '{"quantity":5}', "CONDITION_REQUIRED"]],
  },
  {
    operationId: "adjustInventory",
    line: "POST /v1/inventory/1:adjust",
    body: '{"delta":-12}',
    otherBody: '{"delta":1}',
    unknown: [`POST /v1/inventory/${unknownPet}:adjust`, '{"delta":5}'],
    conflicting: '{"delta":-13}',
    stale: ['{"delta":-12}', { "if-match": '"4"' }],
    strict: [keyRequired('{"delta":1}')],
  },
  {
    operationId: "batchUpdateInventory",
    line: "POST /v1/inventory:batchUpdate",
    body: '{"updates":[{"petId":1,"quantity":0}]}',
    otherBody: '{"updates":[{"petId":1,"quantity":1}]}',
    unknown: [
      "POST /v1/inventory:batchUpdate",
      `{"updates":[{"petId":${unknownPet},"quantity":0}]}`,
    ],
    conflicting: '{"updates":[{"petId":1,"quantity":0,"expectedQuantity":11}]}',
    conflict: ["QUANTITY_MISMATCH"],
    stale: ['{"updates":[{"petId":1,"quantity":0,"expectedVersion":4}]}', {}],
    strict: [
      ["CONDITION_REQUIRED", '{"updates":[{"petId":1,"quantity":0}]}'],
      keyRequired('{"updates":[{"petId":1,"quantity":0,"expectedQuantity":12}]}'),
    ],
  },
  {
    operationId: "batchAdjustInventory",
    line: "POST /v1/inventory:batchAdjust",
    body: '{"adjustments":[{"petId":1,"delta":-12}]}',
    otherBody: '{"adjustments":[{"petId":1,"delta":1}]}',
    unknown: [
      "POST /v1/inventory:batchAdjust",
      `{"adjustments":[{"petId":${unknownPet},"delta":1}]}`,
    ],
    conflicting: '{"adjustments":[{"petId":1,"delta":-13}]}',
    stale: ['{"adjustments":[{"petId":1,"delta":1,"expectedVersion":4}]}', {}],
    strict: [keyRequired('{"adjustments":[{"petId":1,"delta":1}]}')],
  },
  {
    operationId: "countInventory",
    line: "POST /v1/inventory:count",
    body: '{"counts":[{"petId":1,"counted":12}]}',
    otherBody: '{"counts":[{"petId":1,"counted":11}]}',
    unknown: ["POST /v1/inventory:count", `{"counts":[{"petId":${unknownPet},"counted":1}]}`],
    conflicting: '{"counts":[{"petId":1,"counted":0}]}',
    conflict: [
      "COUNT_BELOW_HELD",
      ({ send }) =>
        send("PUT /v1/store/holds/cart-7", { body: '{"items":[{"petId":1,"quantity":1}]}' }),
    ],
    strict: [keyRequired('{"counts":[{"petId":1,"counted":1}]}')],
  },
  {
    operationId: "placeOrder",
    line: "POST /v1/store/orders",
    body: '{"petId":1,"quantity":12}',
    otherBody: '{"petId":1,"quantity":1}',
    unknown: ["POST /v1/store/orders", `{"petId":${unknownPet},"quantity":1}`],
    conflicting: '{"petId":1,"quantity":13}',
    strict: [keyRequired('{"petId":1,"quantity":1}')],
  },
];

function ofChange({ operationId, line, body, stale, strict, ...more }: Change): Provocation[] {
  const send = (contract: Contract, sent: string, headers: Parts["headers"] = {}, at = line) =>
    contract.send(at, { body: sent, headers });
  const keyed = { "idempotency-key": "delivery-17" };
  const [reason, prepare] = more.conflict ?? ["STOCK_TOO_SMALL"];
  const rows: readonly Omit<Provocation, "operationId">[] = [
    ...table({
      async "200: it is repeated"(contract) {
        await send(contract, body, keyed);
        return send(contract, body, keyed);
      },
      "400 FIELD_INVALID: the idempotency key is not one": (contract) =>
        send(contract, body, { "idempotency-key": "a b" }),
      "404 PET_NOT_FOUND: there is no such pet": (contract) =>
        send(contract, more.unknown[1], keyed, more.unknown[0]),
    }),
    {
      status: 409,
      what: "the stock does not allow it",
      reason,
      async ask(contract) {
        await prepare?.(contract);
        return send(contract, more.conflicting);
      },
    },
    ...table({
      "409 IDEMPOTENCY_KEY_IN_USE=: the first is still in progress": (contract) =>
        whileInProgress(contract, () => send(contract, body, keyed)),
    }),
    ...(stale
      ? [
          ...table({
            "412 VERSION_MISMATCH: another version is expected": (contract: Contract) =>
              send(contract, ...stale),
          }),
        ]
      : []),
    ...table({
      async "422 IDEMPOTENCY_KEY_REUSED=: the key comes with another request"(contract) {
        await send(contract, body, keyed);
        return send(contract, more.otherBody, keyed);
      },
    }),
    ...strict.map(([reason, incomplete, example]) => ({
      status: 428,
      what: `the account is strict: ${reason}`,
      reason,
      ...(example !== undefined && { example }),
      async ask(contract: Contract) {
        await contract.server.stores.accounts.setWritePolicy(ownAccount, "strict");
        return contract.send(line.replace(/\?.*/, ""), { body: incomplete });
      },
    })),
  ];
  return rows.map((row) => ({ ...row, operationId }));
}

/** Sends a request while an equal request waits for the store. */
async function whileInProgress(contract: Contract, ask: () => Promise<Reply>): Promise<Reply> {
  const { inventory, orders } = contract.server.stores;
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const wait = async () => {
    started.resolve();
    await release.promise;
    return { kind: "no_pet", replayed: false } as const;
  };
  vi.spyOn(inventory, "setQuantity").mockImplementationOnce(wait);
  vi.spyOn(inventory, "adjust").mockImplementationOnce(wait);
  vi.spyOn(orders, "place").mockImplementationOnce(wait);
  for (const batch of ["setQuantities", "adjustQuantities", "count"] as const) {
    vi.spyOn(inventory, batch).mockImplementationOnce(async () => {
      const { replayed } = await wait();
      const refusals = [{ index: 0, refusal: { kind: "no_pet" } as const }];
      return { kind: "refused", refusals, total: 1, replayed } as const;
    });
  }
  const second = async () => {
    await started.promise;
    const reply = await ask();
    release.resolve();
    return reply;
  };
  const [, reply] = await Promise.all([ask(), second()]);
  return reply;
}

/** Responses to changes of the stock. */
export const changeProvocations: readonly Provocation[] = [
  ...changes.flatMap(ofChange),
  ...table({
    "adjustInventory 409 STOCK_TOO_LARGE: the quantity would be too large": ({ send }) =>
      send("POST /v1/inventory/1:adjust", { body: '{"delta":2147483647}' }),
    "countInventory 412 QUANTITY_MISMATCH=ON_HAND_MISMATCH: other units are expected": ({ send }) =>
      send("POST /v1/inventory:count", {
        body: '{"counts":[{"petId":1,"counted":1,"expectedOnHand":11}]}',
      }),
    "adjustInventory 409 QUANTITY_MISMATCH: another quantity is expected": ({ send }) =>
      send("POST /v1/inventory/1:adjust", { body: '{"delta":1,"expectedQuantity":11}' }),
  }),
  ...(
    [
      ["delta", "2147483647", "STOCK_TOO_LARGE", "the quantity would be too large"],
      ["expectedQuantity", "11", "QUANTITY_MISMATCH", "another quantity is expected"],
    ] as const
  ).map(([name, value, reason, what]) => ({
    operationId: "batchAdjustInventory",
    status: 409,
    what,
    reason,
    ask: ({ send }: Contract) =>
      send("POST /v1/inventory:batchAdjust", {
        body: `{"adjustments":[${JSON.stringify({ petId: 1, delta: 1, [name]: Number(value) })}]}`,
      }),
  })),
  ...(
    [
      ["batchUpdateInventory", "batchUpdate", "updates", "quantity"],
      ["batchAdjustInventory", "batchAdjust", "adjustments", "delta"],
      ["countInventory", "count", "counts", "counted"],
    ] as const
  ).map(([operationId, verb, list, member]) => ({
    operationId,
    status: 429,
    what: "it counts as more than the limit",
    reason: "BATCH_OVER_LIMIT",
    async ask({ newAccount, send }: Contract) {
      const limits = { perMinute: 1, perDay: 1_000 };
      const key = await newAccount("bbbbbbbbbbbb", { plan: "enterprise", limits });
      const rows = Array.from({ length: 21 }, (_, index) => ({
        petId: index + 1,
        [member]: 1,
      }));
      const body = JSON.stringify({ [list]: rows });
      return send(`POST /v1/inventory:${verb}`, { authorization: bearer(key), body });
    },
  })),
];

function again(line: string) {
  return async ({ send }: Contract) => {
    const { headers } = await send(line);
    return send(line, { headers: { "if-none-match": headers.etag } });
  };
}

/** Responses to reads of the stock. */
export const readProvocations: readonly Provocation[] = [
  ...table({
    "listInventory 200: a page is asked for": ({ send }) => send("GET /v1/inventory?pageSize=1"),
    "listInventoryChanges 200: a page is asked for": ({ send }) =>
      send("GET /v1/inventory/changes?pageSize=1"),
    "listInventory 304: the client has it": again("GET /v1/inventory"),
    "getInventoryItem 304: the client has it": again("GET /v1/inventory/1"),
    "listPets 304: the client has it": again("GET /v1/catalog"),
    "getCatalogEntry 304: the client has it": again("GET /v1/catalog/1"),
  }),
];
