import { expect, it } from "vitest"
import { verify } from "../../src/verify.js"
import { delivery, now, secret } from "../deliveries.js"

const rename = (headers: Readonly<Record<string, string>>, change: (name: string) => string) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [change(name), value]))

it.each([
  ["the letter case they were sent in", (headers: Record<string, string>) => headers],
  [
    "lower case, as Node gives them",
    (headers: Record<string, string>) => rename(headers, (name) => name.toLowerCase())
  ],
  ["upper case", (headers: Record<string, string>) => rename(headers, (name) => name.toUpperCase())],
  ["a web Headers", (headers: Record<string, string>) => new Headers(headers)],
  [
    "lists of values, as AWS gives them",
    (headers: Record<string, string>) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
  ]
])("takes headers in %s", async (_, form) => {
  const { body, headers } = await delivery()
  expect(await verify({ body, headers: form({ ...headers }), secrets: secret, now })).toMatchObject({
    ok: true,
    event: { id: "event_01jd4c5p8vf3vs6y2k7m9q4hzn", environment: "TEST", attempt: 1 }
  })
})

it("takes several signature headers for one list", async () => {
  const { body, headers } = await delivery()
  const several = { ...headers, "webhook-signature": ["v1,AAAA", headers["webhook-signature"] ?? ""] }
  expect((await verify({ body, headers: several, secrets: secret, now })).ok).toBe(true)
})

it("does not choose between two values of any other header", async () => {
  const { body, headers } = await delivery()
  for (const name of ["webhook-id", "webhook-timestamp", "X-Service-Event-Id"]) {
    const value = headers[name] ?? ""
    const result = await verify({ body, headers: { ...headers, [name]: [value, value] }, secrets: secret, now })
    expect(result.ok, name).toBe(false)
  }
})

it("takes a header that is no text for missing", async () => {
  const { body, headers } = await delivery()
  const timestamp = Number(headers["webhook-timestamp"]) as unknown as string
  const result = await verify({ body, headers: { ...headers, "webhook-timestamp": timestamp }, secrets: secret, now })
  expect(result).toMatchObject({ ok: false, reason: "missing_headers" })
})

it("takes the name in lower case if a record has two spellings", async () => {
  const { body, headers } = await delivery()
  const both = { "Webhook-Id": "event_other", ...headers }
  expect((await verify({ body, headers: both, secrets: secret, now })).ok).toBe(true)
})
