import type { storePorts } from "@surety/core/StorePorts"

type Port = (typeof storePorts)[number]

/** Read-only operations of each store. An unlisted operation counts as a write, which is the safe default. */
type Reads = {
  readonly [P in Port as P["key"]]?: ReadonlyArray<keyof P["Service"]>
}

const readsOf = {
  "@surety/core/merchant/MerchantStore": ["find", "findByExternalId", "history", "list"],
  "@surety/core/merchant/ApiKeyStore": ["findByHash", "list"],
  "@surety/core/consumer/ConsumerStore": ["findByServiceId", "listLinked", "isLinked", "list"],
  "@surety/core/payment/PaymentStore": ["find", "list"],
  "@surety/core/refund/RefundStore": ["find", "list", "findAny", "trail", "listAll", "due"],
  "@surety/core/ledger/Ledger": [
    ...(["balances", "balance", "postings", "transfer", "trialBalance"] as const),
    ...(["audit", "auditMerchant"] as const)
  ],
  "@surety/core/consent/ConsentLog": [
    ...(["findRequest", "findByToken", "listRequests", "listPending", "listDisowned", "listBlocks"] as const),
    ...(["findGrant", "listGrants", "listReads", "lastReads", "listReceipts", "listGrantReceipts"] as const),
    ...(["listPersonReceipts", "findPersonReceipt", "chainEnd", "chain", "verifiedEnd"] as const)
  ],
  "@surety/core/consent/ConsentUpkeep": ["lapsed"],
  "@surety/core/consent/link/ManagementLinkStore": ["find"],
  "@surety/core/kyc/KycStore": ["find"],
  "@surety/core/kyc/verification/VerificationLog": ["list", "listAll"],
  "@surety/core/event/WebhookEndpointStore": ["find", "list"],
  "@surety/core/event/DeliveryQueue": ["stats"],
  "@surety/core/event/EventLog": ["find", "list", "follow", "deliveries", "listDeliveries", "endpointHealth"],
  "@surety/core/event/PlatformFeed": ["stats"],
  "@surety/core/operator/OperatorActionStore": ["list"],
  "@surety/core/ledger/OperatorTransferStore": ["find"],
  "@surety/core/person/PersonStore": ["find", "erasure", "remains"],
  "@surety/core/person/PersonLog": ["holdings", "reads"],
  "@surety/core/person/RightsRequestStore": ["find", "list"],
  "@surety/core/retention/RetentionStore": ["count"],
  "@surety/core/sandbox/SandboxStore": ["find"],
  "@surety/core/request/RequestStore": ["list"],
  "@surety/core/host/HostRequestStore": ["find", "stats"],
  "@surety/core/operator/session/OperatorSessionStore": ["list"],
  "@surety/core/operator/approval/ProposalStore": ["find", "findByKey", "list"],
  "@surety/core/search/SearchIndex": ["place", "find"],
  "@surety/core/overview/OverviewLog": ["attention", "troubledEndpoints", "stuckVerifications", "hours", "countedAt"],
  "@surety/core/ledger/AuditRunStore": ["last"],
  "@surety/core/Readiness": ["check"]
} as const satisfies Reads

/**
 * Names of the read-only operations as the router uses them, such as `MerchantStore.find`. `ConsentLog.find` is the
 * lookup of a request or grant before its change.
 */
const names: ReadonlySet<string> = new Set([
  ...Object.entries(readsOf).flatMap(([key, verbs]) => verbs.map((verb) => `${key.split("/").at(-1)}.${verb}`)),
  ...["PersonRows.find", "PersonRows.findByServiceId", "ConsentLog.find"],
  // A write, but its callers run it outside every commit, so spent tokens stay spent even if a commit fails.
  "RateLimitStore.lease"
])

/** Returns true if the operation, such as `MerchantStore.find`, is listed as read-only or runs outside every commit. */
export const isRead = (operation: string): boolean => names.has(operation)
