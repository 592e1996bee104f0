import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect, type Schema, type Scope } from "effect"
import type { FixtureFault } from "../KycFixtureLaws.js"

export interface VendorRequest {
  readonly method: string
  /** Path and query, as sent. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The vendor's response. `cut` closes the connection without a response. `hang` never responds. */
export type VendorReply =
  | {
      readonly status: number
      readonly body: Schema.Json | string
      readonly headers?: Readonly<Record<string, string>>
    }
  | "cut"
  | "hang"

/** The behaviour of a simulated vendor. */
export interface VendorPlay {
  /** True if the request counts as a submission. Faults and scripted responses apply only to submissions. */
  readonly isSubmission: (request: VendorRequest) => boolean
  /** Responds to a request. Must call `charge` once for each piece of paid work. */
  readonly answer: (request: VendorRequest, charge: () => void) => VendorReply
  /** The response to a submission that is rejected before any work is done. */
  readonly refused: VendorReply
  /** Turns the response to a completed submission into one with an undocumented status or code. */
  readonly unknownCode: (done: VendorReply) => VendorReply
}

/** A scripted response to one submission, which replaces the vendor's own. */
export interface ScriptedReply {
  readonly reply: VendorReply
  /** True if the vendor first does the work and charges for it. */
  readonly isDone: boolean
}

/** A loopback server that simulates a vendor. Its state outlives a listener's scope. */
export interface VendorServer {
  /** Starts listening on a free port and returns the base url. Stops when the scope closes. */
  readonly listen: Effect.Effect<string, never, Scope.Scope>
  /** Like `listen`, but on the given port, for a vendor that restarts on its old port. */
  readonly listenAt: (port: number) => Effect.Effect<string, never, Scope.Scope>
  readonly charged: Effect.Effect<number>
  readonly next: (fault: FixtureFault) => Effect.Effect<void>
  /** Scripts the response to the next submission. Further calls script the submissions after it, in order. */
  readonly script: (scripted: ScriptedReply) => Effect.Effect<void>
  /** All requests received so far, in order. */
  readonly received: ReadonlyArray<VendorRequest>
  /** Number of submissions received so far. A submission counts once its response has been chosen. */
  readonly submissions: () => number
}

const junk: VendorReply = { status: 200, body: "<html><body>It works!</body></html>" }

const scriptOf = (fault: FixtureFault, play: VendorPlay): ScriptedReply | "unknown_code" => {
  switch (fault) {
    case "refuse":
      return { reply: play.refused, isDone: false }
    case "lose_answer":
      return { reply: "cut", isDone: true }
    case "junk":
      return { reply: junk, isDone: true }
    case "unknown_code":
      return "unknown_code"
  }
}

const readBody = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString("utf8")
}

const send = (reply: VendorReply, outgoing: ServerResponse): void => {
  if (reply === "hang") return
  if (reply === "cut") {
    outgoing.destroy()
    return
  }
  const isText = typeof reply.body === "string"
  outgoing.writeHead(reply.status, {
    "content-type": isText ? "text/html" : "application/json",
    ...reply.headers
  })
  outgoing.end(isText ? reply.body : JSON.stringify(reply.body))
}

/** The server does not listen yet. */
export const make = (play: VendorPlay): VendorServer => {
  const received: Array<VendorRequest> = []
  const scripts: Array<ScriptedReply | "unknown_code"> = []
  let charged = 0
  let submissions = 0
  const charge = () => {
    charged += 1
  }

  const answerTo = (request: VendorRequest): VendorReply => {
    const script = play.isSubmission(request) ? scripts.shift() : undefined
    if (script === undefined) return play.answer(request, charge)
    if (script === "unknown_code") return play.unknownCode(play.answer(request, charge))
    if (script.isDone) play.answer(request, charge)
    return script.reply
  }

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { headers, method = "", url: path = "" } = incoming
    const request = { method, path, headers, body: await readBody(incoming) }
    received.push(request)
    const reply = answerTo(request)
    if (play.isSubmission(request)) submissions += 1
    send(reply, outgoing)
  }

  const listenAt = (at: number) =>
    Effect.acquireRelease(
      Effect.callback<{ readonly url: string; readonly close: Effect.Effect<void> }>((resume) => {
        const server = createServer((incoming, outgoing) => {
          handle(incoming, outgoing).catch(() => outgoing.destroy())
        })
        const close = Effect.callback<void>((done) => {
          server.close(() => done(Effect.void))
          server.closeAllConnections()
        })
        server.listen(at, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close }))
        })
      }),
      ({ close }) => close
    ).pipe(Effect.map(({ url }) => url))

  return {
    listen: listenAt(0),
    listenAt,
    charged: Effect.sync(() => charged),
    next: (fault) => Effect.sync(() => void scripts.push(scriptOf(fault, play))),
    script: (scripted) => Effect.sync(() => void scripts.push(scripted)),
    received,
    submissions: () => submissions
  }
}
