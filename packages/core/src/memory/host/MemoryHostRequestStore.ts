import { DateTime, Effect, Layer, Option, Schema } from "effect"
import { Digest } from "effect/crypto"
import { Environment } from "../../Environment.js"
import {
  type HostRequest,
  HostRequestKeyReused,
  type HostRequestOutcome,
  hostRequestText,
  type NewHostRequest
} from "../../host/HostRequest.js"
import { requirePayload } from "../../host/HostRequestPayload.js"
import { HostRequestStore } from "../../host/HostRequestStore.js"
import type { ErasurePlan } from "../../person/decideErasure.js"
import { MemoryState } from "../MemoryState.js"
import type { StoredHostRequest } from "./StoredHostRequest.js"

type State = MemoryState["Service"]

/** Parses a payload as `jsonb` would return it. `requirePayload` has checked its size and depth. */
const readPayload = Schema.decodeSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/**
 * A `JSON.stringify` replacer that sorts an object's keys. Objects that differ only in key order then serialise
 * identically, as in `jsonb`.
 */
const canonical = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

const textOf = ({ kind, payload, queue }: NewHostRequest): string =>
  JSON.stringify([kind, queue ?? "", readPayload(hostRequestText(payload))], canonical)

const ended = (stored: StoredHostRequest, now: DateTime.Utc, changes: Partial<HostRequest>): StoredHostRequest => ({
  ...stored,
  payload: undefined,
  leasedUntil: undefined,
  request: { ...stored.request, endedAt: now, ...changes }
})

const settled = (stored: StoredHostRequest, now: DateTime.Utc, outcome: HostRequestOutcome): StoredHostRequest => {
  switch (outcome._tag) {
    case "Done":
      return ended(stored, now, { status: "DONE", result: outcome.result, error: undefined })
    case "Failed":
      return ended(stored, now, { status: "FAILED", error: outcome.error })
    case "Begun":
      return { ...stored, request: { ...stored.request, result: outcome.result } }
    case "Again":
      return {
        ...stored,
        dueAt: outcome.at,
        leasedUntil: undefined,
        request: {
          ...stored.request,
          error: outcome.error,
          attempts: outcome.counts ? stored.request.attempts : 0
        }
      }
  }
}

const isAboutSomeone = ({ consumers }: State, { about }: StoredHostRequest): boolean =>
  consumers.has(`${about?.environment}/${about?.userId}`)

const isEnvironment = Schema.is(Environment)

/**
 * Removes the payloads of all requests about an erased person, and fails the pending ones. This includes requests
 * without a valid environment, which cannot succeed but may still name the person.
 */
export const forgetPerson = ({ hostRequests }: State, { erasedAt, person }: ErasurePlan): void => {
  for (const [key, stored] of hostRequests) {
    const { about, request } = stored
    if (about?.userId !== person.userId) continue
    if (isEnvironment(about.environment) && about.environment !== person.environment) continue
    const error = { name: "PersonErased", message: "The person was erased before the request was done." }
    hostRequests.set(key, {
      ...stored,
      about: undefined,
      payload: undefined,
      text: "",
      leasedUntil: undefined,
      request: request.status === "PENDING" ? { ...request, status: "FAILED", endedAt: erasedAt, error } : request
    })
  }
}

