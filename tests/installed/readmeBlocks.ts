import type { PackedPackage } from "./PackedPackage.js"

/** The blocks of TypeScript in the README that is published with a package, from the top. */
export const readmeBlocks = ({ read }: PackedPackage): ReadonlyArray<string> =>
  Array.from(
    read("README.md").matchAll(/^```ts(?: [a-z]+)?\n(?<code>.*?)^```$/gmsu),
    ({ groups }) => groups?.code ?? ""
  )
