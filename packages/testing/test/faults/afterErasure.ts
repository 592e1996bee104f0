import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { scopedKey } from "@surety/core/memory/MemoryState"
import { PaymentStore } from "@surety/core/payment/PaymentStore"
import * as After from "@surety/testing/person/AfterErasureLaws"
import { Effect } from "effect"
import { after, answering, type Broken, faultsOf, instead } from "./Fault.js"

export const brokenStores: ReadonlyArray<Broken> = [
  answering(faultsOf(ConsumerStore)("link", "says that it has linked whom it erased", After.linksNoErased), () => true),
  instead(
    faultsOf(PaymentStore)("record", "records payments of whom it erased", After.recordsNoErased),
    (record, state) => (plan) =>
      Effect.map(record(plan), (outcome) => {
        if (outcome !== "person_unknown") return outcome
        state.payments.set(scopedKey(plan.payment, plan.payment.id), plan.payment)
        return "recorded"
      })
  ),
  after(faultsOf(ConsentStore)("block", "blocks for whom it erased", After.blocksForNoErased), (state, _, [block]) =>
    state.askingBlocks.set(scopedKey(block, block.userId), block)
  )
]
