import type { Command, Option } from "commander";
import {
  argument,
  commandsOf,
  holdStateWords,
  limitOption,
  nextOrderStatusWords,
  option,
  orderStatusWords,
} from "../command-options.ts";
import type { Environment } from "../environment.ts";

export function addStoreCommands(program: Command, environment: Environment): void {
  const orders = program.command("orders").description("manage the orders of all accounts");
  const addOrders = commandsOf(orders, environment, () => import("./orders.ts"));
  addOrders(
    "list [account-id]",
    "list orders, newest first",
    "listOrders",
    option("--status <status>", "only orders with this status", orderStatusWords),
    option("--reference <text>", "only orders with this reference, such as a hold's id"),
    limitOption(100),
    "inventory orders list",
    "inventory orders list 7k2mq0x4v9ab --status placed --limit 20",
    "inventory orders list --reference cart-7",
  );
  addOrders(
    "advance <account-id> <order-id>",
    "mark an order as approved or delivered",
    "advanceOrder",
    argument("<status>", "the new status", nextOrderStatusWords),
    "inventory orders advance 7k2mq0x4v9ab 1793611800000417 delivered",
  );
  addOrders(
    "cancel <account-id> <order-id>",
    "cancel an order and put its quantity back into stock",
    "cancelOrder",
  );

  const holds = program.command("holds").description("show and release the holds of all accounts");
  const addHolds = commandsOf(holds, environment, () => import("./holds.ts"));
  addHolds(
    "list [account-id]",
    "list holds, newest first",
    "listHolds",
    holdStateOption(),
    limitOption(100),
    "inventory holds list",
    "inventory holds list 7k2mq0x4v9ab --state expired --limit 20",
  );
  addHolds("show <account-id> <hold-id>", "show one hold", "getHold");
  addHolds(
    "release <account-id> <hold-id>",
    "end a hold and put its units back into stock",
    "releaseHold",
  );
}

export function holdStateOption(): Option {
  return option("--state <state>", "only holds in this state", holdStateWords).default("active");
}
