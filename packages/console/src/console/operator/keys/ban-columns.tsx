import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Ban } from "../../../../../../gen/admin/v1/admin_pb.ts";
import type { Column } from "../../shared/table.tsx";
import { durationText } from "../../text/time-text.ts";
import { AccountName, KeyName } from "../links.tsx";

/** The columns of a list of banned keys. */
export function banColumns(
  nowMs: number,
  isBusy: boolean,
  onUnban: (keyId: string) => void,
): Column<Ban>[] {
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
    {
      title: "Actions",
      cell: ({ key }) =>
        key && (
          <div class="row-actions">
            <button
              type="button"
              disabled={isBusy}
              aria-label={`Unban key ${key.name || key.keyId}`}
              onClick={() => onUnban(key.keyId)}
            >
              Unban
            </button>
          </div>
        ),
    },
  ];
}
