import { createHash } from "node:crypto"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import { ReceiptHash } from "@surety/core/consent/receipt/Receipt"
import { genesis } from "@surety/core/consent/receipt/ReceiptChain"
import { scopedKey } from "@surety/core/memory/MemoryState"
import { DateTime, Effect, Option } from "effect"
import { after, answering, before, deciding, editAll, faultsOf, instead, seeing } from "../../faults/Fault.js"
import { type Mistake, ofStore, years } from "./Mistake.js"

const consents = faultsOf(ConsentStore)
const log = faultsOf(ConsentLog)
const upkeep = faultsOf(ConsentUpkeep)
const links = faultsOf(ManagementLinkStore)

export const mistakes: ReadonlyArray<Mistake> = [
  ofStore(
    "reads_need_grant",
    seeing(consents("read", "reads by grants that have ended"), (snapshot) => ({
      ...snapshot,
      grants: snapshot.grants.map((grant) => ({ ...grant, status: "ACTIVE" as const }))
    })),
    "reads"
  ),
  ofStore(
    "reads_need_grant",
    seeing(consents("read", "reads by grants whose time is over"), (snapshot) => ({
      ...snapshot,
      grants: snapshot.grants.map((grant) => ({ ...grant, expiresAt: DateTime.add(grant.expiresAt, years) }))
    })),
    "reads"
  ),
  ofStore(
    "reads_need_grant",
    instead(consents("read", "caches what a person has approved"), (read) => {
      const cache = new Map<string, Parameters<Parameters<typeof read>[1]>[0]>()
      return (lookup, decide) =>
        read(lookup, (snapshot) => {
          const key = scopedKey(lookup.scope, lookup.serviceId)
          const cached = cache.get(key) ?? snapshot
          cache.set(key, cached)
          return decide(cached)
        })
    }),
    "reads"
  ),
  ofStore(
    ["not_me_is_final", "lifecycle"],
    after(consents("decide", 'keeps no block after a "not me"'), (state, _, [target]) => {
      const request = state.dataRequests.get(target.id)?.request
      if (request?.denialReason === "NOT_ME") state.askingBlocks.delete(scopedKey(request, request.userId))
    }),
    "asking"
  ),
  ofStore(
    "not_me_is_final",
    seeing(consents("request", "asks whom it may not ask"), (snapshot) => ({
      ...snapshot,
      history: snapshot.history && { ...snapshot.history, block: undefined }
    })),
    "asking"
  ),
  ofStore(
    "not_me_is_final",
    seeing(consents("decide", 'approves after a "not me"'), (snapshot) => ({ ...snapshot, blockedAs: undefined })),
    "asking"
  ),
  ofStore(
    "not_me_is_final",
    seeing(consents("grant", 'grants after a "not me"'), (snapshot) => ({ ...snapshot, blockedAs: undefined })),
    "asking"
  ),
  ofStore(
    "reads_need_grant",
    seeing(consents("grant", "grants to a closed merchant"), (snapshot) => ({
      ...snapshot,
      merchantStatus: "ACTIVE" as const
    })),
    "reads"
  ),
  ofStore(
    ["lifecycle", "receipts_for_all", "no_defects"],
    seeing(consents("decide", "decides what has been decided"), (snapshot) => ({
      ...snapshot,
      request: { ...snapshot.request, status: "PENDING" as const }
    }))
  ),
  ofStore(
    "receipts_for_all",
    deciding(consents("decide", "writes no receipt of a decision"), (decision) =>
      decision._tag === "Execute" ? { ...decision, plan: { ...decision.plan, receipt: undefined } } : decision
    )
  ),
  ofStore(
    "asking_bounds",
    seeing(consents("request", "counts no earlier question"), (snapshot) => ({
      ...snapshot,
      history: snapshot.history && { ...snapshot.history, openUntil: [], madeAt: [] }
    })),
    "asking"
  ),
  ofStore(
    "asking_bounds",
    seeing(consents("request", "forgets a denial"), (snapshot) => ({
      ...snapshot,
      history: snapshot.history && { ...snapshot.history, deniedAt: undefined }
    })),
    "asking"
  ),
  ofStore(
    "chains_unbroken",
    after(consents("end", "rewrites a chain from its beginning"), (state) =>
      editAll(state.receipts, (receipt) => ({ ...receipt, body: receipt.body.replace("GRANTED", "DENIED") }))
    )
  ),
  ofStore(
    "chains_unbroken",
    after(consents("end", "writes a chain whole again, with hashes that fit"), (state) => {
      const heads = new Map<string, ReceiptHash>()
      for (const receipt of [...state.receipts.values()].sort((one, other) => one.sequence - other.sequence)) {
        const chain = scopedKey(receipt, "")
        const previousHash = heads.get(chain) ?? genesis.hash
        const body = receipt.body.replace("GRANTED", "DENIED")
        const hash = ReceiptHash.make(
          createHash("sha256")
            .update(previousHash + body)
            .digest("hex")
        )
        heads.set(chain, hash)
        state.receipts.set(receipt.id, { ...receipt, body, previousHash, hash })
        state.receiptChains.set(chain, { sequence: receipt.sequence, hash })
      }
    })
  ),
  ofStore(
    ["chains_unbroken", "receipts_for_all"],
    before(consents("grant", "continues another merchant's chain"), (state, [{ scope }]) => {
      const [longest] = [...state.receiptChains.values()].sort((one, other) => other.sequence - one.sequence)
      if (longest !== undefined) state.receiptChains.set(scopedKey(scope, ""), longest)
    }),
    "reads"
  ),
  ofStore(
    "own_consents_only",
    answering(links("find", "shows another person's consents on a link"), (found, state) =>
      Option.map(found, (link) => {
        const other = [...state.consumers.values()].find(
          ({ environment, userId }) => environment === link.environment && userId !== link.userId
        )
        return { ...link, userId: other?.userId ?? link.userId }
      })
    ),
    "links"
  ),
  ofStore(
    "own_consents_only",
    answering(log("findGrant", "lets a link revoke any person's grant"), (found, state) =>
      Option.map(found, (grant) => {
        const holder = [...state.managementLinks.values()].at(-1)
        return { ...grant, userId: holder?.userId ?? grant.userId }
      })
    ),
    "links"
  ),
  ofStore(
    "own_consents_only",
    answering(log("findGrant", "lets a link of TEST revoke a grant of LIVE"), (found, state) =>
      Option.map(found, (grant) => {
        const holder = [...state.managementLinks.values()].at(-1)
        return holder === undefined ? grant : { ...grant, userId: holder.userId, environment: holder.environment }
      })
    ),
    "links"
  ),
  ofStore(
    "own_consents_only",
    instead(
      log("findPersonReceipt", "opens another merchant's receipt by a link"),
      (_, state) => (_listing, _person, id) => Effect.sync(() => Option.fromUndefinedOr(state.receipts.get(id)))
    ),
    "links"
  ),
  ofStore(
    "nothing_open_for_ever",
    answering(upkeep("lapsed", "never ends a grant"), (lapsed) => ({ ...lapsed, grants: [] }))
  )
]
