import { date, oneOf } from "./parsers.ts";
import type { Setting } from "./setting.ts";

/** What the service offers and describes. */
export const interfaceSettings = {
  PETS_SUNSET: {
    meaning: "First day (UTC) on which `GET /v1/pets/{petId}` responds 410 Gone.",
    bounds: "date as YYYY-MM-DD",
    schema: { type: "string", format: "date" },
    default: "2027-12-31",
    parse: date,
  },
  GRPC_REFLECTION: {
    meaning:
      "Whether gRPC server reflection is available. It shows the API definition to all clients, also without a key, as `/docs` and `/openapi.json` do.",
    default: "on",
    ...oneOf("on", "off"),
  },
} as const satisfies Record<string, Setting<unknown>>;
