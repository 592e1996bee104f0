import { Context } from "effect"

/**
 * Who owns the pieces in which request bodies arrive. With `server`, as in a server of our own, nothing else holds them, and each is
 * freed once it is copied. A `host` may hold them, so they wait for the garbage collector, and make it run for nearly every body of
 * 16 MiB.
 */
export const PieceOwner = Context.Reference<"server" | "host">("@surety/http/form/PieceOwner", {
  defaultValue: () => "host"
})

/**
 * Frees the memory of bytes and leaves them empty, without waiting for the garbage collector. Leaves bytes alone that share
 * their buffer with others.
 */
export const freeBytes = ({ buffer, byteLength }: Uint8Array): void => {
  if (byteLength > 0 && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
