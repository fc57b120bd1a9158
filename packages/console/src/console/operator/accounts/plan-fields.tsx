import type { MessageInitShape } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { type Account, type LimitsSchema, Plan } from "../../../../../../gen/admin/v1/admin_pb.ts";
import { NumberField, SelectField } from "../../shared/field.tsx";
import type { FormValues } from "../../shared/form-values.ts";
import { planName, plans } from "./plans.ts";

/** Fields for a plan, and for the own limits of an enterprise account. */
export function PlanFields({ account }: { readonly account?: Account }) {
  const [plan, setPlan] = useState(account?.plan ?? Plan.FREE);
  return (
    <>
      <SelectField
        label="Plan"
        name="plan"
        value={String(plan)}
        options={plans.map((each) => [String(each), planName(each)])}
        onChange={(value) => setPlan(planOf(value))}
      />
      {plan === Plan.ENTERPRISE && (
        <>
          <NumberField
            label="Requests per minute"
            name="limits.per_minute"
            value={account?.limits?.perMinute ?? ""}
          />
          <NumberField
            label="Requests per day"
            name="limits.per_day"
            value={account?.limits?.perDay ?? ""}
          />
        </>
      )}
    </>
  );
}

/** Reads the values of `PlanFields`. */
export function readPlan(values: FormValues): {
  plan: Plan;
  limits?: MessageInitShape<typeof LimitsSchema>;
} {
  const plan = planOf(values.text("plan"));
  if (plan !== Plan.ENTERPRISE) return { plan };
  return {
    plan,
    limits: {
      perMinute: values.bigint("limits.per_minute") ?? 0n,
      perDay: values.bigint("limits.per_day") ?? 0n,
    },
  };
}

function planOf(value: string): Plan {
  return plans.find((plan) => String(plan) === value) ?? Plan.UNSPECIFIED;
}
