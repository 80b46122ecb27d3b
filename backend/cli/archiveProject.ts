import { connectToUrl } from '../postgres/connections/connectToUrl.ts'
import type { Client } from 'pg'
import { lowerPriority } from '../postgres/connections/createYieldingPool.ts'
import type { Project } from '../optional/archive/projectServices.ts'
import { UsageError } from './Command.ts'
import { projectOptions, requireRunningServer } from './findProject.ts'
import { parseOrigin } from './readArguments.ts'

/** The options of `export` and `import` that choose a server. */
export const archiveProjectOptions = {
  url: { value: 'URL', help: 'URL of another Supabase project; its secret key is in LINNET_SECRET_KEY' },
  'db-url': {
    value: 'URL',
    help: 'connection string of its database, as the role postgres\n(default: LINNET_DB_URL)',
  },
  ...projectOptions,
}

/** A project that `export` reads or `import` writes. */
export interface ArchiveProject {
  /** A connection as the role `postgres`, in pipeline mode. */
  database: Client
  /** Opens another one. */
  connect(): Promise<Client>
  project: Project
}

/**
 * Hosted projects end statements after two minutes. A statement that removes a refused workspace, or sorts its messages, can take
 * longer. An export has a transaction in which it waits for files.
 */
const withoutTimeouts = 'set statement_timeout = 0; set idle_in_transaction_session_timeout = 0'

/** Connects to the project of the options; without a URL to the server that runs on this data directory. Throws UsageError. */
export async function openArchiveProject(
  dataDir: string,
  options: { url?: string | undefined; 'db-url'?: string | undefined },
): Promise<ArchiveProject> {
  const { dbUrl, ...project } = findArchiveProject(dataDir, options)
  const connect = async (): Promise<Client> => {
    const client = await connectToUrl(dbUrl, 'archive', { pipeline: true })
    await client.query(withoutTimeouts)
    // Requests of people come before the statements of the command on this machine.
    if (options.url === undefined) lowerPriority(client)
    return client
  }
  return { database: await connect(), connect, project }
}

function findArchiveProject(
  dataDir: string,
  options: { url?: string | undefined; 'db-url'?: string | undefined },
): Project & { dbUrl: string } {
  if (options.url === undefined) {
    if (options['db-url'] !== undefined)
      throw new UsageError('--db-url needs --url, for the files of the project.')
    const { url, secretKey, dbUrl } = requireRunningServer(dataDir)
    return { url, secretKey, dbUrl }
  }
  const url = parseOrigin('--url', options.url)
  const secretKey = process.env['LINNET_SECRET_KEY']
  const dbUrl = options['db-url'] ?? process.env['LINNET_DB_URL']
  if (!secretKey) throw new UsageError('Set LINNET_SECRET_KEY to the secret key of the project.')
  if (!dbUrl) throw new UsageError('--url needs --db-url, or LINNET_DB_URL.')
  if (transactionPooler.test(dbUrl))
    throw new UsageError(
      'The connection string leads to a pooler in transaction mode, which has no sessions. Use port 5432 instead of 6543.',
    )
  return { url, secretKey, dbUrl }
}

/** The poolers of hosted projects that give each transaction another session: their port is 6543. */
const transactionPooler = /\.supabase\.com?:6543\//

/** The id of the workspace with this id or name; of the only one without. Throws UsageError. */
export async function findWorkspaceId(database: Client, wanted: string | undefined): Promise<string> {
  const { rows } = await database.query<{ id: string; name: string }>(
    'select id, name from public.workspaces where $1::text is null or id::text = $1 or name = $1 order by name, id limit 20',
    [wanted ?? null],
  )
  if (rows.length === 1) return rows[0]!.id
  if (rows.length === 0)
    throw new UsageError(
      wanted === undefined ? 'The server has no workspace.' : `There is no workspace "${wanted}".`,
    )
  const list = rows.map(({ id, name }) => `  ${id}  ${name}`).join('\n')
  throw new UsageError(`Choose a workspace with --workspace ID:\n${list}`)
}
