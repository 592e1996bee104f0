import { createSocket } from "node:dgram"
import { Effect } from "effect"

/** For each name, its addresses by type, a failure (RFC 1035, 4.1.1), or no response. */
export type Zone = Readonly<
  Record<string, { readonly A?: Records; readonly AAAA?: Records } | "SERVFAIL" | "REFUSED" | "silent">
>
type Records = ReadonlyArray<string> | "silent"

const rcodes = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 }

const bytesOf = (address: string): Buffer =>
  address.includes(":")
    ? Buffer.from(
        address
          .split(":")
          .map((group) => group.padStart(4, "0"))
          .join(""),
        "hex"
      )
    : Buffer.from(address.split(".").map(Number))

const nameOf = (query: Buffer): { readonly name: string; readonly end: number } => {
  const labels: Array<string> = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join(".").toLowerCase(), end: at + 1 }
}

const head = (query: Buffer, rcode: number, answers: number): Buffer => {
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8180 | rcode, 2)
  header.writeUInt16BE(answers, 6)
  header.writeUInt32BE(0, 8)
  return header
}

/**
 * Builds the response to a query. Returns `undefined` if the zone says `silent` for the name or the type. The zone's
 * IPv6 addresses must be written in full, with eight groups.
 */
const answerOf = (zone: Zone, query: Buffer): Buffer | undefined => {
  const { end, name } = nameOf(query)
  const question = query.subarray(12, end + 4)
  const type = query.readUInt16BE(end) === 28 ? "AAAA" : "A"
  const entry = zone[name]
  if (entry === "silent") return undefined
  if (entry === undefined) return Buffer.concat([head(query, rcodes.NXDOMAIN, 0), question])
  if (typeof entry === "string") return Buffer.concat([head(query, rcodes[entry], 0), question])
  const records = entry[type] ?? []
  if (records === "silent") return undefined
  const resources = records.flatMap((address) => {
    const data = bytesOf(address)
    const fixed = Buffer.from([0xc0, 12, 0, type === "A" ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, data.length])
    return [fixed, data]
  })
  return Buffer.concat([head(query, 0, records.length), question, ...resources])
}

/** Runs a DNS server on a free local port and records the queried names. */
export const dnsServer = (zone: Zone) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly address: string; readonly asked: ReadonlyArray<string>; readonly close: () => void }>(
      (resume) => {
        const asked: Array<string> = []
        const socket = createSocket("udp4")
        socket.on("message", (query, { address, port }) => {
          asked.push(nameOf(query).name)
          const answer = answerOf(zone, query)
          if (answer !== undefined) socket.send(answer, port, address)
        })
        socket.bind(0, "127.0.0.1", () => {
          const address = `127.0.0.1:${socket.address().port}`
          resume(Effect.succeed({ address, asked, close: () => socket.close() }))
        })
      }
    ),
    ({ close }) => Effect.sync(close)
  )
