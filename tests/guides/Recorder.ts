import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"

/** A request sent by a sample, without the parts that clients add automatically. */
export interface Sent {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly authorization: string | undefined
  readonly idempotencyKey: string | undefined
  readonly body: unknown
}

interface Operation {
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly content?: Readonly<
          Record<string, { readonly examples?: { readonly example: { readonly value: object } } }>
        >
      }
    >
  >
}

const document: { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> } = JSON.parse(
  readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8")
)

/**
 * Returns the OpenAPI document's example response to a request. Returns 404 for an unknown operation. Omits
 * `nextCursor`, which would make clients request pages forever.
 */
const exampleAnswer = (method: string, path: string): { readonly status: number; readonly body: object } => {
  const matching = Object.entries(document.paths)
    .filter(([form]) => new RegExp(`^${form.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u").test(path))
    .flatMap(([, methods]) => methods[method.toLowerCase()] ?? [])
  const [status = "404", answer] =
    Object.entries(matching[0]?.responses ?? {}).find(([code]) => code.startsWith("2")) ?? []
  const value = Object.values(answer?.content ?? {})[0]?.examples?.example.value ?? {}
  return { status: Number(status), body: { ...value, nextCursor: undefined } }
}

const sentBy = async (request: IncomingMessage, url: URL, path: string): Promise<Sent> => {
  const body = await text(request)
  const { authorization, "idempotency-key": key } = request.headers
  const parsed: unknown = body === "" || body === "{}" ? undefined : JSON.parse(body)
  return {
    method: request.method ?? "",
    path,
    query: Object.fromEntries(url.searchParams),
    authorization,
    idempotencyKey: typeof key === "string" ? key : undefined,
    body: parsed
  }
}

/**
 * Starts a server that responds with the requested operation's example. Records requests by the first path segment,
 * which names the sample.
 */
export const startRecorder = async () => {
  const sent = new Map<string, Array<Sent>>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://localhost")
    const [, sample = "", ...rest] = url.pathname.split("/")
    const path = decodeURIComponent(`/${rest.join("/")}`)
    void sentBy(request, url, path).then((one) => {
      sent.set(sample, [...(sent.get(sample) ?? []), one])
      const { body, status } = exampleAnswer(one.method, path)
      response.writeHead(status, { "content-type": "application/json", "x-request-id": "recorded" })
      response.end(status === 204 ? undefined : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  return {
    urlOf: (sample: string): string => `http://127.0.0.1:${port}/${sample}`,
    sentBy: (sample: string): ReadonlyArray<Sent> => sent.get(sample) ?? [],
    stop: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
