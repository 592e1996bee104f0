import { topics } from "@surety/core/event/DomainEvent"
import { verify } from "@surety/verifier"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type Client, createClient } from "../../src/index.js"
import { baseUrl, makeKey, makePayment, makeService } from "../Service.js"
import { type Mishap, type Network, startNetwork } from "../UnreliableNetwork.js"
import { type Receiver, type Running, start, startReceiver, until } from "./Command.js"

const service = makeService()
let network: Network
let receiver: Receiver
let key: string
let client: Client
let commands: Array<Running> = []

beforeAll(async () => {
  network = await startNetwork(service.fetch, baseUrl)
})
afterAll(() => network[Symbol.asyncDispose]())

beforeEach(async () => {
  key = await makeKey(service)
  client = createClient({ apiKey: key, baseUrl, fetch: service.fetch })
  receiver = await startReceiver()
})
afterEach(async () => {
  for (const { exitCode, interrupt } of commands) {
    interrupt()
    await exitCode
  }
  commands = []
  await receiver[Symbol.asyncDispose]()
})

const env = () => ({ SURETY_API_KEY: key, SURETY_URL: network.url })

const listen = async (
  argv: ReadonlyArray<string> = ["--forward-to", receiver.url],
  { terminal = {}, more = {} }: { readonly terminal?: Parameters<typeof start>[2]; readonly more?: object } = {}
): Promise<Running> => {
  const running = start(["listen", ...argv], { ...env(), ...more }, terminal)
  commands.push(running)
  await until(() => running.printed.some((line) => /^Listening|"type":"ready"|Listening/u.test(line)))
  return running
}

const secretIn = ({ printed }: Running): string =>
  /whsec_[A-Za-z0-9+/]+=/u.exec(printed.join("\n"))?.[0] ?? expect.fail("no secret is shown")

const arrivedIds = (): ReadonlyArray<string> => receiver.arrived.map(({ headers }) => String(headers["webhook-id"]))

