import { join } from 'node:path'

/** The version of the repository's format. A larger number was written by a newer Linnet. */
export const repositoryFormat = 1

/** A file of Linnet's storage in the repository, named by its version, which never changes, and its checksum. */
export interface StoredFile {
  version: string
  /** Of the encrypted bytes, in hexadecimal digits. */
  sha256: string
}

/** A range of PostgreSQL's write-ahead log in the repository. */
export interface WalChunk {
  timeline: number
  start: bigint
  /** Exclusive. */
  end: bigint
  /** When it was written, in milliseconds since 1970. All transactions in it had ended before. */
  writtenAt: number
  compressed: boolean
}

const storedFilePattern = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([0-9a-f]{64})\.age$/
const walChunkPattern = /^([0-9A-F]{16})-([0-9A-F]{16})\.(\d+)(\.br)?\.age$/
const backupIdPattern = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(?:-\d+)?$/

/** The name of a stored file in its folder. */
export function renderStoredFile({ version, sha256 }: StoredFile): string {
  return `${version}.${sha256}.age`
}

/** Null for a name of any other file. */
export function parseStoredFile(name: string): StoredFile | null {
  const match = storedFilePattern.exec(name)
  return match && { version: match[1]!, sha256: match[2]! }
}

const hex16 = (lsn: bigint): string => lsn.toString(16).toUpperCase().padStart(16, '0')

/** The name of a range of the log in the folder of its timeline. Names sort by their start. */
export function renderWalChunk({ start, end, writtenAt, compressed }: Omit<WalChunk, 'timeline'>): string {
  return `${hex16(start)}-${hex16(end)}.${writtenAt}${compressed ? '.br' : ''}.age`
}

/** Null for a name of any other file. */
export function parseWalChunk(name: string, timeline: number): WalChunk | null {
  const match = walChunkPattern.exec(name)
  return (
    match && {
      timeline,
      start: BigInt(`0x${match[1]}`),
      end: BigInt(`0x${match[2]}`),
      writtenAt: Number(match[3]),
      compressed: match[4] !== undefined,
    }
  )
}

/**
 * The name of the folder with the log of one database. Copies of a database have the same system identifier, and their logs
 * have different bytes at the same positions. So the name contains the writer too.
 * @param systemIdentifier of the database cluster, in decimal digits
 * @param writer `id` of the Writer
 */
export function renderLog(systemIdentifier: string, writer: string): string {
  return `${systemIdentifier}-${writer}`
}

/** The id of a backup that starts at this time. Ids sort by time. */
export function renderBackupId(startedAt: Date): string {
  return startedAt
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')
}

export function isBackupId(name: string): boolean {
  return backupIdPattern.test(name)
}

/** The paths of a repository. */
export const paths = {
  info: (dir: string) => join(dir, 'repository.json'),
  plainKey: (dir: string) => join(dir, 'key.txt'),
  protectedKey: (dir: string) => join(dir, 'key.age'),
  backups: (dir: string) => join(dir, 'backups'),
  backup: (dir: string, id: string) => join(dir, 'backups', id),
  manifest: (dir: string, id: string) => join(dir, 'backups', id, 'manifest.json'),
  files: (dir: string) => join(dir, 'files'),
  /** Stored files are in 256 folders, by the first two digits of the version. */
  shard: (dir: string, shard: string) => join(dir, 'files', shard),
  /** `log` is the name from renderLog. */
  wal: (dir: string, log: string) => join(dir, 'wal', log),
  timeline: (dir: string, log: string, timeline: number) =>
    join(dir, 'wal', log, timeline.toString(16).toUpperCase().padStart(8, '0')),
  /** Files that are not complete yet. The next backup removes what a killed one has left here. */
  incoming: (dir: string) => join(dir, 'incoming'),
  /** The same for files that the running server adds beside a backup. */
  incomingOfServer: (dir: string) => join(dir, 'incoming-server'),
}
