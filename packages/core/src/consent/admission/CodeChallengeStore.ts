import { Context, type DateTime, type Effect } from "effect"
import type { StoreError } from "../../StoreError.js"
import type { ConsentTokenHash } from "../link/ConsentToken.js"
import type { CodeChallenge, CodeDecision } from "./decideCode.js"

/** One challenge per link, with its outstanding code. A person's count of sent codes is an entry of its own (`nameOfPerson`). */
export class CodeChallengeStore extends Context.Service<
  CodeChallengeStore,
  {
    /**
     * Reads the link's challenge, calls `decide`, and stores the next state. Concurrent calls, in any processes, are
     * serial: each sees what the previous one stored, so every guess is counted. `decide` must be pure.
     */
    readonly change: <A>(
      link: ConsentTokenHash,
      decide: (current: CodeChallenge | undefined) => CodeDecision<A>
    ) => Effect.Effect<A, StoreError>

    /** Deletes at most `limit` challenges whose window ended before that moment. Returns how many. */
    readonly forget: (endedBefore: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/consent/admission/CodeChallengeStore") {}
