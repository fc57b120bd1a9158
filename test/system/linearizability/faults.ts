import { loseResponses, type Patch, pageOfOne, readWhole, sendLate } from "./mutant.ts";

/** Replaces a text that a file has once. */
const patch = (file: string, from: string, to: string): readonly Patch[] => [{ file, from, to }];

/** Faults that the check must find. Each is injected into a copy of the sources. */
export const faults: Readonly<Record<string, readonly Patch[]>> = {
  "versions-not-compared": patch(
    "src/stores/redis/stock/change.lua",
    "if versions ~= '' then",
    "if false then",
  ),
  "quantities-not-compared": patch(
    "src/stores/redis/stock/change.lua",
    "if expected == '' or tonumber(expected) == tonumber(quantity) then",
    "if true then",
  ),
  "adjusted-in-two-steps": patch(
    "src/stores/redis/stock/inventory-store.ts",
    "async change(change, request = {}, context) {",
    `async change(change, request = {}, context) {
        const { petId, delta = 0 } = change;
        const read = delta > 0 ? await this.get(petId) : undefined;
        if (read) return this.change({ petId, quantity: read.quantity + delta }, request);`,
  ),
  "list-of-several-times": [
    pageOfOne,
    readWhole,
    ...patch("src/stores/redis/stock/whole-list.ts", "append(found, next.value);", ";"),
  ],
  "list-kept-without-asking": patch(
    readWhole.file,
    "if (!base) return readAlone(readAll);",
    "if (!base) return readAlone(readAll); if (Math.random() < 0.5) return base;",
  ),
  "message-applied-twice": [
    loseResponses,
    ...patch(
      loseResponses.file,
      "await store.put(pets, origin, idempotency, context)",
      "await store.put(pets, origin, { ...idempotency, key: randomUUID() }, context)",
    ),
  ],
  "batch-in-two-steps": patch(
    "src/stores/redis/stock/inventory-store.ts",
    "async changeAll(changes: readonly QuantityChange[], request = {}, context) {",
    `async changeAll(changes: readonly QuantityChange[], request = {}, context) {
        if (changes.length > 1 && "quantity" in changes[0]) {
          const first = await this.changeAll(changes.slice(0, 1), request);
          if (first.kind !== "changed") return first;
          const rest = await this.changeAll(changes.slice(1), { ...request, idempotency: undefined });
          return rest.kind === "changed" ? { ...rest, items: [...first.items, ...rest.items] } : rest;
        }`,
  ),
  "refused-batch-applied-partly": patch(
    "src/stores/redis/stock/batch.lua",
    "return refused()",
    `local outcome = refused()
      if outcome and string.match(outcome, '\\n(%d+)') ~= '0' then
        local item = read_item(pets[1])
        write_item(pets[1], item, tonumber(quantities[1]), item.status)
      end
      return outcome`,
  ),
  "transfer-adds-without-taking": patch(
    "src/stores/redis/stock/batch.lua",
    "quantities[i] = whole(after)",
    "quantities[i] = whole(are_deltas and math.max(quantity, after) or after)",
  ),
  "held-units-counted-twice": patch(
    "src/stores/redis/stock/batch.lua",
    "quantities[i] = whole(counted - units)",
    "quantities[i] = whole(counted)",
  ),
  "hold-takes-all-again": patch(
    "src/stores/redis/holds/holds.lua",
    "deltas[at[pet]] = deltas[at[pet]] - before.quantities[i]",
    "",
  ),
  "hold-released-twice": patch(
    "src/stores/redis/holds/holds.lua",
    "elseif hold.state == HOLD_ACTIVE then",
    "else",
  ),
  "order-takes-nothing": patch(
    "src/stores/redis/orders/orders.lua",
    "item.quantity - wanted",
    "item.quantity",
  ),
  "order-given-back-twice": patch(
    "src/stores/redis/orders/orders.lua",
    "if status == ORDER_CANCELLED then",
    "if false then",
  ),
  "changed-after-its-deadline": [
    sendLate,
    ...patch(
      "packages/connect-gateway/src/call/deadline.ts",
      "deadline !== undefined && performance.now() >= deadline",
      "false",
    ),
  ],
};
