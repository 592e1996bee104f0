import { ConsentStore } from "@surety/core/consent/ConsentStore"
import * as Audit from "@surety/testing/consent/ConsentAuditLaws"
import { Effect, Option } from "effect"
import { type Broken, broken, type State } from "./Broken.js"

type Store = ConsentStore["Service"]

/** Decides on requests as it should, and then does something to what was stored. */
const afterDecision = (how: string, spoil: (state: State, id: string) => void): Broken =>
  broken(
    ConsentStore,
    how,
    (sound, state) => ({
      decide: (target, decide) =>
        Effect.tap(sound.decide(target, decide), (decision) =>
          Effect.sync(() => {
            if (Option.isSome(decision) && decision.value._tag === "Execute") spoil(state, target.id)
          })
        )
    }),
    [Audit.consentsAreReceipted]
  )

const forgetLastReceipt = (state: State): void => {
  const last = [...state.receipts.keys()].at(-1)
  if (last !== undefined) state.receipts.delete(last)
}

const statusOf = (state: State, id: string): string | undefined =>
  [...state.dataRequests.values()].find(({ request }) => request.id === id)?.request.status

const forgettingWhen = (status: string): Broken =>
  afterDecision(`keeps no receipt of a request that is ${status}`, (state, id) => {
    if (statusOf(state, id) === status) forgetLastReceipt(state)
  })

const forgettingOf = (how: string, verb: (sound: Store, forget: Effect.Effect<void>) => Partial<Store>): Broken =>
  broken(
    ConsentStore,
    how,
    (sound, state) =>
      verb(
        sound,
        Effect.sync(() => forgetLastReceipt(state))
      ),
    [Audit.consentsAreReceipted]
  )

export const brokenStores: ReadonlyArray<Broken> = [
  forgettingWhen("APPROVED"),
  forgettingWhen("DENIED"),
  forgettingWhen("EXPIRED"),
  forgettingOf("keeps no receipt of a grant that is given", (sound, forget) => ({
    grant: (lookup, decide) => Effect.tap(sound.grant(lookup, decide), forget)
  })),
  forgettingOf("keeps no receipt of a grant's end", (sound, forget) => ({
    end: (target, decide) => Effect.tap(sound.end(target, decide), forget)
  })),
  afterDecision("loses the grant of an approval", (state) => {
    for (const { dataRequestId, id } of state.grants.values()) if (dataRequestId !== undefined) state.grants.delete(id)
  }),
  afterDecision("makes a grant of a request that stays pending", (state, id) => {
    for (const [key, stored] of state.dataRequests) {
      if (stored.request.id !== id || stored.request.status !== "APPROVED") continue
      const { decidedBy: _, ...request } = stored.request
      state.dataRequests.set(key, { ...stored, request: { ...request, status: "CANCELLED" } })
    }
  })
]
