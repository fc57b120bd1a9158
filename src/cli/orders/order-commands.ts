import { Argument, type Command } from "commander";
import {
  addCommand,
  choice,
  lazy,
  limitOption,
  nextOrderStatusWords,
  orderStatusWords,
} from "../command-options.ts";
import type { Environment } from "../environment.ts";

const load = () => import("./orders.ts");

/** Adds the `orders` commands. */
export function addOrderCommands(program: Command, environment: Environment): void {
  const orders = program.command("orders").description("manage the orders of all accounts");

  addCommand(
    orders,
    "list [account-id]",
    "list orders, newest first",
    "inventory orders list",
    "inventory orders list 7k2mq0x4v9ab --status placed --limit 20",
  )
    .addOption(choice("--status <status>", "only orders with this status", orderStatusWords))
    .addOption(limitOption(100))
    .action(lazy(environment, async () => (await load()).listOrders));

  addCommand(
    orders,
    "advance <account-id> <order-id>",
    "mark an order as approved or delivered",
    "inventory orders advance 7k2mq0x4v9ab 1793611800000417 delivered",
  )
    .addArgument(new Argument("<status>", "the new status").choices(nextOrderStatusWords))
    .action(lazy(environment, async () => (await load()).advanceOrder));

  addCommand(
    orders,
    "cancel <account-id> <order-id>",
    "cancel an order and put its quantity back into stock",
  ).action(lazy(environment, async () => (await load()).cancelOrder));
}
