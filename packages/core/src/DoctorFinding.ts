/** One finding of a doctor: the command `surety doctor` or `surety-embed doctor`. */
export interface Finding {
  /** The subject: a setting's name, `options`, `database`, `wallet`. */
  readonly about: string
  /**
   * `ok`; a `fault`, which an operator or the host has to mend; an `advice`, which works but could be safer; or
   * `skipped`, because there is nothing to check.
   */
  readonly verdict: "ok" | "fault" | "advice" | "skipped"
  /** What was found and, for a fault, what to do. */
  readonly detail: string
}

export const ok = (about: string, detail: string): Finding => ({ about, verdict: "ok", detail })
export const fault = (about: string, detail: string): Finding => ({ about, verdict: "fault", detail })
export const advice = (about: string, detail: string): Finding => ({ about, verdict: "advice", detail })
export const skipped = (about: string, detail: string): Finding => ({ about, verdict: "skipped", detail })

const words = { ok: "ok", fault: "FAULT", advice: "advice", skipped: "skipped" } as const

/** `FAULT wallet: Wallet hook returned 401. …` */
export const lineOf = ({ about, detail, verdict }: Finding): string => `${words[verdict]} ${about}: ${detail}`
