import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SupabaseClient } from '@supabase/supabase-js'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startBackend, type Backend } from '../../support/backend.ts'
import { adminOf, call, foundWorkspace } from '../../support/people.ts'

/** Deletion is a promise: the bytes go too, promptly, and whatever happens on the way. */
let backend: Backend
let ann: SupabaseClient
let admin: SupabaseClient
let owner: Client
let channel: string

/** The content of a file is its path, so that a test can find its bytes in any directory. */
async function upload(): Promise<{ id: string; path: string }> {
  const id = randomUUID()
  const path = `${channel}/${id}/file`
  const { error } = await ann.storage.from('files').upload(path, new Blob([path], { type: 'text/plain' }))
  expect(error).toBeNull()
  return { id, path }
}
async function post(): Promise<{ path: string; message: string }> {
  const { id, path } = await upload()
  const message = randomUUID()
  await call(ann, 'send_message', {
    id: message,
    channel,
    body: 'Look',
    attachments: [{ id, name: 'notes.txt', width: null, height: null, thumb: false }],
  })
  return { path, message }
}
const exists = async (path: string): Promise<boolean> =>
  (await owner.query('select from storage.objects where name = $1', [path])).rowCount === 1
const waiting = async (): Promise<number> =>
  (await owner.query('select from public.file_deletion_queue')).rowCount ?? 0
const onDisk = (path: string): string[] =>
  readdirSync(join(backend.dataDir, 'storage'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, 'utf8') === path)
const gone = (path: string): Promise<void> =>
  vi.waitFor(async () => {
    expect(await exists(path)).toBe(false)
    expect(await waiting()).toBe(0)
    expect(onDisk(path)).toEqual([])
  })
/** The job of every five minutes, stopped except in its own test: it would complete what the others interrupt. */
const setJobActive = (active: boolean): Promise<unknown> =>
  owner.query(
    `select cron.alter_job(jobid, active => $1) from cron.job where jobname = 'linnet: delete files'`,
    [active],
  )

beforeAll(async () => {
  backend = await startBackend()
  const founded = await foundWorkspace(backend)
  ann = founded.ann
  channel = founded.channel
  admin = adminOf(backend)
  owner = new Client({ connectionString: backend.dbUrl })
  await owner.connect()
  await setJobActive(false)
})
afterAll(async () => {
  await owner?.end()
  await backend?.stop()
})

/** Runs `work` while the database calls no function, as if the calls were lost. */
const withoutCalls = async (work: () => Promise<unknown>): Promise<void> => {
  const { rows } = await owner.query<{ definition: string }>(
    `select pg_get_functiondef('app.try_start_task'::regproc) as definition`,
  )
  await owner.query(`create or replace function app.try_start_task(task text, body jsonb default '{}') returns void
    language sql set search_path = '' as ''`)
  await work()
  await owner.query(rows[0]!.definition)
}

test('deleting a message deletes its files, on disk and in storage', async () => {
  const { path, message } = await post()
  expect(await exists(path)).toBe(true)
  expect(onDisk(path)).toHaveLength(1)
  await call(ann, 'delete_message', { id: message })
  await gone(path)
})

test('a call that ended between its two steps is completed by the next', async () => {
  const { path, message } = await post()
  await withoutCalls(() => call(ann, 'delete_message', { id: message }))
  // The bytes are deleted and the queue still contains the file, as after a kill.
  expect((await admin.storage.from('files').remove([path])).data).toHaveLength(1)
  expect(await waiting()).toBe(2)
  await owner.query(`select app.start_task('delete-files')`)
  await gone(path)
})

test('the job deletes files of missed calls', async () => {
  const { path, message } = await post()
  await withoutCalls(() => call(ann, 'delete_message', { id: message }))
  expect(await exists(path)).toBe(true)
  await setJobActive(true)
  // Time passes: the last look was six minutes ago.
  await owner.query(
    `update cron.job_due set done_until = now() - interval '6 minutes'
     where jobid = (select jobid from cron.job where jobname = 'linnet: delete files')`,
  )
  await owner.query('notify pg_cron')
  await gone(path)
  await setJobActive(false)
})

test('concurrent deletions delete all files, and equal calls are merged', async () => {
  const posts = await Promise.all(Array.from({ length: 8 }, post))
  // Each deletion calls the function too.
  await Promise.all(posts.map(({ message }) => call(ann, 'delete_message', { id: message })))
  await owner.query(`select app.start_task('delete-files') from generate_series(1, 8)`)
  for (const { path } of posts) await gone(path)
  const invocations = 'select from supabase_functions.invocations'
  await expect.poll(async () => (await owner.query(invocations)).rowCount).toBe(0)
})

test('an unattached upload is deleted after a day, and one of today is not', async () => {
  const old = await upload()
  const fresh = await upload()
  await owner.query(`update storage.objects set created_at = now() - interval '26 hours' where name = $1`, [
    old.path,
  ])
  await owner.query('select app.sweep()')
  await gone(old.path)
  expect(await exists(fresh.path)).toBe(true)
})

test('callers of the function cannot delete other files', async () => {
  const url = `${backend.url}/functions/v1/delete-files`
  const tries: Record<string, string>[] = [
    {},
    { 'x-linnet-task': 'guessed' },
    { authorization: `Bearer ${backend.secretKey}` },
  ]
  for (const headers of tries) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { apikey: backend.publishableKey, ...headers },
    })
    expect(response.status).toBe(403)
    expect(await response.json()).toEqual({ error: 'not_allowed' })
  }
})
