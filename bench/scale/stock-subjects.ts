import { itemCall, knownListCall, pageCall, updateCall } from "./calls.ts";
import { importRows } from "./import.ts";
import { firstList, unchangedList } from "./lists.ts";
import { requests } from "./requests.ts";
import type { StockStage } from "./stock.ts";
import type { Subject } from "./subject.ts";

/**
 * The order matters: updates come after the subjects that compare responses with the original stock, and a server with a
 * cached list comes after one without.
 */
export const stockSubjects: readonly Subject<StockStage>[] = [
  requests("A page of 10: GET /v1/inventory?pageSize=10", pageCall),
  requests("One item: GET /v1/inventory/{petId}", itemCall),
  requests("An update: PATCH /v1/inventory/{petId}", updateCall),
  importRows,
  requests("The whole list, known: 304 Not Modified", knownListCall),
  unchangedList,
  firstList,
];
