import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Ban } from "../../../../../../gen/admin/v1/admin_pb.ts";
import { actionColumn } from "../../shared/action-column.tsx";
import type { Column } from "../../shared/table.tsx";
import type { Action } from "../../shared/use-action.ts";
import { durationText } from "../../text/time-text.ts";
import { AccountName, KeyName } from "../links.tsx";

/** The columns of a list of banned keys. */
export function banColumns(nowMs: number, unban: Action<[keyId: string]>): Column<Ban>[] {
  return [
    {
      title: "Key",
      cell: ({ key }) => key && <KeyName name={key.name} keyId={key.keyId} />,
    },
    {
      title: "Account",
      cell: ({ key, accountName }) =>
        key && <AccountName accountId={key.accountId} name={accountName} />,
    },
    {
      title: "Ends in",
      cell: ({ key }) => key?.bannedUntil && durationText(timestampMs(key.bannedUntil) - nowMs),
    },
    { title: "Bans in a row", cell: ({ level }) => level, isNumber: true },
    actionColumn(({ key }) => {
      if (!key) return [];
      const run = unban.isPending ? undefined : () => void unban.run(key.keyId);
      return [{ name: "Unban", target: `key ${key.name || key.keyId}`, run }];
    }),
  ];
}
