import { assert } from "@effect/vitest"
import type { ConsentActor } from "@surety/core/consent/ConsentActor"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { defaultPolicy } from "@surety/core/consent/grant/ConsentPolicy"
import {
  decideGrant,
  decideGrantEnd,
  type GrantEnd,
  type GrantEndPlan,
  type GrantPlan
} from "@surety/core/consent/grant/decideGrant"
import type { Grant } from "@surety/core/consent/grant/Grant"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import { decideIdentityRead, type IdentityReadSnapshot } from "@surety/core/consent/read/decideIdentityRead"
import { canonicalText, type DataRequestCommand } from "@surety/core/consent/request/DataRequestCommand"
import {
  type ConsentDecision,
  type ConsentPlan,
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
import { IdentityField, specified } from "@surety/core/consumer/IdentityField"
import type { ApiKeyId, DataRequestId, GrantId } from "@surety/core/Ids"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import type { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { type DateTime, Duration, Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Fresh from "../FreshIds.js"
import { responses } from "../Responses.js"
import { type AskOptions, defaultFields, unlimited } from "./AskOptions.js"

/** What the service does with the store, with ids and moments of one's choice. */

export const fields = (...names: ReadonlyArray<string>): ReadonlyArray<IdentityField> =>
  names.map((name) => IdentityField.make(name))

/** A token's hash, as looked up by whoever holds a link. */
export const tokenHash = (text: string): ConsentTokenHash => ConsentTokenHash.make(text)

const person: ConsentActor = { kind: "PERSON" }
const host: ConsentActor = { kind: "HOST", name: "app" }

export const approveAll: Verdict = { _tag: "Approve", fields: undefined, actor: person }
export const deny: Verdict = { _tag: "Deny", reason: "DECLINED", actor: person }
/** Blocks the merchant from asking, too. */
export const disown: Verdict = { _tag: "Deny", reason: "NOT_ME", actor: person }
export const cancel: Verdict = { _tag: "Cancel" }
export const expire: Verdict = { _tag: "Expire" }
export const revoke: GrantEnd = { _tag: "Revoke", actor: person, reason: "moved away" }

const fingerprintOf = (keyId: string, command: DataRequestCommand): Fingerprint =>
  Fingerprint.make(`${keyId}.${Fresh.sha256(canonicalText(command), "base64url")}`)

const policyOf = (lifetimeMillis: number | undefined) =>
  lifetimeMillis === undefined
    ? defaultPolicy
    : {
        ...defaultPolicy,
        requestLifetime: Duration.millis(lifetimeMillis),
        grantLifetime: Duration.millis(lifetimeMillis)
      }

/** Asks the person for fields, on behalf of `scope`. */
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
    purpose: options.purpose
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
      tokenHash: tokenHash(Fresh.sha256(Fresh.text("token"), "hex")),
      sealedUrl: { keyId: options.linkKeyId ?? "k1", bytes: SecureRandom.randomBytesUnsafe(90) }
    },
    policy: policyOf(options.lifetimeMillis),
    limits: { ...unlimited, ...options.limits },
    responseOf: responses.dataRequest
  }
  return yield* store.request({ ...command, scope, idempotencyKey, now }, (snapshot) => {
    const decision = decideDataRequest(snapshot, command, context)
    return decision._tag === "Execute" && options.change !== undefined
      ? { ...decision, plan: options.change(decision.plan) }
      : decision
  })
})

/** Asks what must be executed. */
export const asked = Effect.fnUntraced(function* (
  scope: MerchantScope,
  consumer: Pick<Consumer, "serviceId">,
  options: AskOptions = {}
) {
  const decision = yield* ask(scope, consumer, options)
  return decision._tag === "Execute" ? decision.plan : assert.fail(`Expected to be executed, got ${decision._tag}`)
})

/** Asks what must be executed, for a purpose that nobody was asked for, unless told. */
export const askedAnew = (scope: MerchantScope, consumer: Pick<Consumer, "serviceId">, options: AskOptions = {}) =>
  Effect.suspend(() => asked(scope, consumer, { purpose: Fresh.text("purpose"), ...options }))

/** Reads what a decision on a request would be made on, and stores nothing. */
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
  /** Anybody's request unless told. */
  readonly scope?: MerchantScope
  /** Makes the plan another one before it is committed. */
  readonly change?: (plan: ConsentPlan) => ConsentPlan
}

