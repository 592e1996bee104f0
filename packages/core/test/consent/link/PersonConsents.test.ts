import { assert, describe, layer } from "@effect/vitest"
import { AskingBlocks } from "@surety/core/consent/asking/AskingBlocks"
import { Grants } from "@surety/core/consent/grant/Grants"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import { ManagementLinks } from "@surety/core/consent/link/ManagementLinks"
import * as PersonConsents from "@surety/core/consent/link/PersonConsents"
import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import { previewTimeout } from "@surety/core/consent/read/Previews"
import { ConsentReceiptBody } from "@surety/core/consent/receipt/Receipt"
import { Receipts } from "@surety/core/consent/receipt/Receipts"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import type { Consumer } from "@surety/core/consumer/Consumer"
import * as Directory from "@surety/core/consumer/ConsumerDirectory"
import { ConsumerDirectory, DirectoryUnavailable } from "@surety/core/consumer/ConsumerDirectory"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { Consumers } from "@surety/core/consumer/Consumers"
import { Merchants } from "@surety/core/merchant/Merchants"
import { Duration, Effect, Fiber, Layer, Option, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Sandbox from "../../Sandbox.js"
import * as ConsentSandbox from "../ConsentSandbox.js"

const { anyone, page } = ConsentSandbox
const notice = { version: "2.1", language: "ha" }

const sandbox = (directory: Layer.Layer<ConsumerDirectory, never, ConsumerStore> = Directory.layer) =>
  PersonConsents.layer.pipe(
    Layer.provide([directory, ConsentUrls.layer("https://consent.example")]),
    Layer.provideMerge(ConsentSandbox.layer)
  )

const asked = Effect.fnUntraced(function* (environment: "TEST" | "LIVE" = "TEST") {
  const requests = yield* DataRequests
  const parties = yield* ConsentSandbox.merchantAndPerson(environment)
  const form = ConsentSandbox.askingFor({
    serviceId: parties.consumer.serviceId,
    requestedFields: ["service_id", "display_name", "email", "country"]
  })
  const answer = yield* requests.create(parties.scope, Sandbox.key("k"), form)
  const target = { id: ConsentSandbox.idOf(answer), scope: parties.scope }
  return { ...parties, target, token: ConsentSandbox.tokenOf(answer) }
})

const tagOf = <A, E extends { readonly _tag: string }, R>(self: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(self), ({ _tag }) => _tag)

const bodyOf = Schema.decodeUnknownSync(Schema.fromJsonString(ConsentReceiptBody))

describe("PersonConsents", () => {
  layer(sandbox())((it) => {
    it.effect("show the values masked, whole if they are one of a few", () =>
      Effect.gen(function* () {
        const person = yield* PersonConsents.PersonConsents
        const { consumer, token } = yield* asked()
        const { request } = yield* person.question(token)
        const previews = yield* person.previews(request)
        const { serviceId } = consumer
        assert.deepStrictEqual(Option.getOrUndefined(previews), {
          service_id: `${serviceId.slice(0, 4)}•••${serviceId.slice(-6)}`,
          display_name: "A••• O•••",
          email: "a•••@example.com",
          country: "NG"
        })
      })
    )

    it.effect("decide by the link, and the receipt tells in which words the person was asked", () =>
      Effect.gen(function* () {
        const person = yield* PersonConsents.PersonConsents
        const book = yield* Receipts
        const { scope, token } = yield* asked()
        const approved = yield* ConsentSandbox.approveBy(token, { fields: ["email"], notice })
        assert.deepInclude(approved, { status: "APPROVED", decidedBy: { kind: "PERSON" } })
        const manager = yield* person.open(yield* person.managementToken(token))
        const { data } = yield* person.receipts(manager, page)
        assert.deepStrictEqual(data, (yield* book.list(scope, anyone, page)).data)
        assert.deepStrictEqual(
          data.map(({ body }) => bodyOf(body).notice),
          [notice]
        )
        assert.strictEqual(
          yield* tagOf(ConsentSandbox.approveBy(token, { fields: ["email"], notice })),
          "DataRequestDecided"
        )
        assert.strictEqual(
          yield* tagOf(ConsentSandbox.denyBy(token, { reason: "DECLINED", notice })),
          "DataRequestDecided",
          "the first decision counts"
        )
      })
    )

    it.effect("take back the holder's own grants of that environment alone, for any id that is sent", () =>
      Effect.gen(function* () {
        const person = yield* PersonConsents.PersonConsents
        const grants = yield* Grants
        const consumers = yield* Consumers
        const { consumer, scope } = yield* ConsentSandbox.merchantAndPerson("LIVE")
        const somebody = yield* ConsentSandbox.merchantAndPerson("LIVE")
        // A host may use the same user id in TEST and LIVE. A user id alone therefore does not show whether the link's
        // holder owns a grant.
        const namesake = yield* consumers.create(
          { environment: "TEST", id: consumer.userId, phoneVerified: true },
          undefined
        )
        const grantTo = (environment: "TEST" | "LIVE", { serviceId }: Pick<Consumer, "serviceId">) =>
          grants.create(
            { merchantId: scope.merchantId, environment },
            { serviceId, fields: ["email"], origin: "HOST", actor: { kind: "HOST" } }
          )
        const own = yield* grantTo("LIVE", consumer)
        const theirs = yield* grantTo("LIVE", somebody.consumer)
        const sandboxed = yield* grantTo("TEST", namesake)
        const issued = yield* (yield* ManagementLinks).issue(
          { environment: "LIVE", userId: consumer.userId, serviceId: consumer.serviceId },
          { lifetime: Duration.days(180) }
        )
        const token = Redacted.make(Redacted.value(issued.url).split("/").at(-1) ?? "")
        const manager = yield* person.open(token)
        for (const grant of [theirs, sandboxed]) {
          assert.strictEqual(yield* tagOf(person.revoke(manager, grant.id, notice)), "GrantNotFound")
          assert.strictEqual((yield* grants.get({ id: grant.id, scope: undefined })).status, "ACTIVE")
        }
        const held = yield* person.grants(manager, page)
        assert.deepStrictEqual(
          held.data.map(({ record }) => record.id),
          [own.id]
        )
        const receipts = yield* person.receipts(manager, page)
        assert.deepStrictEqual(
          receipts.data.map(({ environment }) => environment),
          ["LIVE"]
        )
        assert.strictEqual((yield* person.revoke(manager, own.id, notice)).status, "REVOKED")
      })
    )

    it.effect("open a receipt of the merchant that has the link too, and of no other, in TEST", () =>
      Effect.gen(function* () {
        const person = yield* PersonConsents.PersonConsents
        const requests = yield* DataRequests
        const book = yield* Receipts
        const { consumer, scope, token } = yield* asked()
        const neighbour = { merchantId: (yield* Sandbox.newMerchant).id, environment: "TEST" as const }
        const answer = yield* requests.create(
          neighbour,
          Sandbox.key("n"),
          ConsentSandbox.askingFor({
            serviceId: consumer.serviceId,
            requestedFields: ["email"]
          })
        )
        yield* ConsentSandbox.approveBy(ConsentSandbox.tokenOf(answer), { fields: ["email"], notice })
        yield* ConsentSandbox.approveBy(token, { fields: ["email"], notice })
        const manager = yield* person.open(yield* person.managementToken(token))
        const [own] = (yield* book.list(scope, anyone, page)).data
        const [theirs] = (yield* book.list(neighbour, anyone, page)).data
        if (own === undefined || theirs === undefined) return assert.fail("both have a receipt")
        assert.deepStrictEqual(yield* person.receipt(manager, own.id), Option.some(own))
        assert.deepStrictEqual(yield* person.receipt(manager, theirs.id), Option.none())
        assert.deepStrictEqual((yield* person.receipts(manager, page)).data, [own])
        const [abroad] = (yield* (yield* Grants).list(neighbour, anyone, page)).data
        if (abroad === undefined) return assert.fail("the neighbour has a grant")
        assert.strictEqual(yield* tagOf(person.revoke(manager, abroad.id, notice)), "GrantNotFound")
        assert.strictEqual(yield* person.revokeAll(manager, notice), 1)
        assert.strictEqual((yield* (yield* Grants).get({ id: abroad.id, scope: neighbour })).status, "ACTIVE")
      })
    )

    it.effect("know no difference between a wrong, an expired and a cancelled link", () =>
      Effect.gen(function* () {
        const person = yield* PersonConsents.PersonConsents
        const requests = yield* DataRequests
        const cancelled = yield* asked()
        yield* requests.cancel(cancelled.scope, cancelled.target.id)
        const expired = yield* asked()
        yield* TestClock.adjust("7 days")
        const tokens = [cancelled.token, expired.token, Redacted.make("x"), Redacted.make("x".repeat(1_000))]
        for (const token of tokens) {
          assert.strictEqual(yield* tagOf(person.question(token)), "ConsentLinkUnknown")
          assert.strictEqual(
            yield* tagOf(ConsentSandbox.approveBy(token, { fields: ["email"], notice })),
            "ConsentLinkUnknown"
          )
          assert.strictEqual(yield* tagOf(person.open(token)), "ConsentLinkUnknown")
        }
        assert.strictEqual(
          yield* tagOf(person.open(yield* person.managementToken(expired.token))),
          "ConsentLinkUnknown",
          "nothing was decided by it"
        )
      })
    )

    it.effect("show nothing of the person to a visitor who says that the request was not meant for them", () =>
      Effect.gen(function* () {
        const person = yield* PersonConsents.PersonConsents
        const requests = yield* DataRequests
        const { consumer, scope, token } = yield* asked()
        yield* ConsentSandbox.approveBy(token, { fields: ["email"], notice })
        const form = ConsentSandbox.askingFor({ serviceId: consumer.serviceId, requestedFields: ["country"] })
        const astray = ConsentSandbox.tokenOf(yield* requests.create(scope, Sandbox.key("astray"), form))
        const management = yield* person.managementToken(astray)
        assert.strictEqual(yield* tagOf(person.open(management)), "ConsentLinkUnknown", "nothing was decided yet")
        yield* Effect.flip(ConsentSandbox.approveBy(astray, { fields: ["bvn"], notice }))
        assert.strictEqual(yield* tagOf(person.open(management)), "ConsentLinkUnknown", "an attempt decides nothing")
        yield* ConsentSandbox.denyBy(astray, { reason: "NOT_ME", notice })
        assert.strictEqual(yield* tagOf(person.open(management)), "ConsentLinkUnknown")
        yield* Effect.flip(ConsentSandbox.approveBy(astray, { fields: ["country"], notice }))
        assert.strictEqual(yield* tagOf(person.open(management)), "ConsentLinkUnknown", "nor after another try")
        const own = yield* person.open(yield* person.managementToken(token))
        assert.lengthOf((yield* person.grants(own, page)).data, 1, "the person's own link leads on")
      })
    )

    it.effect("are unknown once the person does not know the merchant, until the operator lifts it", () =>
      Effect.gen(function* () {
        const person = yield* PersonConsents.PersonConsents
        const requests = yield* DataRequests
        const blocks = yield* AskingBlocks
        const { consumer, scope, token } = yield* asked()
        const form = ConsentSandbox.askingFor({ serviceId: consumer.serviceId, requestedFields: ["country"] })
        const other = ConsentSandbox.tokenOf(yield* requests.create(scope, Sandbox.key("other"), form))
        yield* ConsentSandbox.denyBy(token, { reason: "NOT_ME", notice })
        assert.strictEqual(yield* tagOf(person.question(other)), "ConsentLinkUnknown")
        assert.strictEqual(
          yield* tagOf(ConsentSandbox.approveBy(other, { fields: ["country"], notice })),
          "ConsentLinkUnknown"
        )
        yield* blocks.lift(scope, consumer.serviceId)
        assert.strictEqual((yield* person.question(other)).request.status, "PENDING")
      })
    )

    it.effect("approve nothing in a tab that was opened before the person said so in another", () =>
      Effect.gen(function* () {
        const person = yield* PersonConsents.PersonConsents
        const requests = yield* DataRequests
        const grants = yield* Grants
        const { consumer, scope, token } = yield* asked()
        const form = ConsentSandbox.askingFor({ serviceId: consumer.serviceId, requestedFields: ["country"] })
        const { request } = yield* requests.create(scope, Sandbox.key("tab"), form)
        const tab = yield* person.question(token)
        yield* requests.deny({ id: request.id, scope }, { actor: { kind: "PERSON" }, reason: "NOT_ME" })
        assert.strictEqual(yield* tagOf(person.approve(tab, { fields: ["email"], notice })), "ConsentLinkUnknown")
        const approval = requests.approve({ id: tab.request.id, scope }, { actor: { kind: "OPERATOR" } })
        assert.strictEqual(yield* tagOf(approval), "AskingBlocked")
        assert.deepStrictEqual((yield* grants.list(scope, anyone, page)).data, [])
      })
    )

    it.effect("still decide, as the person likes, once the merchant is to stop asking", () =>
      Effect.gen(function* () {
        const person = yield* PersonConsents.PersonConsents
        const { token } = yield* asked()
        yield* person.stopAsking(yield* person.question(token))
        assert.strictEqual((yield* ConsentSandbox.approveBy(token, { fields: ["email"], notice })).status, "APPROVED")
      })
    )

    it.effect("are unknown once the merchant is closed: no grant is made, and nothing is read", () =>
      Effect.gen(function* () {
        const person = yield* PersonConsents.PersonConsents
        const grants = yield* Grants
        const requests = yield* DataRequests
        const reads = yield* IdentityReads
        const merchants = yield* Merchants
        const { consumer, scope, target, token } = yield* asked()
        const { serviceId } = consumer
        const given = { serviceId, fields: ["email"], origin: "OPERATOR", actor: { kind: "OPERATOR" } } as const
        const grant = yield* grants.create(scope, given)
        yield* merchants.changeStatus(scope.merchantId, { to: "CLOSED", actor: "operator", reason: undefined })
        assert.strictEqual(yield* tagOf(person.question(token)), "ConsentLinkUnknown")
        assert.strictEqual(
          yield* tagOf(ConsentSandbox.approveBy(token, { fields: ["email"], notice })),
          "ConsentLinkUnknown"
        )
        assert.strictEqual(yield* tagOf(requests.approve(target, { actor: given.actor })), "MerchantNotActive")
        assert.strictEqual(yield* tagOf(grants.create(scope, given)), "MerchantNotActive")
        assert.strictEqual(yield* tagOf(reads.read(scope, { serviceId })), "MerchantNotActive")
        assert.strictEqual((yield* grants.get({ scope, id: grant.id })).status, "ACTIVE")
      })
    )

    it.effect("lead on from a request that was refused, as from one that was approved", () =>
      Effect.gen(function* () {
        const person = yield* PersonConsents.PersonConsents
        const { consumer, token } = yield* asked()
        yield* ConsentSandbox.denyBy(token, { reason: "DECLINED", notice })
        const { userId } = yield* person.open(yield* person.managementToken(token))
        assert.strictEqual(userId, consumer.userId)
      })
    )

    it.effect("take grants back, one or all, and no one else's", () =>
      Effect.gen(function* () {
        const person = yield* PersonConsents.PersonConsents
        const reads = yield* IdentityReads
        const grants = yield* Grants
        const mine = yield* asked()
        const theirs = yield* asked()
        const { grantId } = yield* ConsentSandbox.approveBy(mine.token, { fields: ["email"], notice })
        const { grantId: foreign } = yield* ConsentSandbox.approveBy(theirs.token, { fields: ["email"], notice })
        if (grantId === undefined || foreign === undefined) return assert.fail("both have a grant")
        const manager = yield* person.open(yield* person.managementToken(mine.token))
        assert.strictEqual(yield* tagOf(person.revoke(manager, foreign, notice)), "GrantNotFound")
        const reading = reads.read(mine.scope, { serviceId: mine.consumer.serviceId })
        yield* reading
        const [read] = (yield* person.reads(manager, page)).data
        assert.strictEqual(read?.controller?.name, "Sandbox Shop")
        assert.deepInclude(yield* person.revoke(manager, grantId, notice), {
          status: "REVOKED",
          revokedBy: { kind: "PERSON" }
        })
        assert.strictEqual(yield* tagOf(reading), "ConsentRequired")
        const host = { origin: "HOST", actor: { kind: "HOST" }, serviceId: mine.consumer.serviceId } as const
        for (const purpose of ["one", "two"]) yield* grants.create(mine.scope, { ...host, fields: ["email"], purpose })
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* person.revokeAll(manager, notice), 2)
        assert.strictEqual(yield* person.revokeAll(manager, notice), 0)
        const [last] = (yield* person.receipts(manager, page)).data
        assert.deepStrictEqual(last && bodyOf(last.body).notice, notice)
      })
    )

    it.effect("show and take back nothing of another person at the same merchant, however many grants there are", () =>
      Effect.gen(function* () {
        const person = yield* PersonConsents.PersonConsents
        const reads = yield* IdentityReads
        const grants = yield* Grants
        const { consumer, scope, token } = yield* asked()
        const other = (yield* ConsentSandbox.merchantAndPerson("TEST")).consumer
        const give = ({ serviceId }: Pick<Consumer, "serviceId">, purpose: string) =>
          grants.create(scope, { serviceId, fields: ["email"], origin: "HOST", actor: { kind: "HOST" }, purpose })
        const theirs = yield* give(other, "one")
        yield* reads.read(scope, { serviceId: other.serviceId })
        yield* ConsentSandbox.approveBy(token, { fields: ["email"], notice })
        const manager = yield* person.open(yield* person.managementToken(token))
        yield* reads.read(scope, { serviceId: consumer.serviceId })
        assert.deepStrictEqual(
          (yield* person.reads(manager, page)).data.map(({ record }) => record.userId),
          [consumer.userId]
        )
        assert.deepStrictEqual(
          (yield* person.grants(manager, page)).data.map(({ record }) => record.userId),
          [consumer.userId]
        )
        for (let number = 1; number <= 100; number += 1) yield* give(consumer, `purpose ${number}`)
        assert.strictEqual(yield* person.revokeAll(manager, notice), 101)
        assert.strictEqual((yield* grants.get({ id: theirs.id, scope })).status, "ACTIVE")
      })
    )

    it.effect("are unknown if the merchant was closed while the page was open", () =>
      Effect.gen(function* () {
        const person = yield* PersonConsents.PersonConsents
        const merchants = yield* Merchants
        const { scope, token } = yield* asked()
        const link = yield* person.question(token)
        yield* merchants.changeStatus(scope.merchantId, { to: "CLOSED", actor: "operator", reason: undefined })
        const approving = person.approve(link, { fields: ["email"], notice })
        assert.strictEqual(yield* tagOf(approving), "ConsentLinkUnknown")
      })
    )

    it.effect("give a link of the person's own, which shows every merchant and ends in time", () =>
      Effect.gen(function* () {
        const person = yield* PersonConsents.PersonConsents
        const grants = yield* Grants
        const one = yield* ConsentSandbox.merchantAndPerson("LIVE")
        const other = yield* ConsentSandbox.merchantAndPerson("LIVE")
        const { userId, serviceId } = one.consumer
        for (const { scope } of [one, other]) {
          yield* grants.create(scope, { serviceId, fields: ["email"], origin: "HOST", actor: { kind: "HOST" } })
        }
        const issued = yield* (yield* ManagementLinks).issue(
          { environment: "LIVE", userId, serviceId },
          { lifetime: Duration.minutes(5) }
        )
        const url = Redacted.value(issued.url)
        assert.match(url, /^https:\/\/consent\.example\/consents\/[A-Za-z0-9_-]{43}$/u)
        const token = Redacted.make(url.split("/").at(-1) ?? "")
        const manager = yield* person.open(token)
        assert.strictEqual((yield* person.grants(manager, page)).data.length, 2)
        yield* TestClock.adjust("5 minutes")
        assert.strictEqual(yield* tagOf(person.open(token)), "ConsentLinkUnknown")
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* person.sweep, 1)
      })
    )
  })

  for (const [how, values] of [
    ["fails", () => Effect.fail(new DirectoryUnavailable({ cause: new Error("gone") }))],
    ["is silent", () => Effect.never],
    ["is broken", () => Effect.die(new Error("undefined is not a function"))]
  ] as const) {
    layer(sandbox(Layer.succeed(ConsumerDirectory, { values })))((it) => {
      it.effect(`ask without previews where the directory ${how}`, () =>
        Effect.gen(function* () {
          const person = yield* PersonConsents.PersonConsents
          const { token } = yield* asked()
          const { request } = yield* person.question(token)
          const previews = yield* Effect.forkChild(person.previews(request))
          yield* TestClock.adjust(previewTimeout)
          assert.isTrue(Option.isNone(yield* Fiber.join(previews)))
        })
      )
    })
  }
})
