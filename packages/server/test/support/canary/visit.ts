import { assert } from "@effect/vitest"
import { Effect } from "effect"

interface Shown {
  readonly url: string
  readonly html: string
}

/** A minimal browser without scripts: keeps cookies, follows redirects and submits forms. */
const browser = () => {
  const cookies = new Map<string, string>()
  const ask = async (url: string, init: RequestInit = {}): Promise<Shown> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const answer = await fetch(url, { ...init, redirect: "manual", headers: { ...init.headers, cookie } })
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ""] = set.split(";")
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1))
    }
    const location = answer.headers.get("location")
    const html = await answer.text()
    return location === null ? { url, html } : ask(new URL(location, url).href)
  }
  const submit = ({ html, url }: Shown, fields: ReadonlyArray<readonly [string, string]>): Promise<Shown> => {
    const action = /<form [^>]*method="post" action="([^"]*)"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? url
    const body = new URLSearchParams()
    for (const [, name = "", value = ""] of html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)) {
      body.append(name, value)
    }
    for (const [name, value] of fields) body.append(name, value)
    return ask(new URL(action, url).href, { method: "POST", body, headers: { origin: new URL(url).origin } })
  }
  return { ask, submit, cookies }
}

/**
 * Opens the link, enters a wrong code and then the code from `latestCode`. Approves the e-mail address and opens the
 * management link. Returns the visit's secrets: the code, the management link's token and the browser's cookies.
 */
export const visit = (consentUrl: string, latestCode: () => Promise<string>) =>
  Effect.promise(async () => {
    const { ask, cookies, submit } = browser()
    const code = await ask(consentUrl)
    const sent = await submit(code, [["step", "send"]])
    const consentCode = await latestCode()
    const wrong = await submit(sent, [
      ["step", "check"],
      ["code", consentCode === "000000" ? "000001" : "000000"]
    ])
    const question = await submit(wrong, [
      ["step", "check"],
      ["code", consentCode]
    ])
    const decided = await submit(question, [
      ["field", "email"],
      ["decision", "approve"]
    ])
    const href = /href="([^"]*\/consents\/[^"]*)"/.exec(decided.html)?.[1]
    assert.isDefined(href, decided.html)
    const manageUrl = new URL(href ?? "", decided.url)
    const manage = await ask(manageUrl.href)
    assert.include(manage.html, "Corner Shop")
    for (const more of ["reads", "receipts"]) await ask(`${manageUrl.href}/${more}`)
    await ask(`${manageUrl.origin}/consents/${"x".repeat(60)}`)
    const kept = [...cookies.values()].map((value, index) => [`cookie${index}`, decodeURIComponent(value)])
    return { consentCode, manageLink: manageUrl.pathname.split("/").at(-1) ?? "", ...Object.fromEntries(kept) }
  })
