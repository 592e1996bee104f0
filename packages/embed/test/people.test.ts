import { unwrap } from "@surety/embed"
import { assert, describe, it } from "vitest"
import { makeSale, makeSurety } from "./Shop.js"

describe("The details of a person", () => {
  it("are corrected, for those who may read them too, and a detail is removed by null", async () => {
    const surety = await makeSurety()
    const { customer, scope } = await makeSale(surety, "rectified")
    const { serviceId } = customer
    const fields = ["display_name"]
    const actor = { kind: "HOST", name: "app" } as const
    const asked = { ...scope, idempotencyKey: "ask", serviceId, requestedFields: fields }
    const dataRequest = unwrap(await surety.dataRequests.create(asked))
    unwrap(await surety.dataRequests.approve({ dataRequestId: dataRequest.id, fields, actor }))
    const act = { environment: "TEST", serviceId, reason: "sent papers" } as const
    const corrected = unwrap(await surety.people.rectify({ ...act, displayName: "Bola Ade", country: "NG" }))
    assert.deepInclude(corrected, { serviceId, displayName: "Bola Ade", country: "NG" })
    const events = unwrap(await surety.events.list(scope)).data.map(({ topic }) => topic as string)
    assert.lengthOf(
      events.filter((topic) => topic === "merchant.identity.data_changed"),
      1
    )
    const removed = unwrap(
      await surety.people.rectify({ ...act, country: null, actor: { kind: "OPERATOR", name: "support-7" } })
    )
    assert.notProperty(removed, "country")
    assert.strictEqual(removed.displayName, "Bola Ade")
    const stranger = await surety.people.rectify({ ...act, environment: "LIVE", country: "GH" })
    assert.strictEqual(stranger.ok ? undefined : stranger.error._tag, "PersonNotFound")
  })
})
