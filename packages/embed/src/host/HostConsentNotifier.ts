import { ConsentNotifier, NotifierUnavailable } from "@surety/core/consent/notification/ConsentNotifier"
import { DateTime, Effect, Layer, Redacted } from "effect"

/** A merchant's pending data request, with the person's consent link. */
export interface HostConsentNotification {
  /** The request's id, unchanged in repeated calls and in the reminder. Notify only once per id and `isReminder`. */
  readonly dataRequestId: string
  readonly userId: string
  readonly serviceId: string
  readonly merchant: { readonly merchantId: string; readonly name: string; readonly businessCode: string }
  readonly requestedFields: ReadonlyArray<string>
  readonly purpose: string
  /** ISO 8601. */
  readonly expiresAt: string
  /**
   * True for a reminder, sent in the last 24 hours before the request expires. The person may have received no earlier
   * notification.
   */
  readonly isReminder: boolean
  /** The person's consent link. Contains a bearer token: send it only to that person, and keep it out of logs. */
  readonly url: string
}

/** Delivers a LIVE request's link to the person. Without a notifier, `dataRequests.pending` returns the links. */
export interface HostConsentNotifier {
  /**
   * Notifies the person. Called after the request commits, and again for a reminder. Retried after a failure, until it
   * succeeds or the request is no longer pending. Resolve with nothing once the person is notified. A rejected promise,
   * any other result (an unchecked `Response`, `false`) or 16 seconds without a result counts as a failure.
   */
  readonly notify: (notice: HostConsentNotification) => Promise<void>
}

/**
 * Layer of `ConsentNotifier` that calls the host's notifier. A thrown error or a rejected promise becomes
 * `NotifierUnavailable`.
 */
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
