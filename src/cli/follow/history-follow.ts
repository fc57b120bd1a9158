import { timestampMs } from "@bufbuild/protobuf/wkt";
import { InventoryChangeSchema } from "../../../gen/inventory/v1/inventory_pb.ts";
import { httpJson } from "../../contract/http-json.ts";
import { changeMessage } from "../../services/inventory/change-message.ts";
import type { StockChange } from "../../stores/stock-change.ts";
import type { Stores } from "../../stores/stores.ts";
import type { Environment } from "../environment.ts";
import { withStores } from "../session/session.ts";
import {
  type Followed,
  type FollowOptions,
  followToFiles,
  lostError,
  type RecordKind,
} from "./follow.ts";
import type { RecordLine } from "./line-files.ts";

const changeLines: RecordKind = {
  prefix: "changes",
  record: "change",
  records: "changes",
  number: "version",
  field: "version",
  setting: "HISTORY_LENGTH",
  pollMs: 200,
  time: /"changedAt":"([^"]*)"/,
};

/**
 * Writes every change of the stock to files of a directory, starting after the last change in the files.
 *
 * @throws CommandError if the service has deleted some of these changes, or has a different history
 */
export async function followHistory(
  environment: Environment,
  directory: string,
  options: FollowOptions,
): Promise<void> {
  await followToFiles({ environment, directory, options, kind: changeLines }, (work) =>
    withStores(environment, (stores) => work(() => historyOf(stores))),
  );
}

function historyOf({ inventory }: Stores): Followed {
  return {
    start: () => inventory.historyStart(),
    async since(version, most) {
      const since = await inventory.changesSince(version, most);
      return since && { lines: since.changes.map(lineOf), total: since.total };
    },
    replaced: (version) =>
      lostError(
        `the files end with version ${version} of another stock: the stock was replaced or restored. Use another directory`,
      ),
  };
}

function lineOf(change: StockChange): RecordLine {
  const message = changeMessage(change, "whole");
  const { version } = change;
  const at = message.changedAt ? timestampMs(message.changedAt) : change.changedAt;
  return {
    from: version,
    to: version,
    at,
    text: httpJson.encodeJson(InventoryChangeSchema, message),
  };
}
