import { Redacted, Result } from "effect"
import { httpUrl, type Setting, setting } from "../../settings/Setting.js"

const loopback: ReadonlyArray<string> = ["localhost", "127.0.0.1", "[::1]"]

/** https, since numbers of people go there; http only to this machine. */
const vendorUrl = (text: string): Result.Result<string, string> =>
  Result.flatMap(httpUrl(text), (url) => {
    const { hash, hostname, protocol, search } = new URL(url)
    if (protocol === "http:" && !loopback.includes(hostname)) {
      return Result.fail("must be https, since numbers of people go there")
    }
    return search === "" && hash === "" ? Result.succeed(url) : Result.fail("must not have a query or fragment")
  })

/** Where a vendor is: its production address by default. */
export const urlSetting = (name: string, liveUrl: string): Setting<string> =>
  setting(name, { meaning: "where the vendor's interface is, with its path", default: liveUrl, read: vendorUrl })

/** Header and key bytes: visible ASCII. */
const secretForm = /^[\x21-\x7e]{8,1024}$/u

/** A key of a vendor's. A fault never quotes it. */
export const secretSetting = (name: string, meaning: string): Setting<Redacted.Redacted<string> | undefined> =>
  setting(name, {
    meaning,
    unset: "unset",
    read: (text) =>
      secretForm.test(text)
        ? Result.succeed(Redacted.make(text, { label: name }))
        : Result.fail("must be 8 to 1024 visible ASCII characters")
  })
