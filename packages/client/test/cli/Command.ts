import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { runCommand } from "../../src/cli/runCommand.js"
import { type Terminal, withoutKeys } from "../../src/cli/Terminal.js"

/** Polls until `ask` returns a value other than `undefined` or `false`. Has no timeout besides the test's own. */
export const until = async <A>(ask: () => A | undefined | false): Promise<A> => {
  for (;;) {
    const answer = ask()
    if (answer !== undefined && answer !== false) return answer
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** A running command, as seen from its terminal. */
export interface Running {
  readonly printed: ReadonlyArray<string>
  readonly errors: ReadonlyArray<string>
  readonly press: (key: string) => void
  readonly interrupt: () => void
  readonly exitCode: Promise<number>
}

export const start = (
  argv: ReadonlyArray<string>,
  env: Terminal["env"] = {},
  { colours = false, keyboard = false } = {}
): Running => {
  const printed: Array<string> = []
  const errors: Array<string> = []
  const listeners = new Set<(key: string) => void>()
  const stop = new AbortController()
  const onKey = (listener: (key: string) => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const exitCode = runCommand(argv, {
    env,
    print: (line) => void printed.push(withoutKeys(line)),
    printError: (line) => void errors.push(withoutKeys(line)),
    colours,
    onKey: keyboard ? onKey : undefined,
    signal: stop.signal
  })
  return {
    printed,
    errors,
    press: (key) => {
      for (const listener of listeners) listener(key)
    },
    interrupt: () => stop.abort(),
    exitCode
  }
}

export interface Arrived {
  readonly headers: IncomingHttpHeaders
  /** Header names as sent. */
  readonly names: ReadonlyArray<string>
  readonly body: Buffer
}

/**
 * A merchant's receiver that records deliveries. Responds with the next entry of `answers`, or with 204 if none is
 * left.
 */
export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly arrived: ReadonlyArray<Arrived>
  readonly answers: Array<{
    readonly status: number
    readonly headers?: Record<string, string>
    readonly body?: string
    /** Delays the response until this returns true. */
    readonly when?: () => boolean
  }>
}

export const startReceiver = async (): Promise<Receiver> => {
  const arrived: Array<Arrived> = []
  const answers: Receiver["answers"] = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    arrived.push({ headers: request.headers, names: request.rawHeaders.filter((_, index) => index % 2 === 0), body })
    const { body: said = "", headers = {}, status, when = () => true } = answers.shift() ?? { status: 204 }
    await until(when)
    response.writeHead(status, headers).end(said)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    arrived,
    answers,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
