import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { Client } from 'pg'
import { connectToUrl } from '../postgres/connections/connectToUrl.ts'
import { createExtensionQuery } from '../postgres/schema/privilegedStatement.ts'
import { UsageError, defineCommand } from './Command.ts'
import { projectOptions, requireRunningServer } from './findProject.ts'
import { runTestFile } from './runTestFile.ts'

const missingPgtap =
  'pgTAP is not installed for this PostgreSQL. "pgTAP and pgmq" in docs/jobs.md describes how to install it.'

/** `linnet test db`: runs the pgTAP tests of a project in the database of the running server. */
export const testDb = defineCommand({
  name: 'test db',
  group: 'Database',
  summary: 'Run the pgTAP tests of the project',
  help: `Runs each file *.sql and *.pg below supabase/tests, or the named files and directories, as postgres
on the running server. Prints one line for each file and the failed tests. Fails if a test fails.`,
  args: ['[path...]'],
  options: projectOptions,
  async run({ dataDir, supabaseDir, args }) {
    const paths = args.length > 0 ? args.map((path) => resolve(path)) : [join(supabaseDir, 'tests')]
    const files = paths.flatMap(listTests)
    if (files.length === 0) throw new UsageError(`There is no test in ${paths.join(', ')}.`)
    const { dbUrl } = requireRunningServer(dataDir)
    const drop = await createPgtap(dbUrl)
    let failed = 0
    try {
      for (const file of files) {
        const faults = await withClient(dbUrl, (client) => runTestFile(client, file))
        console.log(`${relative(process.cwd(), file)}: ${faults.length === 0 ? 'ok' : 'failed'}`)
        for (const fault of faults) console.log(`  ${fault}`)
        if (faults.length > 0) failed++
      }
    } finally {
      await drop()
    }
    console.log(`${files.length} files, ${failed} failed`)
    return failed === 0 ? 0 : 1
  },
})

/** The test files at a path, in the order of their names. Throws UsageError if the path does not exist. */
function listTests(path: string): string[] {
  if (!existsSync(path)) throw new UsageError(`There is no ${path}.`)
  if (statSync(path).isFile()) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(sql|pg)$/.test(name))
    .sort()
    .map((name) => join(path, name))
}

/** Creates pgTAP where the database lacks it, as the official CLI does. Returns a function that drops it again. */
async function createPgtap(dbUrl: string): Promise<() => Promise<void>> {
  return withClient(dbUrl, async (client) => {
    const { rows } = await client.query<{ installed: boolean; available: boolean }>(
      `select exists (select from pg_extension where extname = 'pgtap') as installed,
         exists (select from pg_available_extensions where name = 'pgtap') as available`,
    )
    const { installed, available } = rows[0]!
    if (installed) return async () => {}
    if (!available) throw new UsageError(missingPgtap)
    await client.query(
      createExtensionQuery({
        name: 'pgtap',
        ifMissing: false,
        schema: 'extensions',
        version: null,
        cascade: false,
      }),
    )
    return () =>
      withClient(dbUrl, async (other) => void (await other.query('drop extension if exists pgtap cascade')))
  })
}

async function withClient<T>(dbUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connectToUrl(dbUrl, 'linnet test db')
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
