import { Redacted, Result } from "effect"
import { httpUrl, type Setting, setting } from "../../settings/Setting.js"

const loopback: ReadonlyArray<string> = ["localhost", "127.0.0.1", "[::1]"]

/**
 * Parses a vendor's url, which must not have a query or fragment. Requires https, since people's identity numbers are
 * sent to it. Allows http only to this machine.
 */
const vendorUrl = (text: string): Result.Result<string, string> =>
  Result.flatMap(httpUrl(text), (url) => {
    const { hash, hostname, protocol, search } = new URL(url)
    if (protocol === "http:" && !loopback.includes(hostname)) {
      return Result.fail("must be https, because people's numbers are sent there")
    }
    return search === "" && hash === "" ? Result.succeed(url) : Result.fail("must not have a query or fragment")
  })

export const urlSetting = (name: string, liveUrl: string): Setting<string> =>
  setting(name, { meaning: "the url of the vendor's interface, with its path", default: liveUrl, read: vendorUrl })

/** Visible ASCII, which is safe in headers and as key bytes. */
const secretForm = /^[\x21-\x7e]{8,1024}$/u

/** Builds the setting for a vendor's key. Its faults never quote the value. */
export const secretSetting = (name: string, meaning: string): Setting<Redacted.Redacted<string> | undefined> =>
  setting(name, {
    meaning,
    unset: "unset",
    read: (text) =>
      secretForm.test(text)
        ? Result.succeed(Redacted.make(text, { label: name }))
        : Result.fail("must be 8 to 1024 visible ASCII characters")
  })