/** Decides on a request. */
export const decide = Effect.fnUntraced(function* (id: DataRequestId, verdict: Verdict, options: DecideOptions = {}) {
  const store = yield* ConsentStore
  const now = options.at ?? (yield* Fresh.now)
  const context = {
    now,
    grantId: Fresh.grantId(now),
    receiptId: Fresh.receiptId(now),
    decidedEventId: Fresh.eventId(now),
    grantedEventId: Fresh.eventId(now),
    policy: defaultPolicy
  }
  return yield* store.decide({ id, scope: options.scope }, (snapshot): ConsentDecision => {
    const decision = decideConsent(snapshot, verdict, context)
    return decision._tag === "Execute" && options.change !== undefined
      ? { ...decision, plan: options.change(decision.plan) }
      : decision
  })
})

/** Decides what must be executed. */
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
  /** How long it is in force; 180 days unless told. */
  readonly lifetimeMillis?: number
  readonly change?: (plan: GrantPlan) => GrantPlan
}

/** Gives a grant on behalf of the person. */
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

/** Gives a grant that must be given. */
export const given = Effect.fnUntraced(function* (
  scope: MerchantScope,
  consumer: Pick<Consumer, "serviceId">,
  options: GiveOptions = {}
) {
  const decision = yield* give(scope, consumer, options)
  return decision._tag === "Execute" ? decision.plan : assert.fail("Expected the grant to be given")
})

export interface EndOptions {
  readonly at?: DateTime.Utc
  readonly scope?: MerchantScope
  readonly change?: (plan: GrantEndPlan) => GrantEndPlan
}

/** Ends a grant. */
export const end = Effect.fnUntraced(function* (id: GrantId, how: GrantEnd, options: EndOptions = {}) {
  const store = yield* ConsentStore
  const now = options.at ?? (yield* Fresh.now)
  const context = { now, receiptId: Fresh.receiptId(now), policy: defaultPolicy }
  return yield* store.end({ id, scope: options.scope }, (snapshot) => {
    const decision = decideGrantEnd(snapshot, how, context)
    return decision._tag === "Execute" && options.change !== undefined
      ? { ...decision, plan: options.change(decision.plan) }
      : decision
  })
})

/** Revokes a grant that must be in force. */
export const revoked = Effect.fnUntraced(function* ({ id }: Grant, options: EndOptions = {}) {
  const decision = yield* end(id, revoke, options)
  return Option.isSome(decision) && decision.value._tag === "Execute"
    ? decision.value.plan
    : assert.fail("Expected the grant to be revoked")
})

export interface ReadOptions {
  /** All unless told. */
  readonly fields?: ReadonlyArray<string>
  readonly at?: DateTime.Utc
  readonly apiKeyId?: ApiKeyId
}

/** Reads of the person, and tells what the decision was made on. */
export const read = Effect.fnUntraced(function* (
  scope: MerchantScope,
  { serviceId }: Pick<Consumer, "serviceId">,
  options: ReadOptions = {}
) {
  const store = yield* ConsentStore
  const now = options.at ?? (yield* Fresh.now)
  const context = { scope, now, readId: Fresh.identityReadId(now), apiKeyId: options.apiKeyId, known: specified }
  const command = { serviceId, fields: options.fields && fields(...options.fields) }
  const seen: Array<IdentityReadSnapshot> = []
  const decision = yield* store.read({ scope, serviceId }, (snapshot) => {
    seen.push(snapshot)
    return decideIdentityRead(snapshot, command, context)
  })
  return { decision, snapshot: seen.at(-1) ?? assert.fail("the store never asked for a decision") }
})

/** What may be read of the person now: the fields' names, or none where the reading is refused. */
export const readable = Effect.fnUntraced(function* (
  scope: MerchantScope,
  consumer: Pick<Consumer, "serviceId">,
  options: ReadOptions = {}
) {
  const { decision } = yield* read(scope, consumer, options)
  return decision._tag === "Execute" ? decision.plan.read.fields : undefined
})

/** How many of the decisions have each tag. */
export const tally = (decisions: ReadonlyArray<{ readonly _tag: string }>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { _tag } of decisions) counts[_tag] = (counts[_tag] ?? 0) + 1
  return counts
}