describe("listen", () => {
  it("forwards what happens from now on, signed, and shows the receiver's answer", async () => {
    await makePayment(client)
    const running = await listen()
    receiver.answers.push({ status: 201 }, { status: 500, body: "no such\u001B[2J order\n" })
    const { transactionId } = await makePayment(client)
    await client.refunds.create({ transaction_id: transactionId })
    const lines = await until(() => {
      const shown = running.printed.filter((line) => line.includes("→"))
      return shown.length === 2 && shown
    })
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d {2}transaction\.settled +event_\w+ {2}→ 201 in \d+ ms$/u)
    expect(lines[1]).toMatch(/refund\.completed +event_\w+ {2}→ 500 in \d+ ms: no such {1,2}\[2J order$/u)
    expect(receiver.arrived).toHaveLength(2)
    const secrets = secretIn(running)
    for (const { body, headers } of receiver.arrived) {
      expect(await verify({ body, headers, secrets })).toMatchObject({ ok: true, event: { environment: "TEST" } })
    }
    const [settled] = (await client.events.list({ topic: "transaction.settled" })).data
    expect(receiver.arrived[0]?.body.toString()).toBe(JSON.stringify(settled?.payload))
    expect(receiver.arrived[0]?.headers["x-service-sequence"]).toBe(settled?.sequence)
    // Header names arrive in their documented casing.
    expect(receiver.arrived[0]?.names).toEqual(expect.arrayContaining(["X-Service-Signature", "webhook-id"]))
    running.interrupt()
    expect(await running.exitCode).toBe(0)
    expect(running.printed.at(-2)).toBe("1 delivered, 1 failed")
    expect(running.printed.at(-1)).toContain(`--after ${arrivedIds()[1]}`)
  })

  it("sends the last again when r is pressed, as another attempt of the same event, and ends at q", async () => {
    const running = await listen(undefined, { terminal: { keyboard: true } })
    running.press("r")
    await makePayment(client)
    await until(() => receiver.arrived.length === 1)
    running.press("r")
    await until(() => receiver.arrived.length === 2)
    running.press("x")
    expect(new Set(arrivedIds()).size).toBe(1)
    expect(receiver.arrived.map(({ headers }) => headers["x-service-delivery-attempt"])).toEqual(["1", "2"])
    const secrets = secretIn(running)
    for (const { body, headers } of receiver.arrived) expect((await verify({ body, headers, secrets })).ok).toBe(true)
    running.press("q")
    expect(await running.exitCode).toBe(0)
    expect(running.printed).toContain("2 delivered, 0 failed")
  })

  it("loses no event and sends none twice while the service fails and returns", async () => {
    const running = await listen()
    const made: Array<string> = []
    const down = { status: 503, headers: { "content-type": "text/html" }, body: "<h1>deploying</h1>" }
    // At most three mishaps in a row, since each further one doubles the wait.
    const outages: ReadonlyArray<ReadonlyArray<Mishap>> = [
      ["breaks on the way there", "breaks on the way back", "comes back in half"],
      ["breaks within the answer", down],
      [down, "comes back in half", "breaks within the answer"],
      ["breaks on the way back", "breaks on the way there"]
    ]
    for (const mishaps of outages) {
      network.next(...mishaps)
      made.push((await makePayment(client)).transactionId, (await makePayment(client)).transactionId)
      await until(() => receiver.arrived.length >= made.length)
    }
    const bodies = receiver.arrived.map(({ body }) => JSON.parse(body.toString()).transactionId)
    expect(bodies).toEqual(made)
    expect(new Set(arrivedIds()).size).toBe(made.length)
    expect(running.errors.filter((line) => line.includes("unreachable")).length).toBeGreaterThanOrEqual(4)
    expect(running.errors.at(-1)).toBe("The service is reachable again.")
  })

  it("waits for a service that does not answer yet, and ends at once when interrupted", async () => {
    network.next(...Array.from({ length: 30 }, () => "breaks on the way there" as const))
    const running = start(["listen", "--forward-to", receiver.url], env())
    await until(() => running.errors.length > 0)
    running.interrupt()
    expect(await running.exitCode).toBe(0)
    expect(running.printed).toEqual([])
    network.clear()
  })

  it("sends the next event although the receiver still works on the one before", async () => {
    const running = await listen()
    receiver.answers.push({ status: 200, when: () => receiver.arrived.length === 2 })
    await makePayment(client)
    await makePayment(client)
    await until(() => running.printed.filter((line) => line.includes("→ 20")).length === 2)
  })

  it("forwards only the topics that are named", async () => {
    await listen(["--forward-to", receiver.url, "--topics", "refund.completed, refund.failed"])
    const { transactionId } = await makePayment(client)
    await client.refunds.create({ transaction_id: transactionId })
    await until(() => receiver.arrived.length > 0)
    expect(receiver.arrived.map(({ headers }) => headers["x-service-event"])).toEqual(["refund.completed"])
  })

  it("begins after an event", async () => {
    await makePayment(client)
    const [first] = (await client.events.list()).data
    const second = await makePayment(client)
    await listen(["--forward-to", receiver.url, "--after", first?.id ?? ""])
    await until(() => receiver.arrived.length > 0)
    expect(JSON.parse(String(receiver.arrived[0]?.body)).transactionId).toBe(second.transactionId)
  })

  it("begins with what happens from now on, however much has happened before", async () => {
    const { serviceId } = await client.testHelpers.createConsumer()
    const pay = () => client.testHelpers.createPayment({ service_id: serviceId, amount: 1 })
    for (let page = 0; page < 2; page += 1) await Promise.all(Array.from({ length: 60 }, pay))
    await listen()
    const { transactionId } = await pay()
    await until(() => receiver.arrived.length > 0)
    expect(receiver.arrived.map(({ body }) => JSON.parse(body.toString()).transactionId)).toEqual([transactionId])
  })

  it("prints a line of JSON for all that happens", async () => {
    receiver.answers.push({ status: 302, headers: { location: network.url }, body: "moved\u009B2J\u202E" })
    const running = await listen(["--forward-to", receiver.url, "--json"])
    await makePayment(client)
    await until(() => running.printed.length === 2)
    running.interrupt()
    await running.exitCode
    const [ready, delivery, end] = running.printed.map((line) => JSON.parse(line))
    expect(ready).toMatchObject({ type: "ready", environment: "TEST", forwardTo: receiver.url })
    // Redirects are not followed but count as failures, as they do for the service.
    expect(delivery).toMatchObject({
      type: "delivery",
      attempt: 1,
      delivered: false,
      status: 302,
      answer: "moved\u009B2J\u202E"
    })
    expect(running.printed[1]).toContain(String.raw`moved\u009b2J\u202e`)
    expect(delivery).toMatchObject({ eventId: arrivedIds()[0], payload: JSON.parse(String(receiver.arrived[0]?.body)) })
    expect(end).toEqual({ type: "end", delivered: 0, failed: 1, last: delivery.eventId })
  })

  it("says why a receiver does not answer", async () => {
    await receiver[Symbol.asyncDispose]()
    const running = await listen(["--forward-to", receiver.url])
    await makePayment(client)
    await until(() => running.printed.some((line) => /→ no response: connection refused/u.test(line)))
  })

  it("only shows what happens if nothing is to be forwarded", async () => {
    const running = await listen([])
    await makePayment(client)
    await until(() => running.printed.some((line) => /transaction\.settled +event_\w+$/u.test(line)))
    expect(running.printed.join("\n")).not.toContain("whsec_")
  })

  it("paints on a terminal only", async () => {
    const [plain, painted] = [await listen(), await listen(undefined, { terminal: { colours: true } })]
    await makePayment(client)
    await until(() => receiver.arrived.length === 2)
    await until(() => [plain, painted].every(({ printed }) => printed.some((line) => line.includes("→"))))
    expect(plain.printed.join("\n")).not.toContain("\u001B")
    expect(painted.printed.join("\n")).toContain("\u001B[32m204\u001B[0m")
  })

  it("ends when its key is revoked, and shows no key", async () => {
    const running = await listen()
    network.next({
      status: 401,
      headers: { "content-type": "application/problem+json" },
      body: JSON.stringify({ title: "t", detail: `not ${key}`, code: "invalid_api_key", status: 401 })
    })
    expect(await running.exitCode).toBe(1)
    expect(running.errors.join("\n")).toContain("invalid_api_key")
    expect([...running.printed, ...running.errors].join("\n")).not.toContain(key)
  })

  it("refuses a place in the list that the service does not know", async () => {
    const running = await listen(["--after", "event_01k7wqab4ye0r8m5n7p9t1v3xz"])
    expect(await running.exitCode).toBe(1)
    expect(running.errors.join("\n")).toContain("does not know the event event_01k7wqab4ye0r8m5n7p9t1v3xz")
  })
})

