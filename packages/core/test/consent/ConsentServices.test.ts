import { assert, describe, layer } from "@effect/vitest"
import { AskingBlocks } from "@surety/core/consent/asking/AskingBlocks"
import { type GrantInput, Grants } from "@surety/core/consent/grant/Grants"
import { ManagementLinks } from "@surety/core/consent/link/ManagementLinks"
import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import { Receipts } from "@surety/core/consent/receipt/Receipts"
import { countedRequests } from "@surety/core/consent/request/DataRequest"
import { DataRequests, disownedRequests } from "@surety/core/consent/request/DataRequests"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { Consumers } from "@surety/core/consumer/Consumers"
import { EventLog } from "@surety/core/event/EventLog"
import { DataRequestId, GrantId } from "@surety/core/Ids"
import { Ledger } from "@surety/core/ledger/Ledger"
import { Merchants } from "@surety/core/merchant/Merchants"
import { Effect, Metric, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Sandbox from "../Sandbox.js"
import * as Sample from "./ConsentSamples.js"
import * as ConsentSandbox from "./ConsentSandbox.js"

const { anyone, page, person } = ConsentSandbox

const asked = Effect.gen(function* () {
  const requests = yield* DataRequests
  const sandbox = yield* ConsentSandbox.merchantAndPerson("TEST")
  const form = ConsentSandbox.askingFor({
    serviceId: sandbox.consumer.serviceId,
    requestedFields: ["email", "country"]
  })
  const answer = yield* requests.create(sandbox.scope, Sandbox.key("k"), form)
  const record: unknown = JSON.parse(answer.response)
  const target = { id: ConsentSandbox.idOf(answer), scope: sandbox.scope }
  return { ...sandbox, form, answer, record, target }
})

const topicsOf = Effect.fnUntraced(function* (scope: Parameters<EventLog["Service"]["list"]>[0]) {
  const { data } = yield* (yield* EventLog).list(scope, page)
  return data.map(({ topic }) => topic).sort()
})

describe("Consents", () => {
  layer(ConsentSandbox.layer)((it) => {
    it.effect("ask a person, who approves a part; the merchant gets the event, and reads that part", () =>
      Effect.gen(function* () {
        const reads = yield* IdentityReads
        const requests = yield* DataRequests
        const grants = yield* Grants
        const { answer, consumer, record, scope, target } = yield* asked
        assert.deepInclude(record, {
          id: target.id,
          serviceId: consumer.serviceId,
          requestedFields: ["email", "country"],
          status: "PENDING"
        })
        const question = yield* requests.open(ConsentSandbox.tokenOf(answer))
        assert.strictEqual(question.request.id, target.id)
        assert.strictEqual(question.controller.name, "Sandbox Shop")
        const before = yield* Effect.flip(reads.read(scope, { serviceId: consumer.serviceId }))
        assert.strictEqual(before._tag, "ConsentRequired")
        const { grant } = yield* requests.approve(target, { actor: person, fields: ["email"] })
        assert.strictEqual((yield* requests.get(target)).status, "APPROVED")
        assert.deepStrictEqual(yield* topicsOf(scope), [
          "merchant.identity.consent_granted",
          "merchant.identity.request.approved"
        ])
        const identity = yield* reads.read(scope, {
          serviceId: consumer.serviceId,
          fields: ConsentSandbox.fields("email", "country", "kyc_status")
        })
        assert.notInclude(String(JSON.stringify(identity)), "ada@", "values are redacted until the edge")
        assert.deepStrictEqual(ConsentSandbox.reveal(identity), {
          serviceId: consumer.serviceId,
          fields: { email: "ada@example.com" },
          notApproved: { country: "denied", kyc_status: "never_requested" }
        })
        assert.deepStrictEqual((yield* grants.list(scope, anyone, page)).data, [grant])
      })
    )

    it.effect("answer a repeated request with the same bytes, link and all, also after the decision", () =>
      Effect.gen(function* () {
        const requests = yield* DataRequests
        const { answer, form, scope, target } = yield* asked
        assert.isFalse(answer.replayed)
        const turned = { ...form, requestedFields: ConsentSandbox.fields("country", "email") }
        assert.deepStrictEqual(yield* requests.create(scope, Sandbox.key("k"), turned), { ...answer, replayed: true })
        yield* requests.deny(target, { actor: person, reason: "DECLINED" })
        const decided = yield* requests.get(target)
        const replay = { ...answer, request: decided, replayed: true }
        assert.deepStrictEqual(yield* requests.create(scope, Sandbox.key("k"), form), replay)
        const reused = yield* Effect.flip(requests.create(scope, Sandbox.key("k"), { ...form, purpose: "other" }))
        assert.strictEqual(reused._tag, "IdempotencyKeyReused")
        assert.strictEqual((yield* requests.list(scope, anyone, page)).data.length, 1)
      })
    )

    it.effect("take purposes that read the same for the same question", () =>
      Effect.gen(function* () {
        const requests = yield* DataRequests
        const { form, scope } = yield* asked
        const askFor = (purpose: string) => ConsentSandbox.askingFor({ ...form, purpose })
        const first = yield* requests.create(scope, Sandbox.key("1"), askFor("to d\u00e9liver it"))
        for (const [key, purpose] of [
          ["2", " to d\u00e9liver it"],
          ["3", "to  d\u00e9liver\n\tit\u00a0"],
          ["4", "to de\u0301liver it"]
        ] as const) {
          const again = yield* requests.create(scope, Sandbox.key(key), askFor(purpose))
          assert.strictEqual(again.response, first.response, key)
        }
        assert.throws(() => askFor(" \u00a0"))
      })
    )

    it.effect("leave the key of a refused request free, so that it goes through once the person is known", () =>
      Effect.gen(function* () {
        const requests = yield* DataRequests
        const consumers = yield* Consumers
        const { scope } = yield* ConsentSandbox.merchantAndPerson("TEST")
        const { consumer } = yield* ConsentSandbox.merchantAndPerson("LIVE")
        const form = ConsentSandbox.askingFor({ serviceId: consumer.serviceId, requestedFields: ["email"] })
        const refused = yield* Effect.flip(requests.create(scope, Sandbox.key("later"), form))
        assert.strictEqual(refused._tag, "ConsumerNotFound", "people of LIVE are not known in TEST")
        yield* consumers.create({ environment: "TEST", serviceId: consumer.serviceId, phoneVerified: false }, undefined)
        assert.isFalse((yield* requests.create(scope, Sandbox.key("later"), form)).replayed)
      })
    )

    it.effect(
      "approve at once, without notifying anyone, what the person has already granted for the same purpose",
      () =>
        Effect.gen(function* () {
          const requests = yield* DataRequests
          const { form, scope, target } = yield* asked
          yield* requests.approve(target, { actor: person })
          const told = yield* topicsOf(scope)
          const again = yield* requests.create(scope, Sandbox.key("again"), form)
          assert.deepInclude(again.request, { status: "APPROVED" })
          assert.isUndefined(again.consentUrl)
          assert.deepStrictEqual(yield* topicsOf(scope), told)
          const other = yield* requests.create(scope, Sandbox.key("other"), { ...form, purpose: "to send you offers" })
          assert.deepInclude(other.request, { status: "PENDING" })
        })
    )

    it.effect("count the first decision, and show it to a later one", () =>
      Effect.gen(function* () {
        const requests = yield* DataRequests
        const { scope, target } = yield* asked
        yield* requests.deny(target, { actor: person, reason: "NOT_ME" })
        const attempts: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
          requests.approve(target, { actor: person }),
          requests.deny(target, { actor: person, reason: "DECLINED" }),
          requests.cancel(scope, target.id)
        ]
        for (const attempt of attempts) {
          const late: { readonly _tag: string; readonly status?: string } = yield* Effect.flip(attempt)
          assert.deepInclude(late, { _tag: "DataRequestDecided", status: "DENIED" })
        }
        assert.deepStrictEqual(yield* topicsOf(scope), ["merchant.identity.request.denied"])
        assert.strictEqual((yield* requests.get(target)).denialReason, "NOT_ME")
      })
    )

    it.effect("let a merchant cancel what it no longer asks", () =>
      Effect.gen(function* () {
        const requests = yield* DataRequests
        const { scope, target } = yield* asked
        assert.strictEqual((yield* requests.cancel(scope, target.id)).status, "CANCELLED")
        const late = yield* Effect.flip(requests.approve(target, { actor: person }))
        assert.deepInclude(late, { _tag: "DataRequestDecided", status: "CANCELLED" })
      })
    )

    it.effect("show another merchant, and the other environment, nothing", () =>
      Effect.gen(function* () {
        const requests = yield* DataRequests
        const grants = yield* Grants
        const reads = yield* IdentityReads
        const book = yield* Receipts
        const { consumer, scope, target } = yield* asked
        const { grant } = yield* requests.approve(target, { actor: person })
        const stranger = (yield* ConsentSandbox.merchantAndPerson("TEST")).scope
        for (const other of [stranger, { ...scope, environment: "LIVE" as const }]) {
          assert.strictEqual(
            (yield* Effect.flip(requests.get({ ...target, scope: other })))._tag,
            "DataRequestNotFound"
          )
          assert.strictEqual((yield* Effect.flip(requests.cancel(other, target.id)))._tag, "DataRequestNotFound")
          const revocation = grants.revoke({ id: grant.id, scope: other }, { actor: person })
          assert.strictEqual((yield* Effect.flip(revocation))._tag, "GrantNotFound")
          const reading = reads.read(other, { serviceId: consumer.serviceId })
          assert.strictEqual((yield* Effect.flip(reading))._tag, "ConsentRequired")
          assert.deepStrictEqual((yield* requests.list(other, anyone, page)).data, [])
          assert.deepStrictEqual((yield* grants.list(other, anyone, page)).data, [])
          assert.deepStrictEqual((yield* book.list(other, anyone, page)).data, [])
        }
      })
    )

    it.effect("let a host give a grant without a request and take it back; the next reading sees it", () =>
      Effect.gen(function* () {
        const grants = yield* Grants
        const reads = yield* IdentityReads
        const book = yield* Receipts
        const { consumer, scope } = yield* ConsentSandbox.merchantAndPerson("TEST")
        const host = { kind: "HOST", name: "app" } as const
        const grant = yield* grants.create(scope, {
          serviceId: consumer.serviceId,
          fields: ["display_name"],
          origin: "HOST",
          actor: host
        })
        assert.deepStrictEqual(yield* topicsOf(scope), ["merchant.identity.consent_granted"])
        const read = reads.read(scope, { serviceId: consumer.serviceId })
        assert.deepInclude(ConsentSandbox.reveal(yield* read).fields, { display_name: "Ada Obi" })
        yield* TestClock.adjust("1 second")
        const revoked = yield* grants.revoke({ id: grant.id, scope: undefined }, { actor: person, reason: "enough" })
        assert.deepInclude(revoked, { status: "REVOKED", revocationReason: "enough" })
        assert.strictEqual((yield* Effect.flip(read))._tag, "ConsentRequired")
        yield* TestClock.adjust("1 second")
        const again = yield* grants.revoke({ id: grant.id, scope }, { actor: host })
        assert.deepStrictEqual(again, revoked, "what has ended stays as it ended")
        assert.strictEqual((yield* book.list(scope, anyone, page)).data.length, 2)
      })
    )

    it.effect("list every fault of what is asked for", () =>
      Effect.gen(function* () {
        const grants = yield* Grants
        const { consumer, scope } = yield* ConsentSandbox.merchantAndPerson("TEST")
        const { serviceId } = consumer
        const faultsOf = (input: Partial<GrantInput>) =>
          Effect.map(
            Effect.flip(
              grants.create(scope, {
                serviceId,
                fields: ["email"],
                origin: "OPERATOR",
                actor: { kind: "OPERATOR" },
                ...input
              })
            ),
            (refusal) =>
              refusal._tag === "ConsentRequestInvalid"
                ? refusal.faults.map(({ code, path }) => [code, ...path])
                : refusal._tag
          )
        const expiresAt = consumer.createdAt
        assert.deepStrictEqual(yield* faultsOf({ fields: [], expiresAt }), [
          ["fields_required", "fields"],
          ["expiry_past", "expiresAt"]
        ])
        assert.deepStrictEqual(yield* faultsOf({ expiresAt }), [["expiry_past", "expiresAt"]])
        assert.deepStrictEqual(yield* faultsOf({ fields: ["email", "shoe_size"] }), [["field_unknown", "fields", 1]])
        const elsewhere = (yield* ConsentSandbox.merchantAndPerson("LIVE")).consumer.serviceId
        assert.strictEqual(yield* faultsOf({ serviceId: elsewhere }), "ConsumerNotFound")
        assert.deepStrictEqual((yield* grants.list(scope, anyone, page)).data, [])
      })
    )

    it.effect("keep a purpose as a person reads it", () =>
      Effect.gen(function* () {
        const grants = yield* Grants
        const { consumer, scope } = yield* ConsentSandbox.merchantAndPerson("TEST")
        const grant = yield* grants.create(scope, {
          serviceId: consumer.serviceId,
          fields: ["email"],
          purpose: " to  de\u0301liver\n\tit\u00a0",
          origin: "OPERATOR",
          actor: { kind: "OPERATOR" }
        })
        assert.strictEqual(grant.purpose, "to d\u00e9liver it")
        assert.deepStrictEqual(yield* grants.get({ id: grant.id, scope }), grant)
      })
    )

    it.effect("record an expiry once, and none that has not come", () =>
      Effect.gen(function* () {
        const grants = yield* Grants
        const requests = yield* DataRequests
        const { scope, target } = yield* asked
        assert.isFalse(yield* requests.expire(target.id))
        const { grant } = yield* requests.approve(target, { actor: person })
        assert.isFalse(yield* grants.expire(grant.id))
        yield* TestClock.adjust("180 days")
        assert.deepStrictEqual([yield* grants.expire(grant.id), yield* grants.expire(grant.id)], [true, false])
        assert.isFalse(yield* requests.expire(target.id), "it was approved")
        const missing = GrantId.fromUuid("01900000-0000-7000-8000-000000000001")
        assert.isFalse(yield* grants.expire(missing))
        const unknown = [
          yield* Effect.flip(grants.get({ id: missing, scope })),
          yield* Effect.flip(grants.revoke({ id: missing, scope }, { actor: person }))
        ]
        for (const error of unknown) assert.deepInclude(error, { _tag: "GrantNotFound", grantId: missing })
      })
    )

    it.effect("refuse a grant for longer than the platform allows to be asked for", () =>
      Effect.gen(function* () {
        const requests = yield* DataRequests
        const { form, scope } = yield* asked
        const refused = yield* Effect.flip(requests.create(scope, Sandbox.key("long"), { ...form, duration: 181 }))
        const [fault] = refused._tag === "ConsentRequestInvalid" ? refused.faults : []
        assert.deepInclude(fault, { path: ["duration"], code: "duration_too_long" })
        assert.include(fault?.detail, "1 to 180")
      })
    )

    it.effect("show the operator what is pending with its link, newest first, and what was disowned", () =>
      Effect.gen(function* () {
        const requests = yield* DataRequests
        const blocks = yield* AskingBlocks
        const { answer, consumer, form, scope, target } = yield* asked
        const listed = Effect.map(requests.listPending("TEST", page), ({ data }) =>
          data
            .filter(({ request }) => request.merchantId === scope.merchantId)
            .map(({ controller, request, url }) => [request.id, controller.name, url && Redacted.value(url)])
        )
        assert.deepStrictEqual(yield* listed, [
          [target.id, "Sandbox Shop", answer.consentUrl && Redacted.value(answer.consentUrl)]
        ])
        yield* blocks.create(answer.request)
        assert.deepStrictEqual(yield* listed, [[target.id, "Sandbox Shop", undefined]], "asking is blocked")
        const held = yield* blocks.list(scope, page)
        assert.deepStrictEqual(
          held.data.map(({ reason, userId }) => [reason, userId]),
          [["STOP_ASKING", consumer.userId]]
        )
        yield* blocks.lift(scope, consumer.serviceId)
        assert.deepStrictEqual((yield* blocks.list(scope, page)).data, [])
        const twice = yield* Effect.flip(blocks.lift(scope, consumer.serviceId))
        assert.strictEqual(twice._tag, "AskingBlockNotFound")
        const nobody = (yield* ConsentSandbox.merchantAndPerson("LIVE")).consumer.serviceId
        assert.strictEqual((yield* Effect.flip(blocks.lift(scope, nobody)))._tag, "AskingBlockNotFound")
        const disowned = Effect.map(requests.listDisowned("TEST", page), ({ data }) =>
          data.filter(({ merchantId }) => merchantId === scope.merchantId).map(({ id }) => id)
        )
        const other = yield* requests.create(scope, Sandbox.key("2"), { ...form, purpose: "to send you offers" })
        const count = Effect.map(
          Metric.value(Metric.withAttributes(disownedRequests, { environment: "TEST" })),
          (state) => state.count
        )
        const before = yield* count
        yield* requests.deny({ id: other.request.id, scope }, { actor: person, reason: "DECLINED" })
        assert.deepStrictEqual([yield* disowned, (yield* count) - before], [[], 0])
        yield* requests.deny(target, { actor: person, reason: "NOT_ME" })
        assert.deepStrictEqual([yield* disowned, (yield* count) - before], [[target.id], 1])
      })
    )

    it.effect("link the person to the merchant while a grant lasts, and leave the host's links alone", () =>
      Effect.gen(function* () {
        const grants = yield* Grants
        const consumers = yield* Consumers
        const store = yield* ConsumerStore
        const { consumer, scope } = yield* ConsentSandbox.merchantAndPerson("TEST")
        const isLinked = store.isLinked(scope.merchantId, scope.environment, consumer.userId)
        const give = (fields: ReadonlyArray<string>) =>
          grants.create(scope, { serviceId: consumer.serviceId, fields, origin: "HOST", actor: { kind: "HOST" } })
        assert.isFalse(yield* isLinked)
        const first = yield* give(["email"])
        const second = yield* give(["country"])
        assert.isTrue(yield* isLinked)
        yield* grants.revoke({ id: first.id, scope }, { actor: person })
        assert.isTrue(yield* isLinked, "another grant is left")
        yield* grants.revoke({ id: second.id, scope }, { actor: person })
        assert.isFalse(yield* isLinked)
        yield* consumers.link(scope.merchantId, scope.environment, consumer.serviceId)
        const third = yield* give(["email"])
        yield* grants.revoke({ id: third.id, scope }, { actor: person })
        assert.isTrue(yield* isLinked, "the host's own link")
      })
    )

    it.effect("answer 429 to who names too many unknown people, then also for those that are known", () =>
      Effect.gen(function* () {
        const requests = yield* DataRequests
        const { form, scope } = yield* asked
        const nobody = (yield* ConsentSandbox.merchantAndPerson("LIVE")).consumer.serviceId
        const guess = Effect.flip(requests.create(scope, Sandbox.key("g"), { ...form, serviceId: nobody }))
        const guesses = yield* Effect.replicateEffect(guess, 21)
        assert.deepStrictEqual(
          guesses.map(({ _tag }) => _tag),
          [...Array.from({ length: 20 }, () => "ConsumerNotFound"), "TooManyUnknownConsumers"]
        )
        const known = yield* Effect.flip(requests.create(scope, Sandbox.key("new"), form))
        assert.strictEqual(known._tag, "TooManyUnknownConsumers")
        yield* TestClock.adjust("1 minute")
        assert.isFalse((yield* requests.create(scope, Sandbox.key("new"), form)).replayed)
      })
    )

    it.effect("still show by its link what was decided, in any later status of the merchant", () =>
      Effect.gen(function* () {
        const requests = yield* DataRequests
        const merchants = yield* Merchants
        const first = yield* asked
        yield* requests.deny(first.target, { actor: person, reason: "NOT_ME" })
        const disowned = yield* requests.open(ConsentSandbox.tokenOf(first.answer))
        assert.deepInclude(disowned.request, { id: first.target.id, status: "DENIED" })
        const second = yield* asked
        yield* requests.approve(second.target, { actor: person })
        yield* merchants.changeStatus(second.scope.merchantId, { to: "CLOSED", actor: "operator", reason: undefined })
        const closed = yield* requests.open(ConsentSandbox.tokenOf(second.answer))
        assert.deepInclude(closed.request, { id: second.target.id, status: "APPROVED" })
      })
    )

    it.effect("fail for an unknown request or link", () =>
      Effect.gen(function* () {
        const requests = yield* DataRequests
        const { target } = yield* asked
        const id = DataRequestId.make(target.id.replace(/.$/u, target.id.endsWith("0") ? "1" : "0"))
        const missing = yield* Effect.flip(requests.approve({ id, scope: undefined }, { actor: person }))
        assert.deepInclude(missing, { _tag: "DataRequestNotFound", dataRequestId: id })
        const unknown = yield* Effect.flip(requests.open(Redacted.make("guessed")))
        assert.strictEqual(unknown._tag, "ConsentLinkUnknown")
      })
    )

    it.effect("count each end of a request once", () =>
      Effect.gen(function* () {
        const requests = yield* DataRequests
        const counted = (outcome: string) =>
          Effect.map(
            Metric.value(Metric.withAttributes(countedRequests, { environment: "TEST", outcome })),
            (state) => state.count
          )
        const { scope, target } = yield* asked
        const [approved, denied, cancelled] = [
          yield* counted("approved"),
          yield* counted("denied"),
          yield* counted("cancelled")
        ]
        yield* requests.approve(target, { actor: person })
        yield* Effect.flip(requests.deny(target, { actor: person, reason: "DECLINED" }))
        yield* Effect.flip(requests.cancel(scope, target.id))
        assert.deepStrictEqual(
          [yield* counted("approved"), yield* counted("denied"), yield* counted("cancelled")],
          [approved + 1, denied, cancelled]
        )
      })
    )

    it.effect("count only requests for unknown people as such", () =>
      Effect.gen(function* () {
        const requests = yield* DataRequests
        const { consumer, scope } = yield* ConsentSandbox.merchantAndPerson("LIVE")
        const createFor = (serviceId: typeof consumer.serviceId, key: string) =>
          Effect.flip(
            requests.create(
              scope,
              Sandbox.key(key),
              ConsentSandbox.askingFor({ serviceId, requestedFields: ["country"] })
            )
          )
        const first = yield* requests.create(
          scope,
          Sandbox.key("first"),
          ConsentSandbox.askingFor({ serviceId: consumer.serviceId, requestedFields: ["email"] })
        )
        yield* (yield* AskingBlocks).create(first.request)
        for (let number = 0; number < 25; number += 1) {
          assert.strictEqual((yield* createFor(consumer.serviceId, `blocked-${number}`))._tag, "AskingBlocked")
        }
        assert.strictEqual((yield* createFor(Sample.serviceId, "unknown"))._tag, "ConsumerNotFound")
      })
    )

    it.effect("say whether a revocation was the one that ended the grant", () =>
      Effect.gen(function* () {
        const grants = yield* Grants
        const { scope, target } = yield* asked
        const { grant } = yield* (yield* DataRequests).approve(target, { actor: person })
        const end = () => grants.revokeOnce({ id: grant.id, scope }, { actor: person })
        assert.deepInclude(yield* end(), { isNew: true })
        assert.deepInclude(yield* end(), { isNew: false })
      })
    )

    it.effect("give no link to a person that is missing", () =>
      Effect.gen(function* () {
        const unknown = { environment: "TEST", serviceId: Sample.serviceId, userId: Sample.userId } as const
        const failed = yield* Effect.flip((yield* ManagementLinks).issue(unknown))
        assert.deepInclude(failed, { _tag: "ConsumerNotFound", serviceId: Sample.serviceId })
      })
    )

    it.effect("leave a chain of receipts without a fault, and no event without its cause", () =>
      Effect.gen(function* () {
        const requests = yield* DataRequests
        const grants = yield* Grants
        const book = yield* Receipts
        const { scope, target } = yield* asked
        const { grant } = yield* requests.approve(target, { actor: person })
        yield* grants.revoke({ id: grant.id, scope }, { actor: person })
        const report = yield* book.verifyChain(scope)
        assert.deepInclude(report, { receipts: 2, faults: [] })
        assert.strictEqual(report.end.sequence, 2)
        assert.deepStrictEqual(yield* (yield* Ledger).audit, [])
      })
    )
  })
})
