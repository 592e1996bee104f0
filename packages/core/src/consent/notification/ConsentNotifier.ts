import { Context, type DateTime, Effect, Layer, type Redacted, Schema } from "effect"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import type { IdentityField } from "../../consumer/IdentityField.js"
import type { DataRequestId, UserId } from "../../Ids.js"
import type { Controller } from "../receipt/Receipt.js"

/** The person was not told, or perhaps they were: the notifier is asked again. */
export class NotifierUnavailable extends Schema.TaggedError<NotifierUnavailable>(
  "@surety/core/consent/notification/ConsentNotifier/NotifierUnavailable"
)("NotifierUnavailable", { cause: Schema.Defect() }) {}

/** That a merchant waits for a person's decision, and where they decide. */
export interface ConsentNotice {
  /** The same however often a notice is sent again: whoever gets two tells the person once. */
  readonly dataRequestId: DataRequestId
  readonly userId: UserId
  readonly serviceId: ConsumerId
  readonly controller: Controller
  readonly requestedFields: ReadonlyArray<IdentityField>
  readonly purpose: string
  readonly expiresAt: DateTime.Utc
  /** Whether the person was told before, and is reminded because the request will soon expire. */
  readonly isReminder: boolean
  /** The how-manieth attempt it is, going by the schedule. Counts from 1. */
  readonly attempt: number
  /** Whoever has it can decide for the person, so it goes to nobody else; never to the merchant. */
  readonly url: Redacted.Redacted<string>
}

/**
 * Brings the link of a LIVE request to the person: by the platform's app, by SMS, by e-mail. Called after the request is
 * committed, at least once, until it has succeeded or the request is no longer pending.
 */
export class ConsentNotifier extends Context.Service<
  ConsentNotifier,
  {
    /**
     * True where nobody is told and the operator brings the links to people: the operator's list of pending requests then
     * shows them. A link is shown to nobody but its person otherwise.
     */
    readonly leavesToOperator?: boolean
    readonly notify: (notice: ConsentNotice) => Effect.Effect<void, NotifierUnavailable>
  }
>()("@surety/core/consent/notification/ConsentNotifier") {}

/** Tells nobody: the operator's list of pending requests carries the links. */
export const layerNone: Layer.Layer<ConsentNotifier> = Layer.succeed(ConsentNotifier, {
  leavesToOperator: true,
  notify: () => Effect.void
})
