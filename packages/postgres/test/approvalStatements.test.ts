import { NodeCrypto } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import * as UnknownConsumerLimit from "@surety/core/consent/asking/UnknownConsumerLimit"
import * as ConsentServices from "@surety/core/consent/ConsentServices"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import * as PersonConsents from "@surety/core/consent/link/PersonConsents"
import * as ConsentNotifier from "@surety/core/consent/notification/ConsentNotifier"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import * as ConsumerDirectory from "@surety/core/consumer/ConsumerDirectory"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import * as Keyring from "@surety/core/secret/Keyring"
import * as FreshConsent from "@surety/testing/consent/FreshConsent"
import * as Fresh from "@surety/testing/FreshIds"
import * as Responses from "@surety/testing/Responses"
import { Effect, Layer, Redacted, Tracer } from "effect"
import * as TestStores from "./TestStores.js"

const person = PersonConsents.layer.pipe(
  Layer.provideMerge(ConsentServices.layer),
  Layer.provide([
    ConsumerDirectory.layer,
    ConsentNotifier.layerNone,
    ConsentUrls.layer("https://consent.example"),
    UnknownConsumerLimit.layer,
    Responses.layer,
    Keyring.layer([Redacted.make(new Uint8Array(32).fill(7))])
  ]),
  Layer.provide(NodeCrypto.layer),
  Layer.provideMerge(TestStores.postgres)
)

const statementsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return effect.pipe(
    Effect.provideService(Tracer.Tracer, tracer),
    Effect.map((value) => ({
      value,
      statements: spans.flatMap(({ attributes }) => {
        const text = attributes.get("db.query.text")
        return typeof text === "string" ? [text.replace(/\s+/gu, " ").trim()] : []
      })
    }))
  )
}

const notice = { version: "1.0", language: "en" }

it.layer(person, { excludeTestServices: true })("a decision by a consent link", (it) => {
  const asked = Effect.gen(function* () {
    const requests = yield* DataRequests
    const { consumer, scope } = yield* FreshConsent.parties("TEST")
    const { consentUrl } = yield* requests.create(scope, Fresh.idempotencyKey(), {
      serviceId: consumer.serviceId,
      requestedFields: [IdentityField.make("email")],
      purpose: undefined
    })
    return Redacted.make(consentUrl === undefined ? "" : (Redacted.value(consentUrl).split("/").at(-1) ?? ""))
  })

  it.effect("takes one read and one commit, which also makes the management link", () =>
    Effect.gen(function* () {
      const consents = yield* PersonConsents.PersonConsents
      for (const decide of [
        (link: Effect.Success<ReturnType<typeof consents.question>>) =>
          consents.approve(link, { fields: ["email"], notice }),
        (link: Effect.Success<ReturnType<typeof consents.question>>) =>
          consents.deny(link, { reason: "DECLINED", notice })
      ]) {
        const token = yield* asked
        const { statements, value } = yield* statementsOf(Effect.flatMap(consents.question(token), decide))
        assert.include(["APPROVED", "DENIED"], value.status)
        assert.deepStrictEqual(
          statements.map((text) => text.split(" ")[0]),
          ["select", "with"]
        )
        const manager = yield* consents.open(yield* consents.managementToken(token))
        assert.strictEqual(manager.userId, value.userId)
      }
    })
  )

  it.effect("reads again only if another decision came in between", () =>
    Effect.gen(function* () {
      const consents = yield* PersonConsents.PersonConsents
      const token = yield* asked
      const link = yield* consents.question(token)
      yield* consents.deny(link, { reason: "NOT_ME", notice })
      const { statements, value: late } = yield* statementsOf(
        Effect.flip(consents.approve(link, { fields: ["email"], notice }))
      )
      assert.deepInclude(late, { _tag: "DataRequestDecided", status: "DENIED" })
      assert.deepStrictEqual(
        statements.map((text) => text.split(" ")[0]),
        ["with", "select"]
      )
      const unknown = yield* Effect.flip(consents.open(yield* consents.managementToken(token)))
      assert.strictEqual(unknown._tag, "ConsentLinkUnknown", "the commit that failed made no management link")
    })
  )
})
