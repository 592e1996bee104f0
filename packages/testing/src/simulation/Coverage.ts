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

/** What no story reaches, and why: each reason names the test that reaches it. */
export const leftOut: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "a node decides at its start, before it has services: packages/server/test/SecretKeys.test.ts": [
      "KeyCanaryStore.admit"
    ],
    "the page asks for one-time codes, by a sender of the host's: packages/core/test/consent/admission/OneTimeCodes.test.ts":
      ["CodeChallengeStore.change"],
    "only the dispatcher of @surety/webhooks reads the platform's feed: packages/webhooks/test/platform/PlatformEvents.test.ts":
      ["PlatformFeed.begin", "PlatformFeed.claim", "PlatformFeed.end", "PlatformFeed.settle", "PlatformFeed.stats"],
    "the vendor's signature is checked over HTTP: packages/http/test/kyc/KycCallback.test.ts": ["KycProvider.callback"],
    "it needs two vendors, and stories have one: packages/core/test/kyc/verification/Routing.test.ts": [
      "KycStore.reroute"
    ],
    "the plain sender never stops: packages/webhooks/test/simulation.test.ts": ["DeliveryQueue.release"]
  }).flatMap(([why, verbs]) => verbs.map((verb) => [`call ${verb}`, why] as const))
)

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
