import { Effect, Layer, Option } from "effect"
import { transferOf } from "../../ledger/OperatorTransfer.js"
import { OperatorTransferStore, type PostOutcome } from "../../ledger/OperatorTransferStore.js"
import { environmentKey, MemoryState } from "../MemoryState.js"
import { balanceMinor, checkTransfers, post } from "./MemoryBooks.js"

export const make = (state: MemoryState["Service"]): OperatorTransferStore["Service"] =>
  OperatorTransferStore.of({
    post: ({ fingerprint, idempotencyKey, isCovered, posted }) =>
      Effect.sync((): PostOutcome => {
        const key = environmentKey(posted.environment, idempotencyKey)
        const prior = state.operatorTransfers.get(key)
        if (prior !== undefined) return { _tag: "Existing", ...prior }
        const transfer = transferOf(posted)
        const before = balanceMinor(state, transfer.debit) ?? 0n
        const isChecked = transfer.debit.kind === "SETTLEMENT" || (transfer.debit.kind === "WALLET" && !isCovered)
        if (isChecked && before < transfer.amount.minor) {
          return { _tag: "Insufficient", balanceMinor: before }
        }
        checkTransfers(state, [transfer])
        state.operatorTransfers.set(key, { posted, fingerprint })
        post(state, transfer)
        return { _tag: "Posted" }
      }),

    find: (environment, idempotencyKey) =>
      Effect.sync(() =>
        Option.fromUndefinedOr(state.operatorTransfers.get(environmentKey(environment, idempotencyKey)))
      )
  })

export const layer: Layer.Layer<OperatorTransferStore, never, MemoryState> = Layer.effect(
  OperatorTransferStore,
  Effect.map(MemoryState, make)
)
