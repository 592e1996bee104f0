import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** How long a response may wait for its client to read any of it (contract 13). */
const patienceMillis = 30_000

/**
 * How often a stalled connection is checked. Much shorter than the patience, since a stall may be noticed this late.
 */
const lookMillis = 5_000

interface Patience {
  readonly patienceMillis: number
  readonly lookMillis: number
}

/** The response watched on a socket, and the socket's previous timeout. */
const watched = new WeakMap<Socket, { readonly response: ServerResponse; readonly timeoutBefore: number }>()

/**
 * Measures how long a socket has been stalled. Node's timeout fires after `lookMillis` in which the kernel accepted
 * nothing. A longer interval between two timeouts means that bytes were sent in between.
 */
const watch = (response: ServerResponse, socket: Socket, patience: Patience): void => {
  watched.set(socket, { response, timeoutBefore: watched.get(socket)?.timeoutBefore ?? socket.timeout ?? 0 })
  let stalledSince = 0
  let lookedAt = Number.NEGATIVE_INFINITY
  response.setTimeout(patience.lookMillis, () => {
    const now = performance.now()
    if (now - lookedAt > patience.lookMillis * 1.5) stalledSince = now - patience.lookMillis
    lookedAt = now
    if (now - stalledSince >= patience.patienceMillis) socket.destroy()
    else socket.setTimeout(patience.lookMillis)
  })
  // A response may close after the next one of a pipeline has begun, which may be watched already. A timeout that Node
  // has set meanwhile, for the next request on a kept connection, stays.
  response.once("close", () => {
    const current = watched.get(socket)
    if (current?.response !== response) return
    watched.delete(socket)
    if (socket.timeout === patience.lookMillis) socket.setTimeout(current.timeoutBefore)
  })
}

/**
 * Closes the connection if its client stops reading the response, which would otherwise stay in memory indefinitely.
 * Call it when the request arrives. The time until the response is complete does not count.
 */
export const giveUpUnread = (response: ServerResponse, patience: Patience = { patienceMillis, lookMillis }): void => {
  response.once("prefinish", () => {
    const { socket } = response
    if (socket !== null && socket.writableLength > 0) watch(response, socket, patience)
  })
}
