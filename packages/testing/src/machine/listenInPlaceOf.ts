import type { Server, Socket } from "node:net"
import { Effect, Redacted, type Scope } from "effect"

/**
 * Makes `server` listen on a free port of 127.0.0.1 as a stand-in for the database at `target`. Returns a database url
 * that connects through `server`. When the scope closes, destroys `sockets` and closes `server`.
 */
export const listenInPlaceOf = (
  target: Redacted.Redacted,
  server: Server,
  sockets: ReadonlySet<Socket>
): Effect.Effect<Redacted.Redacted, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
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
    ),
    (port) => {
      const url = new URL(Redacted.value(target))
      url.host = `127.0.0.1:${port}`
      return Redacted.make(url.href)
    }
  )
