import { createHash, randomBytes } from 'node:crypto'
import { link, lstat, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BackupError } from '../BackupError.ts'
import { readJson, replaceFile, syncFolder } from '../../runtime/durableFiles.ts'
import { renderLog } from '../repository/layout.ts'
import { saveInfo, type Repository } from '../repository/openRepository.ts'
import { listWal } from '../repository/readStored.ts'

/**
 * `backup-writer.json` of a data folder: who writes its backups. Each database that can change independently is a writer of its
 * own: a server, a restored copy of it, and the server again after its files were put back to an earlier state.
 */
export interface Writer {
  /** 16 hexadecimal digits. */
  id: string
  /** The writers whose backups this one continues. */
  predecessors: string[]
}

const fileOf = (dataDir: string): string => join(dataDir, 'backup-writer.json')
const createId = (): string => randomBytes(8).toString('hex')
const render = (writer: Writer): string => `${JSON.stringify(writer, null, 2)}\n`

async function read(dataDir: string): Promise<Writer | null> {
  let text: string
  try {
    text = await readFile(fileOf(dataDir), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    return JSON.parse(text) as Writer
  } catch (error) {
    throw new BackupError(`${fileOf(dataDir)} is damaged. Restore it from a backup.`, { cause: error })
  }
}

/** The writer of an installation, which the first call creates. */
export async function readWriter(dataDir: string): Promise<Writer> {
  const found = await read(dataDir)
  if (found !== null) return found
  const temporary = `${fileOf(dataDir)}.new.${createId()}`
  await writeFile(temporary, render({ id: createId(), predecessors: [] }), { mode: 0o600, flush: true })
  try {
    // Not a rename, which would replace the file that another process has created meanwhile.
    await link(temporary, fileOf(dataDir))
    // The repository names this writer from now on.
    await syncFolder(dataDir)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(temporary, { force: true })
  }
  return (await read(dataDir))!
}

/**
 * Makes restored data a new writer, which continues the backups of the original once the restore is confirmed.
 * @param repositoryWriter the last writer of the repository from which the data were restored
 */
export async function replaceWriter(dataDir: string, repositoryWriter: string): Promise<void> {
  const original = await read(dataDir)
  const predecessors = new Set([
    repositoryWriter,
    ...(original ? [original.id, ...original.predecessors] : []),
  ])
  await replaceFile(fileOf(dataDir), render({ id: createId(), predecessors: [...predecessors] }))
}

/**
 * Makes an installation the writer of a repository. Throws BackupError where another one writes to it: each would remove the
 * backups of the other as expired.
 * @param o.isRestored whether the data are a restored copy, and nobody has confirmed yet that the original is gone
 */
export async function claimRepository(
  repository: Repository,
  { dataDir, isRestored }: { dataDir: string; isRestored: boolean },
): Promise<Repository> {
  const { id, predecessors } = await readWriter(dataDir)
  const { dir, info } = repository
  if (info.writer === id) return repository
  if (!predecessors.includes(info.writer))
    throw new BackupError(
      `The backups in ${dir} belong to another server, or to a restored copy of this one that was confirmed. Choose another ` +
        `folder for the backups. If the other server is gone for good, write "writer": "${id}" in ` +
        `${join(dir, 'repository.json')} instead.`,
    )
  if (isRestored)
    throw new BackupError(
      `The backups in ${dir} belong to the original of this restored copy. Confirm that the original is gone (linnet ` +
        'resume), or choose another folder for the backups.',
    )
  return saveInfo(repository, { writer: id })
}

/** Up to where a database has added its log to repositories. It is among PostgreSQL's files, so that it goes back with them. */
interface LogMark {
  writer: string
  timeline: number
  /** In decimal digits. No repository has a later position. */
  position: string
}

/**
 * The beginning of the names that a base backup of PostgreSQL leaves out. It would fail at a file that does not belong to its
 * user yet.
 */
const UNREAD_BY_BACKUPS = 'pgsql_tmp.'

const markOf = (dataDir: string): string => join(dataDir, 'postgres', 'linnet-archive.json')

/** Records the position that the log in a repository is about to reach. */
export async function recordPosition(
  dataDir: string,
  { writer, timeline, position }: { writer: string; timeline: number; position: bigint },
): Promise<void> {
  const mark: LogMark = { writer, timeline, position: position.toString() }
  // PostgreSQL's user reads the file for a backup.
  const owner = process.getuid!() === 0 ? await lstat(join(dataDir, 'postgres')) : null
  await replaceFile(markOf(dataDir), `${JSON.stringify(mark)}\n`, owner, UNREAD_BY_BACKUPS)
}

/**
 * Where the log of a database is stored in a repository. If the repository has more of the log than the database has added, the
 * database was put back to an earlier state, or it is a copy. It then has other bytes at the same positions, so it becomes a new
 * writer with a log of its own.
 */
export async function openLog(
  repository: Repository,
  dataDir: string,
  { systemIdentifier, timeline }: { systemIdentifier: string; timeline: number },
): Promise<{ repository: Repository; writer: string; log: string }> {
  const found = await readWriter(dataDir)
  let writer = found.id
  for (;;) {
    const log = renderLog(systemIdentifier, writer)
    const chunks = await listWal(repository.dir, log)
    // Read after the ranges: the server records a position before it adds the range.
    const mark = readJson<LogMark>(markOf(dataDir))
    const added = mark?.writer === writer && mark.timeline === timeline ? BigInt(mark.position) : 0n
    if (chunks.every((chunk) => chunk.timeline !== timeline || chunk.end <= added)) {
      if (writer === found.id) return { repository, writer, log }
      const predecessors = [found.id, ...found.predecessors]
      await replaceFile(fileOf(dataDir), render({ id: writer, predecessors }))
      return { repository: await saveInfo(repository, { writer }), writer, log }
    }
    // The server and a backup that find this at the same time choose the same id.
    writer = createHash('sha256').update(writer).digest('hex').slice(0, 16)
  }
}
