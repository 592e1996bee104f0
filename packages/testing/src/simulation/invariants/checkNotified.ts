import { scopedKey } from "@surety/core/memory/MemoryState"
import type { Cluster } from "../world/Cluster.js"
import type { World } from "../world/World.js"

/**
 * Checks that the consent link of each pending LIVE data request reached the person. Exempts requests of closed
 * merchants, and of merchants that the person currently blocks.
 */
export const checkNotified = (world: World, { people }: Cluster): void => {
  const { state } = world
  for (const { request } of state.dataRequests.values()) {
    const block = state.askingBlocks.get(scopedKey(request, request.userId))
    const status = state.merchants.get(request.merchantId)?.status
    const isMeant =
      request.environment === "LIVE" &&
      request.status === "PENDING" &&
      (block === undefined || block.liftedAt !== undefined) &&
      status !== "CLOSED"
    world.require(
      !isMeant || people.tokens.has(request.id),
      "told_iff_committed",
      () => `${world.nameOf(request.userId)} never heard of ${world.nameOf(request.id)}`
    )
  }
}
