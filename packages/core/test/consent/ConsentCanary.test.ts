import { inspect } from "node:util"
import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { ConsentSweep } from "@surety/core/consent/ConsentSweep"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { Consumers } from "@surety/core/consumer/Consumers"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import * as MemoryState from "@surety/core/memory/MemoryState"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import * as Surety from "@surety/core/Surety"
import * as Responses from "@surety/testing/Responses"
import { Effect, Layer, Logger, Redacted, References } from "effect"
import { TestClock } from "effect/testing"
import * as Sandbox from "../Sandbox.js"
import * as ConsentSandbox from "./ConsentSandbox.js"

const lines: Array<string> = []
const logs = Layer.merge(
  Logger.layer([Logger.make((entry) => void lines.push(Logger.formatJson.log(entry)))]),
  Layer.succeed(References.MinimumLogLevel, "All")
)

const notifier = ConsentSandbox.scriptedNotifier("unavailable", "broken")

/** Surety's services, over in-memory stores whose state the test can inspect. */
const layer = Surety.layer({
  stores: Layer.provideMerge(MemoryStores.layerOver, MemoryState.layer),
  keyring: Sandbox.keyring,
  targets: TargetPolicy.layerDevelopment,
  consentUrls: ConsentUrls.layer("https://consent.example"),
  responses: Responses.layer,
  consentNotifier: notifier.layer
}).pipe(Layer.provideMerge(Layer.merge(NodeCrypto.layer, logs)))

const bytesOf = (state: MemoryState.MemoryState["Service"]): string =>
  [...state.dataRequests.values()]
    .map(({ link }) => new TextDecoder("latin1").decode(link?.sealedUrl.bytes ?? new Uint8Array()))
    .join()

describe("What is planted in consent", () => {
  it.effect("is found in no log line, and in the stores only where it belongs", () =>
    Effect.gen(function* () {
      const requests = yield* DataRequests
      const upkeep = yield* ConsentSweep
      const reads = yield* IdentityReads
      const consumers = yield* Consumers
      const { scope } = yield* ConsentSandbox.merchantAndPerson("LIVE")
      const consumer = yield* consumers.create(
        {
          environment: "LIVE",
          displayName: Redacted.make("Canary Name"),
          email: Redacted.make("canary@example.com"),
          phoneVerified: true
        },
        undefined
      )
      const form = ConsentSandbox.askingFor({
        serviceId: consumer.serviceId,
        requestedFields: ["email", "display_name"]
      })
      const answer = yield* requests.create(scope, Sandbox.key("canary"), form)
      yield* notifier.asked
      yield* TestClock.adjust("1 minute")
      yield* upkeep.sweep
      const url = Redacted.value(notifier.notices[0]?.url ?? assert.fail("the notifier was asked"))
      const token = url.slice(url.lastIndexOf("/") + 1)
      yield* requests.open(Redacted.make(token))
      yield* requests.approve({ id: ConsentSandbox.idOf(answer), scope: undefined }, { actor: ConsentSandbox.person })
      const identity = yield* reads.read(scope, { serviceId: form.serviceId, fields: form.requestedFields })
      yield* Effect.logInfo("read", identity)
      assert.strictEqual(ConsentSandbox.reveal(identity).fields.email, "canary@example.com")

      const state = yield* MemoryState.MemoryState
      const stored = inspect(state, { depth: null, maxArrayLength: null, maxStringLength: null })
      const seen = { log: lines.join("\n"), store: stored + bytesOf(state), answer: answer.response }
      assert.include(seen.log, "Consent notification failed")
      assert.include(seen.store, consumer.serviceId)
      for (const [where, text] of Object.entries(seen)) {
        for (const planted of ["Canary Name", "canary@example.com", token]) assert.notInclude(text, planted, where)
      }
    }).pipe(Effect.provide(layer))
  )
})
