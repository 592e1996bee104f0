/**
 * What a request that makes something was answered: the body's JSON text, kept so that a replay is the same byte for
 * byte.
 */
export interface Answer {
  readonly body: string
  /** Whether the answer was made by an earlier request with the same key. */
  readonly replayed: boolean
}
