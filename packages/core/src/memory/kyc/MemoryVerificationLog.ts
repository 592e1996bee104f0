import { DateTime, Effect, Layer } from "effect"
import type { Verification } from "../../kyc/verification/Verification.js"
import { VerificationLog } from "../../kyc/verification/VerificationLog.js"
import type { Page, PageRequest } from "../../Page.js"
import { isLinked } from "../consumer/MemoryConsumerStore.js"
import { pageOf } from "../MemoryPages.js"
import { isOf, MemoryState } from "../MemoryState.js"

type State = MemoryState["Service"]

const listed = (
  state: State,
  isShown: (verification: Verification) => boolean,
  page: PageRequest
): Page<Verification> =>
  pageOf(
    [...state.verifications.values()].map(({ verification }) => verification).filter(isShown),
    ({ createdAt, id }) => ({ at: DateTime.toEpochMillis(createdAt), id }),
    page
  )

export const make = (state: State): VerificationLog["Service"] =>
  VerificationLog.of({
    list: (scope, page) =>
      Effect.sync(() =>
        listed(state, (verification) => isOf(scope, verification) && isLinked(state, scope, verification.userId), page)
      ),

    listAll: ({ environment, merchantId }, page) =>
      Effect.sync(() =>
        listed(
          state,
          (verification) =>
            verification.environment === environment &&
            (merchantId === undefined || verification.merchantId === merchantId),
          page
        )
      )
  })

export const layer: Layer.Layer<VerificationLog, never, MemoryState> = Layer.effect(
  VerificationLog,
  Effect.map(MemoryState, make)
)
