import { type HostKycProvider, type Surety, type SuretyOptions, unwrap } from "@surety/embed"
import { assert, describe, it } from "vitest"
import { optionChecks } from "../../src/option/suretyOptions.js"
import { makeSale } from "../Shop.js"
import { assertTold, each, misbehaving, outcomes, untyped } from "./misbehavingPart.js"
import { answersEmpty, answersUndefined, misbehaviours } from "./misbehaviours.js"

/** Longer than any timeout of a host's part. */
const timeout = 120_000

const indexIn = (text: string): number => Number(/\d+$/.exec(text)?.[0])

const live = async (surety: Surety, id: string) => {
  const { merchant } = await makeSale(surety, id)
  unwrap(await surety.merchants.changeStatus({ merchantId: merchant.id, status: "ACTIVE" }))
  const { serviceId } = unwrap(
    await surety.consumers.create({ environment: "LIVE", userId: `user-${id}`, linkedTo: merchant.id })
  )
  return { merchantId: merchant.id, environment: "LIVE", serviceId } as const
}

const answersAPromise = { name: "answers the right thing in a promise", act: async () => ({ status: "VERIFIED" }) }
const noAnswer = [...misbehaviours, answersUndefined, answersEmpty]

const tested: Array<string> = []

/** Records the options' names, which the last test compares with `hostParts`. */
const parts = (names: ReadonlyArray<keyof SuretyOptions>, title: string, run: () => Promise<void>) => {
  tested.push(...names)
  it.concurrent(title, { timeout }, run)
}

/**
 * Names of the options that are a function or require one in an object. Their checks report a missing or invalid
 * function.
 */
const hostParts = Object.entries(optionChecks).flatMap(([name, check]) => {
  const faults = [...check({}, name), ...check(5, name)]
  return faults.some((fault) => /: a function is missing$|: must be a function$/.test(fault)) ? [name] : []
})

/** Options without a test here: stores have tests of their own, and Effect, not Surety, calls the tracer. */
const testedElsewhere = ["store", "tracer"]

