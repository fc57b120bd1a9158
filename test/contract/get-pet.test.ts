import { describe, expect, test } from "vitest";
import { storeKinds } from "../support/stores.ts";
import {
  bearer,
  type Contract,
  expectError,
  type Reply,
  unknownPet,
  useContract,
} from "./support.ts";

const line = "GET /v1/pets/1";

/** Sunsets in the far future and in the past, so that the tests pass on any day. */
const future = "2999-12-31";
const past = "2001-02-03";

const deprecated = {
  deprecation: `@${Date.UTC(2026, 10, 1) / 1000}`,
  link: '</v1/inventory>; rel="successor-version"',
};
const inFuture = { ...deprecated, sunset: "Tue, 31 Dec 2999 00:00:00 GMT" };
const inPast = { ...deprecated, sunset: "Sat, 03 Feb 2001 00:00:00 GMT" };

function notice({ headers }: Reply) {
  const { deprecation, link, sunset } = headers;
  return { deprecation, link, sunset };
}

/** Requests that result in each status before the sunset. */
const responses: readonly (readonly [number, (contract: Contract) => Promise<Reply>])[] = [
  [200, ({ send }) => send(line)],
  [200, ({ send }) => send("HEAD /v1/pets/1")],
  [400, ({ send }) => send("GET /v1/pets/abc")],
  [401, ({ send }) => send(line, { authorization: null })],
  [404, ({ send }) => send(`GET /v1/pets/${unknownPet}`)],
  [
    403,
    async ({ newKey, send }) =>
      send(line, { authorization: bearer(await newKey({ scopes: ["store:read"] })) }),
  ],
  [
    429,
    async ({ spend, send }) => {
      await spend(60);
      return send(line);
    },
  ],
];

describe.each(storeKinds)("GET /v1/pets/{petId} in $name", (kind) => {
  const contract = useContract(kind, { PETS_SUNSET: future });

  test.each([
    ["1", '{"petId":1,"status":"available"}'],
    ["2", '{"petId":2,"status":"sold"}'],
    ["9007199254740993", '{"petId":9007199254740993,"status":"pending"}'],
    ["%32", '{"petId":2,"status":"sold"}'],
  ])("200 with pet %s", async (petId, body) => {
    const reply = await contract.send(`GET /v1/pets/${petId}`);
    expect(reply).toMatchObject({ status: 200, body });
    expect(reply.headers["content-type"]).toBe("application/json");
  });

  test("200 for the largest petId", async () => {
    const petId = 9_223_372_036_854_775_807n;
    await contract.server.stores.catalog.put([{ petId, quantity: 1, status: 2 }]);
    const { body } = await contract.send(`GET /v1/pets/${petId}`);
    expect(body).toBe('{"petId":9223372036854775807,"status":"pending"}');
  });

  test.each(responses)("%i has Deprecation, Sunset and Link (%#)", async (status, ask) => {
    const reply = await ask(contract);
    expect(reply.status).toBe(status);
    expect(notice(reply)).toEqual(inFuture);
  });

  test("no other operation has Deprecation, Sunset or Link", async () => {
    const none = { deprecation: undefined, link: undefined, sunset: undefined };
    expect(notice(await contract.send("GET /v1/inventory"))).toEqual(none);
    expect(notice(await contract.send("GET /v1/store/orders"))).toEqual(none);
  });
});

describe.each(storeKinds)("GET /v1/pets/{petId} in $name, after the sunset", (kind) => {
  const contract = useContract(kind, { PETS_SUNSET: past });

  test.each(["1", unknownPet, "abc", "1?x=1"])(
    "410 with the way to the successor, for pet %s",
    async (petId) => {
      const reply = await contract.send(`GET /v1/pets/${petId}`);
      expectError(reply, 410, "gone", "/v1/inventory");
      expect(notice(reply)).toEqual(inPast);
    },
  );

  test("410 without a body for HEAD", async () => {
    const reply = await contract.send("HEAD /v1/pets/1");
    expect(reply).toMatchObject({ status: 410, body: "" });
    expect(notice(reply)).toEqual(inPast);
  });

  test("401 when no key was sent", async () => {
    const reply = await contract.send(line, { authorization: null });
    expectError(reply, 401, "unauthenticated");
    expect(notice(reply)).toEqual(inPast);
  });

  test("200 for the successor operation", async () => {
    expect((await contract.send("GET /v1/inventory")).status).toBe(200);
  });
});
