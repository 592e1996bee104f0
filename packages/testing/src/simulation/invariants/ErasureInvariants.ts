import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import type { Environment } from "@surety/core/Environment"
import type { UserId } from "@surety/core/Ids"
import { environmentKey } from "@surety/core/memory/MemoryState"
import type { Cluster } from "../world/Cluster.js"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"
import { plainTextOf } from "./Lifecycles.js"
import type { RightsHolder } from "./RightsInvariants.js"

/** A person, identified by the id that survives their erasure. */
export interface ErasedPerson {
  readonly environment: Environment
  readonly serviceId: ConsumerId
}

/** Checks the results of erasures and exports, and that no call sent after an erasure returns the person's data. */
export interface ErasureBook {
  /** Records that an erasure succeeded, and checks that it took effect. */
  readonly erased: (person: ErasedPerson) => void
  /**
   * Checks that a response contains no user id, name or email address of a person erased before the call. `sinceMillis`
   * is when the call was sent.
   */
  readonly answered: (does: string, answer: unknown, sinceMillis: number) => void
  /** Checks that an export belongs to `asked`, who was not erased before `sinceMillis`, when the call was sent. */
  readonly exported: (
    answered: ErasedPerson & { readonly userId: UserId },
    asked: ConsumerId,
    sinceMillis: number
  ) => void
}

/**
 * True for a pending host request. The check for erased people's data exempts these, since a host may queue one that
 * names an erased person. A request that has ended no longer names the person.
 */
const isOfHost = (name: string, record: unknown): boolean =>
  name === "hostRequests" && plainTextOf(record).includes('"status":"PENDING"')

const nameOf = ({ environment, serviceId }: ErasedPerson): string => environmentKey(environment, serviceId)

const mapsOf = (world: World): ReadonlyArray<readonly [name: string, records: Map<unknown, unknown>]> =>
  Object.entries(world.state).flatMap(([name, records]: readonly [string, unknown]) =>
    records instanceof Map ? [[name, records] as const] : []
  )

/**
 * Checks that an erasure is final. From its commit on, no record may contain the person's user id, name or email
 * address. Only pending host requests are exempt. No response to a later call may contain these values either. The host
 * must have erased the person first.
 */
export const watchErasures = (world: World, { holder }: Cluster): ErasureBook => {
  const { state } = world
  const goneSince = new Map<string, number>()
  /** Values that no record may contain, with their former owners. Pending host requests are exempt. */
  const traces = new Map<string, { readonly userId: UserId; readonly atMillis: number }>()
  let isScanDue = false

  const check = (where: string, key: unknown, record: unknown): void => {
    const text = `${String(key)} ${plainTextOf(record)}`
    for (const [trace, { userId }] of traces) {
      if (!text.includes(trace)) continue
      world.violate("erased_stays_erased", `${where} still have ${trace} of ${world.nameOf(userId)}, who is erased`)
    }
  }

  for (const [name, records] of mapsOf(world)) {
    observe(records, (key, _, after) => {
      if (traces.size > 0 && after !== undefined && !isOfHost(name, after)) check(name, key, after)
    })
  }
  /** Every name and email ever known for each person. */
  const details = new Map<string, Set<string>>()
  observe(state.consumers, (key, _, consumer) => {
    if (consumer === undefined) return
    const known = details.get(key) ?? new Set()
    for (const text of [consumer.displayName, consumer.email])
      if (text !== undefined) known.add(plainTextOf(text).slice(1, -1))
    details.set(key, known)
  })
  observe(state.erasedPeople, (key, before, after) => {
    const person = world.erasing?.person
    if (before !== undefined || after === undefined || person === undefined) {
      return world.violate("erased_stays_erased", `${key} was erased twice, or came back`)
    }
    world.reach("person erased")
    goneSince.set(nameOf(person), world.nowMillis)
    const trace = { userId: person.userId, atMillis: world.nowMillis }
    traces.set(person.userId, trace)
    for (const detail of details.get(environmentKey(person.environment, person.userId)) ?? []) {
      traces.set(detail, trace)
    }
    isScanDue = true
    world.require(
      holder.hasErased(person.serviceId),
      "erased_stays_erased",
      () => `${world.nameOf(person.userId)} is erased here, and still known to the host`
    )
  })
  world.afterStep(() => {
    if (!isScanDue) return
    isScanDue = false
    const isKnown = ({ environment, userId }: RightsHolder) => state.consumers.has(environmentKey(environment, userId))
    const inForce = [
      ...[...state.grants.values()].filter(({ status }) => status === "ACTIVE"),
      ...[...state.dataRequests.values()].map(({ request }) => request).filter(({ status }) => status === "PENDING")
    ].find((record) => !isKnown(record))
    world.require(
      inForce === undefined,
      "erased_stays_erased",
      () => `${world.nameOf(inForce?.id ?? "")} is in force, and its person is erased`
    )
    for (const [name, records] of mapsOf(world)) {
      for (const [key, record] of records) if (!isOfHost(name, record)) check(name, key, record)
    }
  })

  const answered = new Map<string, ErasedPerson>()
  world.atRest(() => {
    for (const [name, person] of answered) {
      world.require(goneSince.has(name), "erased_stays_erased", () => `${nameOf(person)} was called erased and is not`)
    }
  })
  return {
    erased: (person) => {
      answered.set(nameOf(person), person)
      world.require(
        goneSince.has(nameOf(person)),
        "erased_stays_erased",
        () => `${nameOf(person)} was called erased and is not`
      )
    },
    answered: (does, answer, sinceMillis) => {
      if (traces.size === 0) return
      const text = plainTextOf(answer)
      for (const [trace, { atMillis, userId }] of traces) {
        if (atMillis >= sinceMillis || !text.includes(trace)) continue
        world.violate("erased_stays_erased", `who ${does} got ${trace} of ${world.nameOf(userId)}, who is erased`)
      }
    },
    exported: ({ environment, serviceId, userId }, asked, sinceMillis) => {
      const since = goneSince.get(nameOf({ environment, serviceId: asked })) ?? Number.POSITIVE_INFINITY
      world.require(
        since >= sinceMillis,
        "erased_stays_erased",
        () => `${world.nameOf(userId)} was exported after their erasure`
      )
      world.require(serviceId === asked, "own_records_only", () => `${asked} was exported as ${serviceId}`)
    }
  }
}