export const make = (state: State, digest: Digest.Digest["Service"]): HostRequestStore["Service"] => {
  const { hostRequests } = state
  const hashOf = (text: string) => digest.digestHex(Digest.sha256, new TextEncoder().encode(text))
  /** Keys of the requests being settled. Like row locks, they keep other workers from leasing these requests. */
  const atWork = new Set<string>()

  const isBehind = ({ place, request: { queue } }: StoredHostRequest): boolean =>
    queue !== undefined &&
    [...hostRequests.values()].some(
      (other) => other.request.queue === queue && other.request.status === "PENDING" && other.place < place
    )

  /** Uses no counter in this store, since several stores may share the state. */
  const nextPlace = (): number => [...hostRequests.values()].reduce((last, { place }) => Math.max(last, place), 0) + 1

  const held = (key: HostRequest["key"], fence: number): StoredHostRequest | undefined => {
    const stored = hostRequests.get(key)
    return stored?.request.status === "PENDING" && stored.fence === fence ? stored : undefined
  }

  return HostRequestStore.of({
    enqueue: (given) =>
      Effect.gen(function* () {
        yield* requirePayload(given.payload)
        const known = hostRequests.get(given.key)
        if (known !== undefined) {
          const text = known.about === undefined ? yield* hashOf(textOf(given)) : textOf(given)
          if (known.text === text) return known.request
          return yield* new HostRequestKeyReused({ key: given.key })
        }
        const { key, kind, payload, queue } = given
        const createdAt = yield* DateTime.now
        const outcome = { endedAt: undefined, result: undefined, error: undefined }
        const request: HostRequest = { key, kind, queue, status: "PENDING", attempts: 0, createdAt, ...outcome }
        hostRequests.set(key, {
          request,
          payload: readPayload(hostRequestText(payload)),
          about: { userId: payload.userId, environment: payload.environment },
          text: textOf(given),
          place: nextPlace(),
          dueAt: createdAt,
          leasedUntil: undefined,
          fence: 0
        })
        return request
      }),

    find: (key) =>
      Effect.sync(() => Option.map(Option.fromUndefinedOr(hostRequests.get(key)), ({ request }) => request)),

    claim: ({ leasedUntil, limit, now }) =>
      Effect.sync(() => {
        const due = [...hostRequests.values()]
          .filter(
            (stored) =>
              stored.request.status === "PENDING" &&
              !atWork.has(stored.request.key) &&
              DateTime.isLessThanOrEqualTo(stored.dueAt, now) &&
              (stored.leasedUntil === undefined || DateTime.isLessThanOrEqualTo(stored.leasedUntil, now)) &&
              !isBehind(stored)
          )
          .sort((a, b) => DateTime.Order(a.dueAt, b.dueAt) || a.place - b.place)
        const abandoned = due.find((stored) => stored.leasedUntil !== undefined)
        return (abandoned === undefined ? due.slice(0, limit) : [abandoned]).map((stored) => {
          const request = { ...stored.request, attempts: stored.request.attempts + 1 }
          const fence = stored.fence + 1
          hostRequests.set(request.key, { ...stored, request, leasedUntil, fence })
          const { attempts, createdAt, key, kind, result } = request
          return { key, kind, payload: stored.payload, createdAt, attempts, result, fence }
        })
      }),

    // Neither an interruption nor a crash separates the work from its outcome. The work is uninterruptible, and a crash
    // of the process also loses the state.
    settle: ({ fence, key }, now, work) =>
      Effect.uninterruptible(
        Effect.suspend(() => {
          if (held(key, fence) === undefined) return Effect.succeed(Option.none<HostRequestOutcome>())
          atWork.add(key)
          return Effect.gen(function* () {
            const outcome = yield* work
            const stored = held(key, fence)
            if (stored === undefined) return Option.none<HostRequestOutcome>()
            const after = settled(stored, now, outcome)
            // A request may name a person who was already erased. Once it has ended, it must not name that person.
            const isNameless = after.request.status !== "PENDING" && !isAboutSomeone(state, after)
            const nameless = isNameless ? { about: undefined, text: yield* hashOf(after.text) } : {}
            hostRequests.set(key, { ...after, ...nameless })
            return Option.some(outcome)
          }).pipe(Effect.ensuring(Effect.sync(() => atWork.delete(key))))
        })
      ),

    stats: (countLimit) =>
      Effect.sync(() => {
        const pending = [...hostRequests.values()].flatMap(({ request }) =>
          request.status === "PENDING" ? [request.createdAt] : []
        )
        const [oldestAt] = [...pending].sort(DateTime.Order)
        return { pending: Math.min(pending.length, countLimit), oldestAt }
      }),

    forget: (before, limit) =>
      Effect.sync(() => {
        const old = [...hostRequests.values()]
          .filter(({ request: { endedAt } }) => endedAt !== undefined && DateTime.isLessThan(endedAt, before))
          .slice(0, limit)
        for (const { request } of old) hostRequests.delete(request.key)
        return old.length
      })
  })
}

export const layer: Layer.Layer<HostRequestStore, never, MemoryState | Digest.Digest> = Layer.effect(
  HostRequestStore,
  Effect.gen(function* () {
    return make(yield* MemoryState, yield* Digest.Digest)
  })
)
