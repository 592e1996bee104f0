import { DateTime, Duration, Effect, Option, Redacted } from "effect"
import { callHost } from "../../host/callHost.js"
import { readNothing } from "../../host/HostAnswer.js"
import type { DataRequestId } from "../../Ids.js"
import type { StoreError } from "../../StoreError.js"
import { Keyring } from "../../secret/Keyring.js"
import { type LinkedDataRequest, mayBeAsked } from "../ConsentLog.js"
import { ConsentUpkeep } from "../ConsentUpkeep.js"
import { ConsentNotifier, NotifierUnavailable } from "./ConsentNotifier.js"
import { attemptAt, isReminderAt, nextAttemptAfter, reminderOf } from "./noticeSchedule.js"

/** How long the notifier may take: longer than a hook has to answer (contract 11), or who answers late is told again. */
export const notifierTimeout = Duration.seconds(16)

/** When a notice whose sender died is sent again: later than the notifier may take. */
export const notifyAgainAfter = Duration.minutes(1)

/** How many a round sends, and how many at a time: so few that all were tried before the first is due again. */
const sentAtOnce = 24
const sendersAtOnce = 8

/** What brings the links of LIVE requests to their people, after the requests are committed. */
export interface ConsentNotices {
  /** Sends what is due: of one request when `id` is given, else of all. Answers how many people were told. */
  readonly send: (id: DataRequestId | undefined) => Effect.Effect<number, StoreError>
}

export const make: Effect.Effect<ConsentNotices, never, ConsentUpkeep | ConsentNotifier | Keyring> = Effect.gen(
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
          consequence: "the person is told again later",
          given: [link, link.slice(link.lastIndexOf("/") + 1), userId],
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
      Effect.logWarning("A person could not be told of a data request; trying again").pipe(
        Effect.annotateLogs({ dataRequestId: request.id, reason }),
        Effect.andThen(upkeep.putOffNotice(request.id, nextAttemptAfter(request, now))),
        Effect.as(false)
      )

    /** A notice that may not leave is put off by the same schedule, so it leaves once the operator lifts the block. */
    const tell = (pending: LinkedDataRequest, now: DateTime.Utc) =>
      mayBeAsked(pending)
        ? Effect.catchTag(notify(pending, now), ["NotifierUnavailable", "SecretUnreadable"], ({ _tag }) =>
            putOff(pending, now, _tag)
          )
        : Effect.as(upkeep.putOffNotice(pending.request.id, nextAttemptAfter(pending.request, now)), false)

    const send = Effect.fn("ConsentNotices.send")(function* (id: DataRequestId | undefined) {
      const now = yield* DateTime.now
      const againAt = DateTime.addDuration(now, notifyAgainAfter)
      const due = yield* upkeep.claimNotices({ now, againAt, limit: sentAtOnce, id })
      const told = yield* Effect.forEach(due, (pending) => tell(pending, now), { concurrency: sendersAtOnce })
      return told.filter(Boolean).length
    })

    return { send }
  }
)
