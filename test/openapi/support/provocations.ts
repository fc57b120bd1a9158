import { vi } from "vitest";
import type { Scope } from "../../../src/access/scopes.ts";
import { storeUnavailable } from "../../../src/errors.ts";
import {
  bearer,
  type Contract,
  ownAccount,
  type Parts,
  type Reply,
  unknownPet,
} from "../../contract/support.ts";

import { changeProvocations, readProvocations } from "./stock-provocations.ts";

/** A request to an operation, and the answer that the document has for it. */
export interface Provocation {
  readonly operationId: string;
  /** Status of the answer. */
  readonly status: number;
  readonly what: string;
  /** Name of the document's example that the body is, word for word. */
  readonly example?: string;
  /** Whether the document tells of the status as `default`. */
  readonly isDefault?: boolean;
  /** Whether the operation has to be past its sunset. */
  readonly afterSunset?: boolean;
  readonly ask: (contract: Contract) => Promise<Reply>;
}

/** A request that is answered 200, and a scope that does not allow it. */
interface Success {
  readonly operationId: string;
  readonly line: string;
  readonly parts?: Parts;
  readonly otherScope: Scope;
}

/** A day on which operations have ended, and the one that the document tells. */
export const pastSunset = "2001-02-03";
const documentedSunset = "2027-12-31";

const largeId = "9007199254740993";

const successes: readonly Success[] = [
  { operationId: "listInventory", line: "GET /v1/inventory", otherScope: "store:read" },
  {
    operationId: "updateInventory",
    line: `PATCH /v1/inventory/${largeId}`,
    parts: { body: '{"quantity":2147483647}' },
    otherScope: "inventory:read",
  },
  {
    operationId: "getInventoryItem",
    line: `GET /v1/inventory/${largeId}`,
    otherScope: "store:read",
  },
  {
    operationId: "adjustInventory",
    line: `POST /v1/inventory/${largeId}:adjust`,
    parts: { body: '{"delta":2147483640}' },
    otherScope: "inventory:read",
  },
  {
    operationId: "batchUpdateInventory",
    line: "POST /v1/inventory:batchUpdate",
    parts: { body: `{"updates":[{"petId":${largeId},"quantity":5}]}` },
    otherScope: "inventory:read",
  },
  {
    operationId: "listInventoryChanges",
    line: "GET /v1/inventory/changes",
    otherScope: "store:read",
  },
  {
    operationId: "listItemChanges",
    line: `GET /v1/inventory/${largeId}/changes`,
    otherScope: "store:read",
  },
  {
    operationId: "watchInventory",
    line: "GET /v1/inventory:watch",
    // Then it has an end.
    parts: { headers: { "connect-timeout-ms": "200" } },
    otherScope: "store:read",
  },
  { operationId: "getPet", line: `GET /v1/pets/${largeId}`, otherScope: "store:read" },
  { operationId: "listOrders", line: "GET /v1/store/orders", otherScope: "inventory:read" },
  { operationId: "getOrder", line: "GET /v1/store/orders/1", otherScope: "inventory:read" },
];

/** What every operation answers. */
function common({ operationId, line, parts, otherScope }: Success): Provocation[] {
  const send = ({ send }: Contract, more: Parts = {}, target = line) =>
    send(target, { ...parts, ...more });
  const [, path = ""] = line.split(" ");
  const withHeader = (name: string, value: string) => (contract: Contract) =>
    send(contract, { headers: { [name]: value } });
  const rows: readonly Omit<Provocation, "operationId">[] = [
    {
      status: 200,
      what: "all is well",
      async ask(contract) {
        const { orders } = contract.server.stores;
        await orders.place(ownAccount, BigInt(largeId), 1);
        contract.server.clock.now += 1_250;
        await orders.place(ownAccount, 1n, 2);
        return send(contract);
      },
    },
    {
      status: 400,
      what: "a query parameter is not known",
      ...(parts === undefined && { example: "unknownParameter" }),
      ask: (contract) => send(contract, {}, `${line}?limit=5`),
    },
    {
      status: 401,
      what: "no key was sent",
      example: "KEY_MISSING",
      ask: (contract) => send(contract, { authorization: null }),
    },
    {
      status: 401,
      what: "the key is not valid",
      example: "KEY_INVALID",
      ask: (contract) => send(contract, { authorization: "Bearer nonsense" }),
    },
    {
      status: 401,
      what: "the key was revoked",
      example: "KEY_REVOKED",
      async ask(contract) {
        await contract.server.stores.accounts.revokeKey(contract.own.keyId);
        return send(contract);
      },
    },
    {
      status: 401,
      what: "the key has expired",
      example: "KEY_EXPIRED",
      async ask(contract) {
        const { clock } = contract.server;
        const key = await contract.newKey({ expiresAt: clock.now + 60_000 });
        clock.now += 60_000;
        return send(contract, { authorization: bearer(key) });
      },
    },
    {
      status: 403,
      what: "the key lacks the scope",
      async ask(contract) {
        const key = await contract.newKey({ scopes: [otherScope] });
        return send(contract, { authorization: bearer(key) });
      },
    },
    {
      status: 405,
      what: "the method is another one",
      ask: ({ send }) => send(`DELETE ${path}`),
    },
    {
      status: 429,
      what: "the minute's limit is reached",
      async ask(contract) {
        await contract.spend(60);
        return send(contract);
      },
    },
    {
      status: 429,
      what: "the key is banned",
      example: "KEY_BANNED",
      async ask(contract) {
        await contract.spend(121);
        return send(contract);
      },
    },
    { status: 500, what: "there is a bug", ask: failing(() => new Error("a bug"), send) },
    {
      status: 503,
      what: "the store can't be reached by the operation",
      example: "STORE_UNAVAILABLE",
      ask: failing(() => storeUnavailable(undefined), send),
    },
    {
      status: 503,
      what: "the store can't be reached by admission",
      example: "STORE_UNAVAILABLE",
      ask(contract) {
        const { admission } = contract.server.stores;
        vi.spyOn(admission, "admitKey").mockRejectedValueOnce(storeUnavailable(undefined));
        return send(contract);
      },
    },
    {
      status: 504,
      what: "the deadline has passed",
      example: "deadline",
      ask: withHeader("x-server-timeout", "0"),
    },
    {
      status: 417,
      what: "an expectation is not supported",
      isDefault: true,
      ask: withHeader("expect", "a miracle"),
    },
    {
      status: 431,
      what: "the header section is too large",
      isDefault: true,
      example: "headerFields",
      ask: withHeader("x-large", "x".repeat(20_000)),
    },
  ];
  return rows.map((row) => ({ operationId, ...row }));
}

