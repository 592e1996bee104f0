import { pages } from "@surety/console/page/pages"
import type { Answer, Caller } from "./Caller.ts"
import type { Records } from "./records.ts"

/** A call to a console page: its name in the report, and its path with record ids filled in. */
export interface PageCall {
  readonly page: string
  readonly path: string
}

/** A client that is signed in to the console and keeps cookies, like a browser. */
export class Operator {
  readonly #caller: Pick<Caller, "sendText">
  readonly #jar = new Map<string, string>()

  private constructor(caller: Pick<Caller, "sendText">) {
    this.#caller = caller
  }

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

/** Extracts the id of an operator's session from the operators page. Empty if the page shows none. */
const sessionIn = (text: string): string => /\b(session_[0-9a-z]{26})\b/u.exec(text)?.[1] ?? ""

/**
 * Builds a call for each of the console's `pages`. Repeats the pages about a person for the busiest person, except for
 * receipts. Adds searches.
 */
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
      // A receipt belongs to one person, so its page has no variant for the busiest person.
      .filter(({ path }) => path.includes(":consumerId") && !path.includes(":receiptId"))
      .map(({ path }) => ({ page: `${path}, the busiest`, path: pathOf(path, busy) })),
    ...["Ada", "shop", "ada.7", "order"].map((words) => ({
      page: `search, ${words}`,
      path: pathOf(`search?q=${words}`)
    }))
  ]
}

/** Returns the values to write into a list's text filters, keyed by the filter's name. */
const filtersBy = ({ live, params, serviceId }: Records): Readonly<Record<string, string | undefined>> => ({
  merchant: live.merchantId,
  endpoint: live.endpointId,
  payment: params.paymentId,
  person: serviceId,
  record: live.merchantId,
  who: "operator"
})

/**
 * Builds calls for a page's list, each with one of the filters that the page offers. Tries every choice of a select
 * except the empty one, and one value for each text field. Skips dates.
 */
export const filteredCalls = (records: Records, { page, path }: PageCall, text: string): ReadonlyArray<PageCall> => {
  const values = filtersBy(records)
  const [form = ""] = /<form class="filters"[\s\S]*?<\/form>/u.exec(text) ?? []
  const call = (name: string, value: string): PageCall => ({
    page: `${page}, ${name}=${value}`,
    path: `${path}?${new URLSearchParams({ [name]: value })}`
  })
  const chosen = [...form.matchAll(/<select name="(\w+)">([\s\S]*?)<\/select>/gu)].flatMap(
    ([, name = "", options = ""]) =>
      [...options.matchAll(/value="([^"]+)"/gu)].map(([, value = ""]) => call(name, value))
  )
  const written = [...form.matchAll(/<input name="(\w+)"/gu)].map(([, name = ""]) => {
    const value = values[name]
    if (value === undefined) throw new Error(`Add what is written in "${name}" of the page "${page}" to pageCalls.ts`)
    return call(name, value)
  })
  return [...chosen, ...written]
}

/**
 * Builds calls that export each of the pages' `tables` as CSV. Excludes the pages' main lists, since their exports have
 * up to 10,000 lines.
 */
export const tableCalls = (calls: ReadonlyArray<PageCall>): ReadonlyArray<PageCall> =>
  pages.flatMap(({ path, tables = {} }) => {
    const call = calls.find(({ page }) => page === path)
    if (call === undefined) throw new Error(`The page "${path}" has no call`)
    return Object.keys(tables).map((table) => ({
      page: `${path}, ${table} as a file`,
      path: `${call.path}?format=csv&table=${table}`
    }))
  })
