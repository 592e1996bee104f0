import { topics } from "@surety/core/event/DomainEvent"
import { moves } from "./invariants/Lifecycles.js"
import type { Told } from "./Simulation.js"
import { fates } from "./world/Fates.js"

/** What many stories together have reached. */
export interface Reached {
  readonly counts: ReadonlyMap<string, number>
  readonly verbs: ReadonlySet<string>
}

export const nothingReached: Reached = { counts: new Map(), verbs: new Set() }

export const withStory = ({ counts, verbs }: Reached, told: Told): Reached => {
  const sums = new Map(counts)
  for (const [what, count] of told.coverage) sums.set(what, (sums.get(what) ?? 0) + count)
  return { counts: sums, verbs: new Set([...verbs, ...told.verbs]) }
}

/**
 * What no story reaches, and why. Everything else that simulations could reach and did not is a gap: a rule that was
 * never put to the test.
 */
export const leftOut: ReadonlyMap<string, string> = new Map([
  ["event merchant.identity.data_changed", "no act changes what is held of a person yet"],
  ...Object.entries({
    "the interface authenticates keys; the services never see one": [
      "ApiKeyStore.findByHash",
      "ApiKeyStore.issue",
      "ApiKeyStore.list",
      "ApiKeyStore.revoke",
      "ApiKeyStore.rotate",
      "RequestStore.append",
      "RequestStore.list"
    ],
    "the start checks the secret keys": ["KeyCanaryStore.admit", "Readiness.check"],
    "the page's one-time codes have tests of their own": ["CodeChallengeStore.change"],
    "a list or a count that decides nothing; its laws compare it": [
      "ConsentLog.findPersonReceipt",
      "ConsentLog.listBlocks",
      "ConsentLog.listGrantReceipts",
      "ConsentLog.listDisowned",
      "ConsentLog.listPending",
      "ConsentLog.listPersonReceipts",
      "ConsumerStore.isLinked",
      "ConsumerStore.list",
      "ConsumerStore.listLinked",
      "DeliveryQueue.stats",
      "EventLog.deliveries",
      "EventLog.find",
      "EventLog.listDeliveries",
      "Ledger.balance",
      "Ledger.balances",
      "Ledger.postings",
      "MerchantStore.findByExternalId",
      "MerchantStore.history",
      "MerchantStore.list",
      "PaymentStore.list",
      "RefundStore.findAny",
      "RefundStore.listAll",
      "VerificationLog.listAll",
      "WebhookEndpointStore.list"
    ],
    "no act erases, exports or lists yet; they have laws": [
      "PersonLog.holdings",
      "PersonLog.reads",
      "PersonStore.erase",
      "PersonStore.erasure",
      "PersonStore.find",
      "PersonStore.remains",
      "RightsRequestStore.list"
    ],
    "the feed of @surety/webhooks sends the platform's events": [
      "PlatformFeed.begin",
      "PlatformFeed.claim",
      "PlatformFeed.end",
      "PlatformFeed.settle",
      "PlatformFeed.stats"
    ],
    "the sandbox steers records that a merchant tries things with": [
      "SandboxStore.advanceClock",
      "SandboxStore.find",
      "SandboxStore.lapseGrant",
      "SandboxStore.lapseRequest",
      "SandboxStore.switchRefunds"
    ],
    "no act does it yet": [
      "KycProvider.callback",
      "KycStore.reroute",
      "ConsumerStore.change",
      "OperatorTransferStore.find",
      "OperatorTransferStore.post",
      "OperatorActionStore.commit",
      "OperatorActionStore.commitAlone",
      "OperatorActionStore.list",
      "EventLog.recover",
      "EventLog.sendTest",
      "ManagementLinkStore.keep",
      "WebhookEndpointStore.remove"
    ],
    "the console's records have laws; no operator acts yet": [
      "AuditRunStore.last",
      "AuditRunStore.record",
      "EventLog.endpointHealth",
      "Ledger.auditConsents",
      "Ledger.auditNext",
      "OperatorSessionStore.end",
      "OperatorSessionStore.endAll",
      "OperatorSessionStore.insert",
      "OperatorSessionStore.list",
      "OperatorSessionStore.use",
      "OverviewLog.attention",
      "OverviewLog.countedAt",
      "OverviewLog.hours",
      "ProposalStore.begin",
      "ProposalStore.carryOut",
      "ProposalStore.find",
      "ProposalStore.list",
      "ProposalStore.propose",
      "ProposalStore.refuse",
      "RefundStore.trail",
      "SearchIndex.find",
      "SearchIndex.place"
    ],
    "a host's queue of requests has laws; no host queues one yet": [
      "HostRequestStore.claim",
      "HostRequestStore.enqueue",
      "HostRequestStore.find",
      "HostRequestStore.settle",
      "HostRequestStore.stats"
    ],
    "only the dispatcher of @surety/webhooks does it": ["DeliveryQueue.release"]
  }).flatMap(([why, verbs]) => verbs.map((verb) => [`call ${verb}`, why] as const))
])

/** Each state, transition, event, verb and fate that a simulation can reach. */
const reachable = ({ verbs }: Reached): ReadonlyArray<string> => [
  ...moves,
  ...topics.map((topic) => `event ${topic}`),
  ...[...verbs].sort().map((verb) => `call ${verb}`),
  ...fates.map((fate) => `fate ${fate}`)
]

const wasReached = ({ counts }: Reached, what: string): boolean => {
  const [kind, name] = [what.slice(0, what.indexOf(" ")), what.slice(what.indexOf(" ") + 1)]
  if (kind === "call") return counts.has(`call answered ${name}`)
  if (kind === "fate") return [...counts.keys()].some((key) => key.startsWith(`call ${name} `))
  return counts.has(what)
}

/** What could have been reached and was not, without what is left out for a reason. */
export const gaps = (reached: Reached): ReadonlyArray<string> =>
  reachable(reached).filter((what) => !wasReached(reached, what) && !leftOut.has(what))

/** What is said to be left out, and was reached. */
export const staleReasons = (reached: Reached): ReadonlyArray<string> =>
  [...leftOut.keys()].filter((what) => wasReached(reached, what))

/** The coverage as lines: how often each was reached, and what never was. */
export const coverageLines = (reached: Reached): ReadonlyArray<string> => {
  const counted = [...reached.counts].sort(([one], [other]) => (one < other ? -1 : 1))
  return [
    ...counted.map(([what, count]) => `${String(count).padStart(9)}  ${what}`),
    ...gaps(reached).map((what) => `    never  ${what}`),
    ...[...leftOut].map(([what, why]) => `      out  ${what}: ${why}`)
  ]
}
