import { AuthenticatorUnavailable } from "@surety/core/consent/admission/ConsumerAuthenticator"
import { type CodeDelivered, type CodeMessage, CodeSender } from "@surety/core/consent/admission/OneTimeCodes"
import {
  type ConsentNotification,
  ConsentNotifier,
  NotifierUnavailable
} from "@surety/core/consent/notification/ConsentNotifier"
import { EventId } from "@surety/core/Ids"
import { DateTime, Effect, Layer, Option, Redacted, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { type HookCall, HookCaller, type HookTarget } from "./HookCaller.js"

/** Topics of calls to the consent hook, sent as `X-Service-Event`. */
export type ConsentHookTopic = "consent.requested" | "consent.reminder" | "consent.code"

interface Told {
  readonly topic: ConsentHookTopic
  readonly attempt: number
}

const noticeBody = (notice: ConsentNotification, type: ConsentHookTopic): Schema.Json => ({
  type,
  dataRequestId: notice.dataRequestId,
  userId: notice.userId,
  serviceId: notice.serviceId,
  merchant: {
    id: notice.controller.merchantId,
    businessCode: notice.controller.businessCode,
    name: notice.controller.name
  },
  requestedFields: notice.requestedFields,
  purpose: notice.purpose,
  expiresAt: DateTime.formatIso(notice.expiresAt),
  consentUrl: Redacted.value(notice.url)
})

const codeBody = ({ code, expiresAt, person }: CodeMessage, type: ConsentHookTopic): Schema.Json => ({
  type,
  environment: person.environment,
  userId: person.userId,
  serviceId: person.serviceId,
  code: Redacted.value(code),
  expiresAt: DateTime.formatIso(expiresAt)
})

const decodeDelivered = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ destination: Schema.String.check(Schema.isMaxLength(254)) }))
)

/**
 * Returns where the code was sent, if the platform names a `destination` of at most 254 characters. Ignores the rest of
 * the response.
 */
const deliveredOf = (body: string | undefined): CodeDelivered =>
  Option.match(decodeDelivered(body), {
    onNone: () => ({}),
    onSome: ({ destination }) => ({ destination: Redacted.make(destination, { label: "destination" }) })
  })

type Needs = HookCaller | SecureRandom.SecureRandom

/**
 * Posts one-time codes to the platform, as well as notices and reminders of data requests. Notices and reminders are
 * LIVE only. Calls are signed like webhooks, so a webhook verifier accepts them. Any 2xx is success.
 *
 * Core retries a failed notice or reminder under the same id. A code is sent once, since the person is waiting and can
 * request another. The platform's response to a code may name the code's destination:
 * `{ "destination": "+2348012345678" }`. The person sees the destination masked.
 */
export const layer = (target: HookTarget): Layer.Layer<ConsentNotifier | CodeSender, never, Needs> => {
  const post = Effect.fnUntraced(function* (call: Pick<HookCall, "id" | "environment" | "body"> & Told) {
    const { tell } = yield* HookCaller
    const { text } = yield* Effect.tapError(tell({ hook: "consent", target, ...call }), ({ message }) =>
      // Adds the topic and attempt, which the failure does not contain.
      Effect.logWarning(message).pipe(Effect.annotateLogs({ topic: call.topic, attempt: call.attempt }))
    )
    return text
  })

  const services = Effect.context<Needs>()

  const notifier = Effect.map(services, (context) =>
    ConsentNotifier.of({
      notify: (notice) => {
        const topic = notice.isReminder ? "consent.reminder" : "consent.requested"
        const id = notice.isReminder ? `${notice.dataRequestId}-reminder` : notice.dataRequestId
        return post({ id, topic, environment: "LIVE", attempt: notice.attempt, body: noticeBody(notice, topic) }).pipe(
          Effect.asVoid,
          Effect.mapError((cause) => new NotifierUnavailable({ cause })),
          Effect.provideContext(context)
        )
      }
    })
  )

  const codes = Effect.map(services, (context) =>
    CodeSender.of({
      send: (message) =>
        Effect.flatMap(EventId.next, (id) =>
          post({
            id,
            topic: "consent.code",
            environment: message.person.environment,
            attempt: 1,
            body: codeBody(message, "consent.code")
          })
        ).pipe(
          Effect.map(deliveredOf),
          Effect.mapError((cause) => new AuthenticatorUnavailable({ cause })),
          Effect.provideContext(context)
        )
    })
  )

  return Layer.merge(Layer.effect(ConsentNotifier, notifier), Layer.effect(CodeSender, codes))
}
