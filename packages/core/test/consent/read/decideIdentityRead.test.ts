import { assert, describe, it } from "@effect/vitest"
import { defaultConsentPolicy } from "@surety/core/consent/grant/ConsentPolicy"
import { grantAsOf, isInForce } from "@surety/core/consent/grant/Grant"
import { decideIdentityRead, type IdentityReadSnapshot } from "@surety/core/consent/read/decideIdentityRead"
import { specified } from "@surety/core/consumer/IdentityField"
import { ApiKeyId } from "@surety/core/Ids"
import { Schema } from "effect"
import * as Sample from "../ConsentSamples.js"

const snapshot = (change: Partial<IdentityReadSnapshot> = {}): IdentityReadSnapshot => ({
  userId: Sample.userId,
  grants: [Sample.grant({ fields: Sample.fields("email") })],
  requests: [],
  ...change
})

const apiKeyId = ApiKeyId.make("apikey_01h2xcejqtf2nbrexx3vqjhp41")

const decide = (
  seen: IdentityReadSnapshot,
  days: number,
  names?: ReadonlyArray<string>,
  by?: ApiKeyId,
  atHand = specified
) =>
  decideIdentityRead(
    seen,
    { serviceId: Sample.serviceId, fields: names && Sample.fields(...names) },
    {
      scope: Sample.scope,
      now: Sample.day(days),
      readId: Sample.readId(1),
      apiKeyId: by,
      known: specified,
      receiptId: Sample.receiptId(1),
      eventId: Sample.eventId(1),
      controller: Sample.controller,
      policy: defaultConsentPolicy,
      atHand: new Set(atHand)
    }
  )

const planOf = (...args: Parameters<typeof decide>) => {
  const decision = decide(...args)
  return decision._tag === "Execute" ? decision.plan : assert.fail("the reading is allowed")
}

const reasons = (seen: Partial<IdentityReadSnapshot>, days: number, ...names: ReadonlyArray<string>) =>
  planOf(snapshot(seen), days, names).notApproved

