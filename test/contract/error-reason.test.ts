import { describe, expect, it } from "vitest";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { storeKinds } from "../support/stores.ts";
import { bearer, type Contract, unknownPet, useContract } from "./support.ts";
import { type Ask, askAll, each, forAll } from "./unary-protocols.ts";

const shop = "https://shop.example";

describe.each(storeKinds)("X-Error-Reason in $name", (kind) => {
  const contract = useContract(kind, { CORS_ORIGINS: shop });
  const own = ({ own }: Contract) => bearer(own);
  const list = { list: true } as const;
  const update = { petId: 1n, update: { quantity: 5 } };

  it.each<[string, (contract: Contract) => Promise<string | null> | string | null, Ask]>([
    ["KEY_MISSING", () => null, list],
    ["KEY_INVALID", () => "Bearer nonsense", list],
    ["SCOPE_MISSING", async ({ newKey }) => bearer(await newKey({ scopes: ["store:read"] })), list],
    ["PET_NOT_FOUND", own, { ...update, petId: BigInt(unknownPet) }],
    ["FIELD_INVALID", own, { petId: 1n, update: { quantity: -1 } }],
    [
      "RATE_LIMITED",
      async (contract) => {
        await contract.spend(60);
        return own(contract);
      },
      list,
    ],
  ])(
    "the HTTP header equals the reason in ErrorInfo on RPC: %s",
    async (reason, authorization, ask) => {
      const outcomes = await askAll(contract, await authorization(contract), ask);
      const reasons = each(outcomes, ({ fields, error }) =>
        error ? error.findDetails(ErrorInfoSchema)[0]?.reason : fields.get("x-error-reason"),
      );
      expect(reasons).toEqual(forAll(() => reason));
    },
  );

  it.each([
    ["MESSAGE_INVALID", 400, "GET http://a:b/"],
    ["MESSAGE_INVALID", 400, "GET /v1/inventory?x=1"],
    ["PATH_NOT_FOUND", 404, "GET /v1/nothing"],
    ["METHOD_NOT_ALLOWED", 405, "DELETE /v1/inventory"],
    ["METHOD_NOT_ALLOWED", 405, "POST /openapi.json"],
  ])("%s with %i to %s", async (reason, status, line) => {
    const reply = await contract.send(line);
    expect([reply.status, reply.headers["x-error-reason"]]).toEqual([status, reason]);
  });

  it("a success has no X-Error-Reason", async () => {
    const outcomes = await askAll(contract, own(contract), list);
    expect(each(outcomes, ({ fields }) => fields.get("x-error-reason"))).toEqual(
      forAll(() => null),
    );
  });

  it("CORS exposes X-Error-Reason to configured origins", async () => {
    const reply = await contract.send("GET /v1/nothing", { headers: { origin: shop } });
    const exposed = String(reply.headers["access-control-expose-headers"]).toLowerCase();
    expect(exposed.split(", ")).toEqual(expect.arrayContaining(["x-error-reason", "x-request-id"]));
  });
});
