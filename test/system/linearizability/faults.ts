import { loseResponses, type Patch, pageOfOne, readWhole, sendLate } from "./mutant.ts";

/** Faults that the check must find. Each is injected into a copy of the sources. */
export const faults: Readonly<Record<string, readonly Patch[]>> = {
  "versions-not-compared": [
    {
      file: "src/stores/redis/stock/change.lua",
      from: "if versions ~= '' then",
      to: "if false then",
    },
  ],
  "quantities-not-compared": [
    {
      file: "src/stores/redis/stock/change.lua",
      from: "if expected == '' or tonumber(expected) == tonumber(quantity) then",
      to: "if true then",
    },
  ],
  "adjusted-in-two-steps": [
    {
      file: "src/stores/redis/stock/inventory-store.ts",
      from: 'adjust: oneChange("add"),',
      to: `async adjust(petId, delta, request = {}, context) {
        const read = await this.get(petId);
        if (read && delta > 0) return this.setQuantity(petId, read.quantity + delta, request);
        return oneChange("add")(petId, delta, request, context);
      },`,
    },
  ],
  "list-of-several-times": [
    pageOfOne,
    readWhole,
    { file: "src/stores/redis/stock/whole-list.ts", from: "append(found, next.value);", to: ";" },
  ],
  "list-kept-without-asking": [
    {
      file: readWhole.file,
      from: "if (!base) return readAlone(readAll);",
      to: "if (!base) return readAlone(readAll); if (Math.random() < 0.5) return base;",
    },
  ],
  "message-applied-twice": [
    loseResponses,
    {
      file: loseResponses.file,
      from: "await store.put(pets, origin, idempotency, context)",
      to: "await store.put(pets, origin, newIdempotency(), context)",
    },
  ],
  "batch-in-two-steps": [
    {
      file: "src/stores/redis/stock/inventory-store.ts",
      from: "setQuantities: batchOfChanges(",
      to: `async setQuantities(updates, request = {}, context) {
        if (updates.length > 1) {
          const first = await this.setQuantities(updates.slice(0, 1), request);
          if (first.kind !== "changed") return first;
          const rest = await this.setQuantities(updates.slice(1), { ...request, idempotency: undefined });
          return rest.kind === "changed" ? { ...rest, items: [...first.items, ...rest.items] } : rest;
        }
        return this.setAtOnce(updates, request, context);
      },
      setAtOnce: batchOfChanges(`,
    },
  ],
  "refused-batch-applied-partly": [
    {
      file: "src/stores/redis/stock/batch.lua",
      from: "return refused()",
      to: `local outcome = refused()
      if outcome and string.match(outcome, '\\n(%d+)') ~= '0' then
        local item = read_item(pets[1])
        write_item(pets[1], item, tonumber(quantities[1]), item.status)
      end
      return outcome`,
    },
  ],
  "transfer-adds-without-taking": [
    {
      file: "src/stores/redis/stock/batch.lua",
      from: "quantities[i] = whole(after)",
      to: "quantities[i] = whole(are_deltas and math.max(quantity, after) or after)",
    },
  ],
  "held-units-counted-twice": [
    {
      file: "src/stores/redis/stock/batch.lua",
      from: "quantities[i] = whole(counted - units)",
      to: "quantities[i] = whole(counted)",
    },
  ],
  "hold-takes-all-again": [
    {
      file: "src/stores/redis/holds/holds.lua",
      from: "deltas[at[pet]] = deltas[at[pet]] - before.quantities[i]",
      to: "",
    },
  ],
  "hold-released-twice": [
    {
      file: "src/stores/redis/holds/holds.lua",
      from: "elseif hold.state == HOLD_ACTIVE then",
      to: "else",
    },
  ],
  "order-takes-nothing": [
    {
      file: "src/stores/redis/orders/orders.lua",
      from: "item.quantity - wanted",
      to: "item.quantity",
    },
  ],
  "order-given-back-twice": [
    {
      file: "src/stores/redis/orders/orders.lua",
      from: "if status == ORDER_CANCELLED then",
      to: "if false then",
    },
  ],
  "changed-after-its-deadline": [
    sendLate,
    {
      file: "packages/connect-gateway/src/call/deadline.ts",
      from: "deadline !== undefined && performance.now() >= deadline",
      to: "false",
    },
  ],
};
