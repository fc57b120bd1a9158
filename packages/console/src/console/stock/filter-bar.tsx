import { useId, useRef } from "preact/hooks";
import { useKey } from "../shared/use-key.ts";
import { useSelectNumberOnFocus } from "../shared/use-select-on-focus.ts";
import { type Filter, presets } from "./filter.ts";
import { statuses } from "./item.ts";

/** The controls of the filter. Enter in the search opens the first pet that is found, such as one whose code was scanned. */
export function FilterBar(props: {
  filter: Filter;
  onType(filter: Filter): void;
  onChoose(filter: Filter): void;
  onEnter(): void;
}) {
  const { filter, onType, onChoose, onEnter } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useKey("/", () => input.current?.select());
  const onFocus = useSelectNumberOnFocus();
  return (
    <search class="filter-bar">
      <div class="field">
        <label for={`${id}-search`}>Find a pet</label>
        <input
          ref={input}
          id={`${id}-search`}
          type="search"
          placeholder="Name, SKU or id"
          aria-keyshortcuts="/"
          value={filter.search}
          onInput={(event) => onType({ ...filter, search: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === "Enter") onEnter();
            if (event.key !== "ArrowDown") return;
            event.preventDefault();
            document.querySelector<HTMLElement>(".rows .row-pet a")?.focus();
          }}
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
          onInput={({ currentTarget: { value } }) =>
            onType({ ...filter, atLeast: "", atMost: value })
          }
        />
      </div>
      <fieldset class="presets">
        <legend class="visually-hidden">Presets</legend>
        {presets.map(([title, bounds]) => {
          const { atLeast, atMost } = bounds;
          const isOn = filter.atLeast === atLeast && filter.atMost === atMost;
          const chosen = isOn ? { atLeast: "", atMost: "" } : bounds;
          return (
            <button
              key={title}
              type="button"
              aria-pressed={isOn}
              onClick={() => onChoose({ ...filter, ...chosen })}
            >
              {title}
            </button>
          );
        })}
      </fieldset>
    </search>
  );
}
