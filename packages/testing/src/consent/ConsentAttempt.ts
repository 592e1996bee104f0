import { assert } from "@effect/vitest"
import type { ConsentActor } from "@surety/core/consent/ConsentActor"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { defaultConsentPolicy } from "@surety/core/consent/grant/ConsentPolicy"
import { decideGrant, decideGrantEnd, type GrantEnd, type GrantPlan } from "@surety/core/consent/grant/decideGrant"
import type { Grant } from "@surety/core/consent/grant/Grant"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import { decideIdentityRead, type IdentityReadSnapshot } from "@surety/core/consent/read/decideIdentityRead"
import { canonicalDataRequest, type DataRequestCommand } from "@surety/core/consent/request/DataRequestCommand"
import {
  type ConsentDecision,
  type ConsentPlan,
  type ConsentSnapshot,
  decideConsent,
  type Verdict
} from "@surety/core/consent/request/decideConsent"
import {
  type DataRequestContext,
  type DataRequestDecision,
  type DataRequestSnapshot,
  decideDataRequest
} from "@surety/core/consent/request/decideDataRequest"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import type { DataRequestId, GrantId } from "@surety/core/Ids"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import type { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { type DateTime, Duration, Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Fresh from "../FreshIds.js"
import { responses } from "../Responses.js"
import { staleFirst } from "../staleFirst.js"
import {
  type AskOptions,
  defaultFields,
  type EndOptions,
  type IdentityReadOptions,
  readContextOf,
  termsOf,
  unlimited
} from "./AskOptions.js"
import * as FreshConsent from "./FreshConsent.js"

export const fields = (...names: ReadonlyArray<string>): ReadonlyArray<IdentityField> =>
  names.map((name) => IdentityField.make(name))

const person: ConsentActor = { kind: "PERSON" }
const host: ConsentActor = { kind: "HOST", name: "app" }

export const approveAll: Verdict = { _tag: "Approve", fields: undefined, actor: person }
export const deny: Verdict = { _tag: "Deny", reason: "DECLINED", actor: person }
/** Denial that also blocks the merchant from asking this person. */
export const disown: Verdict = { _tag: "Deny", reason: "NOT_ME", actor: person }
export const cancel: Verdict = { _tag: "Cancel" }
export const expire: Verdict = { _tag: "Expire" }
export const revoke: GrantEnd = { _tag: "Revoke", actor: person, reason: "moved away" }

const fingerprintOf = (keyId: string, command: DataRequestCommand): Fingerprint =>
  Fingerprint.make(`${keyId}.${Fresh.sha256(canonicalDataRequest(command), "base64url")}`)

const policyOf = (lifetimeMillis: number | undefined) =>
  lifetimeMillis === undefined
    ? defaultConsentPolicy
    : {
        ...defaultConsentPolicy,
        requestLifetime: Duration.millis(lifetimeMillis),
        grantLifetime: Duration.millis(lifetimeMillis)
      }

export const ask = Effect.fnUntraced(function* (
  scope: MerchantScope,
  { serviceId }: Pick<Consumer, "serviceId">,
  options: AskOptions = {}
) {
  const store = yield* ConsentStore
  const now = options.at ?? (yield* Fresh.now)
  const command: DataRequestCommand = {
    serviceId,
    requestedFields: fields(...(options.fields ?? defaultFields)),
    purpose: options.purpose,
    ...termsOf(options)
  }
  const [active, ...older] = options.fingerprintKeys ?? ["k1"]
  const idempotencyKey = options.key ?? Fresh.idempotencyKey()
  const context: DataRequestContext = {
    scope,
    idempotencyKey,
    fingerprints: [fingerprintOf(active, command), ...older.map((keyId) => fingerprintOf(keyId, command))],
    now,
    requestId: Fresh.dataRequestId(now),
    link: {
      tokenHash: ConsentTokenHash.make(Fresh.sha256(Fresh.randomText("token"), "hex")),
      sealedUrl: { keyId: options.linkKeyId ?? "k1", bytes: SecureRandom.randomBytesUnsafe(90) }
    },
    policy: policyOf(options.lifetimeMillis),
    limits: { ...unlimited, ...options.limits },
    responseOf: responses.dataRequest
  }
  const decidedOn = staleFirst(options.stale)
  return yield* store.request({ ...command, scope, idempotencyKey, now }, (snapshot) => {
    const decision = decideDataRequest(decidedOn(snapshot), command, context)
    return decision._tag === "Execute" && options.change !== undefined
      ? { ...decision, plan: options.change(decision.plan) }
      : decision
  })
})

/** Makes a data request and returns its plan. Fails unless the decision is `Execute`. */
export const asked = Effect.fnUntraced(function* (
  scope: MerchantScope,
  consumer: Pick<Consumer, "serviceId">,
  options: AskOptions = {}
) {
  const decision = yield* ask(scope, consumer, options)
  return decision._tag === "Execute" ? decision.plan : assert.fail(`Expected to be executed, got ${decision._tag}`)
})

/** Like `asked`, with a new purpose by default, so that the request does not repeat an open one. */
export const askedAnew = (scope: MerchantScope, consumer: Pick<Consumer, "serviceId">, options: AskOptions = {}) =>
  Effect.suspend(() => asked(scope, consumer, { purpose: Fresh.randomText("purpose"), ...options }))

/** Returns the snapshot that a decision on a data request would use. Stores nothing. */
export const look = Effect.fnUntraced(function* (
  scope: MerchantScope,
  { serviceId }: Pick<Consumer, "serviceId">,
  key: IdempotencyKey = Fresh.idempotencyKey(),
  question: Pick<AskOptions, "fields" | "purpose" | "at"> = {}
) {
  const store = yield* ConsentStore
  const seen: Array<DataRequestSnapshot> = []
  const lookup = {
    scope,
    idempotencyKey: key,
    serviceId,
    requestedFields: fields(...(question.fields ?? defaultFields)),
    purpose: question.purpose,
    now: question.at ?? (yield* Fresh.now)
  }
  yield* store.request(lookup, (snapshot): DataRequestDecision => {
    seen.push(snapshot)
    return { _tag: "KeyReused" }
  })
  return seen.at(-1) ?? assert.fail("the store never asked for a decision")
})

export interface DecideOptions {
  readonly at?: DateTime.Utc
  readonly scope?: MerchantScope
  readonly change?: (plan: ConsentPlan) => ConsentPlan
  readonly managementTokenHash?: ConsentTokenHash
  readonly loaded?: ConsentSnapshot
}

export const decide = Effect.fnUntraced(function* (id: DataRequestId, verdict: Verdict, options: DecideOptions = {}) {
  const store = yield* ConsentStore
  const { change = (plan: ConsentPlan) => plan, managementTokenHash } = options
  const now = options.at ?? (yield* Fresh.now)
  const context = {
    now,
    grantId: Fresh.grantId(now),
    receiptId: Fresh.receiptId(now),
    decidedEventId: Fresh.eventId(now),
    grantedEventId: Fresh.eventId(now),
    platformEventId: Fresh.eventId(now),
    policy: defaultConsentPolicy,
    managementTokenHash
  }
  const decideOn = (snapshot: ConsentSnapshot): ConsentDecision => {
    const decision = decideConsent(snapshot, verdict, context)
    return decision._tag === "Execute" ? { ...decision, plan: change(decision.plan) } : decision
  }
  return yield* store.decide({ id, scope: options.scope }, decideOn, options.loaded)
})

/** Decides a data request and returns the plan. Fails unless the decision is `Execute`. */
export const decided = Effect.fnUntraced(function* (id: DataRequestId, verdict: Verdict, options: DecideOptions = {}) {
  const decision = yield* decide(id, verdict, options)
  return Option.isSome(decision) && decision.value._tag === "Execute"
    ? decision.value.plan
    : assert.fail("Expected the decision to be executed")
})

export interface GiveOptions {
  readonly fields?: ReadonlyArray<string>
  readonly purpose?: string
  readonly at?: DateTime.Utc
  /** Lifetime of the grant. Default: 180 days, from `defaultConsentPolicy`. */
  readonly lifetimeMillis?: number
  readonly change?: (plan: GrantPlan) => GrantPlan
}

/** Grants the person's fields to the merchant on behalf of the host. Returns the decision. */
export const give = Effect.fnUntraced(function* (
  scope: MerchantScope,
  { serviceId }: Pick<Consumer, "serviceId">,
  options: GiveOptions = {}
) {
  const store = yield* ConsentStore
  const now = options.at ?? (yield* Fresh.now)
  const command = {
    serviceId,
    fields: fields(...(options.fields ?? ["email", "country"])),
    purpose: options.purpose,
    origin: "HOST" as const,
    actor: host,
    expiresAt: undefined
  }
  const context = {
    scope,
    now,
    grantId: Fresh.grantId(now),
    receiptId: Fresh.receiptId(now),
    eventId: Fresh.eventId(now),
    policy: policyOf(options.lifetimeMillis)
  }
  return yield* store.grant({ scope, serviceId }, (snapshot) => {
    const decision = decideGrant(snapshot, command, context)
    return decision._tag === "Execute" && options.change !== undefined
      ? { ...decision, plan: options.change(decision.plan) }
      : decision
  })
})

/** Creates a host's grant and returns its plan. Fails unless the decision is `Execute`. */
export const given = Effect.fnUntraced(function* (
  scope: MerchantScope,
  consumer: Pick<Consumer, "serviceId">,
  options: GiveOptions = {}
) {
  const decision = yield* give(scope, consumer, options)
  return decision._tag === "Execute" ? decision.plan : assert.fail("Expected the grant to be given")
})

/** Tries to end a grant. Returns the decision, or `None` if the scope has no such grant. */
export const end = Effect.fnUntraced(function* (id: GrantId, how: GrantEnd, options: EndOptions = {}) {
  const store = yield* ConsentStore
  const now = options.at ?? (yield* Fresh.now)
  const context = { now, receiptId: Fresh.receiptId(now), eventId: Fresh.eventId(now), policy: defaultConsentPolicy }
  return yield* store.end({ id, scope: options.scope }, (snapshot) => {
    const decision = decideGrantEnd(snapshot, how, context)
    return decision._tag === "Execute" && options.change !== undefined
      ? { ...decision, plan: options.change(decision.plan) }
      : decision
  })
})

/** Revokes an active grant and returns the plan. Fails unless the decision is `Execute`. */
export const revoked = Effect.fnUntraced(function* ({ id }: Grant, options: EndOptions = {}) {
  const decision = yield* end(id, revoke, options)
  return Option.isSome(decision) && decision.value._tag === "Execute"
    ? decision.value.plan
    : assert.fail("Expected the grant to be revoked")
})

/** Reads the person's fields. Returns the decision, and the last snapshot that the store passed. */
export const read = Effect.fnUntraced(function* (
  scope: MerchantScope,
  { serviceId }: Pick<Consumer, "serviceId">,
  options: IdentityReadOptions = {}
) {
  const store = yield* ConsentStore
  const now = options.at ?? (yield* Fresh.now)
  const context = readContextOf(scope, now, yield* FreshConsent.controllerOf(scope), options)
  const command = { serviceId, fields: options.fields && fields(...options.fields) }
  const decidedOn = staleFirst(options.stale)
  const seen: Array<IdentityReadSnapshot> = []
  const decision = yield* store.read({ scope, serviceId }, (snapshot) => {
    seen.push(snapshot)
    return decideIdentityRead(decidedOn(snapshot), command, context)
  })
  return { decision, snapshot: seen.at(-1) ?? assert.fail("the store never asked for a decision") }
})

/** Reads the person's fields. Returns the names of the fields read, or undefined if the read is refused. */
export const readable = Effect.fnUntraced(function* (
  scope: MerchantScope,
  consumer: Pick<Consumer, "serviceId">,
  options: IdentityReadOptions = {}
) {
  const { decision } = yield* read(scope, consumer, options)
  return decision._tag === "Execute" ? decision.plan.read.fields : undefined
})

export const tally = (decisions: ReadonlyArray<{ readonly _tag: string }>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { _tag } of decisions) counts[_tag] = (counts[_tag] ?? 0) + 1
  return counts
}
