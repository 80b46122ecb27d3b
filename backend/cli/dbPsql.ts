import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { defineCommand } from './Command.ts'
import { clientEnvironment } from './clientEnvironment.ts'
import { findClient } from './findClient.ts'
import { projectOptions, requireRunningServer } from './findProject.ts'
import { readDataVersion } from '../postgres/majorVersion/switchData.ts'

/** `linnet db psql`: runs psql on the database of the running server, and returns its exit code. */
export const dbPsql = defineCommand({
  name: 'db psql',
  group: 'Database',
  summary: 'Open the database in psql',
  help: `Runs an installed psql as the role postgres, the owner of the schema. Arguments after "--"
go to psql: linnet db psql -- -c 'select 1'. If psql is not installed, prints the commands
that install it.`,
  args: ['[arguments...]'],
  options: projectOptions,
  async run({ dataDir, args }) {
    const { dbUrl } = requireRunningServer(dataDir)
    const path = findClient('psql', readDataVersion(dataDir)!)
    // Ctrl-C cancels a query of psql, which has the same terminal, and does not end this process.
    const ignore = (): void => {}
    process.on('SIGINT', ignore)
    try {
      const child = spawn(path, args, { stdio: 'inherit', env: clientEnvironment(dbUrl) })
      const [code] = (await once(child, 'close')) as [number | null]
      return code ?? 1
    } finally {
      process.off('SIGINT', ignore)
    }
  },
})
