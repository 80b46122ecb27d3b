import { defineCommand } from './Command.ts'
import { projectOptions, requireRunningServer } from './findProject.ts'

/** `linnet db url`: the connection string of the running server's database, for psql and other tools. */
export const dbUrl = defineCommand({
  name: 'db url',
  group: 'Database',
  summary: 'Print the connection string of the database, with its password',
  help: `Connects as the role postgres, the owner of the schema, through a Unix socket on this
machine, or through TCP if the server was started with --db-port.`,
  options: projectOptions,
  async run({ dataDir }) {
    process.stdout.write(`${requireRunningServer(dataDir).dbUrl}\n`)
    return 0
  },
})
