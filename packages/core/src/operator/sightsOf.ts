import { DateTime, Duration, Effect } from "effect"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import type { OperatorSessionId } from "../Ids.js"
import type { StoreError } from "../StoreError.js"
import type { OperatorAction } from "./OperatorAction.js"
import type { OperatorActions } from "./OperatorActions.js"

/** How long a session may see a person's details or a consent link after the operator asked to see them. */
export const sightLasts = Duration.minutes(10)

export interface Viewer {
  readonly session: OperatorSessionId
  readonly operator: string
  readonly environment: Environment
}

/** Selects a session's viewings of one kind, for one person or, if `serviceId` is undefined, for all people. */
export interface SightQuery {
  readonly kind: Extract<OperatorAction["kind"], "person.looked_at" | "consent_link.shown">
  readonly serviceId: ConsumerId | undefined
  /** Maximum number of the operator's latest viewings to read, across all sessions and environments. */
  readonly atMost: number
}

export const sightChanges = (session: OperatorSessionId) => [{ field: "session", to: session }]

/** Returns the actions that record the session's viewings within `sightLasts`, newest first. */
export const sightsOf = Effect.fnUntraced(function* (
  actions: OperatorActions["Service"],
  { environment, operator, session }: Viewer,
  { atMost, kind, serviceId }: SightQuery
): Effect.fn.Return<ReadonlyArray<OperatorAction>, StoreError> {
  const since = DateTime.subtractDuration(yield* DateTime.now, sightLasts)
  const { data } = yield* actions.list(
    { actor: operator, kind, target: undefined, merchantId: undefined, serviceId, since, until: undefined },
    { limit: atMost, cursor: undefined }
  )
  return data.filter(
    (action) =>
      action.environment === environment &&
      action.changes.some(({ field, to }) => field === "session" && to === session)
  )
})
