import { topics } from "@surety/core/event/DomainEvent"
import { PlatformTopic } from "@surety/core/event/PlatformEvent"
import { simulatedHostPorts, submission } from "./host/hostLink.js"
import { moves } from "./invariants/Lifecycles.js"
import type { Told } from "./Simulation.js"
import { type Fate, fates, faultyFates } from "./world/Fates.js"

/** Totals over many stories: how often each outcome was reached, and all operations that could be called. */
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
 * Operations that no story with the default parts calls, as `call <operation>`, each with the reason. The reason names
 * the test that covers the operation.
 */
export const leftOut: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "a node decides at its start, before it has services: packages/server/test/SecretKeys.test.ts": [
      "KeyCanaryStore.admit"
    ],
    "the page asks for one-time codes, by a sender of the host's: packages/core/test/consent/admission/OneTimeCodes.test.ts":
      ["CodeChallengeStore.change"],
    "the console's form looks for its proposal before it posts: packages/console/test/Approvals.test.ts": [
      "ProposalStore.findByKey"
    ],
    "the platform's feed ends when its setting is removed: packages/webhooks/test/platform/PlatformEvents.test.ts": [
      "PlatformFeed.end",
      "PlatformFeed.stats"
    ],
    "the vendor's signature is checked over HTTP: packages/http/test/kyc/KycCallback.test.ts": ["KycProvider.callback"],
    "it needs two vendors, and stories have one: packages/core/test/kyc/verification/Routing.test.ts": [
      "KycStore.reroute"
    ],
    "the plain sender never stops: packages/webhooks/test/simulation.test.ts": ["DeliveryQueue.release"],
    "a host's run of the workers asks whether to end: packages/embed/test/secretKeys.test.ts": [
      "DeliveryQueue.dueEndpoints"
    ]
  }).flatMap(([why, verbs]) => verbs.map((verb) => [`call ${verb}`, why] as const))
)

/**
 * Operations called only inside a commit. The commit counts as one call, so a `Fate` applies only to the whole commit.
 * The adapters' laws, and tests that kill a process, cover a fault between two such operations.
 */
export const onlyInside: ReadonlySet<string> = new Set([
  "ConsentStore.liftBlock",
  "ConsumerStore.change",
  "ManagementLinkStore.keep",
  "MerchantStore.transition",
  "OperatorSessionStore.end",
  "OperatorSessionStore.endAll",
  "OperatorSessionStore.insert",
  "OperatorTransferStore.find",
  "OperatorTransferStore.post",
  "PersonLog.holdings",
  "PersonStore.erase",
  "PersonStore.restrict",
  "ProposalStore.carryOut",
  "ProposalStore.propose",
  "ProposalStore.refuse",
  "RightsRequestStore.close"
])

const isOfHost = (verb: string): boolean => simulatedHostPorts.some((port) => verb.startsWith(`${port}.`))

/** Returns the reason that calls to an operation never meet a fate, or `undefined` if they may meet it. */
export const whyNever = (verb: string, fate: Fate): string | undefined => {
  if (leftOut.has(`call ${verb}`)) return leftOut.get(`call ${verb}`)
  if (onlyInside.has(verb)) return "it is called only inside of a commit, which is one call"
  if (fate !== "twice") return undefined
  if (verb === submission) return "a vendor that recognises no repeats is paid twice, which no caller can prevent"
  return isOfHost(verb) ? undefined : "no driver sends a statement twice; its caller repeats the command instead"
}

const wasCalled = ({ counts }: Reached, verb: string): boolean =>
  counts.has(`call answered ${verb}`) || counts.has(`call inside ${verb}`)

const missedFates = ({ counts }: Reached, verb: string): ReadonlyArray<Fate> =>
  fates.filter((fate) => !counts.has(`call ${fate} ${verb}`) && whyNever(verb, fate) === undefined)

const manyCalls = 1_500

/**
 * Returns the missing faults. An operation called at least `manyCalls` times outside commits must have met each faulty
 * fate that it may meet. Any other operation that may meet faulty fates must have met at least one.
 */
