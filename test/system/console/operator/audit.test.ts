import { expect, test } from "vitest";
import { type EntryBody, encodeBody } from "../../../../src/audit/body.ts";
import { hourMs, minuteMs } from "../../../../src/common/durations.ts";
import { press, row } from "../support/console.ts";
import { shop, useOperatorView } from "./support.ts";

const view = useOperatorView();

test("shows the calls of a method, and the body of an entry", async () => {
  const page = await view.open(`accounts/${shop}`);
  await press(page, "Disable");
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await page.getByText("Harbor Pets is disabled.").waitFor();
  await page.getByRole("link", { name: "Audit trail", exact: true }).click();
  await page.getByLabel("Method").fill("DisableAccount");
  await press(page, "Show");
  const end = row(page, "DisableAccount");
  await end.getByText("ok", { exact: true }).waitFor();
  await end.getByRole("link", { name: "Harbor Pets" }).waitFor();
  await end.getByText(shop, { exact: true }).waitFor();
  await end.getByText("Show").click();
  await end.locator("pre").getByText("DisableAccount").waitFor();
});

test("has only changes, each once, unless reads are asked for", async () => {
  const { audit } = view.server.stores;
  await audit.append(entry("begin", "RenameAccount"));
  await audit.append(entry("end", "RenameAccount", { of: 1, result: { code: "ok" } }));
  await audit.append(entry("call", "ListOrders", { result: { code: "ok" } }));
  await audit.append(entry("begin", "SetPlan"));
  const page = await view.open("audit");
  await row(page, "SetPlan").getByText("no result").waitFor();
  await expect.poll(() => page.locator("tbody tr").count()).toBe(2);
  await page.getByLabel("Also reads, and rejected calls").check();
  await press(page, "Show");
  await row(page, "ListOrders").waitFor();
  await row(page, "ListAuditEntries").waitFor();
  await expect.poll(() => row(page, "RenameAccount").count()).toBe(1);
});

test("has the entries between two local times", async () => {
  const { audit } = view.server.stores;
  for (const method of ["SetPlan", "RenameAccount", "DisableAccount"]) {
    await audit.append(entry("begin", method));
    view.server.clock.now += hourMs;
  }
  const page = await view.open("audit");
  await row(page, "SetPlan").waitFor();
  await page.getByLabel("From").fill(localMinute(view.server.clock.now - 2.5 * hourMs));
  await page
    .getByLabel("To", { exact: true })
    .fill(localMinute(view.server.clock.now - 1.5 * hourMs));
  await press(page, "Show");
  await row(page, "SetPlan").waitFor({ state: "detached" });
  await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
  await row(page, "RenameAccount").waitFor();
});

/** Makes the body of an entry about the shop. */
function entry(kind: EntryBody["kind"], name: string, more: Partial<EntryBody> = {}): string {
  const actor = { user: "ann", host: "till-1" };
  const method = `admin.v1.AdminService/${name}`;
  return encodeBody({ kind, actor, method, targets: { account: shop }, ...more });
}

/** Returns a time as an input of the type `datetime-local` has it. The browser has the zone of the tests. */
function localMinute(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * minuteMs).toISOString().slice(0, 16);
}
