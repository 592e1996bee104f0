import { assert, it } from "@effect/vitest"
import * as Receipts from "@surety/core/consent/receipt/Receipts"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import type { MerchantId } from "@surety/core/Ids"
import * as Audits from "@surety/core/ledger/Audits"
import { Ledger } from "@surety/core/ledger/Ledger"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import { StoreCorrupt, StoreError, StoreUnavailable } from "@surety/core/StoreError"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import { Effect, Layer } from "effect"
import { Digest } from "effect/crypto"

const stores = Layer.provideMerge(MemoryStores.layer, DeliverySignal.layer)

const everyone = Effect.asVoid(Effect.flatMap(Audits.Audits, ({ run }) => run("ada")))

const oneMerchant = Effect.gen(function* () {
  const { id } = yield* FreshMerchant.make()
  yield* (yield* Audits.Audits).ofMerchant(id)
})

/**
 * Runs an audit over a ledger whose first `failures` attempts at a step fail. Returns the exit's tag and the number of
 * attempts.
 */
const triedSteps = (
  audit: typeof everyone | typeof oneMerchant,
  failures: number,
  reason: StoreUnavailable | StoreCorrupt
) => {
  let tried = 0
  const failingFirst = <A>(step: Effect.Effect<A, StoreError>) =>
    Effect.suspend(() => {
      tried += 1
      return tried <= failures ? Effect.fail(new StoreError({ operation: "Ledger.audit", reason })) : step
    })
  const failing = Layer.effect(
    Ledger,
    Effect.map(Ledger, (ledger) => ({
      ...ledger,
      auditNext: (afresh: boolean) => failingFirst(ledger.auditNext(afresh)),
      auditMerchant: (merchantId: MerchantId, place: string | undefined) =>
        failingFirst(ledger.auditMerchant(merchantId, place))
    }))
  )
  const audits = Audits.layer.pipe(
    Layer.provide(Receipts.layer),
    Layer.provide(Digest.layerWebCrypto),
    Layer.provide(failing),
    Layer.provideMerge(stores)
  )
  return Effect.exit<void, Effect.Error<typeof oneMerchant>, Effect.Services<typeof oneMerchant>>(audit).pipe(
    Effect.map(({ _tag }) => ({ _tag, tried })),
    Effect.provide(audits)
  )
}

it.effect("a run tries a step again that the store did not end, three times, and no other failure", () =>
  Effect.gen(function* () {
    const late = new StoreUnavailable({ cause: "no answer" })
    const corrupt = new StoreCorrupt({ cause: "no record" })
    for (const audit of [everyone, oneMerchant]) {
      assert.deepStrictEqual(yield* triedSteps(audit, 3, late), { _tag: "Success", tried: 4 })
      assert.deepStrictEqual(yield* triedSteps(audit, 4, late), { _tag: "Failure", tried: 4 })
      assert.deepStrictEqual(yield* triedSteps(audit, 1, corrupt), { _tag: "Failure", tried: 1 })
    }
  })
)
