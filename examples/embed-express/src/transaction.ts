import type { Pool, PoolClient } from "pg"

export const transaction = async <A>(pool: Pool, work: (client: PoolClient) => Promise<A>): Promise<A> => {
  const client = await pool.connect()
  try {
    await client.query("begin")
    const done = await work(client)
    await client.query("commit")
    return done
  } catch (error) {
    // The pool drops a broken connection. Its failure to roll back must not hide the first error.
    await client.query("rollback").catch(() => {})
    throw error
  } finally {
    client.release()
  }
}
