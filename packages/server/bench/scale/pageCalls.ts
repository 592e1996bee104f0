import { pages } from "@surety/console/page/pages"
import type { Answer, Caller } from "./Caller.ts"
import type { Records } from "./records.ts"

/** A page of the console, as an address with its records. */
export interface PageCall {
  readonly page: string
  readonly path: string
}

/** A browser at the console: it keeps cookies. */
export class Operator {
  readonly #caller: Pick<Caller, "sendText">
  readonly #jar = new Map<string, string>()

  private constructor(caller: Pick<Caller, "sendText">) {
    this.#caller = caller
  }

  /** Signs in with the operator’s token. */
  static async signIn(caller: Pick<Caller, "sendText">, token: string): Promise<Operator> {
    const operator = new Operator(caller)
    const page = await operator.#send("GET", "/console/sign-in", "")
    const guard = /name="guard" value="([^"]+)"/u.exec(page.text)?.[1] ?? ""
    const form = new URLSearchParams({ guard, next: "", name: "operator", token })
    const signedIn = await operator.#send("POST", "/console/sign-in", form.toString())
    if (signedIn.status !== 303) throw new Error(`The console did not let the operator in: ${signedIn.status}`)
    return operator
  }

  get(path: string): Promise<Answer> {
    return this.#send("GET", path, "")
  }

  async #send(method: string, path: string, text: string): Promise<Answer> {
    const cookie = [...this.#jar].map(([name, value]) => `${name}=${value}`).join("; ")
    const form = method === "POST" ? { "content-type": "application/x-www-form-urlencoded" } : {}
    const answer = await this.#caller.sendText(method, path, text, { cookie, ...form })
    for (const set of answer.cookies) {
      const [pair = ""] = set.split(";")
      this.#jar.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1))
    }
    return answer
  }
}

/** The session that a page shows, by its id in the list of operators’ sessions. */
const sessionIn = (text: string): string => /\b(session_[0-9a-z]{26})\b/u.exec(text)?.[1] ?? ""

/** Every page of the console’s table, the person’s also for the busiest person, and a search with many hits. */
export const pageCalls = async (operator: Operator, records: Records): Promise<ReadonlyArray<PageCall>> => {
  const sessions = await operator.get("/console/live/operators")
  const params: Readonly<Record<string, string>> = { ...records.params, sessionId: sessionIn(sessions.text) }
  const pathOf = (path: string, of = params): string =>
    `/console/live/${path.replaceAll(/:(\w+)/gu, (_, name: string) => {
      const value = of[name]
      if (value === undefined || value === "") throw new Error(`Add "${name}" of the page "${path}" to records.ts`)
      return encodeURIComponent(value)
    })}`
  const busy = { ...params, consumerId: records.busyServiceId }
  return [
    ...pages.map(({ path }) => ({ page: path, path: pathOf(path) })),
    ...pages
      // A receipt is one person's.
      .filter(({ path }) => path.includes(":consumerId") && !path.includes(":receiptId"))
      .map(({ path }) => ({ page: `${path}, the busiest`, path: pathOf(path, busy) })),
    ...["Ada", "shop", "ada.7", "order"].map((words) => ({
      page: `search, ${words}`,
      path: pathOf(`search?q=${words}`)
    }))
  ]
}
