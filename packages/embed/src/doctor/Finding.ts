/** What `surety-embed doctor` found of one thing. */
export interface Finding {
  /** What was looked at: `options`, `database`, `wallet`. */
  readonly about: string
  /**
   * `ok`; a `fault`, which needs the host's team; an `advice`, which works and could be safer; or `skipped`, because there is
   * nothing to look at.
   */
  readonly verdict: "ok" | "fault" | "advice" | "skipped"
  /** What it is and, for a fault, what to do. */
  readonly detail: string
}

export const ok = (about: string, detail: string): Finding => ({ about, verdict: "ok", detail })
export const fault = (about: string, detail: string): Finding => ({ about, verdict: "fault", detail })
export const advice = (about: string, detail: string): Finding => ({ about, verdict: "advice", detail })
export const skipped = (about: string, detail: string): Finding => ({ about, verdict: "skipped", detail })

const words = { ok: "ok", fault: "FAULT", advice: "advice", skipped: "skipped" } as const

/** `FAULT wallet: It declined the refund. …` */
export const lineOf = ({ about, detail, verdict }: Finding): string => `${words[verdict]} ${about}: ${detail}`
