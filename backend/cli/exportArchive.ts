import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { version } from '../../package.json'
import type { ExportResult } from '../../wire/moving.ts'
import { outputOption } from './backup.ts'
import { archiveProjectOptions, findWorkspaceId, openArchiveProject } from './archiveProject.ts'
import { describeLeftBehind } from './describeLeftBehind.ts'
import { UsageError, defineCommand } from './Command.ts'
import { endWithParent } from './endWithParent.ts'
import { createProgress } from './progress.ts'

/** `linnet export`: writes the archive of a workspace. */
export const exportArchive = defineCommand({
  name: 'export',
  group: 'Moving',
  summary: 'Write a workspace with its history and files to one archive',
  help: `The archive is a ZIP file with rows as JSON and all files. It contains private and direct
conversations, so store it safely. docs/archive.md describes it.`,
  args: ['<file>'],
  options: {
    workspace: { value: 'WORKSPACE', help: 'id or name of the workspace (default: the only one)' },
    scope: {
      value: 'SCOPE',
      choices: ['all', 'owner'],
      help: 'owner: only what owners may read (default: all)',
    },
    'with-credentials': {
      help: 'add password hashes, second factors, passkeys, tokens of bots and secrets\nof webhooks (default: none)',
    },
    by: { value: 'PROFILE', help: 'id of the profile of the owner for whom it runs' },
    output: outputOption,
    ...archiveProjectOptions,
  },
  async run({ dataDir, options, args }) {
    const path = resolve(args[0]!)
    const withCredentials = options['with-credentials'] ?? false
    // The server uses these options to run an export for an owner.
    if (withCredentials && (options.scope === 'owner' || options.by !== undefined))
      throw new UsageError(
        '--with-credentials cannot be combined with --scope owner or --by. It is only for the person who runs the server.',
      )
    if (existsSync(path)) throw new UsageError(`${path} exists already. Choose another name.`)
    const [{ writeArchive }, { readObject }, { ArchiveError, ServiceError }] = await Promise.all([
      import('../optional/archive/writeArchive.ts'),
      import('../optional/archive/projectServices.ts'),
      import('../optional/archive/ImportRequest.ts'),
    ])
    const { database, project } = await openArchiveProject(dataDir, options)
    const format = options.output ?? 'text'
    const progress = createProgress({ stream: process.stderr, format })
    endWithParent()
    try {
      const workspaceId = await findWorkspaceId(database, options.workspace)
      progress.step('Writing the archive')
      const manifest = await writeArchive({
        database,
        workspaceId,
        scope: options.scope ?? 'all',
        actorId: options.by ?? null,
        withCredentials,
        path,
        version,
        readObject: (object) => readObject(project, object),
        onBytes: (bytes) => progress.advance(bytes),
      })
      progress.done()
      const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
      if (format === 'json') {
        const result: ExportResult = {
          rows,
          files: manifest.files.length,
          missingFiles: manifest.missingFiles.length,
        }
        process.stdout.write(`${JSON.stringify(result)}\n`)
        return 0
      }
      process.stdout.write(`${path}: ${rows} rows and ${manifest.files.length} files.\n`)
      if (withCredentials)
        process.stdout.write(
          'The archive contains credentials. Anyone with the file can sign in as the people and bots of the workspace. Delete it after the import.\n',
        )
      for (const line of describeLeftBehind(manifest)) process.stdout.write(`${line}\n`)
      for (const name of manifest.missingFiles) process.stdout.write(`Missing in the storage: ${name}\n`)
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
