import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, expect, it, vi } from 'vitest'
import { startServer, temporaryData, type Server } from '../../support/server.ts'

/** `kill -9` of PostgreSQL, and of a whole server, with a run under way. */
const root = join(import.meta.dirname, '../../..')
const data = temporaryData()
const project = temporaryData()
let server: Server | undefined

afterAll(async () => {
  await server?.end('SIGTERM')
  data.remove()
  project.remove()
})

const lost = expect.stringMatching(/^failed: connection lost \(due /)
const waitOptions = { interval: 100 }

const connected = (): Promise<Client> =>
  vi.waitFor(async () => {
    const client = new Client({ connectionString: server!.dbUrl })
    // Killing the server also kills PostgreSQL.
    client.on('error', () => {})
    await client.connect()
    return client
  }, waitOptions)
const start = async (): Promise<Client> => {
  server = await startServer({
    root,
    dataDir: data.dir,
    args: ['--no-app', '--supabase', project.dir],
  })
  return connected()
}
const statuses = async (client: Client, job: string): Promise<string[]> => {
  const { rows } = await client.query<{ outcome: string }>(
    `select concat_ws(': ', d.status, d.return_message) as outcome
     from cron.job_run_details d join cron.job j using (jobid) where j.jobname = $1 order by d.runid`,
    [job],
  )
  return rows.map((row) => row.outcome)
}

it('leaves no run marked as running after a crash, repeats none, and runs missed ones', async () => {
  mkdirSync(join(project.dir, 'migrations'))
  writeFileSync(join(project.dir, 'config.toml'), 'project_id = "jobs"\n')
  writeFileSync(
    join(project.dir, 'migrations/20260101000000_jobs.sql'),
    `create extension pg_cron with schema pg_catalog;
     create table public.ran (at timestamptz default clock_timestamp());
     select cron.schedule('long', '0 0 1 1 *', 'select pg_sleep(600)');
     select cron.schedule('missed', '0 0 1 1 *', 'insert into public.ran default values');`,
  )
  let client = await start()
  // Due once since, whether or not anybody looked meanwhile.
  const due = `update cron.job_due set done_until = date_trunc('year', now()) - interval '1 hour'
    from cron.job j where j.jobid = job_due.jobid and j.jobname = $1`
  await client.query(due, ['long'])
  await client.query('notify pg_cron')
  await vi.waitFor(async () => expect(await statuses(client, 'long')).toEqual(['running']), waitOptions)

  // First only PostgreSQL is killed: the server continues with a new one.
  process.kill(server!.pids.db, 'SIGKILL')
  client = await connected()
  await vi.waitFor(async () => expect(await statuses(client, 'long')).toEqual([lost]), waitOptions)
  await client.query(due, ['long'])
  await client.query('notify pg_cron')
  await vi.waitFor(async () => expect(await statuses(client, 'long')).toEqual([lost, 'running']), waitOptions)

  await client.query(due, ['missed'])
  await server!.end('SIGKILL')

  client = await start()
  await vi.waitFor(async () => {
    expect(await statuses(client, 'long')).toEqual([lost, 'failed: server restarted'])
    expect(await statuses(client, 'missed')).toEqual([
      expect.stringMatching(/^succeeded: INSERT 0 1 \(due \d{4}-01-01T00:00:00\.000Z, \d+ s late\)$/),
    ])
  }, waitOptions)
  expect((await client.query('select from public.ran')).rowCount).toBe(1)
  await client.end()
})
