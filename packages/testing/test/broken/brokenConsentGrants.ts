import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { isInForce } from "@surety/core/consent/grant/Grant"
import * as ReceiptChain from "@surety/core/consent/receipt/ReceiptChain"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { chainEndOf } from "@surety/core/memory/consent/MemoryConsentCommit"
import { controllerIn, grantOf, readSnapshotOf } from "@surety/core/memory/consent/MemoryConsentStore"
import { isOf, scopedKey } from "@surety/core/memory/MemoryState"
import * as Atomicity from "@surety/testing/consent/ConsentAtomicityLaws"
import * as Chain from "@surety/testing/consent/ConsentChainLaws"
import * as Grants from "@surety/testing/consent/ConsentGrantLaws"
import * as Reads from "@surety/testing/consent/ConsentReadLaws"
import { DateTime, Effect, Option } from "effect"
import { Digest } from "effect/crypto"
import { type Broken, broken, lookThenAct } from "./Broken.js"

type Store = ConsentStore["Service"]

const grants: ReadonlyArray<Broken> = [
  broken(
    ConsentStore,
    "forgets a grant's event",
    (sound, state) => ({
      grant: (lookup, decide) =>
        Effect.tap(sound.grant(lookup, decide), (decision) =>
          Effect.sync(() => {
            if (decision._tag === "Execute") state.events.delete(decision.plan.event.id)
          })
        )
    }),
    [Grants.commitsGrant]
  ),
  broken(
    ConsentStore,
    "finds people of the other environment too",
    (sound, state) => ({
      grant: (lookup, decide) =>
        sound.grant(lookup, (snapshot) => {
          const anybody = [...state.consumers.values()].find(({ serviceId }) => serviceId === lookup.serviceId)
          return decide({ ...snapshot, userId: anybody?.id })
        })
    }),
    [Grants.refusesStranger]
  ),
  broken(
    ConsentStore,
    "ends grants that have ended",
    (_, state) => ({
      end: (target, decide) =>
        Effect.sync(() => {
          const grant = grantOf(state, target)
          if (grant === undefined) return Option.none()
          const controller = controllerIn(state, grant.merchantId)
          const decision = decide({ grant: { ...grant, status: "ACTIVE" }, controller })
          if (decision._tag === "Execute") state.grants.set(grant.id, decision.plan.grant)
          return Option.some(decision)
        })
    }),
    [Grants.commitsEnd]
  ),
  broken(
    ConsentStore,
    "looks whether a grant is active before, not when it ends it",
    (_, state) => ({
      end: (target, decide) =>
        lookThenAct(
          () => grantOf(state, target),
          (grant) =>
            Effect.sync(() => {
              if (grant === undefined) return Option.none()
              const decision = decide({ grant, controller: controllerIn(state, grant.merchantId) })
              if (decision._tag === "Execute") state.grants.set(grant.id, decision.plan.grant)
              return Option.some(decision)
            })
        )
    }),
    [Grants.oneEndWins]
  ),
  broken(
    ConsentStore,
    "ends a grant although its receipt could not be stored",
    (sound, state) => ({
      end: (target, decide) =>
        Effect.onError(sound.end(target, decide), () =>
          Effect.sync(() => {
            const grant = state.grants.get(target.id)
            if (grant !== undefined) state.grants.set(grant.id, { ...grant, status: "REVOKED" })
          })
        )
    }),
    [Atomicity.endsAllOrNothing]
  ),
  broken(
    ConsumerStore,
    "takes links for all that links",
    (_, state) => ({
      isLinked: (merchantId, environment, userId) =>
        Effect.sync(() => state.consumerLinks.has(scopedKey({ merchantId, environment }, userId)))
    }),
    [Grants.linksWhileItLasts]
  ),
  broken(
    ConsumerStore,
    "looks at the clock for whether a grant still links",
    (_, state) => ({
      isLinked: (merchantId, environment, userId) =>
        Effect.map(DateTime.now, (now) =>
          [...state.grants.values()].some(
            (grant) => grant.userId === userId && isOf({ merchantId, environment }, grant) && isInForce(grant, now)
          )
        )
    }),
    [Grants.linksWhileItLasts, Grants.linksUntilEndIsRecorded]
  )
]

const readings: ReadonlyArray<Broken> = [
  broken(
    ConsentStore,
    "knows nothing of what has ended",
    (sound) => ({
      read: (lookup, decide) =>
        sound.read(lookup, (snapshot) =>
          decide({ ...snapshot, grants: snapshot.grants.filter(({ status }) => status === "ACTIVE") })
        )
    }),
    [Reads.snapshotsHistory]
  ),
  broken(
    ConsentStore,
    "records no reading",
    (_, state) => ({
      read: (lookup, decide) => Effect.sync(() => decide(readSnapshotOf(state, lookup)))
    }),
    [Reads.recordsReading]
  ),
  broken(
    ConsentStore,
    "remembers what might be read a moment ago",
    (sound) => {
      const remembered = new Map<string, Parameters<Parameters<Store["read"]>[1]>[0]>()
      return {
        read: (lookup, decide) =>
          sound.read(lookup, (snapshot) => {
            const key = scopedKey(lookup.scope, lookup.serviceId)
            const before = remembered.get(key) ?? snapshot
            remembered.set(key, before)
            return decide(before)
          })
      }
    },
    [Reads.revocationIsSeen]
  )
]

const chains: ReadonlyArray<Broken> = [
  broken(
    ConsentStore,
    "looks where the chain ends before, not when it appends the receipt",
    (_, state) => ({
      grant: (lookup, decide) =>
        lookThenAct(
          () => ({ end: chainEndOf(state, lookup.scope), userId: readSnapshotOf(state, lookup).userId }),
          ({ end, userId }) =>
            Effect.gen(function* () {
              const decision = decide({
                controller: controllerIn(state, lookup.scope.merchantId),
                ownPurpose: undefined,
                userId
              })
              if (decision._tag !== "Execute") return decision
              const { grant, receipt: draft } = decision.plan
              const receipt = yield* ReceiptChain.append(end, draft)
              state.receipts.set(receipt.id, receipt)
              state.receiptChains.set(scopedKey(receipt, ""), ReceiptChain.headAt(receipt))
              state.grants.set(grant.id, grant)
              return decision
            }).pipe(Effect.provide(Digest.layerWebCrypto))
        )
    }),
    [Chain.losesNoReceipt]
  ),
  broken(
    ConsentStore,
    "has one chain for all merchants",
    (sound, state) => ({
      grant: (lookup, decide) =>
        Effect.suspend(() => {
          const ends = [...state.receiptChains.values()]
          const longest = ends.reduce((a, b) => (b.sequence > a.sequence ? b : a), ReceiptChain.genesis)
          state.receiptChains.set(scopedKey(lookup.scope, ""), longest)
          return sound.grant(lookup, decide)
        })
    }),
    [Chain.appendsInOrder]
  ),
  broken(
    ConsentStore,
    "uses up a receipt's number before it knows whether there will be one",
    (sound, state) => ({
      grant: (lookup, decide) =>
        Effect.onError(sound.grant(lookup, decide), () =>
          Effect.sync(() => {
            const { hash, sequence } = chainEndOf(state, lookup.scope)
            state.receiptChains.set(scopedKey(lookup.scope, ""), { hash, sequence: sequence + 1 })
          })
        )
    }),
    [Chain.failuresLeaveNoGap]
  )
]

export const brokenStores: ReadonlyArray<Broken> = [...grants, ...readings, ...chains]
