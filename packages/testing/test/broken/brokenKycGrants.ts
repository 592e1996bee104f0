import { KycStore } from "@surety/core/kyc/KycStore"
import { VerificationLog } from "@surety/core/kyc/verification/VerificationLog"
import { scopedKey } from "@surety/core/memory/MemoryState"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import * as Grants from "@surety/testing/kyc/KycGrantLaws"
import * as Logs from "@surety/testing/kyc/VerificationLogLaws"
import { Effect, Option } from "effect"
import { type Broken, broken, type State } from "./Broken.js"

/** Whether the host has linked the person, whatever they have granted. */
const isLinkedByHost = (state: State, scope: MerchantScope, userId: string): boolean =>
  state.consumerLinks.has(scopedKey(scope, userId))

export const brokenStores: ReadonlyArray<Broken> = [
  broken(
    KycStore,
    "verifies nobody by a grant",
    (sound, state) => ({
      begin: (lookup, decide) =>
        sound.begin(lookup, (snapshot) => {
          const { byServiceId, byUserId } = snapshot
          const seen = (person: typeof byUserId) =>
            person && { ...person, isLinked: isLinkedByHost(state, lookup.scope, person.userId) }
          return decide({ ...snapshot, byServiceId: seen(byServiceId), byUserId: seen(byUserId) })
        })
    }),
    [Grants.grantLetsVerify]
  ),
  broken(
    KycStore,
    "finds nobody's verification by a grant",
    (sound, state) => ({
      find: (scope, reference) =>
        Effect.map(
          sound.find(scope, reference),
          Option.filter(({ userId }) => isLinkedByHost(state, scope, userId))
        )
    }),
    [Grants.grantLetsVerify]
  ),
  broken(
    VerificationLog,
    "lists nobody's verification by a grant",
    (sound, state) => ({
      list: (scope, page) =>
        Effect.map(sound.list(scope, page), ({ data, nextCursor }) => ({
          data: data.filter(({ userId }) => isLinkedByHost(state, scope, userId)),
          nextCursor
        }))
    }),
    [Logs.grantedIsListed]
  )
]
