import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** How long an answer may wait for its reader to take a byte (contract 13). */
const patienceMillis = 30_000

/** How often a stalled connection is looked at. Short against the patience, since that is how late it may be noticed. */
const lookMillis = 5_000

interface Patience {
  readonly patienceMillis: number
  readonly lookMillis: number
}

/** The answer that is watched on a socket, and the timeout that the socket had before. */
const watched = new WeakMap<Socket, { readonly response: ServerResponse; readonly timeoutBefore: number }>()

/**
 * Counts how long a socket has stood still. Node's own timeout fires once for `lookMillis` in which the kernel took
 * nothing; a longer time since the last one means that bytes went out in between.
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
  // An answer closes after the next one of a pipeline was begun, and that one may be watched by now. A timeout that Node
  // has set meanwhile, for the next request of a kept connection, stays.
  response.once("close", () => {
    const current = watched.get(socket)
    if (current?.response !== response) return
    watched.delete(socket)
    if (socket.timeout === patience.lookMillis) socket.setTimeout(current.timeoutBefore)
  })
}

/**
 * Cuts the connection if its client stops taking the answer, which would otherwise be held in memory for as long as the
 * client likes. Call it when the request arrives; the time until the answer is made does not count.
 */
export const giveUpUnread = (response: ServerResponse, patience: Patience = { patienceMillis, lookMillis }): void => {
  response.once("prefinish", () => {
    const { socket } = response
    if (socket !== null && socket.writableLength > 0) watch(response, socket, patience)
  })
}
