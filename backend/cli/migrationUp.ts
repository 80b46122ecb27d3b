import { createLogger } from '../logging/logger.ts'
import { migrate } from '../postgres/schema/migrate.ts'
import { defineCommand } from './Command.ts'
import { projectOptions, requireRunningServer } from './findProject.ts'

/** `linnet migration up`: applies pending migrations to the running server. */
export const migrationUp = defineCommand({
  name: 'migration up',
  group: 'Database',
  summary: 'Apply pending migrations to the running server',
  help: `Each migration is one transaction. The first that fails ends the command, which prints its
file and line. "linnet start" does the same, but copies the data first; this does not.`,
  options: projectOptions,
  async run({ dataDir, supabaseDir }) {
    const { dbUrl } = requireRunningServer(dataDir)
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
    if (applied.length === 0) process.stderr.write('No migrations are pending.\n')
    return 0
  },
})