/** Has every store that an operation asks fail once. */
function failing(error: () => Error, send: (contract: Contract) => Promise<Reply>) {
  return (contract: Contract) => {
    const { inventory, orders } = contract.server.stores;
    vi.spyOn(inventory, "list").mockRejectedValueOnce(error());
    vi.spyOn(inventory, "page").mockRejectedValueOnce(error());
    vi.spyOn(inventory, "get").mockRejectedValueOnce(error());
    vi.spyOn(inventory, "changes").mockRejectedValueOnce(error());
    vi.spyOn(inventory, "adjust").mockRejectedValueOnce(error());
    vi.spyOn(inventory, "setQuantities").mockRejectedValueOnce(error());
    vi.spyOn(inventory, "setQuantity").mockRejectedValueOnce(error());
    vi.spyOn(orders, "list").mockRejectedValueOnce(error());
    vi.spyOn(orders, "get").mockRejectedValueOnce(error());
    return send(contract);
  };
}

function update(body: string, more: Parts = {}, petId: string | number = 1) {
  return ({ send }: Contract) => send(`PATCH /v1/inventory/${petId}`, { body, ...more });
}

const json = (type: string): Parts => ({ headers: { "content-type": type } });

/** What some operations answer. */
const particular: readonly Provocation[] = [
  ...(
    [
      [200, "merge-patch+json", update('{"quantity":1}', json("application/merge-patch+json"))],
      [400, "a member is not known", update('{"quantity":1,"status":"sold"}')],
      [400, "the petId is not valid", update('{"quantity":1}', {}, "01")],
      [404, "there is no such pet", update('{"quantity":1}', {}, unknownPet), "PET_NOT_FOUND"],
      [400, "a member is missing", update("{}"), "missing"],
      [400, "a value is out of bounds", update('{"quantity":-1}'), "outOfBounds"],
      [413, "the body is too large", update(" ".repeat(65_537)), "size"],
      [415, "the media type is another one", update("quantity: 1", json("text/yaml")), "mediaType"],
      [
        415,
        "the coding is another one",
        update("{}", { headers: { "content-encoding": "compress" } }),
      ],
    ] as const
  ).map(([status, what, ask, example]) => ({
    operationId: "updateInventory",
    status,
    what,
    ask,
    ...(example !== undefined && { example }),
  })),
  {
    operationId: "watchInventory",
    status: 410,
    what: "the changes since are not remembered",
    example: "WATCH_EXPIRED",
    ask: ({ send }) => send("GET /v1/inventory:watch?resumeToken=99999"),
  },
  {
    operationId: "listOrders",
    status: 400,
    what: "the page token is not one",
    ask: ({ send }) => send("GET /v1/store/orders?pageToken=x"),
  },
  {
    operationId: "getOrder",
    status: 400,
    what: "the orderId is not valid",
    ask: ({ send }) => send("GET /v1/store/orders/0"),
  },
  {
    operationId: "getOrder",
    status: 404,
    what: "the account has no such order",
    example: "ORDER_NOT_FOUND",
    ask: ({ send }) => send("GET /v1/store/orders/404"),
  },
  {
    operationId: "getPet",
    status: 400,
    what: "the petId is not valid",
    ask: ({ send }) => send("GET /v1/pets/0"),
  },
  {
    operationId: "getPet",
    status: 404,
    what: "there is no such pet",
    example: "PET_NOT_FOUND",
    ask: ({ send }) => send(`GET /v1/pets/${unknownPet}`),
  },
  {
    operationId: "getPet",
    status: 410,
    what: "it is past its sunset",
    example: "gone",
    afterSunset: true,
    async ask({ send }) {
      const { body, ...reply } = await send("GET /v1/pets/1");
      return { ...reply, body: body.replace(pastSunset, documentedSunset) };
    },
  },
];

/** At least one for every status of every operation. */
export const provocations: readonly Provocation[] = [
  ...successes.flatMap(common),
  ...particular,
  ...changeProvocations,
  ...readProvocations,
];
