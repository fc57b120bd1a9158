import { Argument, type Command, Option } from "commander";
import {
  addCommand,
  lazy,
  limitOption,
  nextOrderStatusWords,
  orderStatusWords,
} from "../command-options.ts";
import type { Environment } from "../environment.ts";

/** Adds the `orders` commands. */
export function addOrderCommands(program: Command, environment: Environment): void {
  const orders = program.command("orders").description("manage the orders of all accounts");

  addCommand(
    orders,
    "list",
    "list orders, newest first",
    "inventory orders list",
    "inventory orders list 7k2mq0x4v9ab --status placed --limit 20",
  )
    .argument("[account-id]", "the account id; all accounts if absent")
    .addOption(
      new Option("--status <status>", "only orders with this status").choices(orderStatusWords),
    )
    .addOption(limitOption(100))
    .action(lazy(environment, async () => (await import("./orders.ts")).listOrders));

  addCommand(
    orders,
    "advance",
    "mark an order as approved or delivered",
    "inventory orders advance 7k2mq0x4v9ab 1793611800000417 delivered",
  )
    .argument("<account-id>", "the id of the account that placed the order")
    .argument("<order-id>", "the order id")
    .addArgument(new Argument("<status>", "the new status").choices(nextOrderStatusWords))
    .action(lazy(environment, async () => (await import("./orders.ts")).advanceOrder));

  addCommand(
    orders,
    "cancel",
    "cancel an order and put its quantity back into stock",
    "inventory orders cancel 7k2mq0x4v9ab 1793611800000417",
  )
    .argument("<account-id>", "the id of the account that placed the order")
    .argument("<order-id>", "the order id")
    .action(lazy(environment, async () => (await import("./orders.ts")).cancelOrder));
}
