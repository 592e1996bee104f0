import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import path from "node:path"
import { text } from "node:stream/consumers"
import { promisify } from "node:util"
import { memoryStore } from "@surety/embed"
import { afterAll, describe, expect, it } from "vitest"
import { createApp } from "../src/app.ts"
import { introduce, openSurety } from "../src/club.ts"

const origin = "https://club.example"
const surety = await openSurety(memoryStore(), Buffer.alloc(32, 7).toString("base64"), origin)
const app = createApp(surety)
const { apiKey, serviceId } = await introduce(surety)
afterAll(() => surety.close())

const bearer = { authorization: `Bearer ${apiKey}` }

/** Requests data as the partner and returns the path of the member's consent page. */
const ask = async (key: string, fields: ReadonlyArray<string>, purpose = key) => {
  const response = await app.request("/pay/v1/data-requests", {
    method: "POST",
    headers: { ...bearer, "idempotency-key": key, "content-type": "application/json" },
    body: JSON.stringify({ service_id: serviceId, requested_fields: fields, purpose })
  })
  expect(response.status).toBe(201)
  const { consentUrl } = (await response.json()) as { readonly consentUrl: string }
  expect(consentUrl.startsWith(`${origin}/asked/`)).toBe(true)
  return consentUrl.slice(origin.length)
}

const decide = (at: string, decision: string, fields: ReadonlyArray<string> = []) => {
  const body = new URLSearchParams({ decision })
  for (const field of fields) body.append("field", field)
  return app.request(at, { method: "POST", body })
}

const identity = async () => {
  const response = await app.request(`/pay/v1/identity?service_id=${serviceId}`, { headers: bearer })
  return { status: response.status, body: await response.json() }
}

describe("the club's own consent page", () => {
  it("asks with no box ticked, in the member's words, is kept nowhere, and takes no tick for a no", async () => {
    const at = await ask("seat", ["display_name", "points"], "A <b>seat</b> & more")
    const response = await app.request(at)
    expect(response.headers.get("cache-control")).toBe("no-store")
    const page = await response.text()
    expect(page).toContain("Lagos Cinema asks for your data")
    expect(page).toContain("how many points you have collected")
    expect(page).toContain("A &lt;b&gt;seat&lt;/b&gt; &amp; more")
    expect(page).not.toContain("checked")
    expect((await decide(at, "approve")).status).toBe(200)
  })

  it("lets the partner read what was ticked, as the club knows it now, and nothing else", async () => {
    expect((await identity()).status).toBe(403)
    const at = await ask("points", ["display_name", "points"])
    const thanks = await decide(at, "approve", ["points"])
    expect(await thanks.text()).toContain("You have allowed: how many points you have collected.")
    expect((await identity()).body).toMatchObject({
      fields: { points: 1200 },
      notApproved: { display_name: "denied", email: "never_requested" }
    })
    expect((await decide(at, "approve", ["display_name"])).status).toBe(409)
    expect((await app.request(at)).status).toBe(404)
  })

  it("takes no for an answer, and a wrong address for none", async () => {
    const at = await ask("mail", ["email"])
    expect(await (await decide(at, "not_me")).text()).toContain("Nothing was allowed.")
    expect((await identity()).body).toMatchObject({ notApproved: { email: "denied" } })
    expect((await app.request("/asked/nothing")).status).toBe(404)
  })
})

describe("the club's server", () => {
  it("starts, answers below /pay, and stops in order", async () => {
    const directory = path.resolve(import.meta.dirname, "..")
    const build = path.resolve(directory, "../../scripts/build.ts")
    await promisify(execFile)(process.execPath, [build, "--if-stale", "--js", "embed"])
    const free = createServer().listen(0, "127.0.0.1")
    await once(free, "listening")
    const address = free.address()
    const port = typeof address === "object" && address !== null ? String(address.port) : ""
    await new Promise((resolve) => free.close(resolve))
    const club = spawn(process.execPath, [path.join(directory, "src/main.ts")], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, PORT: port }
    })
    const [told] = await once(club.stdout, "data")
    expect(String(told)).toContain(`club listening on http://127.0.0.1:${port}`)
    const key = /Bearer (sk_test_\w+)/.exec(String(told))?.[1]
    const response = await fetch(`http://127.0.0.1:${port}/pay/v1/whoami`, {
      headers: { authorization: `Bearer ${key}`, connection: "close" }
    })
    expect(await response.json()).toMatchObject({ name: "Lagos Cinema", environment: "TEST" })
    club.kill("SIGTERM")
    expect(await Promise.all([once(club, "exit"), text(club.stdout)])).toMatchObject([[0, null], ""])
  }, 120_000)
})