describe("A reading", () => {
  it("gives all that is approved if no fields are named, and says of all others why not", () => {
    const { notApproved, read } = planOf(snapshot(), 1)
    assert.deepStrictEqual(read.fields, Sample.fields("service_id", "email"))
    assert.deepStrictEqual(notApproved, {
      display_name: "never_requested",
      country: "never_requested",
      phone_verified: "never_requested",
      kyc_status: "never_requested"
    })
  })

  it("gives what is named, as far as it is approved, and speaks of nothing else", () => {
    const { notApproved, read } = planOf(snapshot(), 1, ["country", "email"])
    assert.deepStrictEqual(read.fields, Sample.fields("email"))
    assert.deepStrictEqual(notApproved, { country: "never_requested" })
  })

  it("gives service_id with any grant", () => {
    assert.deepStrictEqual(planOf(snapshot(), 1, ["service_id"]).read.fields, Sample.fields("service_id"))
  })

  it("is refused without a grant in force, in the same way as for an unknown person", () => {
    const refused = [
      decide(snapshot({ grants: [] }), 1),
      decide(snapshot({ grants: [Sample.grant({ status: "REVOKED", revokedAt: Sample.day(1) })] }), 1),
      decide(snapshot(), 180),
      decide(snapshot({ requests: [Sample.request()], grants: [] }), 1),
      decide(snapshot({ userId: undefined }), 1)
    ]
    for (const decision of refused) assert.deepStrictEqual(decision, refused[0])
    assert.strictEqual(refused[0]?._tag, "Refuse")
  })

  it("says why a field is not approved: asked for and waiting, denied, left out, run out, taken back", () => {
    const requests = [Sample.request()]
    assert.deepStrictEqual(reasons({ requests }, 1, "country"), { country: "pending" })
    assert.deepStrictEqual(reasons({ requests }, 7, "country"), { country: "expired" })
    const denied = [Sample.request({ status: "DENIED", decidedAt: Sample.day(1) })]
    assert.deepStrictEqual(reasons({ requests: denied }, 2, "country"), { country: "denied" })
    const part = [
      Sample.request({ status: "APPROVED", approvedFields: Sample.fields("email"), decidedAt: Sample.day(1) })
    ]
    assert.deepStrictEqual(reasons({ requests: part }, 2, "country"), { country: "denied" })
    const cancelled = [Sample.request({ status: "CANCELLED", decidedAt: Sample.day(1) })]
    assert.deepStrictEqual(reasons({ requests: cancelled }, 2, "country"), { country: "never_requested" })
    const inForce = Sample.grant({ fields: Sample.fields("email") })
    const past = (change: Parameters<typeof Sample.grant>[0]) => [inForce, Sample.grant({ ...change })]
    const ranOut = past({ expiresAt: Sample.day(3) })
    assert.deepStrictEqual(reasons({ grants: ranOut }, 3, "country"), { country: "expired" })
    const takenBack = past({ status: "REVOKED", revokedAt: Sample.day(2) })
    assert.deepStrictEqual(reasons({ grants: takenBack }, 3, "country"), { country: "revoked" })
  })

  it("tells the latest thing that happened to a field, but first of all that it waits", () => {
    const grants = [
      Sample.grant({ fields: Sample.fields("email") }),
      Sample.grant({ status: "REVOKED", revokedAt: Sample.day(5) })
    ]
    const denied = (day: number) =>
      Sample.request({ id: Sample.requestId(day), status: "DENIED", decidedAt: Sample.day(day) })
    assert.deepStrictEqual(reasons({ grants, requests: [denied(4)] }, 6, "country"), { country: "revoked" })
    assert.deepStrictEqual(reasons({ grants, requests: [denied(6)] }, 6, "country"), { country: "denied" })
    const waiting = [Sample.request(), denied(6)]
    assert.deepStrictEqual(reasons({ grants, requests: waiting }, 6, "country"), { country: "pending" })
  })

  it("is recorded with its reader, fields, person and time", () => {
    const read = {
      id: Sample.readId(1),
      ...Sample.scope,
      userId: Sample.userId,
      serviceId: Sample.serviceId,
      fields: Sample.fields("email"),
      readAt: Sample.day(1)
    }
    assert.deepStrictEqual(planOf(snapshot(), 1, ["email"]).read, read)
    assert.deepStrictEqual(planOf(snapshot(), 1, ["email"], apiKeyId).read, { ...read, apiKeyId })
  })

  it("says nothing of a field by requests for others, nor by an approval that had it", () => {
    const denied = [
      Sample.request({ status: "DENIED", requestedFields: Sample.fields("country"), decidedAt: Sample.day(1) })
    ]
    assert.deepStrictEqual(reasons({ requests: denied }, 2, "kyc_status"), { kyc_status: "never_requested" })
    const approved = [
      Sample.request({ status: "APPROVED", approvedFields: Sample.fields("country"), decidedAt: Sample.day(1) })
    ]
    assert.deepStrictEqual(reasons({ requests: approved }, 2, "country"), { country: "never_requested" })
  })

  it("returns what happened to the field, regardless of other fields and of cancelled requests", () => {
    const inForce = Sample.grant({ fields: Sample.fields("email") })
    const ended = { status: "REVOKED", revokedAt: Sample.day(5) } as const
    const elsewhere = Sample.request({ status: "DENIED", requestedFields: Sample.fields("email") })
    const granted = Sample.request({ status: "APPROVED", approvedFields: Sample.fields("country") })
    for (const request of [elsewhere, granted]) {
      const seen = { grants: [inForce, Sample.grant(ended)], requests: [request] }
      assert.deepStrictEqual(reasons(seen, 6, "country"), { country: "revoked" })
    }
    const others = [inForce, Sample.grant({ ...ended, fields: Sample.fields("country") })]
    assert.deepStrictEqual(reasons({ grants: others }, 6, "kyc_status"), { kyc_status: "never_requested" })
    const denied = Sample.request({ status: "DENIED", decidedAt: Sample.day(1) })
    const cancelled = Sample.request({ status: "CANCELLED", decidedAt: Sample.day(2) })
    assert.deepStrictEqual(reasons({ requests: [denied, cancelled] }, 6, "country"), { country: "denied" })
  })

  it("uses the request's creation, or the grant's end, if no decision time is known", () => {
    const denied = Sample.request({ status: "DENIED", createdAt: Sample.day(3) })
    const partly = Sample.request({ status: "APPROVED", createdAt: Sample.day(3) })
    const revoked = (expires: number) => [
      ...snapshot().grants,
      Sample.grant({ status: "REVOKED", expiresAt: Sample.day(expires) })
    ]
    for (const request of [denied, partly]) {
      assert.deepStrictEqual(reasons({ grants: revoked(2), requests: [request] }, 9, "country"), { country: "denied" })
      assert.deepStrictEqual(reasons({ grants: revoked(4), requests: [request] }, 9, "country"), { country: "revoked" })
    }
  })

  const known = Schema.Literals(["email", "country", "kyc_status"])

  it.prop(
    "puts each field that is asked for on exactly one side, and gives none without a grant in force that has it",
    {
      asked: Schema.Array(known),
      given: Schema.Array(
        Schema.Struct({
          fields: Schema.Array(known),
          status: Schema.Literals(["ACTIVE", "REVOKED", "EXPIRED"]),
          expires: Schema.Literals([0, 1, 2])
        })
      ).check(Schema.isMaxLength(5)),
      day: Schema.Literals([0, 1, 2])
    },
    ({ asked, day, given }) => {
      const names = [...new Set(asked)]
      const grants = given.map(({ expires, fields, status }, index) =>
        Sample.grant({
          id: Sample.grantId(index),
          fields: Sample.fields(...fields),
          status,
          expiresAt: Sample.day(expires),
          ...(status === "REVOKED" ? { revokedAt: Sample.day(0) } : {})
        })
      )
      const inForce = grants.filter((grant) => isInForce(grant, Sample.day(day)))
      const decision = decide(snapshot({ grants }), day, names)
      assert.strictEqual(decision._tag, inForce.length > 0 ? "Execute" : "Refuse")
      if (decision._tag !== "Execute") return
      const { notApproved, read } = decision.plan
      assert.sameMembers([...read.fields, ...Object.keys(notApproved)], names)
      for (const field of read.fields) assert.isTrue(inForce.some(({ fields }) => fields.includes(field)))
      for (const [name, reason] of Object.entries(notApproved)) {
        const [field = assert.fail("there is one")] = Sample.fields(name)
        assert.isFalse(inForce.some(({ fields }) => fields.includes(field)))
        const ended = grants.some(
          (one) => grantAsOf(one, Sample.day(day)).status !== "ACTIVE" && one.fields.includes(field)
        )
        assert.strictEqual(reason === "never_requested", !ended)
      }
    }
  )

  const once = Sample.grant({ id: Sample.grantId(2), fields: Sample.fields("country"), oneTime: true })

  it("uses up a one-time grant, with its receipt, once its values are at hand", () => {
    const seen = snapshot({ grants: [once] })
    assert.deepStrictEqual(decide(seen, 1, undefined, undefined, []), {
      _tag: "Prepare",
      userId: Sample.userId,
      fields: Sample.fields("service_id", "country")
    })
    const { read, used } = planOf(seen, 1)
    assert.deepStrictEqual(read.fields, Sample.fields("service_id", "country"))
    assert.deepInclude(used?.grant, { id: once.id, status: "EXPIRED", usedAt: Sample.day(1) })
    assert.include(used?.receipt.body, '"state":"EXPIRED"')
    assert.include(used?.receipt.body, '"oneTime":true')
    const again = snapshot({ grants: [used?.grant ?? once] })
    assert.strictEqual(decide(again, 2)._tag, "Refuse")
    assert.deepStrictEqual(
      planOf(snapshot({ grants: [...again.grants, Sample.grant({ fields: Sample.fields("email") })] }), 2, ["country"])
        .notApproved,
      {
        country: "expired"
      }
    )
  })

  it("needs no values at hand if it uses up no grant, or returns only the service id", () => {
    assert.isUndefined(planOf(snapshot(), 1, undefined, undefined, []).used)
    const { read, used } = planOf(snapshot({ grants: [once] }), 1, ["service_id"], undefined, [])
    assert.deepStrictEqual(read.fields, Sample.fields("service_id"))
    assert.strictEqual(used?.grant.id, once.id)
  })

  it("uses up none for what a lasting grant allows, or for nothing", () => {
    const lasting = Sample.grant({ id: Sample.grantId(3), fields: Sample.fields("country", "email") })
    assert.isUndefined(planOf(snapshot({ grants: [once, lasting] }), 1).used)
    assert.isUndefined(planOf(snapshot({ grants: [once] }), 1, ["email"]).used)
    assert.strictEqual(planOf(snapshot({ grants: [once] }), 1, ["service_id"]).used?.grant.id, once.id)
  })

  it("uses up one at a time, the one that ends first, and leaves the other's fields to a further read", () => {
    const sooner = Sample.grant({
      id: Sample.grantId(4),
      fields: Sample.fields("email"),
      oneTime: true,
      expiresAt: Sample.day(5)
    })
    const { notApproved, read, remaining, used } = planOf(snapshot({ grants: [once, sooner] }), 1, ["country", "email"])
    assert.deepStrictEqual(read.fields, Sample.fields("email"))
    assert.deepStrictEqual(remaining, Sample.fields("country"))
    assert.strictEqual(used?.grant.id, sooner.id)
    assert.deepStrictEqual(notApproved, {})
  })
})
