import { request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"

/** Outcome of one POST: the response's status, or the error if no response arrived. */
export interface Posted {
  readonly durationMillis: number
  readonly status?: number
  /** Up to 4 KiB from the start of the response body. Absent if none of it arrived. */
  readonly answer?: string
  readonly error?: string
}

/** Timeout of one POST. The service's own deliveries have the same timeout. */
const attemptMillis = 15_000
const answerLimitBytes = 4 * 1024

const errorNames: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection closed",
  EPIPE: "connection closed",
  ENOTFOUND: "unknown host",
  EAI_AGAIN: "unknown host"
}

// Returns the error's own code or, failing that, the code of the first of its `errors`. Node collects the connection
// errors of all the host's addresses in `errors`.
const codeOf = (
  error: Error & { readonly code?: string; readonly errors?: ReadonlyArray<{ readonly code?: string }> }
) => error.code ?? error.errors?.[0]?.code ?? ""

/**
 * POSTs a body once over a new connection, without following redirects. Never rejects. Reports the status even if the
 * response body never ends.
 */
export const post = (url: URL, headers: Readonly<Record<string, string>>, body: string): Promise<Posted> =>
  // Node throws on an invalid header value.
  exchange(url, headers, body).catch(() => ({ durationMillis: 0, error: "failed" }))

const exchange = (url: URL, headers: Readonly<Record<string, string>>, body: string): Promise<Posted> =>
  new Promise((resolve) => {
    const startedAt = performance.now()
    const chunks: Array<Buffer> = []
    let status: number | undefined
    let bytes = 0
    const settle = (error: string): void => {
      clearTimeout(timer)
      const durationMillis = Math.round(performance.now() - startedAt)
      const answer = Buffer.concat(chunks).subarray(0, answerLimitBytes).toString("utf8")
      resolve({
        durationMillis,
        ...(status === undefined ? { error } : { status }),
        ...(answer === "" ? {} : { answer })
      })
      outgoing.destroy()
    }
    const request = url.protocol === "https:" ? requestHttps : requestHttp
    const bytesOfBody = Buffer.from(body)
    const outgoing = request(url, {
      method: "POST",
      // A kept-alive connection may be dead after the receiver restarts, so each request opens a new one.
      agent: false,
      headers: { ...headers, "Content-Length": String(bytesOfBody.length) }
    })
    const timer = setTimeout(() => settle("timeout"), attemptMillis)
    outgoing.on("response", (response) => {
      status = response.statusCode
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes >= answerLimitBytes) settle("")
      })
      response.on("end", () => settle(""))
      response.on("error", () => settle("connection closed"))
    })
    outgoing.on("error", (error) => settle(errorNames[codeOf(error)] ?? (codeOf(error) || "failed")))
    outgoing.end(bytesOfBody)
  })
