import type { ComponentType } from "preact";
import { ActivityView } from "./activity/activity-view.tsx";
import { OperatorView } from "./operator/operator-view.tsx";
import { StockView } from "./stock/stock-view.tsx";
import { StoreView } from "./store/store-view.tsx";
import { UsageView } from "./usage/usage-view.tsx";

/** A view of the console. */
export interface View {
  /** The first part of its route: `#/stock`. */
  readonly id: string;
  readonly title: string;
  /** Shows the view. @param path the parts of the route after the id */
  readonly component: ComponentType<{ path: readonly string[] }>;
  /** The scope that the key needs. Without it, the view is not in the menu. */
  readonly scope?: string;
}

/** All views, in the order of the menu. */
export const views: readonly View[] = [
  { id: "stock", title: "Stock", component: StockView, scope: "inventory:read" },
  { id: "activity", title: "Activity", component: ActivityView, scope: "inventory:read" },
  { id: "orders", title: "Orders", component: StoreView, scope: "store:read" },
  { id: "usage", title: "My usage", component: UsageView },
  { id: "operator", title: "Operator", component: OperatorView, scope: "admin" },
];
