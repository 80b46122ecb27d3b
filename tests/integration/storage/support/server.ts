/**
 * The server that the tests of storage run against: Linnet's own service where this is null, else the one that this
 * module starts, such as upstream's. It exports `startStorage`, as ./startStorage.ts does, for an empty database and no
 * buckets; `dir`, `startAgain`, `restart` and `reviveKilled`, which such a server lacks, may throw.
 */
const otherServer = process.env['LINNET_STORAGE_SERVER']

export const isOwnService = otherServer === undefined

/** Starts the other server, or returns null where the tests run against Linnet's own service. */
export async function startOther<Options, Server>(o: Options): Promise<Server | null> {
  if (otherServer === undefined) return null
  const module = (await import(otherServer)) as { startStorage(o: Options): Promise<Server> }
  return module.startStorage(o)
}

/** Marks a test that needs the folder of bytes, the locks, the clock or the process of Linnet's own service. */
export const ownOnly = { skip: !isOwnService }

/** Marks a test of what Linnet refuses and upstream does not, or of what it serves beyond upstream (decision 0018). */
export const stricter = { skip: !isOwnService }

/** The same for rows of a table of cases. */
export const stricterRows = <T>(...rows: T[]): T[] => (isOwnService ? rows : [])

/** The path of an upload by its `Location`, which upstream sends with an origin and Linnet without. */
export const pathOfUpload = (location: string): string => {
  const { pathname, search } = new URL(location, 'http://localhost')
  return pathname + search
}
