import { type HostConsentNotification, type Surety, unwrap } from "@surety/embed"
import { assert, describe, it } from "vitest"
import { makeSale, makeSurety } from "../Shop.js"

const makeLive = async (surety: Surety) => {
  const { merchant } = await makeSale(surety, "1")
  unwrap(await surety.merchants.changeStatus({ merchantId: merchant.id, status: "ACTIVE" }))
  const person = unwrap(
    await surety.consumers.create({ environment: "LIVE", userId: "user-7", displayName: "As it was given" })
  )
  return { scope: { merchantId: merchant.id, environment: "LIVE" } as const, person }
}

describe("Asking a person", () => {
  it("is bounded as the options say, and blocked until the host lifts it", async () => {
    const surety = await makeSurety({ consentAsks: { open: 2, perDay: 3, againAfterSeconds: 0 } })
    const { person, scope } = await makeLive(surety)
    const ask = (purpose: string, idempotencyKey = purpose) =>
      surety.dataRequests.create({
        ...scope,
        ...{ idempotencyKey, purpose, serviceId: person.serviceId, requestedFields: ["email"] }
      })
    const dataRequest = unwrap(await ask("first"))
    assert.strictEqual(unwrap(await ask("first", "another key")).id, dataRequest.id)
    unwrap(await ask("second"))
    const tooOften = await ask("third")
    assert.isTrue(!tooOften.ok && tooOften.error._tag === "AskedTooOften" && tooOften.error.retryAfterSeconds > 86_400)
    unwrap(await surety.dataRequests.deny({ dataRequestId: dataRequest.id }))
    unwrap(await ask("first", "again at once"))
    unwrap(await surety.dataRequests.stopAsking({ dataRequestId: dataRequest.id }))
    const blocked = await ask("fourth")
    assert.isTrue(!blocked.ok && blocked.error._tag === "AskingBlocked")
    assert.deepInclude(unwrap(await surety.dataRequests.askingBlocks(scope)).data[0], {
      serviceId: person.serviceId,
      reason: "STOP_ASKING"
    })
    unwrap(await surety.dataRequests.liftAskingBlock({ ...scope, serviceId: person.serviceId }))
    assert.lengthOf(unwrap(await surety.dataRequests.askingBlocks(scope)).data, 0)
    const lifted = await surety.dataRequests.liftAskingBlock({ ...scope, serviceId: person.serviceId })
    assert.isTrue(!lifted.ok && lifted.error._tag === "AskingBlockNotFound")
  })
})

