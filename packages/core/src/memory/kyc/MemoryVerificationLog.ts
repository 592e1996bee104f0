import { Effect, Layer } from "effect"
import type { Verification } from "../../kyc/verification/Verification.js"
import { VerificationLog } from "../../kyc/verification/VerificationLog.js"
import type { PageRequest } from "../../Page.js"
import { hasLink } from "../consumer/MemoryConsumerStore.js"
import { listRecords, matches, positionAt } from "../MemoryList.js"
import { isOf, MemoryState } from "../MemoryState.js"

type State = MemoryState["Service"]

const verificationsIn = (state: State, where: (verification: Verification) => boolean, page: PageRequest) =>
  listRecords(
    () => [...state.verifications.values()].map(({ verification }) => verification),
    {
      where,
      position: ({ createdAt, id }) => positionAt(createdAt, id)
    },
    page
  )

export const make = (state: State): VerificationLog["Service"] =>
  VerificationLog.of({
    list: (scope, page) =>
      verificationsIn(
        state,
        (verification) => isOf(scope, verification) && hasLink(state, scope, verification.userId),
        page
      ),

    listAll: ({ environment, merchantId }, page) =>
      verificationsIn(state, matches<Verification>({ environment, merchantId }), page)
  })

export const layer: Layer.Layer<VerificationLog, never, MemoryState> = Layer.effect(
  VerificationLog,
  Effect.map(MemoryState, make)
)
