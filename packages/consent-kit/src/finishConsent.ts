import { note, onNote, openChannel } from "./Notes.js"

/**
 * Options of `finishConsent`. By default, it waits up to 1500 ms for a reply and closes this window when one arrives.
 */
export interface FinishOptions {
  /** How long to wait for the waiting page's reply, in milliseconds. Default: 1500. */
  readonly waitMs?: number
  /** Closes this window once the waiting page has replied. Default: true. */
  readonly close?: boolean
}

/** Result of `finishConsent`: the state, and whether a waiting page continues the flow or this page must. */
export interface Finished {
  /** The data request's `state`, or `undefined` if this page's url has none. */
  readonly state: string | undefined
  /**
   * True if a page of this origin was waiting for this state and continues the flow. If false, this page must continue
   * it, for example because the person came without a pop-up or the page that called `openConsent` is closed.
   */
  readonly heard: boolean
}

/**
 * Completes the flow on the page at your `return_url` (contract 7). Notifies the page that called `openConsent` that
 * the person is back. Closes this window if that page replies, unless `close` is false. Some browsers keep the window
 * open, so show a message for that case.
 *
 * This page does not learn the decision. Ask your server, which reads the data request by its id.
 */
export const finishConsent = ({ close = true, waitMs = 1500 }: FinishOptions = {}): Promise<Finished> =>
  new Promise((resolve) => {
    const state = new URLSearchParams(location.search).get("state") ?? undefined
    if (state === undefined) return resolve({ state, heard: false })
    const channel = openChannel()
    const finish = (heard: boolean): void => {
      clearTimeout(timer)
      channel?.close()
      resolve({ state, heard })
      if (heard && close) window.close()
    }
    const timer = setTimeout(() => finish(false), channel === undefined ? 0 : waitMs)
    onNote(channel, "heard", state, () => finish(true))
    note(channel, "returned", state)
  })
