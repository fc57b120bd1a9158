import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  ListStockLevelsRequest,
  ListStockLevelsResponseSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import type { CallContext } from "../../common/call-context.ts";
import { fieldInvalid } from "../../contract/errors.ts";
import type { InventoryStore } from "../../stores/inventory-store.ts";
import { defaultPageSize, pageToken, startOfPage } from "./page-token.ts";

/** Returns the levels of some pets, or of a page. @throws ConnectError invalid_argument for both, or a malformed page token */
export async function listLevels(
  store: Pick<InventoryStore, "levels">,
  { petIds, pageSize, pageToken: token }: ListStockLevelsRequest,
  context: CallContext,
): Promise<MessageInitShape<typeof ListStockLevelsResponseSchema>> {
  if (petIds.length > 0 && (pageSize !== undefined || token !== "")) {
    const field = pageSize === undefined ? "page_token" : "page_size";
    throw fieldInvalid(field, "cannot be combined with pet ids: send only one of them");
  }
  const query = {
    petIds: petIds.toSorted((a, b) => (a < b ? -1 : 1)),
    after: startOfPage("level", token),
    limit: pageSize ?? defaultPageSize,
  };
  const { levels, more } = await store.levels(query, context);
  const last = levels.at(-1);
  return {
    levels: levels.map((level) => ({ ...level, onHand: level.quantity + level.held })),
    nextPageToken: more && last ? pageToken("level", last.petId) : "",
  };
}
