import { Context, Duration } from "effect"
import type { RetentionKind } from "./RetentionStore.js"

/** How long records of each kind are kept. Undefined means forever. */
export type RetentionPolicy = Readonly<Record<RetentionKind, Duration.Duration | undefined>>

export const defaultRetentionPolicy: RetentionPolicy = {
  answers: Duration.days(30),
  reads: Duration.days(730),
  deliveries: Duration.days(90),
  codes: Duration.days(1),
  rightsRequests: undefined
}

/** The retention policy of the deployment (contract 17). Default: `defaultRetentionPolicy`. */
export const RetentionPolicy = Context.Reference<RetentionPolicy>("@surety/core/retention/RetentionPolicy", {
  defaultValue: () => defaultRetentionPolicy
})
