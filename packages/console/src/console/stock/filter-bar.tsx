import { useId, useRef } from "preact/hooks";
import { useSelectNumberOnFocus } from "../shared/use-select-on-focus.ts";
import { useSlash } from "../shared/use-slash.ts";
import type { Filter } from "./filter.ts";
import { statuses } from "./item.ts";

/** The controls of the filter. */
export function FilterBar(props: {
  filter: Filter;
  onType(filter: Filter): void;
  onChoose(filter: Filter): void;
}) {
  const { filter, onType, onChoose } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useSlash(() => input.current?.select());
  const onFocus = useSelectNumberOnFocus();
  return (
    <search class="filter-bar">
      <div class="field">
        <label for={`${id}-search`}>Find a pet</label>
        <input
          ref={input}
          id={`${id}-search`}
          type="search"
          inputMode="numeric"
          placeholder="Pet id"
          aria-keyshortcuts="/"
          value={filter.search}
          onInput={(event) => onType({ ...filter, search: event.currentTarget.value })}
        />
      </div>
      <div class="field">
        <label for={`${id}-status`}>Status</label>
        <select
          id={`${id}-status`}
          value={String(filter.status ?? "")}
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            const [status] = statuses.find(([each]) => String(each) === chosen) ?? [];
            onChoose({ ...filter, status });
          }}
        >
          <option value="">Every status</option>
          {statuses.map(([status, word]) => (
            <option key={status} value={String(status)}>
              {word}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for={`${id}-most`}>Quantity at most</label>
        <input
          {...onFocus}
          id={`${id}-most`}
          type="text"
          inputMode="numeric"
          placeholder="Any"
          autocomplete="off"
          value={filter.atMost}
          onInput={(event) => onType({ ...filter, atMost: event.currentTarget.value })}
        />
      </div>
    </search>
  );
}
