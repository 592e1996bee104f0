import { Context, type DateTime, Effect, Layer, type Redacted, Schema } from "effect"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import type { IdentityField } from "../../consumer/IdentityField.js"
import type { DataRequestId, UserId } from "../../Ids.js"
import type { Controller } from "../receipt/Receipt.js"

/** The person was not notified, or perhaps they were: the notifier is called again. */
export class NotifierUnavailable extends Schema.TaggedError<NotifierUnavailable>(
  "@surety/core/consent/notification/ConsentNotifier/NotifierUnavailable"
)("NotifierUnavailable", { cause: Schema.Defect() }) {
  override get message(): string {
    return "The host's notifier did not respond as promised. The person is notified later."
  }
}

/** A request that is waiting for a person's decision, and where they decide. */
export interface ConsentNotification {
  /** Stable across retries: a notifier that receives it twice must notify the person once. */
  readonly dataRequestId: DataRequestId
  readonly userId: UserId
  readonly serviceId: ConsumerId
  readonly controller: Controller
  readonly requestedFields: ReadonlyArray<IdentityField>
  readonly purpose: string
  readonly expiresAt: DateTime.Utc
  /** Whether the person was notified before, and is reminded because the request will soon expire. */
  readonly isReminder: boolean
  /** The number of the attempt by the schedule, counted from 1. */
  readonly attempt: number
  /** Its bearer can decide for the person, so send it to no one else; never to the merchant. */
  readonly url: Redacted.Redacted<string>
}

/**
 * Brings the link of a LIVE request to the person: by the platform's app, by SMS, by e-mail. Called after the request
 * is committed, at least once, until it has succeeded or the request is no longer pending.
 */
export class ConsentNotifier extends Context.Service<
  ConsentNotifier,
  {
    /**
     * True if people are not notified and the operator brings them the links. Then the operator's list of pending
     * requests shows the links; otherwise only the person sees a link.
     */
    readonly leavesToOperator?: boolean
    readonly notify: (notice: ConsentNotification) => Effect.Effect<void, NotifierUnavailable>
  }
>()("@surety/core/consent/notification/ConsentNotifier") {}

/** Sends no notification: the operator's list of pending requests shows the links. */
export const layerNone: Layer.Layer<ConsentNotifier> = Layer.succeed(ConsentNotifier, {
  leavesToOperator: true,
  notify: () => Effect.void
})
