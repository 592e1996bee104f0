import { DateTime, Duration, Effect } from "effect"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import type { OperatorSessionId } from "../Ids.js"
import type { StoreError } from "../StoreError.js"
import type { OperatorAction } from "./OperatorAction.js"
import type { OperatorActions } from "./OperatorActions.js"

/** How long masked values are shown after an operator asked for them. */
export const sightLasts = Duration.minutes(10)

/** A session of an operator, in one environment. */
export interface Viewer {
  readonly session: OperatorSessionId
  /** The session's operator. */
  readonly operator: string
  readonly environment: Environment
}

/** Which sights are read: those of one person, or all. */
export interface SightQuery {
  readonly kind: Extract<OperatorAction["kind"], "person.looked_at" | "consent_link.shown">
  readonly serviceId: ConsumerId | undefined
  /** The most actions that are read back. */
  readonly atMost: number
}

/** The session as a sight's action stores it. */
export const sightChanges = (session: OperatorSessionId) => [{ field: "session", to: session }]

/** The actions by which the session may see something now, newest first. */
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
