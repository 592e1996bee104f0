import { expect, it } from "vitest"
import { ConsentRequired, ConsumerNotFound, DataRequestDecided, NotFound } from "../src/index.js"
import { makeClient, makeService } from "./Service.js"

const service = makeService()

const person = async () => {
  const client = await makeClient(service)
  const consumer = await client.testHelpers.createConsumer({ display_name: "Ada Obi", email: "ada@mail.example" })
  return { client, service_id: consumer.serviceId }
}

it("fields are asked for, approved in part, read, and read no more once the grant is revoked", async () => {
  const { client, service_id } = await person()
  await expect(client.identity.read({ service_id })).rejects.toBeInstanceOf(ConsentRequired)
  const ask = () =>
    client.dataRequests.create(
      { service_id, requested_fields: ["display_name", "email"], purpose: "To deliver your order." },
      { idempotencyKey: "ask-1" }
    )
  const asked = await ask()
  expect(asked).toMatchObject({ status: "PENDING", requestedFields: ["display_name", "email"] })
  expect(asked.consentUrl).toMatch(/^https:\/\/pay\.example\//u)
  expect((await ask().withReply()).replayed).toBe(true)

  const approved = await client.testHelpers.approveDataRequest(asked.id, { fields: ["display_name"] })
  expect(approved).toMatchObject({ status: "APPROVED", approvedFields: ["display_name"] })
  expect(await client.dataRequests.get(asked.id)).toMatchObject({ status: "APPROVED" })
  const identity = await client.identity.read({ service_id, fields: ["display_name", "email"] })
  expect(identity.fields).toEqual({ display_name: "Ada Obi" })
  expect(identity.notApproved.email).toBe("denied")

  const grantId = approved.grantId ?? expect.fail("there is no grant")
  expect(await client.testHelpers.revokeGrant(grantId)).toMatchObject({ status: "REVOKED" })
  await expect(client.identity.read({ service_id })).rejects.toBeInstanceOf(ConsentRequired)
})

it("a question is listed, taken back, and decided once", async () => {
  const { client, service_id } = await person()
  const first = await client.dataRequests.create({ service_id, requested_fields: ["email"] })
  const second = await client.dataRequests.create({ service_id, requested_fields: ["country"] })
  const listed = await client.dataRequests.list({ service_id, limit: 1 }).take(10)
  expect(listed.map(({ id }) => id).sort()).toEqual([first.id, second.id].sort())
  expect(await client.dataRequests.cancel(first.id)).toMatchObject({ status: "CANCELLED" })
  await expect(client.dataRequests.cancel(first.id)).rejects.toBeInstanceOf(DataRequestDecided)
  expect(await client.testHelpers.denyDataRequest(second.id)).toMatchObject({ status: "DENIED" })
  const nobody = client.dataRequests.create({ service_id: "SR1-ABCD-EFGH-Q", requested_fields: ["email"] })
  await expect(nobody).rejects.toBeInstanceOf(ConsumerNotFound)
})

it("a client of another merchant sees nothing of it", async () => {
  const { client, service_id } = await person()
  const asked = await client.dataRequests.create({ service_id, requested_fields: ["email"] })
  const other = await makeClient(service)
  await expect(other.dataRequests.get(asked.id)).rejects.toBeInstanceOf(NotFound)
  expect(await other.dataRequests.list()).toMatchObject({ data: [] })
})
