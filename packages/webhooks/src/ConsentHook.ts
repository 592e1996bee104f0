import { AuthenticatorUnavailable } from "@surety/core/consent/admission/ConsumerAuthenticator"
import { type CodeDelivered, type CodeMessage, CodeSender } from "@surety/core/consent/admission/OneTimeCodes"
import {
  type ConsentNotice,
  ConsentNotifier,
  NotifierUnavailable
} from "@surety/core/consent/notification/ConsentNotifier"
import type { Environment } from "@surety/core/Environment"
import { nextEventId } from "@surety/core/Ids"
import { DateTime, Effect, Layer, Option, Redacted, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { type SendOutcome, WebhookSender } from "./send/WebhookSender.js"
import { WebhookSigner } from "./send/WebhookSigner.js"

/** Where a platform is told what it must bring to its people. */
export interface ConsentHookTarget {
  readonly url: string
  /** `whsec_` and base64, as an endpoint's. */
  readonly secret: Redacted.Redacted<string>
}

/** What the platform is told, by its `X-Service-Event`. */
export type ConsentHookTopic = "consent.requested" | "consent.reminder" | "consent.code"

/** Why the platform was not told. */
class HookFailed extends Error {
  constructor({ error, status }: SendOutcome) {
    super(status === undefined ? `The consent hook did not answer: ${error}` : `The consent hook answered ${status}`)
  }
}

const utf8 = new TextEncoder()

const noticeBody = (notice: ConsentNotice, type: ConsentHookTopic): string =>
  JSON.stringify({
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

const codeBody = ({ code, expiresAt, person }: CodeMessage, type: ConsentHookTopic): string =>
  JSON.stringify({
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

/** Where the platform says that a code went. It need not say so, and whatever else it answers is not looked at. */
const deliveredOf = (body: string | undefined): CodeDelivered =>
  Option.match(decodeDelivered(body), {
    onNone: () => ({}),
    onSome: ({ destination }) => ({ destination: Redacted.make(destination, { label: "destination" }) })
  })

type Needs = WebhookSender | WebhookSigner | SecureRandom.SecureRandom

/**
 * Tells a platform of LIVE requests, of those that will soon expire, and of one-time codes, by a signed POST: signed and
 * guarded like a webhook, so that a webhook's verifier verifies it. Any 2xx is success.
 *
 * A request is told under its own id, however often it is sent; core sends it again by contract 11's schedule. A code is
 * sent once, since the person waits for it and can ask for another; the answer to it may say where it went, as
 * `{ "destination": "+2348012345678" }`, which the page shows masked.
 */
export const layer = (target: ConsentHookTarget): Layer.Layer<ConsentNotifier | CodeSender, never, Needs> => {
  const post = Effect.fnUntraced(function* (
    event: { readonly id: string; readonly topic: ConsentHookTopic; readonly environment: Environment },
    attempt: number,
    text: string
  ) {
    const signer = yield* WebhookSigner
    const sender = yield* WebhookSender
    const body = utf8.encode(text)
    const headers = yield* signer.sign({ event, body, attempt }, [target.secret])
    const outcome = yield* sender.send({ url: target.url, headers, body })
    const { status } = outcome
    if (status !== undefined && status >= 200 && status <= 299) return outcome.bodyText
    const failed = new HookFailed(outcome)
    // Here and not where it is tried again: another notifier's errors may hold the link.
    yield* Effect.logWarning(failed.message).pipe(Effect.annotateLogs({ topic: event.topic, attempt }))
    return yield* Effect.fail(failed)
  })

  const services = Effect.context<Needs>()

  const notifier = Effect.map(services, (context) =>
    ConsentNotifier.of({
      notify: (notice) => {
        const topic = notice.isReminder ? "consent.reminder" : "consent.requested"
        const id = notice.isReminder ? `${notice.dataRequestId}-reminder` : notice.dataRequestId
        return post({ id, topic, environment: "LIVE" }, notice.attempt, noticeBody(notice, topic)).pipe(
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
        Effect.flatMap(nextEventId, (id) =>
          post(
            { id, topic: "consent.code", environment: message.person.environment },
            1,
            codeBody(message, "consent.code")
          )
        ).pipe(
          Effect.map(deliveredOf),
          Effect.mapError((cause) => new AuthenticatorUnavailable({ cause })),
          Effect.provideContext(context)
        )
    })
  )

  return Layer.merge(Layer.effect(ConsentNotifier, notifier), Layer.effect(CodeSender, codes))
}
