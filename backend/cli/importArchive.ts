import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Receipt } from '../optional/archive/Receipt.ts'
import { replaceFileSync } from '../runtime/durableFiles.ts'
import { archiveProjectOptions, openArchiveProject } from './archiveProject.ts'
import { describeLeftBehind } from './describeLeftBehind.ts'
import { UsageError, defineCommand } from './Command.ts'
import { createProgress } from './progress.ts'

/** `linnet import`: reads an archive into a server. */
export const importArchive = defineCommand({
  name: 'import',
  group: 'Moving',
  summary: 'Read an archive of "linnet export" into a server',
  help: `Creates the workspace of the archive with its ids, links and numbers. People keep their
accounts by their addresses; new accounts sign in with a link or set a password. Nobody is
notified. Run the command again to continue an interrupted import. The receipt is written
beside the archive.`,
  args: ['<file>'],
  options: {
    'with-credentials': {
      help: 'use the passwords, second factors, tokens and secrets of the archive for\naccounts and bots that the import creates (default: none)',
    },
    merge: { help: 'add what is missing to a workspace that the server has already' },
    ...archiveProjectOptions,
  },
  async run({ dataDir, options, args }) {
    const path = resolve(args[0]!)
    const receiptPath = `${path}.receipt.json`
    const [{ openArchive }, { importRows }, { createProjectServices }, { ArchiveError, ServiceError }] =
      await Promise.all([
        import('../optional/archive/openArchive.ts'),
        import('../optional/archive/importRows.ts'),
        import('../optional/archive/projectServices.ts'),
        import('../optional/archive/ImportRequest.ts'),
      ])
    const { database, connect, project } = await openArchiveProject(dataDir, options)
    const progress = createProgress({ stream: process.stderr, format: 'text' })
    try {
      progress.step('Checking the archive')
      const archive = await openArchive(path)
      progress.done()
      const { workspace } = archive.manifest
      const withCredentials = options['with-credentials'] ?? false
      if (withCredentials && !archive.manifest.credentials)
        throw new UsageError(
          'The archive contains no credentials. Export it again with --with-credentials, or leave out the option.',
        )
      const { rows } = await database.query('select from public.workspaces where id::text = $1', [
        workspace.id,
      ])
      const exists = rows.length > 0
      const earlier = readReceipt(receiptPath, workspace.id, project.url)
      if (exists && !options.merge && earlier === null)
        throw new UsageError(
          `The server has the workspace ${workspace.id} already. Add --merge to add what it lacks; nothing is replaced.`,
        )
      const isContinued = exists && earlier?.isComplete === false && earlier.isCreated === true
      const begun = { workspaceId: workspace.id, server: project.url, isCreated: !exists || isContinued }
      writeReceipt(receiptPath, { ...begun, isComplete: false })
      progress.step('Importing the archive')
      const receipt = await importRows({
        database,
        connect,
        services: createProjectServices(project),
        workspaceId: workspace.id,
        rows: archive.rows(),
        files: archive.files(),
        plannedFiles: archive.manifest.files.filter(({ bucket }) => bucket === 'files'),
        withCredentials,
        isAtomic: exists && !isContinued,
        isContinued,
      })
      progress.done()
      archive.close()
      const { leftBehind = [] } = archive.manifest
      writeReceipt(receiptPath, { ...begun, isComplete: true, ...receipt, leftBehind })
      process.stdout.write(`${renderReceipt(receipt)}\n`)
      for (const line of describeLeftBehind(archive.manifest)) process.stdout.write(`${line}\n`)
      if (archive.manifest.credentials && !withCredentials)
        process.stdout.write(
          'The import did not use the credentials of the archive, because it ran without --with-credentials.\n',
        )
      process.stdout.write(`Receipt: ${receiptPath}\n`)
      return 0
    } catch (error) {
      progress.fail()
      if (error instanceof ArchiveError || error instanceof ServiceError) throw new UsageError(error.message)
      throw error
    } finally {
      await database.end()
    }
  },
})

const writeReceipt = (path: string, receipt: object): void =>
  replaceFileSync(path, `${JSON.stringify(receipt, null, 2)}\n`)

interface EarlierReceipt {
  workspaceId?: string
  server?: string
  /** Whether the import has created the workspace. */
  isCreated?: boolean
  isComplete?: boolean
}

/** The receipt of an earlier import of the workspace into this server; null without one. */
function readReceipt(receiptPath: string, workspaceId: string, server: string): EarlierReceipt | null {
  if (!existsSync(receiptPath)) return null
  const receipt = JSON.parse(readFileSync(receiptPath, 'utf8')) as EarlierReceipt
  return receipt.workspaceId === workspaceId && receipt.server === server ? receipt : null
}

function renderReceipt({ tables, files }: Receipt): string {
  const rows = [
    ...Object.entries(tables),
    ...Object.entries(files).map(([bucket, counts]) => [`files in ${bucket}`, counts] as const),
  ].map(([name, { read, written, present, skipped }]) => {
    const reasons = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`)
    return [name, String(read), String(written), String(present), reasons.join(', ') || '0']
  })
  const lines = [['', 'read', 'written', 'present', 'skipped'], ...rows]
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
