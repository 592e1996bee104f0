import { Context } from "effect"

/**
 * The owner of the pieces in which request bodies arrive. In our own server (`server`), nothing else refers to them,
 * and each is freed once it is copied. A `host` may still hold them, so they are left to the garbage collector, which
 * then runs for nearly every body of 16 MiB.
 */
export const PieceOwner = Context.Reference<"server" | "host">("@surety/http/form/PieceOwner", {
  defaultValue: () => "host"
})

/**
 * Frees the memory of bytes without waiting for the garbage collector, and leaves them empty. Leaves bytes in a shared
 * buffer alone.
 */
export const freeBytes = ({ buffer, byteLength }: Uint8Array): void => {
  if (byteLength > 0 && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
