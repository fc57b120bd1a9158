import { httpList } from "../calls.ts";
import { type Case, ours } from "../case.ts";
import { httpLoad } from "../load/http.ts";
import { ourServer } from "../servers.ts";

const selected = 20;
const whole = httpList(selected);
const query = Array.from({ length: selected }, (_, n) => `petIds=${5_000 * n + 1}`).join("&");

export const httpSelectedCase: Case = {
  name: "http-selected",
  about: `\`GET /v1/inventory?petIds=…\`: ${selected} of 100,000 items, compared with the whole list of a stock of ${selected}`,
  items: 100_000,
  contestants: [
    {
      name: ours,
      server: ourServer,
      load: httpLoad({ ...whole, path: `${whole.path}?${query}` }),
    },
    { name: "whole-list", server: { ...ourServer }, load: httpLoad(whole), items: selected },
  ],
};
