import { createHash } from "node:crypto"
import {
  createSurety,
  embeddedStore,
  InvalidOptions,
  type LogLine,
  memoryStore,
  postgresStore,
  type SuretyOptions
} from "@surety/embed"
import { afterAll, assert, describe, it } from "vitest"
import { secretsKey } from "./Shop.js"

/** Returns a function without its types, so that tests can pass options that the types forbid. */
const untyped = (call: unknown) => (options?: unknown) => {
  if (typeof call !== "function") throw new TypeError("not a function")
  return call(options)
}

const refusal = async (work: () => unknown): Promise<InvalidOptions> => {
  try {
    await work()
  } catch (error) {
    assert.instanceOf(error, InvalidOptions)
    return error
  }
  return assert.fail("not refused")
}

const create = untyped(createSurety)
const faultsOf = async (options?: unknown) => (await refusal(() => create(options))).faults
const withRequired = (options: object) => faultsOf({ store: memoryStore(), secretsKey, ...options })

const keyMissing = "secretsKey: is missing; make one: openssl rand -base64 32"
const storeOf = (fault: string) => `store: ${fault}; make one with postgresStore, embeddedStore or memoryStore`

it("A url of the options has no user name and password", async () => {
  const faults = await withRequired({
    publicUrl: "https://ada:secret@pay.example",
    signIn: { url: "https://ada@pay.example/sign-in", isSignedIn: async () => true }
  })
  assert.deepStrictEqual(faults, [
    "publicUrl: must not have a user name or password in it",
    "signIn.url: must not have a user name or password in it"
  ])
})

it("A public url has no query or fragment, and a base path no dots alone", async () => {
  assert.deepStrictEqual(await withRequired({ publicUrl: "https://pay.example/?a=b", basePath: "/pay/.." }), [
    "basePath: must look like /pay or /api/pay",
    "publicUrl: must not have a query or fragment"
  ])
  assert.deepStrictEqual(await withRequired({ publicUrl: "https://pay.example#top" }), [
    "publicUrl: must not have a query or fragment"
  ])
})

it("Operators have different names in any letter case, and none is the only token's", async () => {
  const operator = (name: string, digit: string) => ({ name, role: "admin", tokenHash: digit.repeat(64) })
  for (const operators of [[operator("Operator", "a")], [operator("ada", "a"), operator("Ada", "b")]]) {
    const [fault = "", ...others] = await withRequired({ operators })
    assert.match(fault, /^operators: must be a list/u)
    assert.lengthOf(others, 0)
  }
})

it("An operator's hash is not that of an empty token, which an unset variable gives", async () => {
  for (const text of ["", "\n"]) {
    const tokenHash = createHash("sha256").update(text).digest("hex")
    const [fault = ""] = await withRequired({ operators: [{ name: "ada", role: "admin", tokenHash }] })
    assert.match(fault, /^operators: must be a list .* of a token that is not empty/u)
  }
})

describe("Surety without what it needs", () => {
  it.each([undefined, null, "postgres://shop", [], 5])(
    "is not created from %j, which is no options",
    async (options) => {
      assert.deepStrictEqual(await faultsOf(options), ["options: must be an object with store, secretsKey"])
    }
  )

  it("lists everything that is missing", async () => {
    assert.deepStrictEqual(await faultsOf({}), [storeOf("is missing"), keyMissing])
    assert.deepStrictEqual(await faultsOf({ secretsKey }), [storeOf("is missing")])
  })

  it("refuses bounds on asking that are not whole numbers", async () => {
    assert.deepStrictEqual(await withRequired({ consentAsks: { open: -1, perDay: 1.5, againAfter: 5 } }), [
      "consentAsks.againAfter: is not an option; did you mean againAfterSeconds?",
      "consentAsks.open: must be a whole number of at least 0",
      "consentAsks.perDay: must be a whole number of at least 0"
    ])
  })

  it.each([
    ["a url", "postgres://shop:hunter2@db/shop"],
    ["a store's function that was not called", memoryStore],
    ["something with another layer", { layer: {} }]
  ])("says how to make a store, if it got %s", async (_, store) => {
    const { faults, message } = await refusal(() => create({ store, secretsKey }))
    assert.deepStrictEqual(faults, [storeOf("is not a store")])
    assert.notInclude(message, "hunter2")
  })

  it.each([5, Buffer.alloc(32), [secretsKey, 5]])("says that keys are strings", async (wrong) => {
    assert.deepStrictEqual(await withRequired({ secretsKey: wrong }), [
      "secretsKey: must be a string or a list of strings"
    ])
  })

  it("says that a list has no key", async () => {
    assert.deepStrictEqual(await withRequired({ secretsKey: [] }), ["secretsKey: is an empty list"])
  })
})

