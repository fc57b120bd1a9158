import { type Case, ours } from "../case.ts";
import { confirmLoad, holdLoad, orderLoad } from "../load/holds.ts";
import { ourServer } from "../servers.ts";

const orders = { name: "our-order", server: ourServer, load: orderLoad };

export const httpHoldCase: Case = {
  name: "http-hold",
  about: "`PUT /v1/store/holds/{holdId}` of one unit, 64 connections, 100 keys",
  items: 10,
  contestants: [{ name: ours, server: ourServer, load: holdLoad }, orders],
};

export const httpConfirmCase: Case = {
  name: "http-confirm",
  about: "`POST /v1/store/holds/{holdId}:confirm` of one unit, 64 connections, 100 keys",
  items: 10,
  contestants: [{ name: ours, server: ourServer, load: confirmLoad }, orders],
};
