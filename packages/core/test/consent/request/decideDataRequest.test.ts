import { assert, describe, it } from "@effect/vitest"
import { blockOf } from "@surety/core/consent/asking/AskingBlock"
import { AskingBlocked } from "@surety/core/consent/asking/decideAsk"
import { ReturnUrlNotAllowed } from "@surety/core/consent/ConsentError"
import { isInForce } from "@surety/core/consent/grant/Grant"
import type { DataRequestCommand } from "@surety/core/consent/request/DataRequestCommand"
import * as Command from "@surety/core/consent/request/DataRequestCommand"
import { type DataRequestSnapshot, decideDataRequest } from "@surety/core/consent/request/decideDataRequest"
import { specified } from "@surety/core/consumer/IdentityField"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import { issueFaults } from "@surety/core/input/InputFault"
import { Exit, Schema } from "effect"
import * as Sample from "../ConsentSamples.js"

const snapshot = (change: Partial<DataRequestSnapshot> = {}): DataRequestSnapshot => ({
  prior: undefined,
  controller: Sample.controller,
  merchantStatus: "ACTIVE",
  ownPurpose: undefined,
  returnUrls: [],
  userId: Sample.userId,
  grants: [],
  open: undefined,
  history: undefined,
  ...change
})

const command = (change: Partial<DataRequestCommand> = {}): DataRequestCommand => ({
  serviceId: Sample.serviceId,
  requestedFields: Sample.fields("email", "country"),
  purpose: "to ship your order",
  ...change
})

const decide = (seen: DataRequestSnapshot, asked = command(), context = Sample.requestContext()) =>
  decideDataRequest(seen, asked, context)

/** Asking history of a merchant that the person has blocked. */
const asked = {
  block: blockOf(Sample.request(), "STOP_ASKING", Sample.day(0)),
  openUntil: [],
  madeAt: [],
  deniedAt: undefined
}

const planOf = (...args: Parameters<typeof decide>) => {
  const decision = decide(...args)
  return decision._tag === "Execute" ? decision.plan : assert.fail(`decided ${decision._tag}`)
}

