import { note, onNote, openChannel } from "./Notes.js"

/**
 * How the flow ended, for display only: no value reveals the decision. Ask your server in every case.
 *
 * - `returned`: the person decided and came back with the page's button.
 * - `closed`: the person is back on this page in some other way. They closed or left the window, or only switched to
 *   this page. The request may still be pending and the window still open.
 * - `blocked`: the browser did not open a window. Show a link to the url.
 * - `timed_out`: the person did not come back in time.
 * - `aborted`: `signal` was aborted.
 */
export type ConsentEnd = "returned" | "closed" | "blocked" | "timed_out" | "aborted"

/** Options of `openConsent`. Only `state` is required. */
export interface OpenOptions {
  /** The `state` that your server passes when it creates the data request. `newState` generates one. */
  readonly state: string
  /** How long to wait, in milliseconds. Default: 1,800,000 (30 minutes). */
  readonly timeoutMs?: number
  /** Ends the wait, and closes the window if the browser permits. */
  readonly signal?: AbortSignal
}

/**
 * `lookEvery` is the interval between checks for the person's return. `grace` is the time that the return page has to
 * report the return before a check ends the wait. Both are in milliseconds.
 */
const lookEvery = 250
const grace = 1000

/** Maximum delay of a timer. Browsers fire a timer with a longer delay immediately. */
const longestTimer = 2 ** 31 - 1

/** Creates an unguessable `state`: 128 random bits. */
export const newState = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

const isLocal = (hostname: string): boolean => /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)

/**
 * Returns the normalised url for a window to open. Throws `TypeError` unless the url is https, or http on this machine,
 * so `javascript:` never runs.
 */
const checked = (url: string): string => {
  const { href, hostname, protocol } = new URL(url)
  if (protocol === "https:" || (protocol === "http:" && isLocal(hostname))) return href
  throw new TypeError("The consent page's url must be https.")
}

/** Opens a tab on touch devices, otherwise a window centred over this one. Returns null if the browser refuses. */
const openWindow = (isPhone: boolean): Window | null => {
  if (isPhone) return window.open("about:blank", "_blank")
  const width = 480
  const height = 760
  const left = Math.max(0, Math.round(screenX + (outerWidth - width) / 2))
  const top = Math.max(0, Math.round(screenY + (outerHeight - height) / 2))
  return window.open("about:blank", "_blank", `popup,width=${width},height=${height},left=${left},top=${top}`)
}

const waiting = new Map<string, Promise<ConsentEnd>>()

const start = (url: string | PromiseLike<string>, { signal, state, timeoutMs = 1_800_000 }: OpenOptions) =>
  new Promise<ConsentEnd>((resolve, reject) => {
    const first = typeof url === "string" ? checked(url) : url
    if (signal?.aborted === true) return resolve("aborted")
    const isPhone = matchMedia("(pointer: coarse)").matches
    const opened = openWindow(isPhone)
    if (opened === null || opened.closed) return resolve("blocked")
    // The consent page gets no handle to this page. This page also loses its handle to the consent page, once that
    // page's `Cross-Origin-Opener-Policy` applies.
    opened.opener = null
    const channel = openChannel()
    const listening = new AbortController()
    let isLed = false
    let wasAway = false
    let backSince: number | undefined

    const finish = (settle: () => void): void => {
      clearInterval(looks)
      clearTimeout(timeout)
      listening.abort()
      channel?.close()
      // A window that never received a url is blank, so close it.
      if (!isLed) opened.close()
      settle()
    }
    const end = (how: ConsentEnd): void => finish(() => resolve(how))
    const away = (): void => {
      wasAway = true
    }
    const look = (): void => {
      const isHere = document.visibilityState === "visible" && (isPhone || document.hasFocus())
      if (!isHere) away()
      // Under `Cross-Origin-Opener-Policy`, `closed` is true even while the window is open. It therefore counts only
      // once the person has left this page and come back.
      if (!(isHere && wasAway && opened.closed)) backSince = undefined
      else if (backSince === undefined) backSince = performance.now()
      else if (performance.now() - backSince >= grace) end("closed")
    }
    const looks = setInterval(look, lookEvery)
    const timeout = setTimeout(() => end("timed_out"), Math.min(timeoutMs, longestTimer))
    addEventListener("blur", away, { signal: listening.signal })
    document.addEventListener("visibilitychange", look, { signal: listening.signal })
    onNote(channel, "returned", state, () => {
      note(channel, "heard", state)
      end("returned")
    })
    const abort = (): void => {
      opened.close()
      end("aborted")
    }
    signal?.addEventListener("abort", abort, { signal: listening.signal })

    const lead = (target: string): void => {
      isLed = true
      if (!opened.closed) opened.location.replace(target)
    }
    if (typeof first === "string") return lead(first)
    Promise.resolve(first)
      .then((target) => listening.signal.aborted || lead(checked(target)))
      .catch((error: unknown) => finish(() => reject(error)))
  })

/**
 * Opens the consent page (contract 7) in a pop-up, or in its own tab on a phone. Never opens it in a frame. Resolves
 * with a `ConsentEnd` when the wait ends. Call this in a click handler before any `await`. `url` may be a promise, so
 * the request to your server can run at the same time.
 *
 * The page with `finishConsent`, at your `return_url`, must have the same origin as this page. Concurrent calls with
 * the same `state` share the first call's window, url and options.
 *
 * Rejects with a `TypeError` unless the url is https, or http on this machine. Also rejects with the reason of a
 * rejected `url`. If `url` is a promise that settles after the wait has ended, its outcome is ignored.
 *
 * @example
 * button.onclick = async () => {
 *   const state = newState()
 *   const end = await openConsent(askMyServer(state), { state })
 *   await showWhatMyServerKnows(end)
 * }
 */
export const openConsent = (url: string | PromiseLike<string>, options: OpenOptions): Promise<ConsentEnd> => {
  const { state } = options
  // Prevents an unhandled rejection if no window waits for the url, for example while an earlier call's window is open.
  if (typeof url !== "string") url.then(undefined, () => undefined)
  const current = waiting.get(state)
  if (current !== undefined) return current
  const begun = start(url, options).finally(() => waiting.delete(state))
  waiting.set(state, begun)
  return begun
}
