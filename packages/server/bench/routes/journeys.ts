import { BenchFailed } from "../BenchFailed.ts"
import { KeepAliveConnection } from "../load/KeepAliveConnection.ts"

/** A merchant's client with at most one request in flight. */
export class Client {
  readonly #connection: KeepAliveConnection
  readonly #head: string

  private constructor(connection: KeepAliveConnection, head: string) {
    this.#connection = connection
    this.#head = head
  }

  static async open(origin: string, apiKey: string): Promise<Client> {
    const { host, hostname, port } = new URL(origin)
    const connection = await KeepAliveConnection.open(hostname, Number(port))
    return new Client(connection, `Host: ${host}\r\nAuthorization: Bearer ${apiKey}\r\n`)
  }

  /** Returns the response's JSON. Throws unless the response has `status`. */
  async call(
    method: "GET" | "POST",
    path: string,
    status: number,
    body?: object,
    idempotencyKey?: string
  ): Promise<Readonly<Record<string, unknown>>> {
    const text = body === undefined ? "" : JSON.stringify(body)
    const key = idempotencyKey === undefined ? "" : `Idempotency-Key: ${idempotencyKey}\r\n`
    const content = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`
    const answer = await this.#connection.send(
      `${method} ${path} HTTP/1.1\r\n${this.#head}${key}${method === "GET" ? "" : content}\r\n${text}`
    )
    if (answer.status !== status) {
      throw new BenchFailed({ message: `${method} ${path} answered ${answer.status}: ${answer.body}` })
    }
    return JSON.parse(answer.body)
  }

  close(): void {
    this.#connection.close()
  }
}

/**
 * A measured route. `prepare`, which is not measured, creates the records for the request with the same `index`. It
 * returns the id that the request needs.
 */
export interface Journey {
  readonly name: string
  readonly prepare: (client: Client, index: number) => Promise<string>
  readonly request: (client: Client, index: number, prepared: string) => Promise<unknown>
}

const fields = ["display_name", "email"]

const newPerson = async (client: Client): Promise<string> => {
  const person = { display_name: "Ada Obi", country: "NG", email: "ada@bench.example", phone_verified: true }
  return String((await client.call("POST", "/v1/test-helpers/consumers", 201, person)).serviceId)
}

const ask = (client: Client, serviceId: string, index: number) =>
  client.call(
    "POST",
    "/v1/data-requests",
    201,
    {
      service_id: serviceId,
      requested_fields: fields,
      purpose: `To deliver order ${index} and to reach you about it.`
    },
    `ask-${serviceId}-${index}`
  )

const askNew = async (client: Client, index: number): Promise<string> =>
  String((await ask(client, await newPerson(client), index)).id)

const approve = (client: Client, id: string) =>
  client.call("POST", `/v1/test-helpers/data-requests/${id}/approve`, 201, {})

/** The measured routes. The approval uses the test helper instead of the consent page, so no HTML is rendered. */
export const journeys: ReadonlyArray<Journey> = [
  { name: "data request", prepare: newPerson, request: (client, index, serviceId) => ask(client, serviceId, index) },
  { name: "approval", prepare: askNew, request: (client, _, id) => approve(client, id) },
  {
    name: "identity read",
    prepare: async (client, index) => {
      const serviceId = await newPerson(client)
      await approve(client, String((await ask(client, serviceId, index)).id))
      return serviceId
    },
    request: (client, _, serviceId) => client.call("GET", `/v1/identity?service_id=${serviceId}`, 200)
  },
  {
    name: "KYC submit, sandbox",
    prepare: newPerson,
    request: (client, index, serviceId) =>
      client.call(
        "POST",
        "/v1/kyc/verifications",
        201,
        {
          service_id: serviceId,
          kind: "bvn",
          id: "22222222222",
          verification_consent: true,
          tier: "TIER_2",
          validation: { first_name: "Ada", last_name: "Okafor", date_of_birth: "1990-01-01" }
        },
        `kyc-${serviceId}-${index}`
      )
  }
]
