import { Effect } from "effect"
import { Client } from "pg"

/** A connection of the test's own, closed with the scope. */
export const connected = (connectionString: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ connectionString })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )
