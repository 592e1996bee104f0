import { provesPerson } from "@surety/core/kyc/evidence/KycPolicy"
import { isVerificationOpen, type Verification } from "@surety/core/kyc/verification/Verification"
import { scopedKey } from "@surety/core/memory/MemoryState"
import { DateTime } from "effect"
import { type Cluster, mostSkewMillis } from "../world/Cluster.js"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"
import { checkMove, isSameIn } from "./Lifecycles.js"

const fixed = [
  "id",
  "merchantId",
  "environment",
  "userId",
  "serviceId",
  "kind",
  "idHash",
  "tier",
  "provider",
  "createdAt"
] as const satisfies ReadonlyArray<keyof Verification>

/** Fields of a verification that an erasure leaves unchanged, apart from replacing the user id. */
const lasting = fixed.filter((field) => field !== "idHash")

/**
 * Checks that each verification has one receipt and is paid for at most once. A LIVE verification may become `VERIFIED`
 * only if the vendor has verified it. Evidence must never be lost.
 */
export const watchKyc = (world: World, { vendor }: Cluster): void => {
  const { state } = world
  const holders = new Map<string, string>()
  const begun = new Set<string>()

  observe(state.verificationsByKey, (key, _, after) => {
    if (after === undefined) holders.delete(key)
  })
  observe(state.verifications, (id, before, after) => {
    const from = before?.verification
    checkMove(world, "verification", id, from?.status, after?.verification.status)
    if (after === undefined) return
    const { verification } = after
    if (before === undefined) {
      begun.add(id)
      const key = after.kept && scopedKey(verification, after.kept.idempotencyKey)
      const holder = key && holders.get(key)
      world.require(
        holder === undefined,
        "one_refund_per_key",
        () => `${world.nameOf(holder ?? "")} and ${world.nameOf(id)} have one key`
      )
      if (key !== undefined) holders.set(key, id)
      return
    }
    // An erasure removes the hash of the person's id number, even from a verification that has ended.
    const isSame =
      isVerificationOpen(before.verification.status) || world.erasing !== undefined
        ? isSameIn(world, before.verification, verification, world.erasing === undefined ? fixed : lasting)
        : before.verification === verification
    world.require(isSame, "lifecycle", () => `${world.nameOf(id)} changed`)
    world.require(after.fence >= before.fence, "one_holder", () => `the fence of ${world.nameOf(id)} fell`)
    const first = before.kept?.answer
    world.require(
      first === undefined || after.kept === undefined || after.kept.answer === first,
      "answers_never_change",
      () => `the stored answer of ${world.nameOf(id)} changed`
    )
    if (verification.status === "VERIFIED" && from?.status !== "VERIFIED") {
      world.require(
        verification.environment === "TEST" || vendor.hasVerified(verification.id),
        "verified_needs_vendor",
        () => `${world.nameOf(id)} is VERIFIED, which its vendor never said`
      )
    }
    if (isVerificationOpen(verification.status)) return
    world.require(
      verification.completedAt !== undefined && after.dueAt === undefined,
      "lifecycle",
      () => `${world.nameOf(id)} has ended and is still to be looked up`
    )
  })
  observe(state.kycEvidence, (id, before, after) => {
    const isRenamed =
      before !== undefined &&
      after !== undefined &&
      isSameIn(world, before, after, ["verificationId", "userId", "environment", "tier"])
    world.require(
      (before === undefined && after !== undefined) || (world.erasing !== undefined && isRenamed),
      "evidence_stays",
      () => `the evidence of ${world.nameOf(id)} was changed or deleted`
    )
  })
  observe(state.consumers, (_, before, after) => {
    if (after === undefined || after.kycStatus === before?.kycStatus || after.kycStatus === undefined) return
    const proof = [...state.kycEvidence.values()].find(
      (evidence) =>
        evidence.userId === after.userId && evidence.environment === after.environment && provesPerson(evidence)
    )
    world.require(
      proof !== undefined,
      "verified_needs_vendor",
      () => `${world.nameOf(after.userId)} is verified by nothing`
    )
  })
  world.afterStep(() => {
    for (const [id, count] of vendor.paid) {
      if (count > 1) world.violate("paid_once", `${world.nameOf(id)} was submitted and paid for ${count} times`)
    }
    if (begun.size === 0) return
    for (const id of begun) {
      const receipts = [...state.receipts.values()].filter(({ body }) => body.includes(id))
      world.require(
        receipts.length === 1,
        "receipts_for_all",
        () => `${world.nameOf(id)} has ${receipts.length} receipts`
      )
    }
    begun.clear()
  })
  world.atRest(() => {
    for (const { leasedUntil, verification } of state.verifications.values()) {
      const { id, status } = verification
      world.require(!isVerificationOpen(status), "nothing_open_for_ever", () => `${world.nameOf(id)} is ${status}`)
      const isHeld = leasedUntil !== undefined && DateTime.toEpochMillis(leasedUntil) > world.nowMillis + mostSkewMillis
      world.require(!isHeld, "nothing_open_for_ever", () => `${world.nameOf(id)} is leased and has ended`)
      if (status !== "VERIFIED") continue
      world.require(
        state.kycEvidence.has(id),
        "evidence_stays",
        () => `${world.nameOf(id)} is VERIFIED without evidence`
      )
    }
  })
}
