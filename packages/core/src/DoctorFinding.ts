/** A finding of the command `surety doctor` or `surety-embed doctor`. */
export interface Finding {
  /** Subject of the finding, such as `database`, `wallet` or a setting's name. */
  readonly about: string
  /**
   * `ok`: no problem. `fault`: the operator or the host must fix it. `advice`: the setup works, but a change is
   * recommended. `skipped`: nothing was checked.
   */
  readonly verdict: "ok" | "fault" | "advice" | "skipped"
  readonly detail: string
}

export const ok = (about: string, detail: string): Finding => ({ about, verdict: "ok", detail })
export const fault = (about: string, detail: string): Finding => ({ about, verdict: "fault", detail })
export const advice = (about: string, detail: string): Finding => ({ about, verdict: "advice", detail })
export const skipped = (about: string, detail: string): Finding => ({ about, verdict: "skipped", detail })

const words = { ok: "ok", fault: "FAULT", advice: "advice", skipped: "skipped" } as const

/** Formats a finding as a line: `FAULT wallet: Wallet hook returned 401 to a credit. …`. */
export const lineOf = ({ about, detail, verdict }: Finding): string => `${words[verdict]} ${about}: ${detail}`
