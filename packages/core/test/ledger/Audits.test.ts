import { assert, it } from "@effect/vitest"
import * as Receipts from "@surety/core/consent/receipt/Receipts"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as Audits from "@surety/core/ledger/Audits"
import { Ledger } from "@surety/core/ledger/Ledger"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import { StoreCorrupt, StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Effect, Layer } from "effect"
import { Digest } from "effect/crypto"

const stores = Layer.provideMerge(MemoryStores.layer, DeliverySignal.layer)

/** Runs the audit over a ledger whose first `failures` steps fail. Returns the exit's tag and the steps tried. */
const triedSteps = (failures: number, reason: StoreUnavailable | StoreCorrupt) => {
  let tried = 0
  const failing = Layer.effect(
    Ledger,
    Effect.map(Ledger, (ledger) => ({
      ...ledger,
      auditNext: (afresh: boolean) =>
        Effect.suspend(() => {
          tried += 1
          return tried <= failures
            ? Effect.fail(new StoreError({ operation: "Ledger.auditNext", reason }))
            : ledger.auditNext(afresh)
        })
    }))
  )
  const audits = Audits.layer.pipe(
    Layer.provide(Receipts.layer),
    Layer.provide(Digest.layerWebCrypto),
    Layer.provide(failing),
    Layer.provide(stores)
  )
  return Effect.flatMap(Audits.Audits, ({ run }) => Effect.exit(run("ada"))).pipe(
    Effect.map(({ _tag }) => ({ _tag, tried })),
    Effect.provide(audits)
  )
}

it.effect("a run tries a step again that the store did not end, three times, and no other failure", () =>
  Effect.gen(function* () {
    const late = new StoreUnavailable({ cause: "no answer" })
    assert.deepStrictEqual(yield* triedSteps(3, late), { _tag: "Success", tried: 4 })
    assert.deepStrictEqual(yield* triedSteps(4, late), { _tag: "Failure", tried: 4 })
    const corrupt = new StoreCorrupt({ cause: "no record" })
    assert.deepStrictEqual(yield* triedSteps(1, corrupt), { _tag: "Failure", tried: 1 })
  })
)
