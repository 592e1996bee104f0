import { createHash } from "node:crypto"
import { scopedKey } from "@surety/core/memory/MemoryState"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"
import { isSameIn } from "./Lifecycles.js"

interface End {
  readonly sequence: number
  readonly hash: string
}

const kept = ["id", "merchantId", "environment", "userId", "sequence", "previousHash", "body", "hash"] as const

const genesis: End = { sequence: 0, hash: "0".repeat(64) }

/**
 * Checks that each receipt extends its chain and never changes, except for the user id in an erasure. Each step
 * must add one receipt per new or ended grant, denied or expired request, and new verification.
 */
export const watchChains = (world: World): void => {
  const { state } = world
  const ends = new Map<string, End>()
  let due = 0
  let made = 0

  observe(state.receipts, (id, before, receipt) => {
    const isRenamed = world.erasing !== undefined && before !== undefined && receipt !== undefined
    if (isRenamed && isSameIn(world, before, receipt, kept)) return
    if (before !== undefined || receipt === undefined) {
      return world.violate("chains_unbroken", `${world.nameOf(id)} was changed or deleted`)
    }
    made += 1
    const chain = scopedKey(receipt, "")
    const { hash, sequence } = ends.get(chain) ?? genesis
    const expected = createHash("sha256")
      .update(hash + receipt.body)
      .digest("hex")
    world.require(
      receipt.sequence === sequence + 1 && receipt.previousHash === hash && receipt.hash === expected,
      "chains_unbroken",
      () => `${world.nameOf(id)} does not follow on number ${sequence} of its chain`
    )
    const isOwn = receipt.body.includes(receipt.merchantId) && receipt.body.includes(receipt.id)
    world.require(isOwn, "chains_unbroken", () => `${world.nameOf(id)} is of another chain`)
    ends.set(chain, { sequence: receipt.sequence, hash: receipt.hash })
  })
  observe(state.receiptChains, (chain, _, after) => {
    const end = ends.get(chain) ?? genesis
    world.require(
      after?.sequence === end.sequence && after.hash === end.hash,
      "chains_unbroken",
      () => "the stored end of a chain is not its last receipt"
    )
  })
  observe(state.grants, (_, before, after) => {
    const isApproval = before === undefined && after !== undefined
    const isEnd = before?.status === "ACTIVE" && after !== undefined && after.status !== "ACTIVE"
    if (isApproval || isEnd) due += 1
  })
  observe(state.dataRequests, (_, before, after) => {
    if (before?.request.status !== "PENDING") return
    if (after?.request.status === "DENIED" || after?.request.status === "EXPIRED") due += 1
  })
  observe(state.verifications, (_, before) => {
    if (before === undefined) due += 1
  })
  world.afterStep(() => {
    world.require(due === made, "receipts_for_all", () => `${due} decisions made ${made} receipts`)
    due = 0
    made = 0
  })
}
