import { useRef } from "preact/hooks";
import type { InventoryChange } from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { names } from "../pets/names.ts";
import { readNames } from "../pets/use-names.ts";
import { inventory } from "../shared/api.ts";
import { DateField, SelectField, TextField } from "../shared/field.tsx";
import { PagedTable } from "../shared/paged-table.tsx";
import { setRouteQuery, useRouteQuery } from "../shared/route.ts";
import { ScopeHint } from "../shared/scope-hint.tsx";
import { session } from "../shared/session.ts";
import { createStore, useStore } from "../shared/store.ts";
import { useLiveMs } from "../shared/use-live.ts";
import { usePages } from "../shared/use-pages.ts";
import { useTitle } from "../shared/use-title.ts";
import { timeOf } from "../stock/use-history.ts";
import { changeColumns, changeRows } from "./change-list.tsx";
import { usePerson } from "./changed-by.tsx";
import { filterOf, firstMs, reasonOptions } from "./filter.ts";

/** Changes to read at once, the most of one page. */
const pageSize = 200;

/** The accounts and keys that have made a change which was read, by the id of the key. */
const people = createStore<ReadonlyMap<string, Person>>(new Map());

type Person = Pick<InventoryChange, "accountId" | "keyId">;

/** The changes of all pets, newest first, with a filter in the route. */
export function ActivityView() {
  useTitle("Activity");
  const query = useRouteQuery();
  const liveMs = useLiveMs();
  const pages = usePages(
    async (pageToken, signal) => {
      if (query.has("pet") && !names.get().isLoaded) await readNames();
      const page = await inventory.listInventoryChanges({ pageSize, pageToken }, { signal });
      notePeople(page.changes);
      const last = page.changes.at(-1);
      const isOver = last !== undefined && timeOf(last) < firstMs(query);
      const rows = changeRows(page.changes).filter(filterOf(query, names.get()));
      return { rows, nextPageToken: isOver ? "" : page.nextPageToken };
    },
    [String(query)],
    // A filter can read many pages.
    query.size === 0 ? liveMs : undefined,
  );
  return (
    <>
      <header class="view-header">
        <h1>Activity</h1>
        <button type="button" disabled={pages.first.isLoading} onClick={pages.first.reload}>
          Update now
        </button>
      </header>
      <Filter query={query} />
      <PagedTable
        pages={pages}
        caption="Changes, newest first"
        columns={changeColumns(pages.rows, "of all pets")}
        rowKey={({ change }) => String(change.version)}
        empty={pages.more ? "No match so far. Older changes follow." : "There are no such changes."}
        isCards
      />
      <ScopeHint offers={[["inventory:audit", "see who made the changes of other accounts"]]} />
    </>
  );
}

function Filter({ query }: { query: URLSearchParams }) {
  const { identity } = useStore(session);
  const own = identity ? [{ accountId: identity.accountId, keyId: identity.keyId }] : [];
  const known = [...new Map([...own, ...useStore(people).values()].map(withId)).values()];
  const accounts = new Set(known.map(({ accountId }) => accountId).filter((id) => id !== ""));
  const inputs = useInputs(query);
  const textOf = (name: string) => query.get(name) ?? "";
  const set = (name: string) => (value: string) => inputs.set(name, value);
  return (
    <search class="card activity-filter" key={inputs.key}>
      <SelectField
        label="Reason"
        name="reason"
        value={textOf("reason")}
        options={reasonOptions}
        onChange={set("reason")}
      />
      <TextField
        label="Pet"
        name="pet"
        value={textOf("pet")}
        hint="A name, SKU or id."
        onChange={set("pet")}
      />
      <SelectField
        label="Changed by"
        name="who"
        value={textOf("who")}
        options={[
          ["", "anyone"],
          ...[...accounts].map(
            (id) => [id, <PersonName key={id} accountId={id} keyId="" />] as const,
          ),
          ...known
            .filter(({ keyId }) => keyId !== "")
            .map(
              (person) => [person.keyId, <PersonName key={person.keyId} {...person} />] as const,
            ),
        ]}
        onChange={set("who")}
      />
      <DateField label="From" name="from" value={textOf("from")} onChange={set("from")} />
      <DateField label="To" name="to" value={textOf("to")} onChange={set("to")} />
    </search>
  );
}

/**
 * Returns what sets a value of the query, and a key for the inputs. It changes when Back, Forward or a link has changed the
 * query, so that the inputs show it, but not while the user fills them.
 */
function useInputs(query: URLSearchParams) {
  const shown = useRef({ text: String(query), key: 0 });
  if (shown.current.text !== String(query)) {
    shown.current = { text: String(query), key: shown.current.key + 1 };
  }
  return {
    key: shown.current.key,
    set(name: string, value: string) {
      const next = new URLSearchParams(query);
      if (value === "") next.delete(name);
      else next.set(name, value);
      shown.current.text = String(next);
      setRouteQuery({ [name]: value });
    },
  };
}

function PersonName(person: Person) {
  const { account, key } = usePerson(person);
  return <>{key === "" ? account : `${account}: ${key}`}</>;
}

const withId = (person: Person) => [person.keyId || person.accountId, person] as const;

function notePeople(changes: readonly InventoryChange[]): void {
  const before = people.get();
  const found = changes.filter(
    (change) => change.accountId !== "" && !before.has(withId(change)[0]),
  );
  if (found.length > 0) people.set(new Map([...before, ...found.map(withId)]));
}
