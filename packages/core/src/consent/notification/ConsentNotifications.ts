import { DateTime, Duration, Effect, Option, Redacted } from "effect"
import { callHost } from "../../host/callHost.js"
import { readNothing } from "../../host/HostAnswer.js"
import type { DataRequestId } from "../../Ids.js"
import { type StoreError, skipDamaged } from "../../StoreError.js"
import { Keyring } from "../../secret/Keyring.js"
import { type LinkedDataRequest, mayBeAsked } from "../ConsentLog.js"
import { ConsentUpkeep } from "../ConsentUpkeep.js"
import { ConsentNotifier, NotifierUnavailable } from "./ConsentNotifier.js"
import { attemptAt, isReminderAt, nextAttemptAfter, reminderOf } from "./notificationSchedule.js"

/** Time limit for the notifier. A notifier that calls the host over HTTP has a shorter limit of its own. */
export const notifierTimeout = Duration.seconds(16)

/** Delay before a claimed notification is sent again if its sender crashes. Longer than `notifierTimeout`. */
export const notifyAgainAfter = Duration.minutes(1)

/**
 * Limits on notifications per round and on concurrent sends. Chosen so that a round attempts all its notifications
 * before the first is due again.
 */
const sentAtOnce = 24
const sendersAtOnce = 8

/** Notifies people of LIVE requests, after the requests are committed. */
export interface ConsentNotifications {
  /**
   * Sends up to `sentAtOnce` due notifications. If `id` is set, sends only that request's notification, if due. Returns
   * the number sent.
   */
  readonly send: (id: DataRequestId | undefined) => Effect.Effect<number, StoreError>
}

export const make: Effect.Effect<ConsentNotifications, never, ConsentUpkeep | ConsentNotifier | Keyring> = Effect.gen(
  function* () {
    const upkeep = yield* ConsentUpkeep
    const notifier = yield* ConsentNotifier
    const keyring = yield* Keyring

    const notify = Effect.fnUntraced(function* (
      { controller, request, sealedUrl }: LinkedDataRequest,
      now: DateTime.Utc
    ) {
      if (sealedUrl === undefined) return false
      const url = yield* keyring.open(request.id, sealedUrl)
      const { expiresAt, id, purpose, requestedFields, serviceId, userId } = request
      const link = Redacted.value(url)
      yield* callHost(
        {
          part: "consentNotifier",
          operation: "notify",
          read: readNothing,
          timeout: notifierTimeout,
          unavailable: (cause) => new NotifierUnavailable({ cause }),
          consequence: "the person is notified later",
          given: () => [link, link.slice(link.lastIndexOf("/") + 1), userId],
          about: { dataRequestId: id }
        },
        () =>
          notifier.notify({
            dataRequestId: id,
            userId,
            serviceId,
            controller,
            requestedFields,
            purpose,
            expiresAt,
            isReminder: isReminderAt(request, now),
            attempt: attemptAt(request, now),
            url: Redacted.make(link, { label: "consent link" })
          })
      )
      const remindAt = Option.filter(reminderOf(request), (at) => DateTime.isGreaterThan(at, now))
      yield* upkeep.recordNotified(id, Option.getOrUndefined(remindAt))
      return true
    })

    const putOff = ({ request }: LinkedDataRequest, now: DateTime.Utc, reason: string) =>
      Effect.logWarning("Consent notification failed; retrying later").pipe(
        Effect.annotateLogs({ dataRequestId: request.id, reason }),
        Effect.andThen(upkeep.putOffNotification(request.id, nextAttemptAfter(request, now))),
        Effect.as(false)
      )

    const tell = (pending: LinkedDataRequest, now: DateTime.Utc) =>
      mayBeAsked(pending)
        ? Effect.catchTag(notify(pending, now), ["NotifierUnavailable", "SecretUnreadable"], ({ _tag }) =>
            putOff(pending, now, _tag)
          )
        : Effect.as(upkeep.putOffNotification(pending.request.id, nextAttemptAfter(pending.request, now)), false)

    const send = Effect.fn("ConsentNotifications.send")(function* (id: DataRequestId | undefined) {
      const now = yield* DateTime.now
      const againAt = DateTime.addDuration(now, notifyAgainAfter)
      const due = yield* upkeep.claimNotifications({ now, againAt, limit: sentAtOnce, id })
      const told = yield* Effect.forEach(due, (pending) => skipDamaged(pending.request.id, false)(tell(pending, now)), {
        concurrency: sendersAtOnce
      })
      return told.filter(Boolean).length
    })

    return { send }
  }
)
