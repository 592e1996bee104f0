import { Effect } from "effect"
import { BenchFailed } from "./BenchFailed.ts"
import type { Contender } from "./Contender.ts"
import type { MadeRefund } from "./load/LoadJob.ts"

const shown = 3

const describe = (what: string, refunds: ReadonlyArray<string>): ReadonlyArray<string> =>
  refunds.length === 0 ? [] : [`${refunds.length} ${what}, such as ${refunds.slice(0, shown).join(", ")}`]

const textOf = ({ amountMinor, idempotencyKey, merchantId, paymentId, refundId }: MadeRefund): string =>
  [refundId, merchantId, paymentId, idempotencyKey, amountMinor].join(" ")

const repeated = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const seen = new Set<string>()
  return texts.filter((text) => seen.size === seen.add(text).size)
}

/**
 * Fails if the contender's audit finds a fault, or if its stored refunds differ from the acknowledged ones. Each
 * acknowledged refund must be stored exactly once, with the requested payment and amount. Refunds of the probe
 * merchants are not compared.
 */
export const checkBooks = (
  contender: Contender,
  answered: ReadonlyArray<MadeRefund>
): Effect.Effect<void, BenchFailed> =>
  Effect.gen(function* () {
    const probes = new Set(contender.fixture.probes.map(({ id }) => id))
    const stored = (yield* contender.refunds).filter(({ merchantId }) => !probes.has(merchantId)).map(textOf)
    const told = answered.map(textOf)
    const storedSet = new Set(stored)
    const toldSet = new Set(told)
    const faults = [
      ...describe(
        "refunds were acknowledged and are not stored",
        told.filter((text) => !storedSet.has(text))
      ),
      ...describe(
        "refunds are stored and were not acknowledged",
        stored.filter((text) => !toldSet.has(text))
      ),
      ...describe("refunds were returned for more than one request", repeated(told)),
      ...describe("refunds are stored twice", repeated(stored)),
      ...(yield* contender.faults)
    ]
    if (faults.length > 0) return yield* new BenchFailed({ message: `${contender.name}: ${faults.join("; ")}` })
  })
