import { Grants } from "@surety/core/consent/grant/Grants"
import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import { type ChainReport, Receipts } from "@surety/core/consent/receipt/Receipts"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { EventLog } from "@surety/core/event/EventLog"
import { Verifications } from "@surety/core/kyc/verification/Verifications"
import { Audits } from "@surety/core/ledger/Audits"
import { Ledger } from "@surety/core/ledger/Ledger"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { Page } from "@surety/core/Page"
import { Refunds } from "@surety/core/refund/Refunds"
import { Effect, Option } from "effect"
import type { SimulatedServices } from "../world/Cluster.js"
import { type Act, callAs, nameOfScope, type Scene, scopeOf } from "./Scene.js"

/** The fields of a listed record that the checks use. */
type Listed = MerchantScope & { readonly id: string }

type List = (scope: MerchantScope) => Effect.Effect<Page<Listed>, unknown, SimulatedServices>

const page = { limit: 5, cursor: undefined }
const everyone = { userId: undefined }

/** Lists of a merchant's own records. `looks` has other reads. */
const lists: ReadonlyArray<readonly [name: string, list: List]> = [
  ["refunds", (scope) => Effect.flatMap(Refunds, ({ list }) => list(scope, { paymentId: undefined }, page))],
  ["requests", (scope) => Effect.flatMap(DataRequests, ({ list }) => list(scope, everyone, page))],
  ["grants", (scope) => Effect.flatMap(Grants, ({ list }) => list(scope, everyone, page))],
  ["reads", (scope) => Effect.flatMap(IdentityReads, ({ list }) => list(scope, everyone, page))],
  ["receipts", (scope) => Effect.flatMap(Receipts, ({ list }) => list(scope, everyone, page))],
  ["verifications", (scope) => Effect.flatMap(Verifications, ({ list }) => list(scope, page))],
  ["events", (scope) => Effect.flatMap(EventLog, ({ list }) => list(scope, page))]
]

/** A merchant lists its records in one environment. Each must belong to this merchant and environment. */
export const browse = (scene: Scene, act: Act): void => {
  const scope = scopeOf(scene, act.draw)
  const [name, list] = act.draw.pick(lists)
  const call = list(scope)
  callAs(scene, {
    act,
    does: `lists ${name}, as ${nameOfScope(scene, scope)}`,
    call,
    repeats: 1,
    onSuccess: ({ data }) => {
      for (const record of data) scene.book.own(scope, record, record.id)
    }
  })
}

/**
 * True if the chain has faults and none is `unreadable`. An unreadable receipt may be due to a simulated fault, so it
 * proves nothing.
 */
export const isBroken = ({ faults }: ChainReport): boolean =>
  faults.length > 0 && !faults.some(({ reason }) => reason === "unreadable")

/** The operator audits the books, one merchant's records and the merchant's receipt chain in one environment. */
export const audit = (scene: Scene, act: Act): void => {
  const { world } = scene
  const scope = scopeOf(scene, act.draw)
  const call = Effect.gen(function* () {
    const ledger = yield* Ledger
    const balance = yield* ledger.trialBalance
    const faults = yield* ledger.audit
    const chain = yield* (yield* Receipts).verifyChain(scope)
    const own = yield* (yield* Audits).ofMerchant(scope.merchantId)
    const ownFaults = Option.match(own, { onNone: () => [], onSome: (found) => found.faults })
    return { balance, faults: [...faults, ...ownFaults], chain }
  })
  callAs(scene, {
    act,
    does: "audits the books",
    call,
    repeats: 1,
    onSuccess: ({ balance, chain, faults }) => {
      const isBalanced = balance.every(({ creditsMinor, debitsMinor }) => creditsMinor === debitsMinor)
      world.require(isBalanced, "books_balance", () => "the trial balance does not balance")
      world.require(faults.length === 0, "books_balance", () => `the audit finds ${faults[0]?.check}`)
      world.require(!isBroken(chain), "chains_unbroken", () => `the audit finds ${chain.faults[0]?.reason}`)
    }
  })
}

export const poll = (scene: Scene, act: Act): void => {
  const scope = scopeOf(scene, act.draw)
  const after = scene.book.lastFollowed(scope)
  const call = Effect.flatMap(EventLog, ({ follow }) => follow(scope, { after, limit: 5 }))
  callAs(scene, {
    act,
    does: `polls for events, as ${nameOfScope(scene, scope)}`,
    call,
    repeats: 1,
    onSuccess: (events) => {
      if (scene.book.lastFollowed(scope) !== after) return
      for (const event of events) scene.book.followed(scope, event)
    }
  })
}
