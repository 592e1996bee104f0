import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { type Answered, applicant, asJson, readAnswer } from "../support/Merchant.js"

/** A webhook receiver that responds with `status` and records each event's topic. */
export interface ToldReceiver {
  readonly url: string
  readonly topics: ReadonlyArray<string>
  status: number
  readonly close: () => void
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)))

export const toldReceiver = async (): Promise<ToldReceiver> => {
  const topics: Array<string> = []
  const server = createServer((request, response) => {
    request.resume()
    request.on("end", () => {
      topics.push(String(request.headers["x-service-event"]))
      response.writeHead(receiver.status).end()
    })
  })
  const port = await listen(server)
  const receiver: ToldReceiver = {
    url: `http://127.0.0.1:${port}/`,
    topics,
    status: 204,
    close: () => void server.close().closeAllConnections()
  }
  return receiver
}

let once = 0

export const fresh = (prefix = "recipe"): string => `${prefix}-${++once}`

/** A merchant with only a TEST key, on a running server. */
export class Scene {
  readonly url: string
  readonly merchantId: string
  readonly key: string

  constructor(url: string, merchantId: string, key: string) {
    this.url = url
    this.merchantId = merchantId
    this.key = key
  }

  static readonly make = async (url: string): Promise<Scene> => {
    const merchant = await readAnswer(await fetch(`${url}/merchants`, asJson("POST", { body: applicant })))
    const id: string = merchant.body.id
    const keys = `${url}/merchants/${id}/api-keys`
    const issued = await readAnswer(await fetch(keys, asJson("POST", { body: { environment: "TEST" } })))
    return new Scene(url, id, issued.body.secret)
  }

  readonly request = async (path: string, init: RequestInit): Promise<Answered> =>
    readAnswer(await fetch(`${this.url}${path}`, init))

  readonly get = (path: string): Promise<Answered> => this.request(path, asJson("GET", { bearer: this.key }))

  readonly post = (path: string, body: unknown = {}, key = fresh()): Promise<Answered> =>
    this.request(path, asJson("POST", { bearer: this.key, body, headers: { "idempotency-key": key } }))

  /**
   * Sends a POST whose body need not be JSON. `headers` can override the API key, the content type and the new
   * idempotency key.
   */
  readonly raw = (path: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Answered> =>
    this.request(path, {
      method: "POST",
      body,
      headers: {
        authorization: `Bearer ${this.key}`,
        "content-type": "application/json",
        "idempotency-key": fresh(),
        ...headers
      }
    })

  readonly helper = (path: string, body: unknown = {}): Promise<Answered> => this.post(`/v1/test-helpers/${path}`, body)

  readonly person = async (consumer: object = {}): Promise<string> =>
    (await this.helper("consumers", consumer)).body.serviceId

  readonly payment = async (payment: object = {}): Promise<Answered["body"]> =>
    (await this.helper("payments", { service_id: await this.person(), amount: 100, ...payment })).body

  readonly refund = (body: object, key?: string): Promise<Answered> => this.post("/v1/refunds", body, key)

  /** Refunds a new payment. `payment` and `body` override fields of the two requests. */
  readonly refundOf = async (payment: object, body: object = {}): Promise<Answered> =>
    this.refund({ transaction_id: (await this.payment(payment)).transactionId, ...body })

  readonly ask = async (serviceId: string, body: object = {}): Promise<Answered> =>
    this.post("/v1/data-requests", { service_id: serviceId, requested_fields: ["email", "country"], ...body })

  /** Creates a person who has approved a request for e-mail and country. */
  readonly approved = async (): Promise<{ serviceId: string; requestId: string; grantId: string }> => {
    const serviceId = await this.person({ email: "ada@mail.example", country: "NG" })
    const requestId: string = (await this.ask(serviceId)).body.id
    const { body } = await this.helper(`data-requests/${requestId}/approve`)
    return { serviceId, requestId, grantId: body.grantId }
  }

  readonly verify = async (body: object = {}): Promise<Answered> =>
    this.post("/v1/kyc/verifications", {
      service_id: await this.person(),
      kind: "bvn",
      id: "22222222222",
      verification_consent: true,
      ...body
    })

  /** Returns the topics of the merchant's newest 100 events, newest first. */
  readonly topics = async (): Promise<ReadonlyArray<string>> =>
    (await this.get("/v1/events?limit=100")).body.data.map(({ topic }: { topic: string }) => topic)

  readonly endpoint = async (url: string, more: object = {}): Promise<string> =>
    (
      await this.request(
        `/merchants/${this.merchantId}/webhooks`,
        asJson("POST", { body: { url, environment: "TEST", ...more } })
      )
    ).body.id

  readonly advance = (seconds: number): Promise<Answered> => this.helper("clock", { advance_seconds: seconds })
}

/** Polls until `isWanted` accepts the response. Only the test's timeout limits the wait. */
export const until = async <A>(ask: () => Promise<A>, isWanted: (answer: A) => boolean): Promise<A> => {
  while (true) {
    const answer = await ask()
    if (isWanted(answer)) return answer
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
