import { Context } from "effect"

/**
 * The owner of the pieces in which request bodies arrive. In Surety's own server (`server`), nothing else refers to a
 * piece, so it is freed once copied. A `host` may still hold its pieces, so they are left to the garbage collector. The
 * collector then runs for nearly every body of 16 MiB.
 */
export const PieceOwner = Context.Reference<"server" | "host">("@surety/http/form/PieceOwner", {
  defaultValue: () => "host"
})

/**
 * Frees the memory of bytes without waiting for the garbage collector, and leaves them empty. Does nothing if they are
 * only a part of their buffer.
 */
export const freeBytes = ({ buffer, byteLength }: Uint8Array): void => {
  if (byteLength > 0 && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
