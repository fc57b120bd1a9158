import { type HoldState, HoldStateSchema } from "../../../../../gen/store/v1/store_pb.ts";
import { enumWord } from "../../../../../src/common/enum-word.ts";

const badges: Readonly<Record<string, string>> = {
  active: "badge-warning",
  confirmed: "badge-success",
};

/** The state of a hold, with a color. */
export function HoldBadge({ state }: { readonly state: HoldState }) {
  const word = enumWord(HoldStateSchema, state);
  return <span class={`badge ${badges[word] ?? ""}`}>{word}</span>;
}
