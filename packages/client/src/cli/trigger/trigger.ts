import { createClient } from "../../createClient.js"
import type { Event } from "../../Interface.generated.js"
import { readAccess, readArguments } from "../Arguments.js"
import { type Connection, endOfList, follow } from "../listen/follow.js"
import { CommandFailed, jsonLine, painter, type Terminal, visible } from "../Terminal.js"
import { platformAt } from "./Platform.js"
import { type Topic, type Trigger, triggers } from "./triggers.js"

export const triggerHelp = `Usage: npx @surety/client trigger <topic> [options]
       npx @surety/client trigger --list

Triggers an event of the topic with a TEST key, creates what it requires, and waits until it exists.

  --list                the topics, and what each one needs
  --api-key <key>       your TEST key. Default: SURETY_API_KEY, which other users of the machine cannot see
  --base-url <url>      where the service is. Default: SURETY_URL, or http://127.0.0.1:3000
  --json                prints one JSON object per line`

/** Maximum wait for the event. */
const timeoutMillis = 30_000

const isTopic = (text: string): text is Topic => Object.hasOwn(triggers, text)

const listTopics = (json: boolean, { colours, print }: Terminal): void => {
  const paint = painter(colours)
  const widest = Math.max(...Object.keys(triggers).map((topic) => topic.length))
  for (const [topic, { does, needs }] of Object.entries<Trigger>(triggers)) {
    if (json) print(JSON.stringify({ topic, does, ...(needs === undefined ? {} : { needs }) }))
    else
      print(
        `${paint("bold", topic.padEnd(widest))}  ${does}${needs === undefined ? "" : paint("dim", `; needs ${needs}`)}`
      )
  }
}

const progressOf = (json: boolean, { colours, print }: Terminal) => {
  const paint = painter(colours)
  return {
    made: (kind: string, id: string): void =>
      print(json ? jsonLine({ type: "made", kind, id }) : `${visible(kind).padEnd(12)}  ${visible(id)}`),
    came: ({ id, payload, topic }: Event): void =>
      print(
        json
          ? jsonLine({ type: "event", eventId: id, topic, payload })
          : `${"event".padEnd(12)}  ${visible(id)}  ${paint("green", topic)}`
      )
  }
}

/**
 * Runs `trigger`: causes an event, and prints it and the records created for it. With `--list`, only prints the topics.
 */
export const trigger = async (argv: ReadonlyArray<string>, terminal: Terminal): Promise<void> => {
  const { positionals, values } = readArguments(argv, { list: { type: "boolean" } })
  const json = values.json === true
  if (values.list === true) return listTopics(json, terminal)
  const [topic, ...more] = positionals
  if (topic === undefined || more.length > 0) throw new CommandFailed("trigger takes one topic. See trigger --list.", 2)
  if (!isTopic(topic)) {
    throw new CommandFailed(`Unknown topic "${visible(topic, 60)}". See trigger --list.`, 2)
  }
  const { apiKey, baseUrl } = readAccess(values, terminal.env)
  const client = createClient({ apiKey, baseUrl })
  const { environment, merchantId } = await client.account.whoami({ signal: terminal.signal })
  if (environment !== "TEST") throw new CommandFailed("This key is not a TEST key.", 2)

  const ending = new AbortController()
  const end = (): void => ending.abort()
  terminal.signal.addEventListener("abort", end)
  const connection: Connection = { onLost: () => {}, onRestored: () => {}, signal: ending.signal }
  const progress = progressOf(json, terminal)
  const ids = new Set<string>()
  /** Waits for the topic's first event that names a record created by this run. */
  const find = async (after: string | undefined): Promise<Event> => {
    for await (const event of follow(client, after, connection)) {
      const text = JSON.stringify(event.payload)
      if (event.topic === topic && [...ids].some((id) => text.includes(JSON.stringify(id)))) return event
    }
    throw new CommandFailed(`No ${topic} arrived within ${timeoutMillis / 1000} seconds.`)
  }
  let coming: Promise<Event> | undefined
  const after = await endOfList(client, connection)
  const hasCome = async (): Promise<void> => {
    if (coming === undefined) {
      const timer = setTimeout(end, timeoutMillis)
      coming = find(after).finally(() => clearTimeout(timer))
    }
    await coming
  }
  try {
    await triggers[topic].run({
      client,
      platform: platformAt(baseUrl, terminal.env.SURETY_OPERATOR_TOKEN),
      merchantId,
      made: (kind, id) => {
        ids.add(id)
        progress.made(kind, id)
        return id
      },
      hasCome
    })
    await hasCome()
    if (coming !== undefined) progress.came(await coming)
  } finally {
    end()
    terminal.signal.removeEventListener("abort", end)
  }
}
