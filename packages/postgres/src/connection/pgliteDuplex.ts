import { Buffer } from "node:buffer"
import { Duplex } from "node:stream"
import type { PGlite } from "@electric-sql/pglite"

const sslRequest = 80_877_103
const cancelRequest = 80_877_102
const terminate = 0x58

/**
 * Measures the complete messages at the beginning of `bytes`. `ended` is true if a terminate message follows them. A
 * start-up packet has no type byte before its length.
 */
const complete = (bytes: Buffer, started: boolean): { readonly length: number; readonly ended: boolean } => {
  let length = 0
  let hasType = started
  while (true) {
    const head = hasType ? 1 : 0
    if (bytes.length - length < head + 4) return { length, ended: false }
    if (hasType && bytes[length] === terminate) return { length, ended: true }
    const size = head + bytes.readInt32BE(length + head)
    if (bytes.length - length < size) return { length, ended: false }
    length += size
    hasType = true
  }
}

/**
 * Builds a function that creates an in-process socket to a PGlite instance. The socket speaks PostgreSQL's wire
 * protocol. PGlite runs a single backend, so only one socket at a time may send it messages. Closing that socket ends
 * its transaction and discards the backend's state, like closing a connection to a server.
 */
export const pgliteDuplex = (database: PGlite) => (): Duplex => {
  let received: Buffer = Buffer.alloc(0)
  let started = false
  let work: Promise<unknown> = Promise.resolve()
  let cleaned: Promise<unknown> | undefined

  /**
   * Rolls back the backend's transaction and discards its state. A no-op if the database is closed, or if the socket
   * sent no start-up packet, as after a cancel request.
   */
  const clean = (): Promise<unknown> => {
    cleaned ??= work
      .catch(() => undefined)
      .then(async () => {
        if (database.closed || !started) return
        await database.exec("rollback")
        await database.exec("discard all")
      })
    return cleaned
  }

  /**
   * Refuses an SSL request, and ends the stream at a cancel request. A client sends an SSL request before its start-up
   * packet, and a cancel request instead of one. Returns true if it found such a request.
   */
  const isAnswered = (duplex: Duplex): boolean => {
    if (started || received.length < 8) return false
    const code = received.readInt32BE(4)
    if (code !== sslRequest && code !== cancelRequest) return false
    received = received.subarray(8)
    duplex.push(code === sslRequest ? Buffer.from("N") : null)
    return true
  }

  const nextMessages = (): Uint8Array | undefined => {
    const { ended, length } = complete(received, started)
    const messages = length === 0 ? undefined : new Uint8Array(received.subarray(0, length))
    // A terminate message is dropped, because it would end the only backend.
    received = ended ? Buffer.alloc(0) : received.subarray(length)
    if (length > 0) started = true
    return messages
  }

  const duplex: Duplex = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      if (isAnswered(duplex)) return done()
      const messages = nextMessages()
      if (messages === undefined) return done()
      work = work.then(() =>
        database.runExclusive(() =>
          database.execProtocolRawStream(messages, { onRawData: (data) => duplex.push(Buffer.from(data)) })
        )
      )
      work.then(
        () => done(),
        (error) => done(error)
      )
    },
    final: (done) => {
      clean().then(
        () => {
          duplex.push(null)
          done()
        },
        (error) => done(error)
      )
    },
    destroy: (error, done) => {
      clean().then(
        () => done(error),
        () => done(error)
      )
    }
  })
  return duplex
}
