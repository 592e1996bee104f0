import { ConsentNotifier, NotifierUnavailable } from "@surety/core/consent/notification/ConsentNotifier"
import { DateTime, Effect, Layer, Redacted } from "effect"

/** That a merchant waits for a person's decision, and where they decide. */
export interface HostConsentNotice {
  /** The same however often a notice is sent again: tell the person once. */
  readonly dataRequestId: string
  readonly userId: string
  readonly serviceId: string
  readonly merchant: { readonly merchantId: string; readonly name: string; readonly businessCode: string }
  readonly requestedFields: ReadonlyArray<string>
  readonly purpose: string
  /** ISO 8601. */
  readonly expiresAt: string
  /** Whether the person was told before, and the request will soon expire. */
  readonly isReminder: boolean
  /** Whoever has it can decide for the person: it goes to nobody else, and into no log. */
  readonly url: string
}

/** Brings the link of a LIVE request to its person. Without it `dataRequests.pending` carries the links. */
export interface HostConsentNotifier {
  /**
   * Called after the request is committed, at least once, until it has succeeded or the request is no longer pending.
   * Resolve with nothing once the person was told. After a rejected promise, any other answer (a `Response` that nobody
   * looked at, `false`), or none within 16 seconds it is called again.
   */
  readonly notify: (notice: HostConsentNotice) => Promise<void>
}

/** The port that stands for the host's notifier. */
export const layer = (notifier: HostConsentNotifier): Layer.Layer<ConsentNotifier> =>
  Layer.succeed(ConsentNotifier, {
    notify: ({ controller, dataRequestId, expiresAt, isReminder, purpose, requestedFields, serviceId, url, userId }) =>
      Effect.tryPromise({
        try: async () =>
          notifier.notify({
            dataRequestId,
            userId,
            serviceId,
            merchant: {
              merchantId: controller.merchantId,
              name: controller.name,
              businessCode: controller.businessCode
            },
            requestedFields,
            purpose,
            expiresAt: DateTime.formatIso(expiresAt),
            isReminder,
            url: Redacted.value(url)
          }),
        catch: (cause) => new NotifierUnavailable({ cause })
      })
  })
