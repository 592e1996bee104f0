import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { Effect, Option } from "effect"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import * as FreshConsent from "../consent/FreshConsent.js"
import { law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"

export const tellsEveryReader = law(
  "changes no details unless it knows every active grant of the person, so that each merchant that read them gets an event",
  Effect.gen(function* () {
    const store = yield* ConsumerStore
    const { consumer: before, scope } = yield* FreshConsent.parties()
    const after: Consumer = { ...before, country: "KE" }
    // A store that spans several cells may fail here instead of returning false.
    const changed = (grants: Parameters<typeof store.change>[3]) =>
      Effect.orElseSucceed(store.change(before, after, [], grants), () => false)
    const first = (yield* ConsentAttempt.given(scope, before)).grant
    assert.isFalse(yield* changed([]), "a grant was made meanwhile")
    const second = (yield* ConsentAttempt.given(scope, before, { purpose: "another" })).grant
    assert.isFalse(yield* changed([first]), "another one")
    yield* ConsentAttempt.revoked(second)
    assert.isFalse(yield* changed([first, second]), "one has ended")
    yield* ConsentAttempt.given(FreshMerchant.otherEnvironment(scope), yield* FreshConsent.person("TEST"))
    assert.isTrue(yield* changed([first]))
    assertEquals(yield* store.findByServiceId("LIVE", before.serviceId), Option.some(after))
  })
)
