import { ConsentNotifier, NotifierUnavailable } from "@surety/core/consent/notification/ConsentNotifier"
import { DateTime, Effect, Layer, Redacted } from "effect"

/** A merchant's request that waits for a person, and the link on which they decide. */
export interface HostConsentNotification {
  /** The same for every repeated call: notify the person once. */
  readonly dataRequestId: string
  readonly userId: string
  readonly serviceId: string
  readonly merchant: { readonly merchantId: string; readonly name: string; readonly businessCode: string }
  readonly requestedFields: ReadonlyArray<string>
  readonly purpose: string
  /** ISO 8601. */
  readonly expiresAt: string
  /** True if the person was notified before and the request expires soon. */
  readonly isReminder: boolean
  /** A bearer token of the person's decision. Send it to the person only, and keep it out of logs. */
  readonly url: string
}

/** Brings the link of a LIVE request to its person. Without it `dataRequests.pending` carries the links. */
export interface HostConsentNotifier {
  /**
   * Called after the commit of the request, at least once, until it succeeds or the request is no longer pending.
   * Resolve with nothing once the person is notified. It is called again after a rejected promise, after any other
   * result (an unchecked `Response`, `false`), and after 16 seconds without one.
   */
  readonly notify: (notice: HostConsentNotification) => Promise<void>
}

/** The host's notifier as the port. */
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
