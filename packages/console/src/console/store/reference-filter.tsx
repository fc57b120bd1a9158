import { TextField } from "../shared/field.tsx";
import { setRouteQuery } from "../shared/route.ts";

/** The filter of orders by their reference, which is in the route. */
export function ReferenceFilter({ reference }: { reference: string }) {
  return (
    <search class="filter">
      <TextField
        label="Reference"
        name="reference"
        value={reference}
        onChange={(value) => setRouteQuery({ reference: value, order: "" })}
      />
    </search>
  );
}