describe("An option that is not known", () => {
  it.each([
    ["loger", "logger"],
    ["secretKey", "secretsKey"],
    ["publicURL", "publicUrl"],
    ["notifier", "consentNotifier"]
  ])("%s is refused, and what was probably meant is named", async (given, meant) => {
    assert.deepStrictEqual(await withRequired({ [given]: undefined }), [
      `${given}: is not an option; did you mean ${meant}?`
    ])
  })

  it("is refused without a guess if nothing is like it", async () => {
    assert.deepStrictEqual(await withRequired({ mailer: {} }), ["mailer: is not an option"])
  })

  it("is refused within other options too", async () => {
    const options = { consentPage: { nam: "Shop" }, rateLimits: { refund: "off", other: { perSecond: 1, brust: 5 } } }
    assert.deepStrictEqual(await withRequired(options), [
      "consentPage.nam: is not an option; did you mean name?",
      "rateLimits.refund: is not an option; did you mean refunds?",
      "rateLimits.other.brust: is not an option; did you mean burst?",
      "rateLimits.other.burst: must be a whole number of at least 1"
    ])
  })
})

describe("A part of the host's", () => {
  const missing = {
    wallet: ["credit"],
    directory: ["values"],
    consentNotifier: ["notify"],
    kyc: ["submit", "lookup"],
    signIn: ["isSignedIn"],
    rateLimiter: ["take"],
    tracer: ["span"]
  }
  const publicUrl = "https://shop.example"

  it.each(Object.entries(missing))("%s is refused where it lacks a function", async (part, methods) => {
    assert.deepStrictEqual(
      await withRequired({ publicUrl, [part]: { name: "acme", url: "https://shop.example/in" } }),
      methods.map((method) => `${part}.${method}: a function is missing`)
    )
  })

  it.each(Object.keys(missing))("%s is refused where it is no object", async (part) => {
    for (const wrong of [null, 5, "https://shop.example", () => {}]) {
      const [fault, ...others] = await withRequired({ publicUrl, [part]: wrong })
      assert.match(fault ?? "", new RegExp(`^${part}: must be an object with `))
      assert.lengthOf(others, 0)
    }
  })

  it("may be an object of a class, with more than is asked for", async () => {
    class Wallet {
      readonly frozen = new Set<string>()
      async credit() {
        return { credited: true } as const
      }
    }
    const surety = await createSurety({ store: memoryStore(), secretsKey, wallet: new Wallet() })
    await surety.close()
  })

  it("has functions only where functions belong", async () => {
    const wrong = { wallet: { credit: 5, creditInTransaction: "yes" }, logger: console, consentUrl: "/ask" }
    assert.deepStrictEqual(await withRequired(wrong), [
      "wallet.credit: must be a function",
      "wallet.creditInTransaction: must be a function",
      "consentUrl: must be a function",
      "logger: must be a function"
    ])
  })
})

