import { Effect } from "effect"
import { StartFailed } from "../../StartFailed.js"

const loopback = /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

const refuse = (why: string) => new StartFailed({ message: `--server ${why}` })

/**
 * Validates the url of `--server` and removes trailing slashes. Requires https, except on this machine, since every
 * command sends the operator's token to the url. Messages never repeat the url, which may contain a password.
 */
export const serverAddress = (text: string): Effect.Effect<string, StartFailed> => {
  const url = URL.parse(text)
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    return Effect.fail(refuse("is not an address such as https://pay.example or http://127.0.0.1:3000."))
  }
  if (url.username !== "" || url.password !== "") {
    return Effect.fail(refuse("contains a user name or password. Remove them; OPERATOR_TOKEN authenticates you."))
  }
  if (url.search !== "" || url.hash !== "") return Effect.fail(refuse("contains a query or fragment. Remove it."))
  if (url.protocol === "http:" && !loopback.test(url.hostname)) {
    return Effect.fail(
      refuse("uses http to another machine: anyone in between could read the operator's token. Use https.")
    )
  }
  return Effect.succeed(url.origin + url.pathname.replace(/\/+$/, ""))
}
