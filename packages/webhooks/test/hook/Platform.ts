import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { Webhook } from "standardwebhooks"
import { afterTurns } from "../Receiver.js"

/**
 * A fault in the platform's next response. `act` causes it by sending a wrong or partial response, or none. `answer` is
 * the body of the correct response, or `{}` if the work was not done.
 */
export interface Mishap {
  /** True if the platform does not do the work. */
  readonly isLost?: boolean
  readonly act: (response: ServerResponse, answer: string, platform: Platform) => void
}

const json = { "content-type": "application/json" }

const status =
  (code: number, body?: string, headers: Record<string, string> = {}): Mishap["act"] =>
  (response, answer) =>
    response.writeHead(code, { ...json, ...headers }).end(body ?? answer)

/** Runs `act`, then times out the caller, which is still waiting for data. */
const silence =
  (act: (response: ServerResponse, answer: string) => void): Mishap["act"] =>
  (response, answer, platform) => {
    act(response, answer)
    afterTurns(50, () => platform.expire())
  }

const raw =
  (text: (answer: string) => string): Mishap["act"] =>
  (response, answer) => {
    response.socket?.end(text(answer))
  }

/** Faults that any HTTP server can have. */
export const mishaps: Readonly<Record<string, Mishap>> = {
  "it never answers": { act: silence(() => {}) },
  "it gets the call and never answers, and has done nothing": { isLost: true, act: silence(() => {}) },
  "it answers the head and then nothing": { act: silence((response) => response.writeHead(200, json).flushHeaders()) },
  "it answers half and then nothing": {
    act: silence((response, answer) => response.writeHead(200, json).write(answer.slice(0, 8)))
  },
  "it closes the connection instead of an answer": { act: (response) => response.socket?.destroy() },
  "it closes the connection and has done nothing": { isLost: true, act: (response) => response.socket?.destroy() },
  "it closes the connection in the middle": {
    act: (response, answer) => {
      response.writeHead(200, { ...json, "content-length": String(answer.length) }).write(answer.slice(0, -1))
      setImmediate(() => response.socket?.destroy())
    }
  },
  "it announces more than it sends": {
    act: (response, answer) => {
      response.writeHead(200, { ...json, "content-length": String(answer.length + 10) }).write(answer)
      setImmediate(() => response.socket?.destroy())
    }
  },
  "it answers 500 though it is done": { act: status(500) },
  "it answers 500 and has done nothing": { isLost: true, act: status(500) },
  "it answers 502 from a proxy": { isLost: true, act: status(502, "<html>Bad Gateway</html>") },
  "it answers 429": { isLost: true, act: status(429, "") },
  "it answers 201": { act: status(201) },
  "it answers 204": { act: (response) => response.writeHead(204).end() },
  "it answers 302": { isLost: true, act: status(302, "", { location: "/elsewhere" }) },
  "it answers 307": { isLost: true, act: status(307, "", { location: "/elsewhere" }) },
  "it answers nothing with 200": { act: status(200, "") },
  "it answers a page": { act: status(200, "<!doctype html><title>Login</title>") },
  "it answers null": { act: status(200, "null") },
  "it answers a list": { act: (response, answer) => response.writeHead(200, json).end(`[${answer}]`) },
  "it answers twice in one body": { act: (response, answer) => response.writeHead(200, json).end(answer + answer) },
  "it answers with a further word": {
    act: (response, answer) => response.writeHead(200, json).end(`${answer.slice(0, -1)},"error":"frozen"}`)
  },
  "it answers in bytes that are no text": {
    act: (response) => response.writeHead(200, json).end(Buffer.from([0x22, 0xff, 0xfe, 0x22]))
  },
  "it answers more than a megabyte": {
    act: (response, answer) => response.writeHead(200, json).end(answer + " ".repeat(1_000_000))
  },
  "it answers something that is not HTTP": { act: raw(() => "credited\r\n\r\n") },
  "it answers twice": {
    act: raw((answer) => {
      const one = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`
      return one + one
    })
  },
  "it dies": {
    act: (_, __, platform) => platform.restart()
  },
  "it dies and has done nothing": {
    isLost: true,
    act: (_, __, platform) => platform.restart()
  }
}

/**
 * Faults that apply only to a wallet. In a directory, a person's name may be in lower case, so a response in lower case
 * is valid.
 */
export const walletMishaps: Readonly<Record<string, Mishap>> = {
  "it answers in small letters": {
    act: (response, answer) => response.writeHead(200, json).end(answer.toLowerCase())
  }
}

interface Credit {
  readonly refundId: string
  readonly userId: string
  readonly amountMinor: string
}

/** A platform's server with a wallet, records of people and scripted mishaps. It accepts only signed requests. */
export class Platform {
  readonly bookings: Array<{ readonly id: string; readonly minor: bigint }> = []
  readonly outcomes = new Map<string, string>()
  readonly people = new Map<string, Record<string, unknown>>()
  readonly calls: Array<{
    readonly path: string
    readonly headers: IncomingMessage["headers"]
    readonly body: string
  }> = []
  next: Mishap | undefined
  /** Times out every caller that is waiting for a response. A no-op until the callers' clock sets it. */
  expire: () => void = () => {}
  port = 0
  #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #webhook: Webhook

  constructor(secret: string) {
    this.#webhook = new Webhook(secret)
    this.#server = this.#make()
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  #make(): Server {
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("error", () => {})
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => this.#receive(request, response, Buffer.concat(chunks).toString()))
    })
    server.on("connection", (socket) => {
      this.#sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => this.#sockets.delete(socket))
    })
    return server
  }

  #receive(request: IncomingMessage, response: ServerResponse, body: string): void {
    const path = request.url ?? ""
    this.calls.push({ path, headers: request.headers, body })
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    this.#webhook.verify(body, headers)
    const mishap = this.next
    this.next = undefined
    const answer = mishap?.isLost === true ? "{}" : JSON.stringify(this.#answer(path, JSON.parse(body)))
    if (mishap === undefined) response.writeHead(200, json).end(answer)
    else mishap.act(response, answer, this)
  }

  #answer(path: string, body: Credit & { readonly serviceId: string }): unknown {
    if (path === "/directory") return { fields: this.people.get(body.serviceId) ?? {} }
    const outcome = this.outcomes.get(body.refundId)
    if (path.endsWith("/lookup")) return answerOf(outcome ?? "UNKNOWN")
    if (outcome !== undefined) return answerOf(outcome)
    const decided = body.userId === "declined" ? "DECLINED" : "CREDITED"
    if (decided === "CREDITED") this.bookings.push({ id: body.refundId, minor: BigInt(body.amountMinor) })
    this.outcomes.set(body.refundId, decided)
    return answerOf(decided)
  }

  listen(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.listen(this.port, "127.0.0.1", () => {
        this.port = (this.#server.address() as AddressInfo).port
        resolve()
      })
    })
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  restart(): void {
    this.close()
    this.#server = this.#make()
    void this.listen()
  }
}

const answerOf = (outcome: string) => ({
  status: outcome,
  ...(outcome === "DECLINED" ? { reason: "frozen" } : {}),
  ...(outcome === "CREDITED" ? { walletReference: "w-1" } : {})
})
