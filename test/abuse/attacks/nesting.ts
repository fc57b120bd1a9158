import { type Attack, createFindings } from "./attack.ts";
import { ask, bearer, http1, isProper } from "./wire.ts";

const bodies: readonly (readonly [what: string, body: string])[] = [
  ["64 KiB of [", "[".repeat(65_000)],
  ["objects in objects", '{"a":'.repeat(13_000)],
  ["whole arrays", "[".repeat(32_000) + "]".repeat(32_000)],
  ["objects in a known member", '{"update":'.repeat(6_000)],
  ["arrays in updates", `{"updates":${"[".repeat(32_000)}${"]".repeat(32_000)}}`],
  ["a key of 60 KB", `{"${"k".repeat(60_000)}":1}`],
  ["a member 8,000 times", `{${'"note":1,'.repeat(7_000)}"note":1}`],
  ["escapes", `{"note":"${"\\u0000".repeat(10_000)}"}`],
  ["open quotes", '"'.repeat(65_000)],
  ["backslashes", `{"note":"${"\\".repeat(60_000)}`],
  ["spaces", " ".repeat(65_000)],
  ["not UTF-8", "\u00ff".repeat(30_000)],
];

/** Deeply nested groups and length-delimited fields, and malformed bytes. No message of the contract has groups. */
function nestedProtobuf(): Buffer[] {
  let lengths = Buffer.alloc(0);
  for (let depth = 0; depth < 5_000 && lengths.length < 60_000; depth++) {
    lengths = Buffer.concat([Buffer.from([0x12]), varint(lengths.length), lengths]);
  }
  return [
    Buffer.alloc(60_000, 0x0b),
    Buffer.concat([Buffer.alloc(30_000, 0x7b), Buffer.alloc(30_000, 0x7c)]),
    lengths,
    Buffer.alloc(60_000, 0xff),
    Buffer.alloc(60_000, 0x80),
    Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]),
  ];
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

/** The time to refuse a body grows linearly with its length, however deep it is nested. */
export const nesting: Attack = {
  name: "deeply nested and malformed bodies",
  sends: `${bodies.length} JSON and 6 Protobuf bodies of up to 64 KiB to 4 methods`,
  seconds: 8,
  async run(target) {
    const found = createFindings();
    const key = bearer(target.keys.admin);
    const methods = [
      "inventory.v1.InventoryService/BatchUpdateInventory",
      "inventory.v1.InventoryService/ListInventory",
      "inventory.v1.InventoryService/WatchInventory",
      "admin.v1.AdminService/ImportItems",
    ];
    const send = async (what: string, bytes: Buffer) => {
      const { status, ms } = await ask(target, bytes);
      found.expect(isProper(status), `${what}: status ${status}`);
      // An admitted watch stays open.
      found.expect(ms < 400 || status === 200, `${what}: took more than 400 ms`);
    };
    for (const [what, body] of bodies) {
      const json = { ...key, "content-type": "application/json" };
      const latin1 = Buffer.from(body, "latin1");
      await send(`REST, ${what}`, http1("POST", "/v1/inventory:batchUpdate", json, latin1));
      for (const method of methods) {
        await send(`${method}, ${what}`, http1("POST", `/${method}`, json, latin1));
      }
    }
    for (const [n, body] of nestedProtobuf().entries()) {
      const head = Buffer.alloc(5);
      head.writeUInt32BE(body.length, 1);
      for (const method of methods) {
        const unary = { ...key, "content-type": "application/proto" };
        const web = { ...key, "content-type": "application/grpc-web+proto" };
        await send(`${method}, Protobuf ${n}`, http1("POST", `/${method}`, unary, body));
        const framed = Buffer.concat([head, body]);
        await send(`${method}, gRPC-Web ${n}`, http1("POST", `/${method}`, web, framed));
      }
    }
    return found.list;
  },
};
