import { useState } from "preact/hooks";
import { ListAuditEntriesRequestSchema } from "../../../../../gen/admin/v1/admin_pb.ts";
import { admin } from "../../shared/api.ts";
import { TextField } from "../../shared/field.tsx";
import { Form } from "../../shared/form.tsx";
import { FieldError } from "../../shared/form-values.ts";
import { PagedTable } from "../../shared/paged-table.tsx";
import { usePages } from "../../shared/use-pages.ts";
import { auditColumns } from "./audit-columns.tsx";
import { type AuditFilter, auditFilter } from "./audit-filter.ts";

/** The audit trail, with a filter. The route can name the first actor. */
export function AuditSection({ path }: { readonly path: readonly string[] }) {
  const [actor = ""] = path;
  const [filter, setFilter] = useState<AuditFilter>({ actor });
  const pages = usePages(
    async (pageToken, signal) => {
      const request = { ...filter, pageToken };
      const { entries, nextPageToken } = await admin.listAuditEntries(request, { signal });
      return { rows: entries, nextPageToken };
    },
    [filter],
  );
  return (
    <>
      <header class="part-header">
        <h2>Audit trail</h2>
      </header>
      <div class="card filter-form">
        <Form
          schema={ListAuditEntriesRequestSchema}
          read={(values) => {
            const read = auditFilter({
              actor: values.text("actor"),
              method: values.text("method"),
              from: values.text("start_time"),
              to: values.text("end_time"),
            });
            if ("request" in read) return read.request;
            throw new FieldError(read.field, read.fault);
          }}
          send={async (request) => setFilter(request)}
          submit="Show"
        >
          <div class="filter-fields">
            <TextField
              label="Actor"
              name="actor"
              value={actor}
              hint="The id of a key or account, or a user such as ann."
            />
            <TextField label="Method" name="method" hint="Such as SetPlan." />
            <TextField label="From" name="start_time" hint="Such as 2026-11-22 10:00, in UTC." />
            <TextField label="To" name="end_time" hint="Such as 2026-11-22 11:00, in UTC." />
          </div>
        </Form>
      </div>
      <PagedTable
        pages={pages}
        caption="Audit trail"
        columns={auditColumns}
        rowKey={({ sequence }) => String(sequence)}
        empty="No entry matches."
      />
    </>
  );
}
