import { describe, expect, it } from "vitest"
import { makeInterface } from "../Interface.js"
import { ask, decide, merchantAndPerson, readIdentity, topicsOf } from "./Consenting.js"

const api = makeInterface()

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe("What a merchant reads of a request", () => {
  it("approved in part, read and revoked: every body and every event", async () => {
    const { id, key, serviceId } = await merchantAndPerson(api)
    const purpose = "To deliver your order."
    const requested = ["display_name", "email", "kyc_status"]
    const asked = await ask(api, key, { service_id: serviceId, requested_fields: requested, purpose })
    expect(asked.status).toBe(201)
    expect(asked.body).toEqual({
      id: expect.stringMatching(/^datareq_[0-9a-z]{26}$/),
      serviceId,
      requestedFields: requested,
      status: "PENDING",
      createdAt: moment,
      expiresAt: moment,
      consentUrl: expect.stringMatching(/^https:\/\/pay\.example\/service\/consent\/[A-Za-z0-9_-]{20,}$/)
    })
    expect(Date.parse(asked.body.expiresAt) - Date.parse(asked.body.createdAt)).toBe(7 * 86_400_000)
    expect((await readIdentity(api, key, serviceId)).body).toMatchObject({ status: 403, code: "consent_required" })

    const approved = await decide(api, key, asked.body.id, "approve", { fields: ["display_name", "kyc_status"] })
    expect(approved.status).toBe(201)
    expect(approved.body).toMatchObject({
      status: "APPROVED",
      approvedFields: ["display_name", "kyc_status"],
      grantId: expect.stringMatching(/^grant_[0-9a-z]{26}$/),
      decidedAt: moment
    })
    expect(approved.body).not.toHaveProperty("consentUrl")

    const read = await readIdentity(api, key, serviceId)
    expect(read.status).toBe(200)
    expect(read.headers.get("cache-control")).toBe("no-store")
    expect(read.body).toEqual({
      serviceId,
      fields: { service_id: serviceId, display_name: "Ada Obi", kyc_status: "UNVERIFIED" },
      notApproved: { country: "never_requested", email: "denied", phone_verified: "never_requested" }
    })

    const { grantId } = approved.body
    const revoked = await api.send("POST", `/v1/test-helpers/grants/${grantId}/revoke`, { key })
    expect(revoked.status).toBe(201)
    expect(revoked.body).toEqual({
      id: grantId,
      serviceId,
      fields: ["display_name", "kyc_status"],
      purpose,
      status: "REVOKED",
      origin: "REQUEST",
      dataRequestId: asked.body.id,
      grantedAt: moment,
      expiresAt: moment,
      revokedAt: moment
    })
    expect((await readIdentity(api, key, serviceId)).body).toMatchObject({ status: 403, code: "consent_required" })

    expect(await topicsOf(api, key)).toEqual(
      expect.arrayContaining(["merchant.identity.consent_granted", "merchant.identity.request.approved"])
    )
    const events = await api.send("GET", "/v1/events", { key })
    const payloads = Object.fromEntries(
      events.body.data.map(({ payload, topic }: Record<string, unknown>) => [topic, payload])
    )
    expect(payloads).toEqual({
      "merchant.identity.consent_granted": {
        merchantId: id,
        serviceId,
        grantId,
        fields: ["display_name", "kyc_status"],
        dataRequestId: asked.body.id,
        grantedAt: approved.body.decidedAt,
        expiresAt: moment
      },
      "merchant.identity.consent_revoked": {
        merchantId: id,
        serviceId,
        grantId,
        fields: ["display_name", "kyc_status"],
        grantStatus: "REVOKED",
        at: moment
      },
      "merchant.identity.request.approved": {
        merchantId: id,
        dataRequestId: asked.body.id,
        serviceId,
        requestedFields: requested,
        approvedFields: ["display_name", "kyc_status"],
        status: "APPROVED",
        decidedAt: approved.body.decidedAt
      }
    })
  })

  it("denied: the event and the record, without the reason", async () => {
    const { id, key, serviceId } = await merchantAndPerson(api)
    const asked = await ask(api, key, { service_id: serviceId, requested_fields: ["email"] })
    const denied = await decide(api, key, asked.body.id, "deny")
    expect(denied.status).toBe(201)
    expect(Object.keys(denied.body)).toEqual([
      "id",
      "serviceId",
      "requestedFields",
      "status",
      "createdAt",
      "expiresAt",
      "decidedAt"
    ])
    expect(denied.body.status).toBe("DENIED")
    expect((await readIdentity(api, key, serviceId)).status).toBe(403)
    const events = await api.send("GET", "/v1/events", { key })
    expect(events.body.data).toMatchObject([
      {
        topic: "merchant.identity.request.denied",
        payload: {
          merchantId: id,
          dataRequestId: asked.body.id,
          serviceId,
          requestedFields: ["email"],
          status: "DENIED",
          decidedAt: denied.body.decidedAt
        }
      }
    ])
    expect(Object.keys(events.body.data[0].payload)).toEqual([
      "merchantId",
      "dataRequestId",
      "serviceId",
      "requestedFields",
      "status",
      "decidedAt"
    ])
  })

  it("cancelled: no decision and no event follows", async () => {
    const { key, serviceId } = await merchantAndPerson(api)
    const asked = await ask(api, key, { service_id: serviceId, requested_fields: ["email"] })
    const path = `/v1/data-requests/${asked.body.id}/cancel`
    const cancelled = await api.send("POST", path, { key })
    expect(cancelled.status).toBe(201)
    expect(cancelled.body).toMatchObject({ id: asked.body.id, status: "CANCELLED" })
    for (const answer of [
      await api.send("POST", path, { key }),
      await decide(api, key, asked.body.id, "approve"),
      await decide(api, key, asked.body.id, "deny")
    ]) {
      expect(answer.body).toMatchObject({
        status: 409,
        code: "data_request_decided",
        dataRequestStatus: "CANCELLED"
      })
    }
    expect(await topicsOf(api, key)).toEqual([])
  })

  it("covered by a grant for the same purpose: approved at once, without an event", async () => {
    const { key, serviceId } = await merchantAndPerson(api)
    const form = { service_id: serviceId, requested_fields: ["email", "country"], purpose: "Delivery" }
    const first = await ask(api, key, form)
    await decide(api, key, first.body.id, "approve")
    const told = await topicsOf(api, key)
    const again = await ask(api, key, { ...form, requested_fields: ["country", "service_id"] })
    expect(again.body).toMatchObject({ status: "APPROVED" })
    expect(again.body).not.toHaveProperty("consentUrl")
    expect(await topicsOf(api, key)).toEqual(told)
    const otherPurpose = await ask(api, key, { ...form, purpose: "Marketing" })
    const moreFields = await ask(api, key, { ...form, requested_fields: ["email", "display_name"] })
    expect([otherPurpose.body.status, moreFields.body.status]).toEqual(["PENDING", "PENDING"])
  })

  it("without a purpose: a sentence with the merchant's name", async () => {
    const { key, serviceId } = await merchantAndPerson(api)
    const asked = await ask(api, key, { service_id: serviceId, requested_fields: ["email"] })
    const { grantId } = (await decide(api, key, asked.body.id, "approve")).body
    const grant = await api.send("GET", `/v1/grants/${grantId}`, { key })
    expect(grant.body.purpose).toBe("Ada's Shop asks to identify you as its customer.")
  })

  it("has the same keys when it is made and when it is read, but for the sandbox's link", async () => {
    const { key, serviceId } = await merchantAndPerson(api)
    const form = { service_id: serviceId, requested_fields: ["email"], purpose: "Delivery" }
    const { consentUrl: _, ...asked } = (await ask(api, key, form)).body
    expect((await api.send("GET", `/v1/data-requests/${asked.id}`, { key })).body).toEqual(asked)
    expect((await api.send("GET", "/v1/data-requests", { key })).body.data).toEqual([asked])
  })
})
