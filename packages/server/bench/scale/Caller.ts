import { Agent, request } from "node:http"

/** `path` includes the query. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly bearer?: string | undefined
  readonly body?: object | undefined
  readonly idempotencyKey?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly text: string
  readonly cookies: ReadonlyArray<string>
}

/** A client of a server. Sequential calls share one connection, and concurrent calls use up to eight. */
export class Caller {
  readonly origin: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 })

  constructor(origin: string) {
    this.origin = origin
  }

  send({ bearer, body, headers, idempotencyKey, method, path }: Call): Promise<Answer> {
    const json = body !== undefined || method === "POST" || method === "PATCH"
    const text = json ? JSON.stringify(body ?? {}) : ""
    return this.sendText(method, path, text, {
      ...(json ? { "content-type": "application/json" } : {}),
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      ...headers
    })
  }

  sendText(
    method: string,
    path: string,
    text: string,
    headers: Readonly<Record<string, string | number>>
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const length = text === "" ? {} : { "content-length": Buffer.byteLength(text) }
      const sent = request(
        new URL(path, this.origin),
        { agent: this.#agent, method, headers: { ...headers, ...length } },
        (response) => {
          const chunks: Array<Buffer> = []
          response.on("data", (chunk: Buffer) => chunks.push(chunk))
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              text: Buffer.concat(chunks).toString(),
              cookies: response.headers["set-cookie"] ?? []
            })
          )
        }
      )
      sent.on("error", reject)
      sent.end(text)
    })
  }

  /** Returns the response's JSON. Throws unless the response has `status`. */
  async json(call: Call, status: number): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.send(call)
    if (answer.status !== status) {
      throw new Error(`${call.method} ${call.path} answered ${answer.status}, not ${status}: ${answer.text}`)
    }
    return answer.text === "" ? {} : JSON.parse(answer.text)
  }

  close(): void {
    this.#agent.destroy()
  }
}
