import type { storePorts } from "@surety/core/StorePorts"

/**
 * How an operation finds its cell. A `merchant` operation that names no merchant runs in the home cell. Some `search`
 * and `merged` operations use only one cell if given a merchant. Except for leases, a `search` that changes a record
 * looks it up in every cell and changes it in one. A `commit` stores an operator's action in another cell if the action
 * belongs there.
 *
 * - `merchant`: by the merchant in its arguments, whose cell the directory knows.
 * - `directory`: by merchant, after looking up or recording in the directory which merchant has a code, external id or
 *   key.
 * - `person`: by merchant, once its cell has a copy of the person, or in every cell that has a copy.
 * - `home`: in the home cell.
 * - `search`: in every cell concurrently, for a record whose cell is not known.
 * - `merged`: one page from the lists of all cells. The cursor holds the positions in these lists. `Ledger.balances`
 *   instead lists one cell after another.
 * - `every`: in every cell, combining the results.
 * - `gather`: an equal share from each cell in turn, then the rest from cells that filled their share. Some read up to
 *   the limit from every cell. Skips a cell that is down if another responds.
 * - `commit`: a change and the row that records it, in one commit of the cell that the change writes to. `carryOut`
 *   always uses the proposal's cell.
 */
export type Route = "merchant" | "directory" | "person" | "home" | "search" | "merged" | "every" | "gather" | "commit"

type Port = (typeof storePorts)[number]

/** A route for every operation of every storage port. A new port or operation without a route does not compile. */
type Routing = {
  readonly [P in Port as P["key"]]: { readonly [Verb in keyof P["Service"]]: Route }
}

