import { Context } from "effect"

/**
 * Who else may hold the pieces in which request bodies arrive. With `nobody else`, as in a server of our own, each piece is freed
 * once it is copied. Otherwise pieces wait for the garbage collector, and make it run for nearly every body of 16 MiB.
 */
export const PieceOwner = Context.Reference<"nobody else" | "the host">("@surety/http/form/PieceOwner", {
  defaultValue: () => "the host"
})

/**
 * Frees the memory of bytes and leaves them empty, without waiting for the garbage collector. Leaves bytes alone that share
 * their buffer with others.
 */
export const freeBytes = ({ buffer, byteLength }: Uint8Array): void => {
  if (byteLength > 0 && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
