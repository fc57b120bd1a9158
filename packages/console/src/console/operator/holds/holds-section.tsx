import type { MessageInitShape } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import {
  type AccountHold,
  ListHoldsRequestSchema,
} from "../../../../../../gen/admin/v1/admin_pb.ts";
import { HoldState, HoldStateSchema } from "../../../../../../gen/store/v1/store_pb.ts";
import { enumWord } from "../../../../../../src/common/enum-word.ts";
import { admin } from "../../shared/api.ts";
import { NumberField, SelectField, TextField } from "../../shared/field.tsx";
import { Form } from "../../shared/form.tsx";
import { PagedTable } from "../../shared/paged-table.tsx";
import { useDialog } from "../../shared/use-dialog.ts";
import { usePages } from "../../shared/use-pages.ts";
import { ReleaseHoldDialog } from "../../store/release-hold-dialog.tsx";
import { useNow } from "../../text/use-now.ts";
import { holdColumns } from "./hold-columns.tsx";

const states: readonly HoldState[] = [
  HoldState.ACTIVE,
  HoldState.CONFIRMED,
  HoldState.RELEASED,
  HoldState.EXPIRED,
];
/** The holds of all accounts. The route can name the first account. */
export function HoldsSection({ path }: { readonly path: readonly string[] }) {
  const [accountId = ""] = path;
  const [filter, setFilter] = useState<MessageInitShape<typeof ListHoldsRequestSchema>>({
    accountId,
  });
  const pages = usePages(
    async (pageToken, signal) => {
      const { holds, nextPageToken } = await admin.listHolds({ ...filter, pageToken }, { signal });
      return { rows: holds, nextPageToken };
    },
    [filter],
  );
  const dialog = useDialog();
  const release = (row: AccountHold) =>
    dialog.open(<ReleaseHoldDialog {...row} onClose={dialog.close} onDone={pages.first.reload} />);
  return (
    <>
      <header class="part-header">
        <h2>Holds</h2>
      </header>
      <div class="card">
        <Form
          schema={ListHoldsRequestSchema}
          read={(values) => {
            const petId = values.bigint("pet_id");
            const state = states.find((each) => String(each) === values.text("state"));
            return {
              accountId: values.text("account_id"),
              ...(petId !== undefined && { petId }),
              state: state ? [state] : [...states],
            };
          }}
          send={async (request) => setFilter(request)}
          submit="Show"
        >
          <div class="filter-fields">
            <TextField label="Account id" name="account_id" value={accountId} />
            <NumberField label="Pet id" name="pet_id" />
            <SelectField
              label="State"
              name="state"
              value={String(HoldState.ACTIVE)}
              options={[
                ...states.map((each) => [String(each), enumWord(HoldStateSchema, each)] as const),
                ["", "every state"],
              ]}
            />
          </div>
        </Form>
      </div>
      <PagedTable
        pages={pages}
        caption="Holds"
        columns={holdColumns(useNow(), release)}
        rowKey={({ accountId, hold }) => `${accountId} ${hold?.holdId}`}
        empty="There are no such holds."
        isCards
      />
      {dialog.shown}
    </>
  );
}
