import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openArchiveProject } from '../../../backend/cli/archiveProject.ts'
import type { ArchiveRow } from '../../../backend/optional/archive/ArchiveRow.ts'
import { openArchive } from '../../../backend/optional/archive/openArchive.ts'
import { runCommandLine, type CommandResult } from '../../support/runCommandLine.ts'
import { startHostedProject, type HostedProject } from '../../support/startHostedProject.ts'
import { startServer, temporaryData, type Server } from '../../support/server.ts'

const root = join(import.meta.dirname, '../../..')

/** The folder of PostgreSQL 15, which `npm run test:all` installs. */
const postgres15 = /\b15=(\S+)/.exec(process.env['LINNET_OTHER_POSTGRES'] ?? '')?.[1]

interface Content {
  /** The rows of each table as JSON, and the number of exports in the audit log, which each export increases. */
  rows: Map<string, string[]>
  exports: number
  /** The checksum of each file. */
  files: Map<string, string>
}

const isExport = ({ table, row }: ArchiveRow): boolean =>
  table === 'audit_log' && row['action'] === 'workspace.exported'

async function readContent(path: string): Promise<Content> {
  const archive = await openArchive(path)
  const content: Content = {
    rows: new Map(),
    exports: 0,
    files: new Map(
      archive.manifest.files.map(({ path, sha256, type }) => [path, `${sha256} ${type}`] as const),
    ),
  }
  for await (const found of archive.rows()) {
    // A running server reads the texts of new files, at any time after an import.
    if (found.table === 'file_texts') continue
    if (isExport(found)) content.exports++
    else content.rows.set(found.table, [...(content.rows.get(found.table) ?? []), JSON.stringify(found.row)])
  }
  expect(archive.manifest.missingFiles).toEqual([])
  archive.close()
  return content
}

describe.skipIf(postgres15 === undefined)('a hosted project with PostgreSQL 15', () => {
  const source = temporaryData()
  const target = temporaryData()
  const folder = mkdtempSync(join(tmpdir(), 'linnet-hosted-archive-'))
  const paths = ['embedded', 'hosted', 'returned'].map((name) => join(folder, `${name}.zip`))
  const [embedded, hosted, returned] = paths as [string, string, string]
  let project: HostedProject
  let server: Server | undefined

  beforeAll(async () => {
    project = await startHostedProject(postgres15!)
  })
  afterAll(async () => {
    await server?.end('SIGTERM')
    await project?.stop()
    source.remove()
    target.remove()
    rmSync(folder, { recursive: true })
  })

  /** Runs a command with the addresses of the hosted project, as docs/archive.md describes it. */
  const runOnHosted = (args: string[], secretKey: string): Promise<CommandResult> =>
    runCommandLine([...args, '--url', project.url], {
      env: { LINNET_SECRET_KEY: secretKey, LINNET_DB_URL: project.dbUrl },
    })
  const succeed = async (running: Promise<CommandResult>): Promise<CommandResult> => {
    const result = await running
    if (result.code !== 0) throw new Error(`The command ended with ${result.code}: ${result.stderr}`)
    return result
  }

  it('a workspace that moves to the project and back keeps all rows and files', async () => {
    server = await startServer({ root, dataDir: source.dir, args: ['--no-app', '--demo', '--db-port', '0'] })
    await succeed(runCommandLine(['export', embedded, '--data', source.dir]))
    await succeed(runOnHosted(['import', embedded], project.serviceRoleKey))
    await succeed(runOnHosted(['export', hosted], project.secretKey))
    await server.end('SIGTERM')
    server = await startServer({ root, dataDir: target.dir, args: ['--no-app', '--db-port', '0'] })
    await succeed(runCommandLine(['import', hosted, '--data', target.dir]))
    await succeed(runCommandLine(['export', returned, '--data', target.dir]))

    const before = await readContent(embedded)
    expect(before.rows.get('messages')!.length).toBeGreaterThan(20)
    expect(before.files.size).toBeGreaterThan(5)
    expect(await readContent(hosted)).toEqual({ ...before, exports: before.exports + 1 })
    expect(await readContent(returned)).toEqual({ ...before, exports: before.exports + 2 })
  })

  it('a second import into the project changes nothing', async () => {
    const { stdout } = await succeed(runOnHosted(['import', embedded], project.secretKey))
    const written = stdout.split('\n').flatMap((line) => /^\S.*?\s\s+\d+\s+(\d+)\s/.exec(line)?.[1] ?? [])
    expect(written.length).toBeGreaterThan(10)
    expect(new Set(written)).toEqual(new Set(['0']))
  })

  it('the commands use a role that is no superuser, whose statements are not limited in time', async () => {
    const admin = new Client(project.dbUrl)
    await admin.connect()
    await admin.query(`alter role postgres set statement_timeout = '2min'`)
    await admin.end()
    vi.stubEnv('LINNET_SECRET_KEY', project.secretKey)
    const { database } = await openArchiveProject('', { url: project.url, 'db-url': project.dbUrl })
    const { rows } = await database.query<{ superuser: boolean; timeout: string }>(
      `select rolsuper as superuser, current_setting('statement_timeout') as timeout
       from pg_roles where rolname = current_user`,
    )
    await database.end()
    vi.unstubAllEnvs()
    expect(rows).toEqual([{ superuser: false, timeout: '0' }])
  })
})
