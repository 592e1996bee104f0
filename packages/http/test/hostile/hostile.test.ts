import { RateLimits } from "@surety/http/access/RateLimits"
import { type HostileRequest, hostileRequests } from "@surety/testing/hostile/HostileRequests"
import { harmIn } from "@surety/testing/hostile/harm"
import { inputsOf } from "@surety/testing/hostile/OpenApiInputs"
import { makePathValues, type Owner } from "@surety/testing/hostile/pathValues"
import { Layer } from "effect"
import { describe, expect, it } from "vitest"
import { document } from "../Contract.js"
import { makeInterface, makeMerchant, operatorToken } from "../Interface.js"

const unlimited = { refunds: undefined, other: undefined, provisioning: undefined }
const api = makeInterface({}, Layer.succeed(RateLimits, unlimited))
const operations = inputsOf(document)

/** Longer than any request takes on a busy machine, so only a hanging request exceeds it. */
const patienceMillis = 10_000

const orHang = <A>(answer: Promise<A>): Promise<A> => {
  let late: NodeJS.Timeout | undefined
  const hanging = new Promise<never>((_, reject) => {
    late = setTimeout(() => reject(new Error(`no answer within ${patienceMillis} ms`)), patienceMillis)
  })
  return Promise.race([answer, hanging]).finally(() => clearTimeout(late))
}

const credentialFor = (path: string, key: string): string => (path.startsWith("/v1/") ? key : operatorToken)

let keys = 0

const makeOwner = async (): Promise<Owner> => {
  const { id, key } = await makeMerchant(api)
  return {
    merchantId: id,
    key,
    operatorToken,
    send: async (method, path, bearer, body) => {
      const headers = { "idempotency-key": `owner-${++keys}` }
      return (await api.send(method, path, { key: bearer, headers, ...(body === undefined ? {} : { body }) })).body
    }
  }
}

const withIdempotencyKey = ({ headers, ...request }: HostileRequest, names: ReadonlyArray<string>): HostileRequest => ({
  ...request,
  headers:
    names.includes("Idempotency-Key") && headers["idempotency-key"] === undefined
      ? { ...headers, "idempotency-key": `hostile-${++keys}` }
      : headers
})

const sent = async (request: HostileRequest, secrets: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  try {
    const { body, headers, method, path } = request
    const answer = await orHang(api.send(method, path, { headers, ...(body === undefined ? {} : { raw: body }) }))
    return harmIn(answer, method === "POST" && answer.status === 201 ? [] : secrets)
  } catch (error) {
    return [error instanceof Error ? error.message.slice(0, 600) : String(error)]
  }
}

describe("for any request, nothing breaks, hangs or leaks", () => {
  it.each(operations)(
    "$method $path",
    async (inputs) => {
      const owner = await makeOwner()
      const secrets = [owner.key, operatorToken]
      const pathValues = await makePathValues(inputs.pathParameters, owner)
      const headers = { authorization: `Bearer ${credentialFor(inputs.path, owner.key)}` }
      const harms: Array<string> = []
      let count = 0
      for (const request of hostileRequests(inputs, { pathValues, headers })) {
        count += 1
        const found = await sent(withIdempotencyKey(request, inputs.headers), secrets)
        harms.push(...found.map((harm) => `${request.name}: ${harm}`))
      }
      expect(harms).toEqual([])
      expect(count).toBeGreaterThan(30)
    },
    180_000
  )

  it.each(operations)("$method $path, by a caller with credentials", async (inputs) => {
    const owner = await makeOwner()
    const { key } = owner
    const pathValues = await makePathValues(inputs.pathParameters, owner)
    const credentials = [
      "",
      " ",
      "Bearer",
      "Bearer ",
      "Bearer  ",
      `Basic ${key}`,
      `Bearer ${key} ${key}`,
      `Bearer ${key}x`
    ]
    const spoilt = [
      `Bearer ${key.toUpperCase()}`,
      `Bearer ${"a".repeat(8_000)}`,
      "Bearer é",
      "Bearer __proto__",
      key,
      ";,;"
    ]
    const path = inputs.path.replace(/\{(\w+)\}/g, (_, name: string) => pathValues[name] ?? "")
    const open = inputs.path.startsWith("/merchants")
    for (const authorization of [...credentials, ...spoilt]) {
      const answer = await api.send(inputs.method, path, { headers: { authorization } })
      expect(harmIn(answer, [key]).concat(open || answer.status === 401 ? [] : [String(answer.status)])).toEqual([])
    }
  })

  it("logs no error and no key of it", () => {
    const lines = api.lines.filter((line) => line.includes('"level":"ERROR"') || /sk_(test|live)_\w{20}/.test(line))
    expect(lines.slice(0, 5)).toEqual([])
  })
})
