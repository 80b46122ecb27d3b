import { loadConfig } from '../config/loadConfig.ts'
import { connectToUrl } from '../postgres/connections/connectToUrl.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { readRunning } from '../startup/running.ts'
import { defineCommand } from './Command.ts'
import { placeOptions } from './findProject.ts'
import { UsageError } from './UsageError.ts'

/** The newest PostgREST whose rules the client library's types know, and ours keeps. */
const postgrestVersion = '14.12'

function runningUrl(dataDir: string): string {
  const running = readRunning(dataDir)
  if (running) return running.dbUrl
  throw new StartError(
    `Nothing runs on ${dataDir}. Begin with "linnet start", or name another database with --db-url.`,
  )
}

export const types = defineCommand({
  name: 'types',
  group: 'The database',
  aliases: ['gen types', 'gen types typescript'],
  summary: 'Print the TypeScript types of the schema',
  help: `Reads the database that runs here, or the one of --db-url, any Supabase database.
Prints what the official generator prints, to be kept in a file:
linnet types > src/database.types.ts`,
  options: {
    schema: {
      value: 'NAMES',
      short: 's',
      multiple: true,
      help: 'these schemas (public and those of [api] in config.toml unless said)',
    },
    'db-url': { value: 'URL', help: 'of another database than the one that runs here' },
    local: { help: 'the one that runs here, as without it' },
    lang: { value: 'LANGUAGE', choices: ['typescript'], help: 'the only one there is' },
    ...placeOptions,
  },
  async run({ dataDir, supabaseDir, options }) {
    const { schema: named, 'db-url': dbUrl, local } = options
    if (local && dbUrl !== undefined) throw new UsageError('--local and --db-url exclude each other.')
    const schemas =
      named.length > 0 ? named : ['public', ...loadConfig(supabaseDir).at<string[]>('api.schemas', [])]
    const client = await connectToUrl(dbUrl ?? runningUrl(dataDir), 'linnet types')
    try {
      // Loaded here alone: no other command should wait for a generator and its formatter.
      const { generateTypes } = await import('../extras/types/generateTypes.ts')
      const { types, missing } = await generateTypes(client, {
        schemas: [...new Set(schemas)],
        // What another database is served by, the database doesn't say.
        postgrestVersion: dbUrl === undefined ? postgrestVersion : null,
      })
      // config.toml may well name schemas that only the official stack brings, such as graphql_public.
      if (named.length > 0 && missing.length > 0) {
        throw new StartError(`The database has no schema ${missing.join(', ')}, or its user may not use it.`)
      }
      // The official command ends with an empty line: a file kept of it must not change.
      process.stdout.write(`${types}\n`)
      return 0
    } finally {
      await client.end()
    }
  },
})
