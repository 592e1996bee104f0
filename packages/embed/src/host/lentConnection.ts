import type { HostConnection } from "@surety/postgres/HostConnection"

/** A host's connection, usable until `takeBack` is called. */
export interface LentConnection {
  readonly connection: HostConnection
  readonly takeBack: () => void
}

const takenBack = (): Promise<never> => {
  const refusal = Promise.reject(
    new Error("The call that was given this connection has ended, so its statement was not run.")
  )
  // A statement that is not awaited must not end the host's process. Callers that await it still see the rejection.
  refusal.catch(() => undefined)
  return refusal
}

/**
 * Lends a host's connection for one call. Surety cannot stop a call that runs too long. The call's later statements
 * would run outside its savepoint and persist, although Surety counts the call as failed. So `query` rejects once the
 * connection is taken back. Every other property is the client's own.
 */
export const lentConnection = (client: HostConnection): LentConnection => {
  let isLent = true
  const query = (...statement: Parameters<HostConnection["query"]>) =>
    isLent ? client.query(...statement) : takenBack()
  const connection = new Proxy(client, {
    get: (target, property) => {
      if (property === "query") return query
      const value: unknown = Reflect.get(target, property, target)
      return typeof value === "function" ? value.bind(target) : value
    }
  })
  return {
    connection,
    takeBack: () => {
      isLent = false
    }
  }
}
