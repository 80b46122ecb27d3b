import { connectToUrl } from '../postgres/connections/connectToUrl.ts'
import { listMigrations } from '../postgres/schema/migrationFiles.ts'
import { readApplied } from '../postgres/schema/readApplied.ts'
import { defineCommand } from './Command.ts'
import { projectOptions, requireRunningServer } from './findProject.ts'

interface Row {
  version: string
  /** Null if it is recorded in the database but has no file. */
  file: string | null
  applied: boolean
}

async function fetchAppliedVersions(url: string): Promise<Set<string>> {
  const client = await connectToUrl(url, 'linnet migration list')
  try {
    return new Set(await readApplied(client))
  } finally {
    await client.end()
  }
}

function renderRow({ version, file, applied }: Row, width: number): string {
  const state = file === null ? 'only in the database' : applied ? 'applied' : 'pending'
  return `${version.padEnd(width)}  ${state.padEnd(20)}  ${file ?? ''}`.trimEnd()
}

/** `linnet migration list`: compares the files with the versions recorded in a database. */
export const migrationList = defineCommand({
  name: 'migration list',
  group: 'Database',
  summary: 'List migrations and whether they are applied',
  options: {
    'db-url': { value: 'URL', help: 'compare with this database instead of the running one' },
    output: {
      value: 'FORMAT',
      short: 'o',
      choices: ['pretty', 'json'],
      help: 'output format (default: pretty)',
    },
    ...projectOptions,
  },
  async run({ dataDir, supabaseDir, options }) {
    const applied = await fetchAppliedVersions(options['db-url'] ?? requireRunningServer(dataDir).dbUrl)
    const { migrations } = listMigrations(supabaseDir)
    const rows: Row[] = migrations.map(({ version, file }) => ({
      version,
      file,
      applied: applied.has(version),
    }))
    for (const version of applied) {
      if (!migrations.some((migration) => migration.version === version))
        rows.push({ version, file: null, applied: true })
    }
    rows.sort((a, b) => (a.version < b.version ? -1 : 1))
    if (options.output === 'json') {
      process.stdout.write(`${JSON.stringify(rows)}\n`)
      return 0
    }
    const width = Math.max(...rows.map((row) => row.version.length))
    for (const row of rows) process.stdout.write(`${renderRow(row, width)}\n`)
    if (rows.length === 0) process.stderr.write(`There are no migrations in ${supabaseDir}.\n`)
    return 0
  },
})
