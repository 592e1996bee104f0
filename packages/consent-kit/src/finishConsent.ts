import { note, onNote, openChannel } from "./Notes.js"

/** How to finish; both are optional. */
export interface FinishOptions {
  /** How long to wait for the waiting page's answer, in milliseconds. Default: 1500. */
  readonly waitMs?: number
  /** Whether to close this window once the waiting page has answered. Default: yes. */
  readonly close?: boolean
}

/** The parameters of the return page's address. */
export interface Finished {
  /** The `state` of the data request; undefined if the address has none. */
  readonly state: string | undefined
  /**
   * Whether a page of this origin was waiting for this state, and continues. If not, this page continues itself: the
   * person came here without a pop-up, or the page that opened it is gone.
   */
  readonly heard: boolean
}

/**
 * Finishes on the page of your `return_url` (contract 7): tells the page that called `openConsent` that the person is
 * back, and closes this window if that page answers. Some browsers keep the window open; show a sentence for them.
 *
 * Knows nothing of the decision. Ask your server, which reads the data request by its id.
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
