import { beforeEach, expect, test } from "vitest";
import { OrderStatus } from "../../../../gen/store/v1/store_pb.ts";
import { placed } from "../../../support/stock.ts";
import { press, row } from "../support/console.ts";
import { operator, shop, useOperatorView } from "./support.ts";

const view = useOperatorView();

const order = { id: 0n };
beforeEach(async () => {
  order.id = (await placed(view.server.stores.orders, shop, 7n, 2)).orderId;
  await placed(view.server.stores.orders, operator, 7n, 1);
});

test("advances one to its end", async () => {
  const page = await view.open("orders");
  await press(page, `Approve order ${order.id}`);
  await row(page, shop).getByText("approved").waitFor();
  await press(page, `Deliver order ${order.id}`);
  await row(page, shop).getByText("delivered").waitFor();
  await expect.poll(() => row(page, shop).getByRole("button").count()).toBe(0);
  expect((await view.server.stores.orders.get(shop, order.id))?.status).toBe(OrderStatus.DELIVERED);
});

test("cancels one and puts its quantity back into stock", async () => {
  const page = await view.open("orders");
  await press(page, `Cancel order ${order.id}`);
  await page.getByText("This puts 2 units of pet 7 back into stock.").waitFor();
  await press(page, "Cancel the order");
  await row(page, shop).getByText("cancelled").waitFor();
  expect((await view.server.stores.inventory.get(7n))?.quantity).toBe(9);
});

test("shows those of one account, or of one status", async () => {
  const page = await view.open(`orders/${shop}`);
  await row(page, shop).waitFor();
  await expect.poll(() => row(page, operator).count()).toBe(0);
  await page.getByLabel("Status").selectOption("approved");
  await page.getByText("There are no such orders.").waitFor();
});

test("shows an order that changed in the meantime with the reason", async () => {
  const page = await view.open("orders");
  await row(page, shop).waitFor();
  await view.server.stores.orders.advance(shop, order.id, OrderStatus.DELIVERED);
  await press(page, `Approve order ${order.id}`);
  await page.getByRole("alert").locator("code").first().waitFor();
  await row(page, shop).getByText("delivered").waitFor();
});
