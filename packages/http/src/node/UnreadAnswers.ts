import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** How long a response may stall because its client has stopped reading it (contract 13). */
const patienceMillis = 30_000

/** How often a stalled connection is checked. A stall may exceed `patienceMillis` by up to this much. */
const lookMillis = 5_000

interface Patience {
  readonly patienceMillis: number
  readonly lookMillis: number
}

const watched = new WeakMap<Socket, { readonly response: ServerResponse; readonly timeoutBefore: number }>()

/**
 * Watches a response and destroys its socket once the response has been stalled for `patienceMillis`. Node's timeout
 * fires after `lookMillis` without activity on the socket. A longer interval between two timeouts means that there was
 * activity. The stall is then counted from `lookMillis` before the second timeout.
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
  // Restores the socket's previous timeout, unless a pipelined response is already being watched. Keeps a timeout that
  // Node has since set for the next request on a kept-alive connection.
  response.once("close", () => {
    const current = watched.get(socket)
    if (current?.response !== response) return
    watched.delete(socket)
    if (socket.timeout === patience.lookMillis) socket.setTimeout(current.timeoutBefore)
  })
}

/**
 * Closes the connection if its client stops reading the response, which would otherwise stay in memory indefinitely.
 * Call this when the request arrives. Time before `response.end` is called does not count.
 */
export const giveUpUnread = (response: ServerResponse, patience: Patience = { patienceMillis, lookMillis }): void => {
  response.once("prefinish", () => {
    const { socket } = response
    if (socket !== null && socket.writableLength > 0) watch(response, socket, patience)
  })
}
