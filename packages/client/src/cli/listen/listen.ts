import { UnexpectedAnswer } from "../../CallError.js"
import { pause } from "../../call/pause.js"
import { type Client, createClient } from "../../createClient.js"
import type { Event } from "../../Interface.generated.js"
import { BadRequest } from "../../ServiceProblem.js"
import { readAccess, readArguments } from "../Arguments.js"
import { CommandFailed, type Terminal, visible } from "../Terminal.js"
import { type Connection, endOfList, follow, untilAnswered } from "./follow.js"
import { post } from "./post.js"
import { isDelivered, jsonReport, type Report, textReport } from "./Report.js"
import { secretOf, signedHeaders } from "./sign.js"

export const listenHelp = `Usage: npx @surety/client listen [options]

Forwards the events of a TEST key to your machine, signed as webhooks are. Ctrl-C ends it.

  --forward-to <url>    where your receiver listens: localhost:4000/webhooks. Default: events are only shown
  --topics <a,b>        forwards only these topics. Default: all
  --after <event id>    starts after this event. Default: starts with the next event
  --print-secret        prints the secret that deliveries are signed with, and ends
  --api-key <key>       your TEST key. Default: SURETY_API_KEY, which other users of the machine cannot see
  --base-url <url>      where the service is. Default: SURETY_URL, or http://127.0.0.1:3000
  --json                prints one JSON object per line

The secret is the same each time for one key. On a terminal, r sends the last event again and q ends.`

/** Maximum concurrent deliveries: more than one, so a delivery that hangs does not block the others. */
const mostAtOnce = 8
/** Maximum wait of a delivery for the previous one. A receiver that responds within this time gets events in order. */
const inOrderMillis = 250

/** Parses the receiver's url. The scheme may be omitted, as may `localhost` before a port. */
export const readTarget = (target: string): URL => {
  const whole = /^\d+(?=\/|$)/u.test(target) ? `localhost:${target}` : target
  const text = /^https?:\/\//iu.test(whole) ? whole : `http://${whole}`
  if (/^[a-z][a-z\d+.-]*:\/\//iu.test(whole) && text !== whole) {
    throw new CommandFailed("--forward-to is a url with http or https, or without either.", 2)
  }
  if (!URL.canParse(text)) throw new CommandFailed("--forward-to is a url, such as localhost:4000/webhooks.", 2)
  const url = new URL(text)
  if (url.username !== "" || url.password !== "") {
    throw new CommandFailed("--forward-to must not have a user name or password.", 2)
  }
  return url
}

const readTopics = async (
  client: Client,
  given: ReadonlyArray<string>,
  signal: AbortSignal
): Promise<ReadonlySet<string> | undefined> => {
  if (given.length === 0) return undefined
  const named = given.flatMap((list) => list.split(",")).map((topic) => topic.trim())
  const { data } = await client.events.types({ signal })
  const known = data.map(({ topic }) => String(topic))
  const unknown = named.find((topic) => !known.includes(topic))
  if (unknown === undefined) return new Set(named)
  throw new CommandFailed(`Unknown topic "${visible(unknown, 60)}". Known: ${known.join(", ")}.`, 2)
}

/**
 * Builds a forwarder, which signs and posts events with at most `mostAtOnce` in flight. Counts every attempt, including
 * resends.
 */
