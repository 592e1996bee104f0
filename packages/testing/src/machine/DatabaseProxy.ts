import { createConnection, createServer, type Socket } from "node:net"
import { Effect, Redacted } from "effect"
import { listenInPlaceOf } from "./listenInPlaceOf.js"

/** `open` forwards bytes. `blocked` drops them. `cut` closes all connections, and closes new ones immediately. */
export type Passage = "open" | "blocked" | "cut"

export interface DatabaseProxy {
  readonly url: Redacted.Redacted
  readonly set: (passage: Passage) => Effect.Effect<void>
}

/** Runs a proxy to the database at `target` until the scope closes. */
export const make = Effect.fnUntraced(function* (target: Redacted.Redacted) {
  const { hostname, port } = new URL(Redacted.value(target))
  const sockets = new Set<Socket>()
  let passage: Passage = "open"

  const join = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.on("data", (bytes) => {
      if (passage === "open") to.write(bytes)
    })
    from.on("error", () => to.destroy())
    from.on("close", () => {
      sockets.delete(from)
      to.destroy()
    })
  }

  const server = createServer((client) => {
    if (passage === "cut") {
      client.destroy()
      return
    }
    const upstream = createConnection({ host: hostname, port: Number(port) })
    join(client, upstream)
    join(upstream, client)
  })

  const proxy: DatabaseProxy = {
    url: yield* listenInPlaceOf(target, server, sockets),
    set: (next) =>
      Effect.sync(() => {
        passage = next
        if (next === "cut") for (const socket of sockets) socket.destroy()
      })
  }
  return proxy
})
