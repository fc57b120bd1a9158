import { describe, expect, test } from "vitest";
import { storeKinds } from "../support/stores.ts";

describe.each(storeKinds)("places in $name", ({ use }) => {
  const under = use();

  test("one holder at a time has a name, and moves its place", async () => {
    const { places } = under.stores;
    expect(await places.hold("relay:a", "first")).toEqual({ place: "" });
    expect(await places.hold("relay:a", "second")).toBe("taken");
    expect(await places.hold("relay:a", "second", { from: "", to: "9" })).toBe("taken");
    expect(await places.hold("relay:b", "second")).toEqual({ place: "" });
    expect(await places.hold("relay:a", "first", { from: "", to: "5" })).toEqual({ place: "5" });
    expect(await places.hold("relay:a", "first")).toEqual({ place: "5" });
  });

  test("a move that is repeated, or begins elsewhere, changes nothing", async () => {
    const { places } = under.stores;
    const move = { from: "", to: "5" };
    await places.hold("relay:a", "first", move);
    expect(await places.hold("relay:a", "first", move)).toEqual({ place: "5" });
    expect(await places.hold("relay:a", "first", { from: "4", to: "6" })).toEqual({ place: "5" });
    expect(await places.hold("relay:a", "first", { from: "5", to: "6" })).toEqual({ place: "6" });
  });

  test("only the holder releases a name, which keeps its place", async () => {
    const { places } = under.stores;
    await places.hold("relay:a", "first", { from: "", to: "5" });
    await places.release("relay:a", "second");
    expect(await places.hold("relay:a", "second")).toBe("taken");
    await places.release("relay:a", "first");
    expect(await places.hold("relay:a", "second")).toEqual({ place: "5" });
    await places.release("relay:unknown", "first");
  });
});