export const routing = {
  "@surety/core/merchant/MerchantStore": {
    insert: "directory",
    find: "merchant",
    findByExternalId: "directory",
    transition: "merchant",
    saveSettings: "merchant",
    history: "merchant",
    list: "merged"
  },
  "@surety/core/merchant/ApiKeyStore": {
    issue: "directory",
    rotate: "directory",
    findByHash: "directory",
    list: "merchant",
    revoke: "merchant"
  },
  "@surety/core/consumer/ConsumerStore": {
    insert: "person",
    findByServiceId: "home",
    link: "person",
    unlink: "merchant",
    listLinked: "merchant",
    isLinked: "merchant",
    list: "home",
    change: "person"
  },
  "@surety/core/payment/PaymentStore": {
    record: "person",
    settle: "merchant",
    find: "merchant",
    list: "merged"
  },
  "@surety/core/refund/RefundStore": {
    execute: "merchant",
    find: "merchant",
    list: "merchant",
    findAny: "search",
    trail: "search",
    listAll: "merged",
    lease: "search",
    release: "merchant",
    due: "gather",
    settleCompleted: "merchant",
    settleFailed: "merchant"
  },
  "@surety/core/ledger/Ledger": {
    balances: "merged",
    balance: "every",
    postings: "merged",
    transfer: "search",
    trialBalance: "every",
    audit: "every",
    auditNext: "every",
    auditMerchant: "merchant"
  },
  "@surety/core/consent/ConsentStore": {
    request: "person",
    decide: "search",
    grant: "person",
    end: "search",
    block: "person",
    liftBlock: "merchant",
    read: "person"
  },
  "@surety/core/consent/ConsentLog": {
    findRequest: "search",
    findByToken: "search",
    listRequests: "merged",
    listPending: "merged",
    listDisowned: "merged",
    listBlocks: "merged",
    findGrant: "search",
    listGrants: "merged",
    listReads: "merged",
    lastReads: "merchant",
    listReceipts: "merchant",
    listGrantReceipts: "merchant",
    listPersonReceipts: "merged",
    findPersonReceipt: "search",
    chainEnd: "merchant",
    chain: "merchant",
    verifiedEnd: "merchant",
    keepVerifiedEnd: "merchant"
  },
  "@surety/core/consent/ConsentUpkeep": {
    lapsed: "gather",
    claimNotifications: "gather",
    recordNotified: "search",
    putOffNotification: "search",
    forgetAnswers: "gather"
  },
  "@surety/core/consent/link/ManagementLinkStore": {
    keep: "merchant",
    find: "search",
    forget: "gather"
  },
  "@surety/core/consent/admission/CodeChallengeStore": {
    change: "search",
    forget: "gather"
  },
  "@surety/core/kyc/KycStore": {
    begin: "person",
    find: "merchant",
    claim: "gather",
    lease: "search",
    leaseCalled: "search",
    reroute: "merchant",
    settle: "person",
    forgetAnswers: "gather"
  },
  "@surety/core/kyc/verification/VerificationLog": {
    list: "merchant",
    listAll: "merged"
  },
  "@surety/core/event/WebhookEndpointStore": {
    insert: "merchant",
    find: "merchant",
    list: "merchant",
    replace: "merchant",
    remove: "merchant"
  },
  "@surety/core/event/DeliveryQueue": {
    claim: "gather",
    settle: "merchant",
    release: "merchant",
    stats: "every",
    dueEndpoints: "every"
  },
  "@surety/core/event/EventLog": {
    find: "merchant",
    list: "merchant",
    follow: "merchant",
    sendTest: "merchant",
    deliveries: "merchant",
    listDeliveries: "merged",
    endpointHealth: "merchant",
    resend: "merchant",
    checkRange: "merchant",
    recover: "merchant"
  },
  "@surety/core/event/PlatformFeed": {
    begin: "every",
    end: "every",
    claim: "gather",
    settle: "merchant",
    stats: "every"
  },
  "@surety/core/limit/RateLimitStore": {
    lease: "home",
    forgetFull: "home"
  },
  "@surety/core/operator/OperatorActionStore": {
    commit: "commit",
    commitAlone: "commit",
    list: "merged"
  },
  "@surety/core/ledger/OperatorTransferStore": {
    post: "directory",
    find: "search"
  },
  "@surety/core/secret/KeyCanaryStore": {
    admit: "every"
  },
  "@surety/core/person/PersonStore": {
    find: "home",
    restrict: "person",
    erasure: "person",
    erase: "person",
    remains: "every"
  },
  "@surety/core/person/PersonLog": {
    holdings: "every",
    reads: "merged"
  },
  "@surety/core/person/RightsRequestStore": {
    ask: "home",
    find: "home",
    list: "home",
    close: "home"
  },
  "@surety/core/retention/RetentionStore": {
    count: "every",
    take: "gather"
  },
  "@surety/core/sandbox/SandboxStore": {
    find: "merchant",
    switchRefunds: "merchant",
    advanceClock: "merchant",
    lapseRequest: "merchant",
    lapseGrant: "merchant"
  },
  "@surety/core/request/RequestStore": {
    append: "merchant",
    list: "merchant",
    forget: "gather"
  },
  "@surety/core/host/HostRequestStore": {
    enqueue: "home",
    find: "home",
    claim: "home",
    settle: "commit",
    stats: "home",
    forget: "gather"
  },
  "@surety/core/operator/session/OperatorSessionStore": {
    insert: "home",
    use: "home",
    end: "home",
    endAll: "home",
    list: "home",
    sweep: "home"
  },
  "@surety/core/operator/approval/ProposalStore": {
    propose: "directory",
    find: "search",
    findByKey: "directory",
    list: "merged",
    carryOut: "commit",
    begin: "search",
    refuse: "search"
  },
  "@surety/core/search/SearchIndex": {
    place: "search",
    find: "every"
  },
  "@surety/core/overview/OverviewLog": {
    attention: "every",
    troubledEndpoints: "every",
    stuckVerifications: "every",
    countHours: "every",
    hours: "every",
    countedAt: "every"
  },
  "@surety/core/ledger/AuditRunStore": {
    record: "home",
    last: "home"
  },
  "@surety/core/Readiness": {
    check: "home"
  }
} as const satisfies Routing