describe("If a host's part does anything outside its contract", () => {
  parts(["wallet"], "a wallet credits no one: the refund stays pending, and no event says otherwise", async () => {
    const credit = untyped(({ transactionId }) => noAnswer[indexIn(transactionId)]?.act())
    const host = await misbehaving({ wallet: { credit } })
    const came = await outcomes(noAnswer, async (_, index) => {
      const { scope } = await makeSale(host.surety, String(index))
      const asked = { ...scope, idempotencyKey: "k", transactionId: `order-${index}`, amount: 10 }
      const outcome = await host.surety.refunds.create(asked)
      const [refund] = unwrap(await host.surety.refunds.list(scope)).data
      const events = unwrap(await host.surety.events.list(scope)).data
      const topics = events.map(({ topic }) => topic)
      return [outcome.ok ? "ok" : outcome.error._tag, refund?.status, ...topics].join(" ")
    })
    assert.deepStrictEqual(came, each(noAnswer, "RefundOutcomeUnknown PENDING transaction.settled"))
    assertTold(host, { part: "wallet", operation: "credit" }, noAnswer.length, [])
    const { errors } = host
    assert.isTrue(errors.some(({ cause }) => cause instanceof Error && cause.message === "socket hang up"))
    const frozen = "got an object { credited: boolean, error: string }"
    assert.include(host.lines.map(({ cause }) => cause).join("\n"), frozen)
    assert.isFalse(host.lines.some(({ cause }) => cause?.includes("frozen")))
  })

  parts(["directory"], "a directory hands nothing out", async () => {
    // For a directory, a record without the requested field is a valid result: the person has no value for the field.
    const isRecord =
      /answers (an? )?(object|refusal|the right|success|both|reason|another|status|allowance|inherited|getter|cyclic)/
    const wrong = [
      ...misbehaviours.filter(({ name }) => !isRecord.test(name)),
      answersUndefined,
      ...Object.entries({ number: 7, date: new Date(0), list: () => [], object: { a: () => {} } }).map(
        ([name, email]) => ({
          name: `answers an e-mail that is a ${name}`,
          act: async () => ({ email })
        })
      )
    ]
    const values = untyped(({ userId }) => wrong[indexIn(userId)]?.act())
    const host = await misbehaving({ directory: { values } })
    const came = await outcomes(wrong, async (_, index) => {
      const { serviceId, ...scope } = await live(host.surety, String(index))
      unwrap(await host.surety.grants.create({ ...scope, serviceId, fields: ["email"] }))
      const outcome = await host.surety.identity.read({ ...scope, serviceId })
      return outcome.ok ? JSON.stringify(outcome.value) : outcome.error._tag
    })
    assert.deepStrictEqual(came, each(wrong, "DirectoryUnavailable"))
    assertTold(host, { part: "directory", operation: "values" }, wrong.length, [])
  })

  parts(
    ["consentNotifier"],
    "a notifier has notified no one: it is called again, and no link is in the log",
    async () => {
      const wrong = [...misbehaviours, answersEmpty]
      const links: Array<string> = []
      const notify = untyped(({ url, userId }) => {
        links.push(url, url.split("/").at(-1))
        if (indexIn(userId) === wrong.length) throw new Error(`cannot send ${url}`)
        return wrong[indexIn(userId)]?.act()
      })
      const host = await misbehaving({ consentNotifier: { notify } })
      for (let index = 0; index <= wrong.length; index += 1) {
        const { serviceId, ...scope } = await live(host.surety, String(index))
        const asked = { ...scope, serviceId, idempotencyKey: "k", requestedFields: ["email"] }
        unwrap(await host.surety.dataRequests.create(asked))
      }
      while (host.errors.length <= wrong.length) await new Promise((resolve) => setTimeout(resolve, 50))
      assertTold(host, { part: "consentNotifier", operation: "notify" }, wrong.length + 1, links)
    }
  )

  parts(["kyc"], "a KYC provider verifies no one, and no number is in the log", async () => {
    const wrong = [
      ...noAnswer,
      { name: "quotes the number", act: () => Promise.reject(new Error("no 12345678999 known")) }
    ]
    const provider: HostKycProvider = {
      name: "shop",
      submit: untyped(({ id }) => (id === "12345678999" ? wrong.at(-1)?.act() : wrong[Number(id.slice(-2))]?.act())),
      lookup: () => new Promise(() => {})
    }
    const host = await misbehaving({ kyc: provider })
    const came = await outcomes(wrong, async (_, index) => {
      const { serviceId: __, ...scope } = await live(host.surety, String(index))
      const id = index === wrong.length - 1 ? "12345678999" : `123456789${String(index).padStart(2, "0")}`
      const asked = { ...scope, idempotencyKey: "k", userId: `user-${index}`, kind: "bvn", id } as const
      const created = host.surety.verifications.create({ ...asked, verificationConsent: true })
      await Promise.race([created, new Promise((resolve) => setTimeout(resolve, 12_000))])
      const [verification] = unwrap(await host.surety.verifications.list(scope)).data
      return verification?.status
    })
    assert.notInclude(Object.values(came), "VERIFIED")
    assert.notInclude(Object.values(came), "FAILED")
    for (const error of host.errors) assert.include(["submit", "lookup"], error.operation)
    assert.isAtLeast(host.errors.filter(({ operation }) => operation === "submit").length, 5)
    const text = JSON.stringify(host.lines)
    assert.notInclude(text, "123456789")
  })

  parts(["kycPolicy"], "a KYC policy changes nothing of the person", async () => {
    const wrong = [...noAnswer.filter(({ name }) => name !== "answers a status alone"), answersAPromise]
    const provider: HostKycProvider = {
      name: "shop",
      submit: async () => ({ status: "VERIFIED", providerReference: "p-1", checks: { selfie: "MATCH" } }),
      lookup: async () => undefined
    }
    const kycPolicy = untyped(({ evidence }) => wrong[indexIn(evidence.at(-1).userId)]?.act())
    const host = await misbehaving({ kyc: provider, kycPolicy })
    const came = await outcomes(wrong, async (_, index) => {
      const { serviceId, ...scope } = await live(host.surety, String(index))
      const asked = { ...scope, idempotencyKey: "k", userId: `user-${index}`, kind: "bvn", id: "12345678901" } as const
      const verification = unwrap(await host.surety.verifications.create({ ...asked, verificationConsent: true }))
      unwrap(await host.surety.grants.create({ ...scope, serviceId, fields: ["kyc_status"] }))
      const { fields } = unwrap(await host.surety.identity.read({ ...scope, serviceId }))
      return `${verification.status} ${fields.kyc_status}`
    })
    assert.deepStrictEqual(came, each(wrong, "VERIFIED UNVERIFIED"))
    assertTold(host, { part: "kycPolicy", operation: "judge" }, wrong.length, [])
  })

  parts(["signIn"], "a sign-in admits no one, and no cookie is in the log", async () => {
    const wrong = [
      ...misbehaviours.filter(({ name }) => name !== "answers true"),
      answersUndefined,
      answersEmpty,
      { name: "quotes the cookie", act: () => Promise.reject(new Error("no session 5f2c99aa71")) }
    ]
    const isSignedIn = untyped(({ userId }) => wrong[indexIn(userId)]?.act())
    const host = await misbehaving({ signIn: { url: "https://shop.example/login", isSignedIn } })
    const came = await outcomes(wrong, async (_, index) => {
      const { serviceId, ...scope } = await live(host.surety, String(index))
      const asked = { ...scope, serviceId, idempotencyKey: "k", requestedFields: ["email"], purpose: "Delivery" }
      const dataRequest = unwrap(await host.surety.dataRequests.create(asked))
      let cursor: string | undefined
      let url = ""
      do {
        const page = unwrap(
          await host.surety.dataRequests.pending({ environment: "LIVE", ...(cursor === undefined ? {} : { cursor }) })
        )
        url = page.data.find(({ id }) => id === dataRequest.id)?.consentUrl ?? url
        cursor = page.nextCursor
      } while (cursor !== undefined)
      const page = await host.surety.handler(new Request(url, { headers: { cookie: "session=5f2c99aa71" } }))
      const html = await page.text()
      return [page.status, html.includes("Ada Obi Trading") ? "shown" : "not shown"].join(" ")
    })
    assert.deepStrictEqual(came, each(wrong, "503 not shown"))
    assertTold(host, { part: "signIn", operation: "admit" }, wrong.length, ["5f2c99aa71"])
  })

  parts(["rateLimiter"], "a rate limiter lets merchants' requests pass, and the log says so", async () => {
    let current = 0
    const take = untyped(() => noAnswer[current]?.act())
    const host = await misbehaving({ rateLimiter: { take } })
    const { scope } = await makeSale(host.surety, "1")
    const { secret } = unwrap(await host.surety.apiKeys.create(scope))
    const came: Record<string, number> = {}
    for (const [index, { name }] of noAnswer.entries()) {
      current = index
      const headers = { authorization: `Bearer ${secret}` }
      const answer = await host.surety.handler(new Request("https://pay.shop.example/v1/whoami", { headers }))
      came[name] = answer.status
    }
    assert.deepStrictEqual(came, each(noAnswer, 200))
    assertTold(host, { part: "rateLimiter", operation: "take" }, noAnswer.length, [secret])
  })

  parts(["consentUrl"], "a maker of links asks no one", async () => {
    const wrong = [...misbehaviours, answersUndefined, answersEmpty]
    let current = 0
    const tokens: Array<string> = []
    const consentUrl = untyped((token) => {
      tokens.push(token)
      return wrong[current]?.act()
    })
    const host = await misbehaving({ consentUrl })
    const { serviceId, ...scope } = await live(host.surety, "1")
    for (const [index] of wrong.entries()) {
      current = index
      const asked = { ...scope, serviceId, idempotencyKey: `k${index}`, requestedFields: ["email"] }
      const failure = await host.surety.dataRequests.create(asked).catch((cause: unknown) => cause)
      assert.instanceOf(failure, Error)
      for (const token of tokens) assert.notInclude(String(failure), token)
    }
    assert.lengthOf(unwrap(await host.surety.dataRequests.pending({ environment: "LIVE" })).data, 0)
    assert.lengthOf(
      host.errors.filter(({ part }) => part === "consentUrl"),
      wrong.length
    )
  })

  parts(["logger", "onError"], "a logger and an onError stop nothing", async () => {
    let current: () => unknown = () => undefined
    const told: Array<string> = []
    const onError = untyped(({ part }) => {
      told.push(part)
      return current()
    })
    const logger = untyped(() => current())
    const wallet = { credit: () => Promise.reject(new Error("down")) }
    const { surety } = await misbehaving({ logger, onError, wallet })
    const { scope } = await makeSale(surety, "1")
    for (const [index, { act, name }] of noAnswer.entries()) {
      current = act
      told.length = 0
      const asked = { ...scope, idempotencyKey: `k${index}`, transactionId: "order-1", amount: 1 }
      const outcome = await surety.refunds.create(asked)
      assert.isTrue(!outcome.ok, name)
      const answer = await surety.handler(new Request("https://pay.shop.example/v1/whoami"))
      assert.strictEqual(answer.status, 401, name)
      if (name === "throws synchronously") assert.include(told, "logger")
    }
  })

  it("is a row above, for every option that brings code of the host's", () => {
    assert.includeMembers(hostParts, ["wallet", "kycPolicy", "logger"], "the options are read as meant")
    assert.sameMembers(
      tested,
      hostParts.filter((name) => !testedElsewhere.includes(name))
    )
  })
})