describe("A data request", () => {
  it("goes to the person through the host's notifier, and what they approve is read from the host's directory", async () => {
    const notices: Array<HostConsentNotification> = []
    const people: Record<string, Record<string, string | number>> = {
      "user-7": { display_name: "Bola Ade", loyalty_points: 12, email: "bola@shop.example" }
    }
    const surety = await makeSurety({
      publicUrl: "https://pay.shop.example",
      consentNotifier: { notify: async (notice) => void notices.push(notice) },
      directory: { fields: ["loyalty_points"], values: async ({ userId }) => people[userId] ?? {} }
    })
    const { person, scope } = await makeLive(surety)
    const requestedFields = ["display_name", "loyalty_points", "kyc_status", "email"]
    const asked = { ...scope, idempotencyKey: "ask", serviceId: person.serviceId, requestedFields, purpose: "Delivery" }
    const dataRequest = unwrap(await surety.dataRequests.create(asked))
    assert.isTrue(unwrap(await surety.dataRequests.create(asked)).replayed)
    assert.deepInclude(dataRequest, { status: "PENDING", requestedFields })
    assert.notProperty(dataRequest, "consentUrl")
    while (notices.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const [notice] = notices
    assert.deepInclude(notice, {
      dataRequestId: dataRequest.id,
      userId: "user-7",
      purpose: "Delivery",
      requestedFields
    })
    const token = /^https:\/\/pay\.shop\.example\/consent\/([\w-]{43})$/.exec(notice?.url ?? "")?.[1] ?? ""

    const question = unwrap(await surety.dataRequests.byToken({ token }))
    assert.deepInclude(question, { id: dataRequest.id, status: "PENDING" })
    const fields = ["display_name", "loyalty_points", "kyc_status"]
    const actor = { kind: "PERSON" } as const
    const { grant } = unwrap(await surety.dataRequests.approve({ dataRequestId: dataRequest.id, fields, actor }))
    const read = { ...scope, serviceId: person.serviceId }
    assert.deepStrictEqual(unwrap(await surety.identity.read(read)), {
      serviceId: person.serviceId,
      fields: { display_name: "Bola Ade", loyalty_points: 12, kyc_status: "UNVERIFIED", service_id: person.serviceId },
      notApproved: { country: "never_requested", email: "denied", phone_verified: "never_requested" }
    })
    assert.lengthOf(unwrap(await surety.identity.reads(scope)).data, 1)

    unwrap(await surety.grants.revoke({ grantId: grant.id, actor }))
    const refused = await surety.identity.read(read)
    assert.isTrue(!refused.ok && refused.error._tag === "ConsentRequired")
    const states = unwrap(await surety.receipts.list(scope)).data.map(({ receipt }) => receipt.events.at(-1)?.state)
    assert.deepStrictEqual(states, ["REVOKED", "GRANTED"])
    assert.deepInclude(unwrap(await surety.receipts.verifyChain(scope)), { receipts: 2, faults: [] })
  })

  it("leads to the host's own page, and without a notifier waits in the list of what is pending", async () => {
    const surety = await makeSurety({ consentUrl: (token) => `https://app.shop.example/asked?t=${token}` })
    const { person, scope } = await makeLive(surety)
    const asked = { ...scope, idempotencyKey: "ask", serviceId: person.serviceId, requestedFields: ["email"] }
    const dataRequest = unwrap(await surety.dataRequests.create(asked))
    const [pending] = unwrap(await surety.dataRequests.pending({ environment: "LIVE" })).data
    assert.match(pending?.consentUrl ?? "", /^https:\/\/app\.shop\.example\/asked\?t=[\w-]{43}$/)
    unwrap(await surety.dataRequests.deny({ dataRequestId: dataRequest.id, reason: "NOT_ME" }))
    const twice = await surety.dataRequests.approve({ dataRequestId: dataRequest.id })
    assert.isTrue(!twice.ok && twice.error._tag === "DataRequestDecided")
    const granted = await surety.grants.create({ ...scope, serviceId: person.serviceId, fields: ["email"] })
    assert.isTrue(!granted.ok && granted.error._tag === "AskingBlocked")
    unwrap(await surety.dataRequests.liftAskingBlock({ ...scope, serviceId: person.serviceId }))
    unwrap(await surety.grants.create({ ...scope, serviceId: person.serviceId, fields: ["email"] }))
  })

  it("that names an unknown field is refused with the fields that there are", async () => {
    const surety = await makeSurety({ directory: { fields: ["loyalty_points"], values: async () => ({}) } })
    const { person, scope } = await makeLive(surety)
    const outcome = await surety.grants.create({ ...scope, serviceId: person.serviceId, fields: ["loyalty_point"] })
    if (outcome.ok || outcome.error._tag !== "InvalidInput") return assert.fail("not refused")
    assert.deepInclude(outcome.error.faults[0], { path: ["fields", "0"], code: "field_unknown" })
    assert.include(outcome.error.message, "kyc_status, loyalty_points")
  })
})

describe("The host's directory", () => {
  it("that fails hands nothing out", async () => {
    const surety = await makeSurety({ directory: { values: () => Promise.reject(new Error("down")) } })
    const { person, scope } = await makeLive(surety)
    unwrap(await surety.grants.create({ ...scope, serviceId: person.serviceId, fields: ["email"] }))
    const outcome = await surety.identity.read({ ...scope, serviceId: person.serviceId })
    assert.isTrue(!outcome.ok && outcome.error._tag === "DirectoryUnavailable")
  })

  it("hands on nothing that was not asked for", async () => {
    const values = { email: "bola@shop.example", display_name: "Bola" }
    const surety = await makeSurety({ directory: { values: async () => values } })
    const { person, scope } = await makeLive(surety)
    unwrap(await surety.grants.create({ ...scope, serviceId: person.serviceId, fields: ["email"] }))
    const { fields } = unwrap(await surety.identity.read({ ...scope, serviceId: person.serviceId }))
    assert.deepStrictEqual(fields, { email: "bola@shop.example", service_id: person.serviceId })
  })
})

describe("The hosted consent page", () => {
  const options = { basePath: "/pay", publicUrl: "https://shop.example/pay", consentPage: { name: "Lagos Mall" } }

  const ask = async (surety: Surety) => {
    const { person, scope } = await makeLive(surety)
    const asked = { ...scope, idempotencyKey: "ask", serviceId: person.serviceId, requestedFields: ["email"] }
    unwrap(await surety.dataRequests.create(asked))
    return unwrap(await surety.dataRequests.pending({ environment: "LIVE" })).data[0]?.consentUrl ?? ""
  }

  it("is served beside the interface, and its token is in no log line", async () => {
    const lines: Array<unknown> = []
    const surety = await makeSurety({ ...options, logger: (line) => lines.push(line) })
    const url = await ask(surety)
    const page = await surety.handler(new Request(url))
    assert.strictEqual(page.status, 200)
    assert.match(page.headers.get("content-type") ?? "", /^text\/html/)
    const html = await page.text()
    assert.include(html, "Lagos Mall")
    assert.notInclude(JSON.stringify(lines), url.split("/").at(-1) ?? "")
  })

  it("is in the languages that the host names, and brings the page that checks receipts with its keys", async () => {
    const languageOf = async (surety: Surety, accepted: string) => {
      const shown = await surety.handler(new Request(await ask(surety), { headers: { "accept-language": accepted } }))
      return shown.headers.get("content-language")
    }
    assert.strictEqual(await languageOf(await makeSurety(options), "yo"), "en", "a draft is off until it is named")
    const consentPage = { ...options.consentPage, languages: ["en", "yo"] }
    const surety = await makeSurety({ ...options, consentPage })
    assert.strictEqual(await languageOf(surety, "yo"), "yo")
    const check = await surety.handler(new Request(`${options.publicUrl}/consent-page/check-receipt.html`))
    const keys = await surety.handler(new Request(`${options.publicUrl}/.well-known/jwks.json`))
    assert.include(await check.text(), await keys.text())
  })

  it("shows nothing to a visitor who is not signed in with the host", async () => {
    const signIn = {
      url: "https://shop.example/login",
      isSignedIn: async ({ userId }: { readonly userId: string }, headers: Record<string, string | undefined>) =>
        headers.cookie === `session=${userId}`
    }
    const surety = await makeSurety({ ...options, signIn })
    const url = await ask(surety)
    const stranger = await (await surety.handler(new Request(url))).text()
    assert.include(stranger, "https://shop.example/login")
    assert.notInclude(stranger, "Ada Obi Trading")
    const theirs = await surety.handler(new Request(url, { headers: { cookie: "session=user-7" } }))
    assert.include(await theirs.text(), "Ada Obi Trading")
  })

  it("can be left out", async () => {
    const surety = await makeSurety({ ...options, consentPage: "off" })
    const answer = await surety.handler(new Request(await ask(surety)))
    assert.strictEqual(answer.status, 404)
  })
})
