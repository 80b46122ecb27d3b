import { createLogger } from '../logging/logger.ts'
import { migrate } from '../postgres/schema/migrate.ts'
import { defineCommand } from './Command.ts'
import { placeOptions } from './findProject.ts'
import { requireRunning } from './requireRunning.ts'

/** `linnet migration up`: what is pending, applied to the running house. */
export const migrationUp = defineCommand({
  name: 'migration up',
  group: 'The database',
  summary: 'Apply pending migrations to the running house',
  help: `Each is a transaction of its own; the first that fails ends it, with its file and line.
A start does the same, and copies the data before it changes them; this does not.`,
  options: placeOptions,
  async run({ dataDir, supabaseDir }) {
    const { dbUrl } = requireRunning(dataDir)
    const { applied } = await migrate({
      postgres: { config: () => ({ connectionString: dbUrl }), dataDir },
      dir: supabaseDir,
      log: createLogger({
        format: 'text',
        minLevel: 'warn',
        write: (line) => process.stderr.write(`${line}\n`),
      }),
    })
    for (const file of applied) process.stdout.write(`${file}\n`)
    if (applied.length === 0) process.stderr.write('Nothing is pending.\n')
    return 0
  },
})
