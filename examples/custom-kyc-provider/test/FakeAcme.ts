import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { json } from "node:stream/consumers"

interface Submitted {
  readonly clientReference: string
  readonly number: string
  readonly person: { readonly firstName?: string }
}

const numbers = {
  known: "11122233344",
  unknown: "00000000000",
  slow: "55555555555",
  withCode: "66666666666",
  strange: "77777777777"
} as const

const begin = ({ clientReference, number, person }: Submitted): object => {
  const checkId = `chk_${clientReference.slice(-12)}`
  switch (number) {
    case numbers.known:
      return {
        ...{ checkId, state: "done" },
        matches: { firstName: person.firstName === undefined ? null : person.firstName === "Bola", lastName: null }
      }
    case numbers.slow:
      return { checkId, state: "running" }
    case numbers.withCode:
      return { checkId, state: "otp_sent" }
    case numbers.strange:
      return { checkId, state: "rejected", code: "BRAND_NEW_CODE" }
    default:
      return { checkId, state: "rejected", code: "RECORD_NOT_FOUND" }
  }
}

/** Starts a fake Acme service that charges for each new check and can be made to fail. */
export const startFakeAcme = async () => {
  const checks = new Map<string, object>()
  const paidFor: Array<string> = []
  /**
   * Faults for the next requests, in order. A number is the status of an error response. With `lost`, the server
   * processes a submission but drops its response.
   */
  const next: Array<number | "lost"> = []

  const answer = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

  const server = createServer(async (request, response) => {
    const fault = next.shift()
    if (typeof fault === "number") return answer(response, fault, { error: "as scripted" })
    if (request.headers.authorization !== "Bearer acme-key") return answer(response, 401, {})
    const [, , , reference = "", action] = (request.url ?? "").split("/")
    if (request.url === "/checks") {
      const submitted = (await json(request)) as Submitted
      const known = checks.get(submitted.clientReference)
      const check = known ?? begin(submitted)
      if (known === undefined) paidFor.push(submitted.clientReference)
      checks.set(submitted.clientReference, check)
      return fault === "lost" ? request.socket.destroy() : answer(response, 200, check)
    }
    const check = checks.get(decodeURIComponent(reference))
    if (check === undefined) return answer(response, 404, {})
    if (action === "otp") {
      const { code } = (await json(request)) as { readonly code: string }
      const done = code === "482913" ? { ...check, state: "done" } : check
      checks.set(reference, done)
      return answer(response, 200, done)
    }
    return answer(response, 200, check)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    settings: { url: `http://127.0.0.1:${port}`, apiKey: "acme-key" },
    numbers,
    paidFor,
    next,
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    }
  }
}
