import { listBackups, type BackupManifest } from '../backup/repository/manifest.ts'
import { openRepository } from '../backup/repository/openRepository.ts'
import { listWal } from '../backup/repository/readStored.ts'
import { selectWalOf } from '../backup/repository/walSegments.ts'
import { renderMoment } from '../restore/moments.ts'
import { commandLine } from '../runtime/commandName.ts'
import { defineCommand } from './Command.ts'
import { outputOption, readInstallation } from './backup.ts'
import { projectOptions } from './findProject.ts'
import { renderSize } from './progress.ts'

interface ListedBackup {
  id: string
  /** The first point in time that can be restored from it, ISO 8601. */
  from: string
  /** The latest point in time to which the log continues it, ISO 8601; null: its own end. */
  until: string | null
  databaseBytes: number
  files: number
  linnet: string
  postgres: string
}

async function describe(dir: string, backups: readonly BackupManifest[]): Promise<ListedBackup[]> {
  const described: ListedBackup[] = []
  for (const manifest of backups) {
    const last = selectWalOf(manifest, await listWal(dir, manifest.log)).at(-1)
    described.push({
      id: manifest.id,
      from: manifest.finishedAt,
      until: last === undefined ? null : new Date(last.writtenAt).toISOString(),
      databaseBytes: manifest.parts.base.storedBytes,
      files: manifest.files.count,
      linnet: manifest.linnet,
      postgres: manifest.postgres,
    })
  }
  return described
}

const render = ({ id, from, until, databaseBytes, files, linnet, postgres }: ListedBackup): string =>
  `${id}  database ${renderSize(databaseBytes)}, files ${files}, Linnet ${linnet}, PostgreSQL ${postgres}` +
  (until === null
    ? ''
    : `\n  can restore any point in time from ${renderMoment(new Date(from))} to ${renderMoment(new Date(until))}`)

/** `linnet backup list`: the backups of the repository, the oldest first. Needs no key. */
export const backupList = defineCommand({
  name: 'backup list',
  group: 'Backup',
  summary: 'List the backups, and the points in time that can be restored',
  options: {
    to: { value: 'DIR', help: 'folder of the backups (default: backup.to of the settings)' },
    output: outputOption,
    ...projectOptions,
  },
  async run({ dataDir, supabaseDir, options }) {
    const { repository } = readInstallation({ dataDir, supabaseDir }, options.to)
    const { dir } = await openRepository(repository)
    const { backups, problems } = await listBackups(dir)
    const listed = await describe(dir, backups)
    const isJson = options.output === 'json'
    if (isJson)
      process.stdout.write(
        `${JSON.stringify({ dir, backups: listed, problems: problems.map(({ message }) => message) })}\n`,
      )
    else if (listed.length === 0 && problems.length === 0)
      process.stdout.write(`There is no backup yet in ${dir}. Make one: ${commandLine('backup', options)}\n`)
    else process.stdout.write(`${[`Backups in ${dir}`, ...listed.map(render)].join('\n')}\n`)
    for (const { message } of isJson ? [] : problems) process.stderr.write(`${message}\n`)
    return problems.length === 0 ? 0 : 1
  },
})
