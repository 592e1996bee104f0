import { publicUrl, tokenOf } from "./Scene.js"

type Handler = (request: Request) => Promise<Response>

export interface Got {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface FoundForm {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
}

const origin = new URL(publicUrl).origin
const base = new URL(publicUrl).pathname

const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\s${name}="([^"]*)"`, "u").exec(tag)?.[1]
  return found?.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<")
}

/**
 * Finds a page's POST forms. If several inputs have the same name, the first wins. Textareas count as empty, and
 * selects are ignored.
 */
export const formsIn = (path: string, text: string): ReadonlyArray<FoundForm> =>
  [...text.matchAll(/<form[^>]*method="post"[^>]*>[\s\S]*?<\/form>/gu)].map(([form]) => {
    const [tag = ""] = /<form[^>]*>/u.exec(form) ?? []
    const fields: Record<string, string> = {}
    for (const [input] of form.matchAll(/<(?:input|textarea)[^>]*>/gu)) {
      const name = attribute(input, "name")
      if (name !== undefined && fields[name] === undefined) fields[name] = attribute(input, "value") ?? ""
    }
    return { action: attribute(tag, "action") ?? path, fields }
  })

/** Creates a simulated browser. It keeps cookies, runs no scripts and follows no redirects. */
export const visitor = (handler: Handler) => {
  const jar = new Map<string, string>()

  const send = async (method: string, path: string, init: RequestInit = {}): Promise<Got> => {
    const headers = new Headers(init.headers)
    if (jar.size > 0 && !headers.has("cookie")) {
      headers.set("cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; "))
    }
    const response = await handler(
      new Request(`${origin}${path.startsWith(base) ? path : base + path}`, { ...init, method, headers })
    )
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = "", ...rest] = cookie.split(";")
      const at = pair.indexOf("=")
      const ends = rest.some((part) => /^\s*(?:max-age=0|expires=Thu, 01 Jan 1970)/iu.test(part))
      if (ends) jar.delete(pair.slice(0, at))
      else jar.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  const get = (path: string, headers: Readonly<Record<string, string>> = {}) => send("GET", path, { headers })

  const post = (
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {}
  ) =>
    send("POST", path, {
      body: new URLSearchParams(fields).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers }
    })

  return {
    jar,
    get,
    post,

    signIn: async (name: string, token = tokenOf(name)): Promise<Got> => {
      const page = await get("/console/sign-in")
      const [form] = formsIn("/console/sign-in", page.text)
      return post("/console/sign-in", { ...form?.fields, name, token })
    }
  }
}

export type Visitor = ReturnType<typeof visitor>
