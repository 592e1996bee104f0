import { assert } from "@effect/vitest"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { Effect } from "effect"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import * as FreshConsent from "../consent/FreshConsent.js"
import { law } from "../Law.js"
import * as ErasureAttempt from "./ErasureAttempt.js"
import type { PersonStorePorts } from "./PersonStoreLaws.js"

export const winsRaces = law(
  "leaves nothing of a person under the former user id, in any race with the erasure",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const { consumer, scope } = yield* FreshConsent.parties()
    const asked = yield* Effect.forEach(Array.from({ length: 4 }), () => ConsentAttempt.askedAnew(scope, consumer))
    yield* ConsentAttempt.given(scope, consumer, { purpose: "before" })
    const quietly = <A, E>(
      effect: Effect.Effect<A, E, PersonStorePorts>
    ): Effect.Effect<void, never, PersonStorePorts> => Effect.asVoid(Effect.exit(effect))
    yield* Effect.all(
      [
        ...asked.map(({ request }) => quietly(ConsentAttempt.decide(request.id, ConsentAttempt.approveAll))),
        quietly(ErasureAttempt.erased(consumer)),
        ...[1, 2, 3].flatMap((place) => [
          quietly(ConsentAttempt.askedAnew(scope, consumer)),
          quietly(ConsentAttempt.give(scope, consumer, { purpose: `during ${place}` })),
          quietly(ConsentAttempt.read(scope, consumer))
        ])
      ],
      { concurrency: "unbounded" }
    )
    const { grants, reads, receipts, requests } = yield* FreshConsent.traceOf(scope)
    for (const { userId } of [...grants, ...reads, ...receipts, ...requests]) {
      assert.notStrictEqual(userId, consumer.userId)
    }
    assert.isFalse(grants.some(({ status }) => status === "ACTIVE"))
    assert.isFalse(requests.some(({ status }) => status === "PENDING"))
    yield* FreshConsent.soundChain(scope)
    const { data } = yield* log.listGrants(scope, { userId: consumer.userId }, { limit: 100, cursor: undefined })
    assert.isEmpty(data)
  })
)