describe("Options of a wrong kind", () => {
  it("are all named in one error, in the order of the documentation", async () => {
    const wrong = {
      ...{ publicUrl: 5, basePath: ["/pay"], operatorToken: 5, provisioning: "all", docs: "no" },
      ...{ directory: { values: async () => ({}), fields: ["points", "Shoe Size"] }, signIn: { isSignedIn() {} } },
      ...{ kyc: { submit() {}, lookup() {} }, consentPage: "on", consumerIdCheck: "none" },
      ...{ rateLimits: { refunds: 5, other: { perSecond: -1, burst: 0.5 } }, targets: "all" }
    }
    assert.deepStrictEqual(await withRequired(wrong), [
      "publicUrl: is not an absolute http or https url",
      "basePath: must look like /pay or /api/pay",
      "operatorToken: must be a string of at least 16 characters",
      'provisioning: must be "open" or "token" or "off"',
      "docs: must be true or false",
      'directory.fields: "Shoe Size" is not a name of lower-case letters, digits and underscores',
      'consentPage: must be "off" or an object',
      "signIn.url: must be a non-empty string",
      "kyc.name: must be a non-empty string",
      'consumerIdCheck: must be "crockford" or "shape"',
      'rateLimits.refunds: must be "off" or an object',
      "rateLimits.other.perSecond: must be a number above 0",
      "rateLimits.other.burst: must be a whole number of at least 1",
      'targets: must be "public" or "any"'
    ])
  })

  it.each(["points", [5], {}])("are refused if a directory's fields are %j", async (fields) => {
    assert.deepStrictEqual(await withRequired({ directory: { values() {}, fields } }), [
      "directory.fields: must be a list of names"
    ])
  })

  it.each([[[]], [["en", "xx"]], ["ha"], [[5]]])("are refused if the page's languages are %j", async (languages) => {
    assert.deepStrictEqual(await withRequired({ consentPage: { languages } }), [
      "consentPage.languages: must list some of en, pcm, ha, yo, ig"
    ])
  })

  it("are refused together with those that are wrong beside others", async () => {
    const notifier = { consentNotifier: { notify: async () => {} }, provisioning: "token", targets: "all" }
    assert.deepStrictEqual(await withRequired(notifier), [
      'targets: must be "public" or "any"',
      'provisioning: "token" needs an operatorToken',
      "consentNotifier: needs publicUrl or consentUrl, since people follow the links that it sends"
    ])
  })
})

describe("A store's options", () => {
  const url = "postgres://shop:hunter2@db/shop"
  const pool = { connect: () => Promise.reject(new Error("not asked")) }

  it.each<[string, unknown, ReadonlyArray<string>]>([
    ["nothing", undefined, ["options: must be an object"]],
    ["a bare url", url, ["options: must be an object"]],
    ["neither url nor pool", {}, ["url: is missing; give it, or a pool"]],
    ["both", { url, pool, maxConnections: 5 }, ["pool: replaces url", "maxConnections: set max on the pool"]],
    ["what is no pool", { pool: {} }, ["pool.connect: a function is missing"]],
    [
      "values of wrong kinds",
      { url: "db:5432/hunter2", maxConnections: 0, schema: "pg_shop", migrate: "no" },
      ["url: is not a url of", "maxConnections: must be a whole", "schema: must be 1 to 63", "migrate: must be true"]
    ],
    ["an unknown one", { url, scheme: "shop" }, ["scheme: is not an option; did you mean schema?"]],
    [
      "a url that asks for TLS in vain",
      { url: `${url}?ssl=true` },
      ['url: has the parameter "ssl", which would be ignored']
    ]
  ])("are refused where PostgreSQL's are %s", async (_, options, starts) => {
    const { faults, message } = await refusal(() => untyped(postgresStore)(options))
    assert.lengthOf(faults, starts.length)
    for (const [index, start] of starts.entries()) assert.isTrue(faults[index]?.startsWith(start), faults[index])
    assert.match(message, /^A PostgreSQL store cannot be created:/)
    assert.notInclude(message, "hunter2")
  })

  it.each<[unknown, string]>([
    [{ datadir: "./data" }, "datadir: is not an option; did you mean dataDir?"],
    [{ dataDir: 5 }, "dataDir: must be a non-empty string"],
    [{ dataDir: "" }, "dataDir: must be a non-empty string"],
    ["./data", "options: must be an object"]
  ])("are refused where an embedded database's are %j", async (options, fault) => {
    assert.deepStrictEqual((await refusal(() => untyped(embeddedStore)(options))).faults, [fault])
  })
})

describe("Without publicUrl", () => {
  const linesOf = async (options: Partial<SuretyOptions>) => {
    const lines: Array<LogLine> = []
    const logger = (line: LogLine) => lines.push(line)
    const surety = await createSurety({ store: memoryStore(), secretsKey, basePath: "/pay", logger, ...options })
    afterAll(() => surety.close())
    return lines
  }

  it("the log warns once where people's links lead", async () => {
    const lines = await linesOf({})
    assert.lengthOf(lines, 1)
    assert.strictEqual(lines[0]?.level, "warn")
    assert.match(lines[0]?.message ?? "", /^publicUrl is not set: .+ http:\/\/localhost\/pay,/)
  })

  it("it does not while webhooks may go to this machine, which is for development", async () => {
    assert.deepStrictEqual(await linesOf({ targets: "any" }), [])
  })

  it("and with it, it does not", async () => {
    assert.deepStrictEqual(await linesOf({ publicUrl: "https://shop.example/pay" }), [])
  })
})
