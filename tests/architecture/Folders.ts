import path from "node:path"

/** Maximum number of files in a folder, without those in its subfolders. */
export const mostFiles = 20

/** Number of lines below which a file is tiny, and usually belongs in a neighbouring file. */
export const fewestLines = 15

export const crowdedFolders = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...Map.groupBy(files, (file) => path.posix.dirname(file))]
    .filter(([, inside]) => inside.length > mostFiles)
    .map(([folder, inside]) => `${folder}: ${inside.length}`)

export const tinyFiles = (
  files: ReadonlyArray<string>,
  read: (file: string) => string
): ReadonlyMap<string, ReadonlyArray<string>> =>
  Map.groupBy(
    files.filter((file) => read(file).trimEnd().split("\n").length < fewestLines),
    (file) => file.split("/")[1] ?? ""
  )
