import { Context, type DateTime, type Effect } from "effect"
import type { StoreError } from "../../StoreError.js"
import type { ConsentTokenHash } from "../link/ConsentToken.js"
import type { CodeChallenge, CodeDecision } from "./decideCode.js"

/**
 * The state of each link's codes. A separate entry per person, keyed by `nameOfPerson`, counts the codes sent to that
 * person.
 */
export class CodeChallengeStore extends Context.Service<
  CodeChallengeStore,
  {
    /**
     * Reads an entry, calls `decide`, and stores the next state, if any. Concurrent calls for the same entry, across
     * processes, are serialised: each sees the state that the previous one stored, so every guess is counted. `decide`
     * must be pure.
     */
    readonly change: <A>(
      link: ConsentTokenHash,
      decide: (current: CodeChallenge | undefined) => CodeDecision<A>
    ) => Effect.Effect<A, StoreError>

    /** Deletes up to `limit` entries whose window ended before `endedBefore`. Returns the count. */
    readonly forget: (endedBefore: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/consent/admission/CodeChallengeStore") {}
