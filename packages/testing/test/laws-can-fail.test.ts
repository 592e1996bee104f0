import { assert, it } from "@effect/vitest"
import { laws } from "@surety/testing/AllLaws"
import { Patience } from "@surety/testing/event/HeldBack"
import { Cause, Duration, Effect, Exit } from "effect"
import * as ConsentDecisions from "./faults/consentDecisions.js"
import * as ConsentLists from "./faults/consentLists.js"
import * as ConsentRequests from "./faults/consentRequests.js"
import * as ConsentTerms from "./faults/consentTerms.js"
import * as Console from "./faults/console.js"
import * as Deliveries from "./faults/deliveries.js"
import * as Events from "./faults/events.js"
import type { Broken } from "./faults/Fault.js"
import * as HostRequests from "./faults/hostRequests.js"
import * as Limits from "./faults/limits.js"
import * as Merchants from "./faults/merchants.js"
import * as OperatorActions from "./faults/operatorActions.js"
import * as Payments from "./faults/payments.js"
import * as People from "./faults/people.js"
import * as Refunds from "./faults/refunds.js"
import * as Sandboxes from "./faults/sandboxes.js"
import * as ToldEvents from "./faults/toldEvents.js"
import * as VerificationLeases from "./faults/verificationLeases.js"
import * as Verifications from "./faults/verifications.js"

const brokenStores: ReadonlyArray<Broken> = [
  ...Merchants.brokenStores,
  ...Payments.brokenStores,
  ...Refunds.brokenStores,
  ...ConsentRequests.brokenStores,
  ...ConsentDecisions.brokenStores,
  ...ConsentLists.brokenStores,
  ...ConsentTerms.brokenStores,
  ...Verifications.brokenStores,
  ...VerificationLeases.brokenStores,
  ...Events.brokenStores,
  ...Deliveries.brokenStores,
  ...Limits.brokenStores,
  ...People.brokenStores,
  ...OperatorActions.brokenStores,
  ...Sandboxes.brokenStores,
  ...ToldEvents.brokenStores,
  ...HostRequests.brokenStores,
  ...Console.brokenStores
]

for (const { caughtBy, how, layer } of brokenStores) {
  for (const { body, name } of caughtBy) {
    it.live(`catches a store that ${how}: "${name}"`, () =>
      Effect.gen(function* () {
        // In-memory stores show an event as soon as it is committed, so an event still missing after 500 ms is lost.
        const exit = yield* Effect.scoped(body).pipe(
          Effect.provide(layer),
          Effect.provideService(Patience, Duration.millis(500)),
          Effect.exit
        )
        if (Exit.isSuccess(exit)) return assert.fail("the law passed")
        const error = Cause.squash(exit.cause)
        assert.strictEqual(error instanceof Error ? error.name : error, "AssertionError", String(error))
      })
    )
  }
}

it("catches something with every law", () => {
  const catching = new Set(brokenStores.flatMap(({ caughtBy }) => caughtBy))
  assert.deepStrictEqual(
    laws.filter((law) => !catching.has(law)).map(({ name }) => name),
    []
  )
})
