import { createConnection, createServer, type Socket } from "node:net"
import { Effect, Redacted } from "effect"

/** What becomes of the bytes: they pass, they are lost, or connections are cut and refused. */
export type Passage = "open" | "blocked" | "cut"

/** A way to a database that can be closed and opened again. */
export interface DatabaseRoad {
  readonly url: Redacted.Redacted
  readonly set: (passage: Passage) => Effect.Effect<void>
}

/** A road to the database at `target`, until the scope's end. */
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

  const listening = yield* Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(
          typeof address === "object" && address !== null
            ? Effect.succeed(address.port)
            : Effect.die(new Error("no port was assigned"))
        )
      })
    }),
    () =>
      Effect.callback<void>((resume) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resume(Effect.void))
      })
  )

  const url = new URL(Redacted.value(target))
  url.host = `127.0.0.1:${listening}`
  const road: DatabaseRoad = {
    url: Redacted.make(url.href),
    set: (next) =>
      Effect.sync(() => {
        passage = next
        if (next === "cut") for (const socket of sockets) socket.destroy()
      })
  }
  return road
})
