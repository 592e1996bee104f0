import { Redacted, Result } from "effect"

/**
 * Returns false if the url has a fragment, or an `@` in its path or query. Its password is then probably not
 * percent-encoded. Parts of the password would be taken for the port or the database's name, which error messages show.
 */
const isWholeDatabaseUrl = ({ hash, pathname, search }: URL): boolean =>
  hash === "" && !`${pathname}${search}`.includes("@")

/** Parses the url of a PostgreSQL database. The result is redacted, and a fault never quotes the url. */
export const readDatabaseUrl = (text: string): Result.Result<Redacted.Redacted<string>, string> => {
  const url = URL.parse(text)
  if (url === null || !["postgres:", "postgresql:"].includes(url.protocol)) {
    return Result.fail("is not a url of the form postgres://user:password@host:5432/name")
  }
  return isWholeDatabaseUrl(url)
    ? Result.succeed(Redacted.make(text))
    : Result.fail(
        "contains a character in its password that must be percent-encoded: / is %2F, ? is %3F, # is %23, @ is %40"
      )
}
