import type { DescMethod } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";

/** The outcome of a change that was not made, because it has more items than were paid for. */
export interface Costs {
  readonly kind: "costs";
  /** How many items the resource has, or gets if these are more. */
  readonly items: number;
}

/** Makes a change, or refuses its cost. `change` returns {@link Costs} if the store finds more items than `paid`. */
export type ChangePaid = <T extends { readonly kind: string }>(
  context: HandlerContext,
  change: (paid: number) => Promise<T | Costs>,
) => Promise<T>;

/** Makes the function that charges the changes of a method whose option `rules.v1.cost` counts stored items. */
export type PayFor = (method: DescMethod) => ChangePaid;
