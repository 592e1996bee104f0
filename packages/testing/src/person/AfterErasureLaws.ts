import { assert } from "@effect/vitest"
import { blockOf } from "@surety/core/consent/asking/AskingBlock"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { Effect } from "effect"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import * as FreshConsent from "../consent/FreshConsent.js"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as ErasureAttempt from "./ErasureAttempt.js"

export const linksNoErased = law(
  "links no person who was erased since they were found, and says so",
  Effect.gen(function* () {
    const store = yield* ConsumerStore
    const { consumer, scope } = yield* FreshConsent.parties()
    yield* ErasureAttempt.erased(consumer)
    assert.strictEqual(yield* store.link(FreshConsumer.linkOf(scope, consumer)), "person_unknown")
    assert.isFalse(yield* store.isLinked(scope.merchantId, scope.environment, consumer.userId))
  })
)

export const blocksForNoErased = law(
  "keeps no block for a person who was erased since they were asked",
  Effect.gen(function* () {
    const store = yield* ConsentStore
    const log = yield* ConsentLog
    const { consumer, scope } = yield* FreshConsent.parties()
    const { request } = yield* ConsentAttempt.askedAnew(scope, consumer, { fields: ["email"] })
    yield* ErasureAttempt.erased(consumer)
    yield* store.block(blockOf(request, "STOP_ASKING", yield* Fresh.now))
    const { data } = yield* log.listBlocks(scope, { userId: undefined }, { limit: 10, cursor: undefined })
    assert.deepStrictEqual(data, [])
  })
)

/** Laws about commits that are too late, because the person was erased between the read and the write. */
export const laws = [linksNoErased, blocksForNoErased]