describe("A data request", () => {
  it("waits for the person for seven days, behind a link", () => {
    const { answer, link, notifyAt, request } = planOf(snapshot())
    const { id } = request
    assert.deepStrictEqual(
      request,
      Sample.request({
        id,
        requestedFields: command().requestedFields,
        createdAt: Sample.day(1),
        expiresAt: Sample.day(8)
      })
    )
    assert.isDefined(link)
    assert.isUndefined(notifyAt, "in TEST the merchant opens the link itself")
    assert.deepStrictEqual(JSON.parse(answer), {
      id: request.id,
      serviceId: Sample.serviceId,
      requestedFields: ["email", "country"],
      status: "PENDING",
      createdAt: "2030-01-02T00:00:00.000Z",
      expiresAt: "2030-01-09T00:00:00.000Z"
    })
  })

  it("is to be brought to the person in LIVE", () => {
    const live = Sample.requestContext({ scope: { ...Sample.scope, environment: "LIVE" } })
    assert.deepStrictEqual(planOf(snapshot(), command(), live).notifyAt, live.now)
  })

  it("is approved at once, without asking the person, if grants for the same purpose cover every field", () => {
    const grants = [
      Sample.grant({ fields: Sample.fields("email") }),
      Sample.grant({ id: Sample.grantId(2), fields: Sample.fields("country", "display_name") })
    ]
    const { link, notifyAt, request } = planOf(snapshot({ grants }))
    assert.deepInclude(request, {
      status: "APPROVED",
      approvedFields: Sample.fields("email", "country"),
      decidedAt: Sample.day(1)
    })
    assert.isUndefined(link)
    assert.isUndefined(notifyAt)
  })

  it("takes service_id for approved with any grant for the same purpose", () => {
    const asked = command({ requestedFields: Sample.fields("service_id") })
    assert.strictEqual(planOf(snapshot({ grants: [Sample.grant()] }), asked).request.status, "APPROVED")
    assert.strictEqual(planOf(snapshot(), asked).request.status, "PENDING")
  })

  it("asks again for another purpose, for one field more, and after a grant's last moment", () => {
    const grants = [Sample.grant()]
    const status = (...args: Parameters<typeof planOf>) => planOf(...args).request.status
    assert.strictEqual(status(snapshot({ grants })), "APPROVED")
    assert.strictEqual(status(snapshot({ grants }), command({ purpose: "to send you offers" })), "PENDING")
    const more = command({ requestedFields: Sample.fields("email", "country", "kyc_status") })
    assert.strictEqual(status(snapshot({ grants }), more), "PENDING")
    const atTheEnd = Sample.requestContext({ now: Sample.day(180) })
    assert.strictEqual(status(snapshot({ grants }), command(), atTheEnd), "PENDING")
    const revoked = [Sample.grant({ status: "REVOKED", revokedAt: Sample.day(1) })]
    assert.strictEqual(status(snapshot({ grants: revoked })), "PENDING")
  })

  it("has the merchant's own purpose if it names none, and a plain one without such a text", () => {
    const purpose = (...args: Parameters<typeof planOf>) => planOf(...args).request.purpose
    const unnamed = command({ purpose: undefined })
    assert.strictEqual(purpose(snapshot(), unnamed), "Ada Stores asks to identify you as its customer.")
    const settled = snapshot({ ownPurpose: "To deliver your orders." })
    assert.strictEqual(purpose(settled, unnamed), "To deliver your orders.")
    assert.strictEqual(purpose(settled, command({ purpose: "to call you" })), "to call you")
  })

  it("is approved at once by a grant for the merchant's own purpose, until that is another one", () => {
    const grants = [Sample.grant({ purpose: "To deliver your orders." })]
    const status = (ownPurpose: string) =>
      planOf(snapshot({ grants, ownPurpose }), command({ purpose: undefined })).request.status
    assert.strictEqual(status("To deliver your orders."), "APPROVED")
    assert.strictEqual(status("To send you offers."), "PENDING")
  })

  it.each(["REJECTED", "CLOSED"] as const)("is refused for a merchant that is %s", (merchantStatus) => {
    const decision = decide(snapshot({ merchantStatus, userId: undefined, grants: [Sample.grant()] }))
    assert.strictEqual(decision._tag === "Refuse" && decision.reason._tag, "MerchantNotActive")
  })

  it.each(["PENDING_REVIEW", "SUSPENDED"] as const)("is made for a merchant that is %s", (merchantStatus) => {
    assert.strictEqual(decide(snapshot({ merchantStatus }))._tag, "Execute")
  })

  it("is refused for an unknown person", () => {
    const decision = decide(snapshot({ userId: undefined }))
    assert.strictEqual(decision._tag === "Refuse" && decision.reason._tag, "ConsumerNotFound")
  })

  it("is answered as before, after any change, or refused if the key named another one", () => {
    const prior = {
      requestId: Sample.requestId(1),
      fingerprint: Fingerprint.make("k1.same"),
      answer: "{}",
      sealedUrl: undefined
    }
    const gone = snapshot({ prior, userId: undefined })
    assert.deepStrictEqual(decide(gone), { _tag: "Replay", prior })
    const other = Sample.requestContext({ fingerprints: [Fingerprint.make("k1.other")] })
    assert.deepStrictEqual(decide(gone, command(), other), { _tag: "KeyReused" })
    const rotated = Sample.requestContext({ fingerprints: [Fingerprint.make("k2.same"), Fingerprint.make("k1.same")] })
    assert.strictEqual(decide(gone, command(), rotated)._tag, "Replay")
  })

  it("that is pending already is answered as before, under another key, and the person is not asked again", () => {
    const open = { request: Sample.request(), answer: "{}", sealedUrl: undefined }
    const { fingerprints, idempotencyKey, now } = Sample.requestContext()
    const plan = { open, idempotencyKey, fingerprint: fingerprints[0], repeatedAt: now, returnTo: undefined }
    assert.deepStrictEqual(decide(snapshot({ open, history: asked })), { _tag: "Repeat", plan }, "also while blocked")
    assert.strictEqual(decide(snapshot({ open, grants: [Sample.grant()] }))._tag, "Execute", "grants cover it")
  })

  it("is refused if the merchant may not ask, unless grants cover it", () => {
    assert.deepStrictEqual(decide(snapshot({ history: asked })), { _tag: "Refuse", reason: new AskingBlocked() })
    assert.strictEqual(decide(snapshot({ history: asked, grants: [Sample.grant()] }))._tag, "Execute")
    assert.strictEqual(decide(snapshot({ history: { ...asked, block: undefined } }))._tag, "Execute")
  })

  const choices = Schema.Array(Schema.Literals(["service_id", "email", "country", "kyc_status"]))
  const chosen = (names: ReadonlyArray<string>) => Sample.fields(...new Set(names))

  it.prop(
    "is approved at once exactly if every field is covered by grants in force for its purpose",
    {
      asked: choices,
      given: Schema.Array(
        Schema.Struct({
          names: choices,
          samePurpose: Schema.Boolean,
          status: Schema.Literals(["ACTIVE", "REVOKED", "EXPIRED"]),
          expires: Schema.Literals([0, 1, 2])
        })
      ).check(Schema.isMaxLength(4))
    },
    ({ asked, given }) => {
      const grants = given.map(({ expires, names, samePurpose, status }, index) =>
        Sample.grant({
          id: Sample.grantId(index),
          fields: chosen(names),
          purpose: samePurpose ? "to ship your order" : "to send you offers",
          status,
          expiresAt: Sample.day(expires)
        })
      )
      const covering = grants.filter(
        (grant) => grant.purpose === "to ship your order" && isInForce(grant, Sample.day(1))
      )
      const requestedFields = chosen(asked)
      const covered = requestedFields.every((field) =>
        covering.some((grant) => field === "service_id" || grant.fields.includes(field))
      )
      const { answer, link, request } = planOf(snapshot({ grants }), command({ requestedFields }))
      assert.strictEqual(request.status, covered ? "APPROVED" : "PENDING")
      assert.strictEqual(link === undefined, covered)
      const { approvedFields, decidedAt } = JSON.parse(answer)
      assert.deepStrictEqual(approvedFields, covered ? requestedFields : undefined, "it says what was approved")
      assert.strictEqual(decidedAt !== undefined, covered)
    }
  )
})

