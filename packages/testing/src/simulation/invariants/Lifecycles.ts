import { Predicate, Redacted } from "effect"
import type { World } from "../world/World.js"

/** How a record may move: from each status, those that may follow. A status without followers is final. */
export type Lifecycle<S extends string> = Readonly<Record<S, ReadonlyArray<S>>>

/** The lifecycles of the contract. `new` stands before the first status. */
export const lifecycles = {
  payment: { new: ["PENDING", "SETTLED"], PENDING: ["SETTLED"], SETTLED: [] },
  refund: { new: ["PENDING", "COMPLETED"], PENDING: ["COMPLETED", "FAILED"], COMPLETED: [], FAILED: [] },
  "data request": {
    new: ["PENDING", "APPROVED"],
    PENDING: ["APPROVED", "DENIED", "EXPIRED", "CANCELLED"],
    APPROVED: [],
    DENIED: [],
    EXPIRED: [],
    CANCELLED: []
  },
  grant: { new: ["ACTIVE"], ACTIVE: ["REVOKED", "EXPIRED"], REVOKED: [], EXPIRED: [] },
  verification: {
    new: ["PENDING", "FAILED"],
    PENDING: ["REQUIRES_ACTION", "VERIFIED", "FAILED", "ERROR"],
    REQUIRES_ACTION: ["PENDING", "VERIFIED", "FAILED", "ERROR"],
    VERIFIED: [],
    FAILED: [],
    ERROR: []
  },
  "rights request": { new: ["OPEN"], OPEN: ["DONE", "REFUSED"], DONE: [], REFUSED: [] },
  proposal: { new: ["OPEN"], OPEN: ["APPROVED", "REFUSED"], APPROVED: [], REFUSED: [] },
  "host request": { new: ["PENDING"], PENDING: ["DONE", "FAILED"], DONE: [], FAILED: [] },
  // A merchant may send a delivery again, also one that was delivered.
  delivery: {
    new: ["PENDING"],
    PENDING: ["DELIVERED", "FAILED"],
    DELIVERED: ["PENDING"],
    FAILED: ["PENDING"]
  }
} as const satisfies Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>>

export type LifecycleName = keyof typeof lifecycles

const followers = (name: LifecycleName, status: string): ReadonlyArray<string> =>
  new Map<string, ReadonlyArray<string>>(Object.entries(lifecycles[name])).get(status) ?? []

/** Every move that the lifecycles allow, as coverage names them. */
export const moves: ReadonlyArray<string> = Object.entries(lifecycles).flatMap(([name, lifecycle]) =>
  Object.entries<ReadonlyArray<string>>(lifecycle).flatMap(([from, after]) =>
    after.map((to) => `${name} ${from} → ${to}`)
  )
)

/** Checks and counts a move; staying is none. A record never disappears. */
export const checkMove = (
  world: World,
  name: LifecycleName,
  id: string,
  from: string | undefined,
  to: string | undefined
): void => {
  if (to === undefined) {
    world.violate("lifecycle", `${world.nameOf(id)} was deleted`)
    return
  }
  if (from === to) return
  const before = from ?? "new"
  world.require(
    followers(name, before).includes(to),
    "lifecycle",
    () => `${world.nameOf(id)} went from ${before} to ${to}`
  )
  world.reach(`${name} ${before} → ${to}`)
  world.tell(() => `${world.nameOf(id)}: ${before} → ${to}`)
}

/** Whether the records are equal in these fields, but for the name of a person who is being erased. */
export const isSameIn = <A extends object>(
  { erasing }: World,
  before: A,
  after: A,
  fields: ReadonlyArray<keyof A>
): boolean =>
  fields.every((field) => {
    const [was, is] = [plainTextOf(before[field]), plainTextOf(after[field])]
    if (was === is || erasing === undefined) return was === is
    return was.replaceAll(`"${erasing.person.userId}"`, () => `"${erasing.pseudonym}"`) === is
  })

/** A record as text, with what is hidden in logs. */
export const plainTextOf = (value: unknown): string =>
  JSON.stringify(value, function (this: unknown, key, shown: unknown) {
    const part: unknown = Predicate.hasProperty(this, key) ? this[key] : shown
    if (Redacted.isRedacted(part)) return Redacted.value(part)
    return typeof shown === "bigint" ? `${shown}n` : shown
  }) ?? "absent"
