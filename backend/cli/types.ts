import { loadConfig } from '../config/loadConfig.ts'
import { connectToUrl } from '../postgres/connections/connectToUrl.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { readRunningServer } from '../startup/runningServer.ts'
import { UsageError, defineCommand } from './Command.ts'
import { projectOptions } from './findProject.ts'
import { commandName } from '../runtime/commandName.ts'

/** The newest PostgREST version that the client library's types support and whose behaviour this server has. */
const postgrestVersion = '14.12'

function requireRunningUrl(dataDir: string): string {
  const running = readRunningServer(dataDir)
  if (running) return running.dbUrl
  throw new StartError(
    `No server is running on ${dataDir}. Start one with "${commandName()} start", or name another database with --db-url.`,
  )
}

export const types = defineCommand({
  name: 'types',
  group: 'Database',
  aliases: ['gen types', 'gen types typescript'],
  summary: 'Print the TypeScript types of the schema',
  help: `Reads the database of the running server, or any Supabase database by --db-url. The output
is that of the official generator, to be saved in a file:
linnet types > src/database.types.ts`,
  options: {
    schema: {
      value: 'NAMES',
      short: 's',
      multiple: true,
      help: 'schemas (default: public and those of [api] in config.toml)',
    },
    'db-url': { value: 'URL', help: 'read this database instead of that of the running server' },
    local: { help: 'read the database of the running server (default)' },
    lang: {
      value: 'LANGUAGE',
      choices: ['typescript'],
      help: 'output language; only TypeScript is supported',
    },
    ...projectOptions,
  },
  async run({ dataDir, supabaseDir, options }) {
    const { schema: requested, 'db-url': dbUrl, local } = options
    if (local && dbUrl !== undefined) throw new UsageError('--local and --db-url cannot be combined.')
    const schemas =
      requested.length > 0
        ? requested
        : ['public', ...loadConfig(supabaseDir, dataDir).at<string[]>('api.schemas', [])]
    const client = await connectToUrl(dbUrl ?? requireRunningUrl(dataDir), 'linnet types')
    try {
      // Imported only here, as loading the generator and its formatter is slow.
      const { generateTypes } = await import('../optional/types/generateTypes.ts')
      const { types, missing } = await generateTypes(client, {
        schemas: [...new Set(schemas)],
        // The version of PostgREST in front of another database is unknown.
        postgrestVersion: dbUrl === undefined ? postgrestVersion : null,
      })
      // config.toml may name schemas that exist only in the official stack, such as graphql_public.
      if (requested.length > 0 && missing.length > 0) {
        throw new StartError(`The database has no schema ${missing.join(', ')}, or its user may not use it.`)
      }
      // With a trailing empty line, like the official command: a saved file must not change.
      process.stdout.write(`${types}\n`)
      return 0
    } finally {
      await client.end()
    }
  },
})
