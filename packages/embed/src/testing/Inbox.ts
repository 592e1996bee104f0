import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { verify, type WebhookEvent } from "@surety/verifier"

/** A webhook receiver in the test's process that collects the events accepted by its verifier. */
export interface Inbox {
  /** The url on which the inbox listens, reachable only from this machine. */
  readonly url: string
  /** Every verified event since the last `clear`, in order of arrival. A repeated delivery appears again. */
  readonly events: ReadonlyArray<WebhookEvent>
  /** Returns the verified events of a topic. */
  readonly of: <T extends string>(topic: T) => ReadonlyArray<Extract<WebhookEvent, { readonly topic: T }>>
  /** The verifier's reasons for refusing deliveries since the last `clear`. Empty if it accepted all of them. */
  readonly refused: ReadonlyArray<string>
  /** Empties `events` and `refused`. */
  readonly clear: () => void
  /**
   * Responds to further deliveries with this status, and neither verifies nor stores them. `undefined` ends this mode.
   */
  readonly failWith: (status: number | undefined) => void
}

interface OpenInbox extends Inbox {
  /** Adds a secret for verifying deliveries. The endpoint's secret is known only after its registration. */
  readonly trust: (secret: string) => void
  readonly close: () => Promise<void>
}

const listening = (server: Server): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (address === null || typeof address === "string") reject(new Error("The inbox has no port."))
      else resolve(address)
    })
  })

/** Opens an inbox, which checks the age of signatures against the clock `now`. */
export const open = async (now: () => Date): Promise<OpenInbox> => {
  const events: Array<WebhookEvent> = []
  const refused: Array<string> = []
  const secrets: Array<string> = []
  let failure: number | undefined
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    if (failure !== undefined) return response.writeHead(failure).end()
    const verification = await verify({ body, headers: request.headers, secrets, now: now() })
    if (verification.ok) events.push(verification.event)
    else refused.push(`${verification.reason}: ${verification.message}`)
    return response.writeHead(verification.ok ? 204 : 400).end()
  })
  const { port } = await listening(server)
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    events,
    refused,
    of: <T extends string>(topic: T) =>
      events.filter((event): event is Extract<WebhookEvent, { readonly topic: T }> => event.topic === topic),
    clear: () => {
      events.length = 0
      refused.length = 0
    },
    failWith: (status) => {
      failure = status
    },
    trust: (secret) => void secrets.push(secret),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
