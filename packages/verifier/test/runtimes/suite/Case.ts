import type * as verifier from "../../../src/index.js"
import type * as testing from "../../../src/testing.js"

/** The package's two entry points, as loaded by a runtime. */
export type Subject = typeof verifier & typeof testing

/** A test of one behaviour. It uses only language and platform features that every supported runtime has. */
export interface Case {
  readonly name: string
  /** Rejects if the behaviour differs. */
  readonly run: (subject: Subject) => Promise<void>
}

/** A known-answer test from `webhook-signatures.json`. */
export interface Vector {
  readonly name: string
  readonly secrets: ReadonlyArray<string>
  readonly id: string
  readonly timestamp: number
  readonly topic: string
  readonly body: string
  readonly serviceSignature: string
  readonly webhookSignature: string
}