describe("The input of a data request", () => {
  const decode = Schema.decodeUnknownExit(Command.DataRequestInput, { errors: "all" })
  const faults = (requestedFields: ReadonlyArray<string>, purpose?: string) => {
    const input = { serviceId: Sample.serviceId, requestedFields, ...(purpose === undefined ? {} : { purpose }) }
    return Exit.match(decode(input), {
      onSuccess: () => [],
      onFailure: (cause) =>
        cause.reasons.flatMap((reason) =>
          reason._tag === "Fail"
            ? issueFaults(reason.error.issue).map(({ code, path }) => [code, path.join("/")])
            : assert.fail("it decodes or fails")
        )
    })
  }

  it("may name each known field once", () => {
    assert.deepStrictEqual(faults(specified), [])
    assert.deepStrictEqual(faults([]), [["too_short", "requestedFields"]])
    assert.deepStrictEqual(faults(["email", "shoe_size", "email", "__proto__", ""]), [
      ["field_unknown", "requestedFields/1"],
      ["field_repeated", "requestedFields/2"],
      ["field_unknown", "requestedFields/3"],
      ["field_unknown", "requestedFields/4"]
    ])
    assert.deepInclude(faults(Array.from({ length: 33 }, () => "email")), ["too_long", "requestedFields"])
  })

  it("may have a purpose of 1 to 500 characters", () => {
    assert.deepStrictEqual(faults(["email"], ""), [["blank", "purpose"]])
    assert.deepStrictEqual(faults(["email"], "p".repeat(501)), [["too_long", "purpose"]])
    assert.deepStrictEqual(faults(["email"], "p".repeat(500)), [])
  })

  it("asks for the same with its fields in any order, and for something else with another purpose", () => {
    const text = (names: ReadonlyArray<string>, purpose?: string) =>
      Command.canonicalDataRequest({ serviceId: Sample.serviceId, requestedFields: Sample.fields(...names), purpose })
    assert.strictEqual(text(["email", "country"]), text(["country", "email"]))
    assert.notStrictEqual(text(["email", "country"]), text(["email"]))
    assert.notStrictEqual(text(["email"]), text(["email"], "to ship your order"))
  })

  describe("with a return url", () => {
    const returnUrls = ["https://shop.example/orders"]
    const returning = command({ returnUrl: "https://shop.example/orders/7", state: "s1" })

    it("keeps it with its state if it is allowed", () => {
      const { request } = planOf(snapshot({ returnUrls }), returning)
      assert.deepInclude(request, { returnUrl: "https://shop.example/orders/7", state: "s1" })
    })

    it("is refused if it is not, but for a replay", () => {
      assert.deepStrictEqual(decide(snapshot(), returning), { _tag: "Refuse", reason: new ReturnUrlNotAllowed() })
      const prior = {
        requestId: Sample.requestId(1),
        fingerprint: Sample.requestContext().fingerprints[0],
        answer: "{}",
        sealedUrl: undefined
      }
      assert.strictEqual(decide(snapshot({ prior }), returning)._tag, "Replay")
    })

    it("is refused alike whether the person is known or not, since no one is asked", () => {
      const known = decide(snapshot(), returning)
      assert.deepStrictEqual(decide(snapshot({ userId: undefined }), returning), known)
      const [blocked, restricted] = [snapshot({ history: asked }), snapshot({ isRestricted: true })]
      for (const seen of [blocked, restricted]) assert.deepStrictEqual(decide(seen, returning), known)
    })
  })

  it("about a restricted person is refused unless grants cover it", () => {
    const restricted = snapshot({ isRestricted: true })
    assert.deepStrictEqual(decide(restricted), { _tag: "Refuse", reason: new AskingBlocked() })
    assert.strictEqual(decide({ ...restricted, grants: [Sample.grant()] })._tag, "Execute")
    assert.strictEqual(decide(snapshot({ isRestricted: false }))._tag, "Execute")
  })

  it("for one read is covered by a grant for one read, and another request is not", () => {
    const grants = [Sample.grant({ oneTime: true })]
    const asked = Sample.grant()
    const purpose = asked.purpose
    const requestedFields = asked.fields
    const statusOf = (change: Partial<DataRequestCommand>) =>
      planOf(snapshot({ grants }), command({ purpose, requestedFields, ...change })).request.status
    assert.strictEqual(statusOf({ duration: "ONE_TIME" }), "APPROVED")
    assert.strictEqual(statusOf({ duration: 30 }), "PENDING")
    assert.strictEqual(statusOf({}), "PENDING")
  })
})