const unfailed = (reached: Reached): ReadonlyArray<string> =>
  [...reached.verbs].sort().flatMap((verb) => {
    const missed = missedFates(reached, verb).filter((fate) => fate !== "answered")
    const calls = fates.reduce((sum, fate) => sum + (reached.counts.get(`call ${fate} ${verb}`) ?? 0), 0)
    if (calls >= manyCalls) return missed.map((fate) => `fate ${fate} of ${verb}`)
    const possible = faultyFates.filter((fate) => whyNever(verb, fate) === undefined)
    return possible.length > 0 && missed.length === possible.length ? [`failure of ${verb}`] : []
  })

/** Returns reachable outcomes that no story reached, except those left out for a reason. */
export const gaps = (reached: Reached): ReadonlyArray<string> => [
  ...[
    ...moves,
    ...topics.map((topic) => `event ${topic}`),
    ...PlatformTopic.literals.map((topic) => `platform's event ${topic}`),
    "client repeats what was done"
  ].filter((what) => !reached.counts.has(what)),
  ...[...reached.verbs].sort().flatMap((verb) => {
    const what = `call ${verb}`
    return wasCalled(reached, verb) || leftOut.has(what) ? [] : [what]
  }),
  ...faultyFates
    .filter((fate) => ![...reached.counts.keys()].some((what) => what.startsWith(`call ${fate} `)))
    .map((fate) => `fate ${fate}`),
  ...unfailed(reached)
]

/** Returns entries of `leftOut` that were called, and operations in `onlyInside` that were called outside a commit. */
export const staleReasons = (reached: Reached): ReadonlyArray<string> => [
  ...[...leftOut.keys()].filter((what) => wasCalled(reached, what.slice("call ".length))),
  ...[...onlyInside].filter((verb) => reached.counts.has(`call answered ${verb}`))
]

const isFateOf = /^call (?<fate>\w+) (?<verb>\w+\.\w+)$/u

const right = (text: string | number): string => String(text).padStart(9)

const verbLines = (reached: Reached): ReadonlyArray<string> =>
  [...reached.verbs].sort().flatMap((verb) => {
    const met = [...fates, "inside"].flatMap((fate) => {
      const count = reached.counts.get(`call ${fate} ${verb}`)
      return count === undefined ? [] : [`${fate} ${count}`]
    })
    const missed = wasCalled(reached, verb) ? missedFates(reached, verb) : []
    return [
      ...(met.length === 0 ? [] : [`${right("calls")}  ${verb}: ${met.join(", ")}`]),
      ...(missed.length === 0 ? [] : [`${right("never")}  ${verb}: ${missed.join(", ")}`])
    ]
  })

/**
 * Formats how often each outcome was reached, and each operation's calls by fate. Also lists the outcomes and fates
 * never reached, and the exclusions with their reasons.
 */
export const coverageLines = (reached: Reached): ReadonlyArray<string> => [
  ...[...reached.counts]
    .filter(([what]) => !isFateOf.test(what))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([what, count]) => `${right(count)}  ${what}`),
  ...verbLines(reached),
  ...gaps(reached).map((what) => `${right("never")}  ${what}`),
  ...[...leftOut].map(([what, why]) => `${right("out")}  ${what}: ${why}`),
  ...[...onlyInside].map((verb) => `${right("out")}  fates of ${verb}: ${whyNever(verb, "refused")}`),
  `${right("out")}  fate twice of ${submission}: ${whyNever(submission, "twice")}`,
  `${right("out")}  fate twice of all stores: ${whyNever("RefundStore.execute", "twice")}`
]

/** Counts pairs of an operation and a fate that its calls may meet: `all` pairs, and the pairs `met`. */
export const fateCount = (reached: Reached): { readonly met: number; readonly all: number } => {
  const pairs = [...reached.verbs].flatMap((verb) =>
    fates.filter((fate) => whyNever(verb, fate) === undefined).map((fate) => ({ verb, fate }))
  )
  const met = pairs.filter(({ fate, verb }) => reached.counts.has(`call ${fate} ${verb}`))
  return { met: met.length, all: pairs.length }
}
