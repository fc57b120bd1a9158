import { useState } from "preact/hooks";
import { ListAuditEntriesRequestSchema } from "../../../../../../gen/admin/v1/admin_pb.ts";
import { admin } from "../../shared/api.ts";
import { CheckboxField, DateField, TextField } from "../../shared/field.tsx";
import { Form } from "../../shared/form.tsx";
import { PagedTable } from "../../shared/paged-table.tsx";
import { usePages } from "../../shared/use-pages.ts";
import { auditColumns } from "./audit-columns.tsx";
import { oncePerChange } from "./audit-entry.ts";
import { type AuditFilter, auditFilter, changes } from "./audit-filter.ts";

/** Entries to read at once. A change has two, of which one is shown. */
const entriesAtOnce = 100;

/** The audit trail, with a filter. It has only changes, unless the reader asks for all calls. The route can name the first actor. */
export function AuditSection({ path }: { readonly path: readonly string[] }) {
  const [actor = ""] = path;
  const [filter, setFilter] = useState<AuditFilter>({ actor, kind: [...changes] });
  const pages = usePages(
    async (pageToken, signal) => {
      const request = { ...filter, pageToken, pageSize: entriesAtOnce };
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
      <div class="card">
        <Form
          schema={ListAuditEntriesRequestSchema}
          read={auditFilter}
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
            <DateField label="From" name="start_time" hasTime />
            <DateField label="To" name="end_time" hasTime />
          </div>
          <CheckboxField
            label="Entries"
            name="kind"
            options={[["reads", "Also reads, and rejected calls"]]}
          />
        </Form>
      </div>
      <PagedTable
        pages={{ ...pages, rows: oncePerChange(pages.rows) }}
        caption="Audit trail"
        columns={auditColumns}
        rowKey={({ sequence }) => String(sequence)}
        empty="No entry matches."
      />
    </>
  );
}