describe("what is typed wrongly", () => {
  it("a LIVE key is refused before anything is sent", async () => {
    const live = await makeKey(service, "LIVE")
    const before = network.seen.length
    for (const command of [["listen"], ["trigger", "refund.completed"]]) {
      for (const running of [
        start(command, { ...env(), SURETY_API_KEY: live }),
        start([...command, "--api-key", live], env())
      ]) {
        expect(await running.exitCode).toBe(2)
        expect(running.errors.join("\n")).toMatch(/LIVE key/u)
        expect([...running.errors, ...running.printed].join("\n")).not.toContain(live)
      }
    }
    expect(network.seen.length).toBe(before)
  })

  it.each([
    [[], "Usage"],
    [["lissen"], "Unknown command lissen"],
    [["listen", "--forward"], "Unknown option '--forward'"],
    [["listen", "refund.completed"], "options only"],
    [["listen", "--forward-to", "http://"], "--forward-to is a url"],
    [["listen", "--forward-to", "ftp://localhost/webhooks"], "with http or https"],
    [["listen", "--forward-to", "http://a:b@localhost"], "user name"],
    [["listen", "--topics", "refund.done"], 'Unknown topic "refund.done"'],
    [["listen", "--base-url", "http://pay.example"], "not https"],
    [["listen", "--api-key", "sk_test_!"], "apiKey must be"],
    [["trigger"], "one topic"],
    [["trigger", "refund.done"], 'Unknown topic "refund.done"'],
    [["trigger", "refund.completed", "refund.failed"], "one topic"]
  ])("%j is explained, with exit code 2", async (argv, said) => {
    const running = start(argv, env())
    expect(await running.exitCode).toBe(2)
    expect(running.errors.join("\n")).toContain(said)
  })

  it("a key in the wrong place is not shown", async () => {
    for (const argv of [["listen", key], [key], ["listen", `--${key}`], ["trigger", key]]) {
      const running = start(argv, env())
      expect(await running.exitCode).toBe(2)
      expect(running.errors.join("\n")).not.toContain(key)
    }
  })

  it("no key at all", async () => {
    const running = start(["listen"], { SURETY_URL: network.url })
    expect(await running.exitCode).toBe(2)
    expect(running.errors.join("\n")).toContain("SURETY_API_KEY")
  })

  it("help is printed, with exit code 0", async () => {
    for (const argv of [["--help"], ["listen", "-h"], ["trigger", "--help"]]) {
      const running = start(argv)
      expect(await running.exitCode).toBe(0)
      expect(running.printed.join("\n")).toContain("Usage: npx @surety/client")
    }
  })
})

describe("trigger", () => {
  it("lists every topic that merchants are sent", async () => {
    const running = start(["trigger", "--list", "--json"])
    expect(await running.exitCode).toBe(0)
    expect(running.printed.map((line) => JSON.parse(line).topic)).toEqual(topics)
  })

  it.each(topics.filter((topic) => topic !== "endpoint.disabled" && topic !== "merchant.identity.data_changed"))(
    "makes %s happen with a TEST key alone, and says what it made",
    async (topic) => {
      const running = start(["trigger", topic, "--json"], env())
      expect(await running.exitCode, running.errors.join("\n")).toBe(0)
      const said = running.printed.map((line) => JSON.parse(line))
      expect(said.at(-1)).toMatchObject({ type: "event", topic })
      expect(said.slice(0, -1).map(({ kind }) => kind)).toContain("consumer")
      expect((await client.events.get(said.at(-1).eventId)).topic).toBe(topic)
    }
  )

  it("that is interrupted says so by its exit code", async () => {
    network.next(...Array.from({ length: 20 }, () => "hangs" as const))
    const running = start(["trigger", "refund.completed"], env())
    const before = network.seen.length
    await until(() => network.seen.length > before)
    running.interrupt()
    expect(await running.exitCode).toBe(130)
    network.clear()
  })

  it("says what a topic needs that a key does not open", async () => {
    const running = start(["trigger", "merchant.identity.data_changed"], env())
    expect(await running.exitCode).toBe(1)
    expect(running.errors.join("\n")).toContain("SURETY_OPERATOR_TOKEN")
  })
})
