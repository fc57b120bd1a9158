/** An item as JSON over HTTP shows it. */
export interface BenchItem {
  readonly petId: number;
  readonly quantity: number;
  readonly status: "available" | "pending" | "sold";
}

const statuses = ["available", "pending", "sold"] as const;

/** The stock that every server serves: the same on every run. */
export function benchItems(count: number): BenchItem[] {
  return Array.from({ length: count }, (_, index) => benchItem(index + 1));
}

/** One item of it. */
export function benchItem(petId: number): BenchItem {
  const index = petId - 1;
  return { petId, quantity: (index * 37) % 100, status: statuses[index % 3] ?? "available" };
}