const makeForwarder = (target: URL, secret: string, report: Report) => {
  const inFlight = new Set<Promise<void>>()
  const counts = { delivered: 0, failed: 0 }
  let last: { readonly event: Event; attempts: number } | undefined

  const send = async (event: Event, attempt: number): Promise<void> => {
    const { environment, id: eventId, sequence, topic, version } = event
    const body = JSON.stringify(event.payload)
    const signing = { eventId, topic, environment, version, sequence, body, attempt, secret, nowMillis: Date.now() }
    const posted = await post(target, signedHeaders(signing), body)
    counts[isDelivered(posted) ? "delivered" : "failed"] += 1
    report.delivered(event, attempt, posted)
  }
  const begin = (event: Event, attempt: number): Promise<void> => {
    const sending = send(event, attempt).finally(() => inFlight.delete(sending))
    inFlight.add(sending)
    return sending
  }
  return {
    counts,
    forward: async (event: Event): Promise<void> => {
      while (inFlight.size >= mostAtOnce) await Promise.race(inFlight)
      last = { event, attempts: 1 }
      const answered = new AbortController()
      const sending = begin(event, 1).finally(() => answered.abort())
      await Promise.race([sending, pause(inOrderMillis, answered.signal)])
    },
    resend: (): void => {
      if (last === undefined || inFlight.size >= mostAtOnce) return
      last.attempts += 1
      void begin(last.event, last.attempts)
    },
    finish: async (): Promise<void> => {
      while (inFlight.size > 0) await Promise.all(inFlight)
    }
  }
}

/**
 * Fetches the merchant as soon as the service responds. Throws `CommandFailed` unless the key is a TEST key. Also
 * throws it for an unexpected response with a status below 500, which usually means that the url is wrong.
 */
const whoIs = async (client: Client, connection: Connection) => {
  const me = await untilAnswered(
    () =>
      client.account.whoami({ signal: connection.signal, maxRetries: 0 }).catch((error: unknown) => {
        if (error instanceof UnexpectedAnswer && error.status < 500) throw new CommandFailed(error.message)
        throw error
      }),
    connection
  )
  if (me.environment === "TEST") return me
  throw new CommandFailed("This key is not a TEST key.", 2)
}

/**
 * Runs `listen`: shows events and, if a receiver is given, forwards them. When `terminal.signal` is aborted or `q` is
 * pressed, ends after the deliveries in flight. With `--print-secret`, only prints the secret.
 */
export const listen = async (argv: ReadonlyArray<string>, terminal: Terminal): Promise<void> => {
  const { positionals, values } = readArguments(argv, {
    "forward-to": { type: "string" },
    topics: { type: "string", multiple: true },
    after: { type: "string" },
    "print-secret": { type: "boolean" }
  })
  if (positionals.length > 0) throw new CommandFailed("listen takes options only. See listen --help.", 2)
  const { apiKey, baseUrl } = readAccess(values, terminal.env)
  const secret = secretOf(apiKey)
  if (values["print-secret"] === true) return terminal.print(secret)
  const target = values["forward-to"] === undefined ? undefined : readTarget(values["forward-to"])

  const report = values.json === true ? jsonReport(terminal) : textReport(terminal)
  const ending = new AbortController()
  const end = (): void => ending.abort()
  terminal.signal.addEventListener("abort", end)
  if (terminal.signal.aborted) end()
  const connection: Connection = { onLost: report.lost, onRestored: report.restored, signal: ending.signal }
  const client = createClient({ apiKey, baseUrl })

  const { merchantId, name: merchant } = await whoIs(client, connection)
  const topics = await readTopics(client, values.topics ?? [], ending.signal)
  const after = values.after ?? (await endOfList(client, connection))
  const forwarder = target === undefined ? undefined : makeForwarder(target, secret, report)
  const release = terminal.onKey?.((key) => {
    if (key === "r") forwarder?.resend()
    if (key === "q") end()
  })
  report.begins({ merchantId, merchant, baseUrl, forwardTo: target?.href, secret })
  let last = after
  try {
    for await (const event of follow(client, after, connection)) {
      if (ending.signal.aborted) break
      if (topics === undefined || topics.has(event.topic)) {
        if (forwarder === undefined) report.happened(event)
        else await forwarder.forward(event)
      }
      last = event.id
    }
  } catch (error) {
    if (!(error instanceof BadRequest && error.code === "validation_failed")) throw error
    throw new CommandFailed(
      `The service does not know the event ${visible(last ?? "", 60)}, after which to continue: its database may have been restored to an earlier state.`
    )
  } finally {
    release?.()
    terminal.signal.removeEventListener("abort", end)
    await forwarder?.finish()
  }
  report.ends({ counts: forwarder?.counts, last })
}
