import { Effect } from "effect"
import { Client } from "pg"

/** Opens a PostgreSQL connection outside any pool, closed with the scope. */
export const connected = (connectionString: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ connectionString })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )
