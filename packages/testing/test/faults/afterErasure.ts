import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { scopedKey } from "@surety/core/memory/MemoryState"
import * as After from "@surety/testing/person/AfterErasureLaws"
import { after, answering, type Broken, faultsOf } from "./Fault.js"

export const brokenStores: ReadonlyArray<Broken> = [
  answering(faultsOf(ConsumerStore)("link", "says that it has linked whom it erased", After.linksNoErased), () => true),
  after(faultsOf(ConsentStore)("block", "blocks for whom it erased", After.blocksForNoErased), (state, _, [block]) =>
    state.askingBlocks.set(scopedKey(block, block.userId), block)
  )
]
