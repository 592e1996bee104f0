import { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import {
  type ConsentNotification,
  ConsentNotifier,
  NotifierUnavailable
} from "@surety/core/consent/notification/ConsentNotifier"
import type { Identity } from "@surety/core/consent/read/IdentityRecord"
import type { AnsweredDataRequest } from "@surety/core/consent/request/createDataRequest"
import { commandOf, type DataRequestCommand, DataRequestInput } from "@surety/core/consent/request/DataRequestCommand"
import { Consumers } from "@surety/core/consumer/Consumers"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import type { Environment } from "@surety/core/Environment"
import type { DataRequestId } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Effect, Latch, Layer, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Sandbox from "../Sandbox.js"

export const page = { limit: 100, cursor: undefined }
export const anyone = { userId: undefined }
export const person = { kind: "PERSON" } as const

/** Builds a notifier that records notifications. It gives the scripted replies in order, then always succeeds. */
export const scriptedNotifier = (...replies: Array<"unavailable" | "silent" | "broken" | "late">) => {
  const notices: Array<ConsentNotification> = []
  const asked = Latch.makeUnsafe(false)
  const layer = Layer.succeed(ConsentNotifier, {
    notify: (notice) =>
      Effect.suspend((): Effect.Effect<void, NotifierUnavailable> => {
        notices.push(notice)
        asked.openUnsafe()
        const reply = replies.shift()
        if (reply === "silent") return Effect.never
        if (reply === "late") return Effect.sleep("15 seconds")
        if (reply === "broken") return Effect.die(new Error("undefined is not a function"))
        return reply === "unavailable"
          ? Effect.fail(new NotifierUnavailable({ cause: new Error("connection reset") }))
          : Effect.void
      })
  })
  return { notices, asked: asked.await, layer }
}

export const layerWith = (notifier: Layer.Layer<ConsentNotifier>) => Sandbox.consentWith(notifier)

export const layer = layerWith(scriptedNotifier().layer)

/** Creates a merchant, and a consumer that is not linked to it. */
export const merchantAndPerson = Effect.fnUntraced(function* (environment: Environment = "TEST") {
  const consumers = yield* Consumers
  const merchant = yield* Sandbox.newMerchant
  const scope: MerchantScope = { merchantId: merchant.id, environment }
  const consumer = yield* consumers.create(
    {
      environment,
      displayName: Redacted.make("Ada Obi"),
      email: Redacted.make("ada@example.com"),
      country: "NG",
      phoneVerified: true
    },
    undefined
  )
  return { merchant, scope, consumer }
})

export const idOf = ({ request }: AnsweredDataRequest): DataRequestId => request.id

/** Extracts the token from a response's consent url. Empty if the response has no url, as in LIVE. */
export const tokenOf = ({ consentUrl }: AnsweredDataRequest): Redacted.Redacted<string> =>
  Redacted.make(consentUrl === undefined ? "" : (Redacted.value(consentUrl).split("/").at(-1) ?? ""))

export const reveal = ({ fields, ...identity }: Identity) => ({
  ...identity,
  fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, Redacted.value(value)]))
})

export const askingFor = (input: typeof DataRequestInput.Encoded): DataRequestCommand =>
  commandOf(Schema.decodeUnknownSync(DataRequestInput)(input))

export const fields = (...names: ReadonlyArray<string>): ReadonlyArray<IdentityField> =>
  names.map((name) => IdentityField.make(name))

/** Waits in real time until the condition holds. */
export const eventually = <E, R>(isSo: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    while (!(yield* isSo)) yield* TestClock.withLive(Effect.sleep("5 millis"))
  })

export const approveBy = (
  token: Redacted.Redacted<string>,
  approval: Parameters<PersonConsents["Service"]["approve"]>[1]
) =>
  Effect.flatMap(PersonConsents, (person) =>
    Effect.flatMap(person.question(token), (link) => person.approve(link, approval))
  )

export const denyBy = (token: Redacted.Redacted<string>, denial: Parameters<PersonConsents["Service"]["deny"]>[1]) =>
  Effect.flatMap(PersonConsents, (person) =>
    Effect.flatMap(person.question(token), (link) => person.deny(link, denial))
  )
