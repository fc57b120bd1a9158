/** An item in JSON over HTTP. */
export interface BenchItem {
  readonly petId: number;
  readonly quantity: number;
  readonly status: "available" | "pending" | "sold";
}

const statuses = ["available", "pending", "sold"] as const;

/** The stock that every server serves, the same in every run. */
export function benchItems(count: number): BenchItem[] {
  return Array.from({ length: count }, (_, index) => benchItem(index + 1));
}

/** Returns one item of the stock. */
export function benchItem(petId: number): BenchItem {
  const index = petId - 1;
  return { petId, quantity: (index * 37) % 100, status: statuses[index % 3] ?? "available" };
}
