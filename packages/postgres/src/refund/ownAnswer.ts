import type { DomainEvent } from "@surety/core/event/DomainEvent"

/**
 * The response that a refund's row stores. None if it is its event's body, byte for byte, as it is without items: then
 * replays read it from the event, which never changes. Stored twice it would be a fifth of what a refund takes on disk.
 */
export const ownAnswer = (answer: string | undefined, event: DomainEvent | undefined): string | undefined =>
  answer === event?.body ? undefined : answer
