import { createSurety, InvalidOptions, memoryStore } from "@surety/embed"
import type { HostOperator } from "@surety/embed/host/HostOperators"
import type { ConsoleOptions } from "@surety/embed/SuretyOptions"
import { assert, describe, it } from "vitest"

const secretsKey = Buffer.alloc(32, 7).toString("base64")
const publicUrl = "https://shop.example/pay"

const consoleOf = async (options: ConsoleOptions, isOn = true) => {
  const surety = await createSurety({
    store: memoryStore(),
    secretsKey,
    publicUrl,
    basePath: "/pay",
    ...(isOn ? { console: options } : {})
  })
  const get = (path: string, headers: Record<string, string> = {}) =>
    surety.handler(new Request(`https://shop.example/pay${path}`, { headers }))
  return { surety, get }
}

const cookieIn = (response: Response): string => response.headers.getSetCookie()[0]?.split(";")[0] ?? ""

describe("The console of a host", () => {
  it("signs in whom the host's own session names, with the roles that it gives", async () => {
    const { get, surety } = await consoleOf({
      name: "Corner Shop",
      operatorOf: async ({ headers }) =>
        headers.cookie?.includes("host=ada") ? { name: "ada", roles: ["support"] } : undefined
    })
    const asked = await get("/console/live/overview", { cookie: "host=ada" })
    assert.strictEqual(asked.status, 303)
    const signIn = asked.headers.get("location") ?? ""
    assert.match(signIn, /^\/pay\/console\/sign-in\?next=/u)
    const opened = await get(signIn.slice("/pay".length), { cookie: "host=ada" })
    assert.deepStrictEqual([opened.status, opened.headers.get("location")], [303, "/pay/console/live/overview"])
    const cookie = cookieIn(opened)
    assert.match(cookie, /^__Host-console_session=/u)
    const page = await (await get("/console/live/overview", { cookie: `host=ada; ${cookie}` })).text()
    assert.include(page, "Corner Shop")
    assert.include(page, "<small>support</small>")
    const stranger = await get("/console/sign-in", { cookie: "host=eve" })
    assert.strictEqual(stranger.status, 200)
    assert.notInclude(stranger.headers.getSetCookie().join(), "console_session")
    await surety.close()
  })

  it("holds operators to the host's own amounts, and their sessions to its own time", async () => {
    const { get, surety } = await consoleOf({
      operatorOf: async () => ({ name: "ada", roles: ["admin"] }),
      fourEyes: { transfersFrom: { NGN: 123_456.5, USD: 7 }, adjustments: false },
      lifetimeHours: 1
    })
    const cookie = cookieIn(await get("/console/sign-in"))
    const page = await (await get("/console/live/settings", { cookie })).text()
    assert.include(page, "123,456.50")
    assert.include(page, "7.00")
    await surety.close()
  })

  it.each([
    [{ fourEyes: { transfersFrom: { NGN: -1 } } }, /fourEyes\.transfersFrom/],
    [{ fourEyes: { transfersFrom: { NGN: 0.001 } } }, /fourEyes\.transfersFrom/],
    [{ fourEyes: { transfersFrom: { NOPE: 1 } } }, /fourEyes\.transfersFrom/],
    [{ fourEyes: { transferFrom: {} } }, /did you mean transfersFrom/],
    [{ idleMinutes: 0 }, /idleMinutes/],
    [{ lifetimeHours: 24 * 8 }, /lifetimeHours/]
  ])("is refused with %o", async (options, fault) => {
    try {
      await consoleOf(options as ConsoleOptions)
      assert.fail("it was taken")
    } catch (error) {
      assert.instanceOf(error, InvalidOptions)
      assert.match(String(error), fault)
    }
  })

  it("shows nothing more once the host has signed the operator out, or another one in, and takes roles away at once", async () => {
    const signedIn: Record<string, HostOperator> = { ada: { name: "ada", roles: ["support", "admin"] } }
    const { get, surety } = await consoleOf({
      operatorOf: async ({ headers }) => signedIn[/host=(\w+)/u.exec(headers.cookie ?? "")?.[1] ?? ""]
    })
    const session = cookieIn(await get("/console/sign-in", { cookie: "host=ada" }))
    const overview = (host: string) => get("/console/live/overview", { cookie: `host=${host}; ${session}` })
    assert.include(await (await overview("ada")).text(), "<small>support, admin</small>")
    signedIn.ada = { name: "ada", roles: ["support"] }
    assert.include(await (await overview("ada")).text(), "<small>support</small>")
    signedIn.bola = { name: "bola", roles: ["admin"] }
    assert.strictEqual((await overview("bola")).status, 303)
    delete signedIn.ada
    assert.strictEqual((await overview("ada")).status, 303)
    assert.strictEqual((await get("/console/live/overview", { cookie: session })).status, 303)
    await surety.close()
  })

  it.each([
    ["gives the name of the only token", async () => ({ name: "Operator", roles: ["admin"] })],
    ["rejects", () => Promise.reject(new Error("down"))],
    ["gives a role that does not exist", async () => ({ name: "ada", roles: ["root"] })],
    ["gives no role", async () => ({ name: "ada", roles: [] })],
    ["gives a name of another form", async () => ({ name: "ada\nroot", roles: ["admin"] })],
    ["answers something else", async () => "ada"]
  ])("lets no one in if the host %s", async (_, answer) => {
    // @ts-expect-error: a host without types may return anything
    const { get, surety } = await consoleOf({ operatorOf: answer })
    const page = await get("/console/sign-in")
    assert.strictEqual(page.status, 200)
    assert.notInclude(page.headers.getSetCookie().join(), "console_session")
    await surety.close()
  })

  it("tells the host of a broken session, and logs nothing of the request's headers", async () => {
    const lines: Array<string> = []
    const told: Array<unknown> = []
    const broken = new Error("no session 9f8e7d6c5b4a in host=9f8e7d6c5b4a")
    const surety = await createSurety({
      store: memoryStore(),
      secretsKey,
      publicUrl,
      logger: (line) => lines.push(JSON.stringify(line)),
      onError: (error) => told.push(error),
      console: { operatorOf: () => Promise.reject(broken) }
    })
    const headers = { cookie: "host=9f8e7d6c5b4a" }
    await surety.handler(new Request("https://shop.example/console/sign-in", { headers }))
    assert.deepStrictEqual(told, [{ part: "console", operation: "operatorOf", cause: broken }])
    const text = lines.join("\n")
    assert.match(text, /The host's console failed; no one is signed in/u)
    assert.notInclude(text, "9f8e7d6c5b4a")
    await surety.close()
  })

  it("is off unless the host asks for it, and refuses options that are wrong", async () => {
    const { get, surety } = await consoleOf({}, false)
    assert.strictEqual((await get("/console/sign-in")).status, 404)
    await surety.close()
    const faults = await consoleOf({ accent: "#fff", timeZone: "Lagos" }).then(
      () => [],
      (error: unknown) => (error instanceof InvalidOptions ? error.faults : [error])
    )
    assert.lengthOf(faults, 2)
  })
})
