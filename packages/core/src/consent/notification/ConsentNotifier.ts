import { Context, type DateTime, Effect, Layer, type Redacted, Schema } from "effect"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import type { IdentityField } from "../../consumer/IdentityField.js"
import type { DataRequestId, UserId } from "../../Ids.js"
import type { Controller } from "../receipt/Receipt.js"

/** The notifier failed. The person may or may not have been notified, so the notifier is called again. */
export class NotifierUnavailable extends Schema.TaggedError<NotifierUnavailable>(
  "@surety/core/consent/notification/ConsentNotifier/NotifierUnavailable"
)("NotifierUnavailable", { cause: Schema.Defect() }) {
  override get message(): string {
    return "The host's notifier did not return a valid response. The person is notified later."
  }
}

/** A request waiting for a person's decision, and the url at which they decide. */
export interface ConsentNotification {
  /** Stable across retries. Notify the person only once for the same id and `isReminder`. */
  readonly dataRequestId: DataRequestId
  readonly userId: UserId
  readonly serviceId: ConsumerId
  readonly controller: Controller
  readonly requestedFields: ReadonlyArray<IdentityField>
  readonly purpose: string
  readonly expiresAt: DateTime.Utc
  /**
   * True for a reminder, sent because the request expires soon. It is the first notification if no earlier attempt
   * succeeded.
   */
  readonly isReminder: boolean
  /** Number of scheduled attempts due so far, whether or not they were made. At least 1. */
  readonly attempt: number
  /**
   * url at which the person decides. Its bearer can decide for the person, so send it to no one else, and never to the
   * merchant.
   */
  readonly url: Redacted.Redacted<string>
}

/**
 * Delivers the link of a LIVE request to the person, for example by app, SMS or email. Called after the request is
 * committed, until it succeeds or the request is no longer pending. Called again for a reminder. Not called while the
 * merchant may not ask the person (`mayBeAsked`).
 */
export class ConsentNotifier extends Context.Service<
  ConsentNotifier,
  {
    /** True if the operator or host delivers the links. Their lists of pending requests then show the links. */
    readonly leavesToOperator?: boolean
    readonly notify: (notice: ConsentNotification) => Effect.Effect<void, NotifierUnavailable>
  }
>()("@surety/core/consent/notification/ConsentNotifier") {}

/** Layer that sends no notifications and leaves the links to the operator or host. */
export const layerNone: Layer.Layer<ConsentNotifier> = Layer.succeed(ConsentNotifier, {
  leavesToOperator: true,
  notify: () => Effect.void
})
