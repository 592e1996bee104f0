import { NodeCrypto } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import * as Admissions from "@surety/consent-page/route/Admissions"
import { ConsumerAuthenticator } from "@surety/core/consent/admission/ConsumerAuthenticator"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import type { Person } from "@surety/core/consumer/ConsumerDirectory"
import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { UserId } from "@surety/core/Ids"
import * as Keyring from "@surety/core/secret/Keyring"
import { Effect, Layer, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"

const code = { openUntil: undefined, sendableAt: undefined, destination: undefined }

const authenticator = Layer.succeed(ConsumerAuthenticator, {
  admit: () => Effect.succeed({ _tag: "CodeRequired", code }),
  sendCode: () => Effect.die("the test sends no code"),
  checkCode: () => Effect.die("the test enters no code")
})

const ada: Person = {
  environment: "LIVE",
  userId: UserId.make("user-ada"),
  serviceId: ConsumerId.make("SR1-TEST-2345-3")
}

const withCookie = (cookie: string) =>
  HttpServerRequest.fromWeb(new Request("http://page.example/", { headers: { cookie } }))

const keyring = Keyring.layer([Redacted.make(new Uint8Array(32).fill(7))]).pipe(Layer.provide(NodeCrypto.layer))

layer(Layer.mergeAll(authenticator, keyring))("A browser whose code was right", (it) => {
  it.effect("is let in for that person and visit alone, until the time is up", () =>
    Effect.gen(function* () {
      const admissions = yield* Admissions.makeProofs(false)
      const proof = yield* admissions.proofFor("visit-1", ada)
      const admitted = (visit: string, person: Person, cookie = proof) =>
        Effect.gen(function* () {
          const request = withCookie(`${admissions.proofCookie}=${cookie}`)
          const asked = admissions.visitOf(request, person, ConsentTokenHash.make("link"))
          return (yield* admissions.admit(request, visit, asked))._tag === "Admitted"
        })
      assert.isTrue(yield* admitted("visit-1", ada))
      assert.isFalse(yield* admitted("visit-2", ada), "another browser's visit")
      assert.isFalse(yield* admitted("visit-1", { ...ada, userId: UserId.make("user-eve") }), "another person")
      assert.isFalse(yield* admitted("visit-1", { ...ada, environment: "TEST" }), "the sandbox's person of that name")
      const [until = "", mac = ""] = proof.split("~")
      assert.isFalse(yield* admitted("visit-1", ada, `${Number(until) + 1}~${mac}`), "a time that was made longer")
      assert.isFalse(yield* admitted("visit-1", ada, `${until}~${mac}A`), "a proof with something behind it")
      yield* TestClock.adjust("19 minutes")
      assert.isTrue(yield* admitted("visit-1", ada))
      yield* TestClock.adjust("1 minute")
      assert.isFalse(yield* admitted("visit-1", ada), "the time is up")
    })
  )
})
