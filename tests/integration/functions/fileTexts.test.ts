import type { SupabaseClient } from '@supabase/supabase-js'
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { SearchHit } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { createPdf } from '../../support/createPdf.ts'
import { startBackend, type Backend } from '../../support/backend.ts'
import { call, foundWorkspace } from '../../support/people.ts'

/** From the upload of a file to a search for its text, by the queue of jobs, pg_net, the function and storage. */
let backend: Backend
let db: Client
let ann: SupabaseClient
let workspace: Uuid
let channel: Uuid

beforeAll(async () => {
  backend = await startBackend()
  db = new Client(backend.dbUrl)
  await db.connect()
  ;({ ann, workspace, channel } = await foundWorkspace(backend))
})
afterAll(async () => {
  await db?.end()
  await backend?.stop()
})

const upload = async (bytes: Uint8Array | string, type: string): Promise<Uuid> => {
  const id = randomUUID()
  const { error } = await ann.storage
    .from('files')
    .upload(`${channel}/${id}/file`, new Blob([bytes as never], { type }))
  expect(error).toBe(null)
  return id
}
const send = async (files: Record<string, Uuid>): Promise<Uuid> => {
  const id = randomUUID()
  const attachments = Object.entries(files).map(([name, upload]) => ({
    id: upload,
    name,
    width: null,
    height: null,
    thumb: false,
  }))
  await call(ann, 'send_message', { id, channel, body: '', attachments } as never)
  return id
}
const search = async (query: string): Promise<SearchHit[]> =>
  (await call(ann, 'search_messages', { workspace, query })).hits
const isIndexed = () =>
  vi.waitFor(
    async () => {
      const { rows } = await db.query(`select attempts, error from public.jobs where kind = 'index_file'`)
      expect(rows).toEqual([])
    },
    { interval: 50 },
  )

it('finds the text of attached files in their encodings, with the passage that has the words', async () => {
  const long = `${'Nothing to see on this line.\n'.repeat(40)}The lighthouse keeper is Ådne.\nEnd`
  const id = await send({
    'log.txt': await upload(long, 'text/plain'),
    'old.csv': await upload(Buffer.from('Stra\xdfe;Pr\xe4fekt', 'latin1'), 'text/csv'),
    'wide.txt': await upload(Buffer.from('\ufeffQuay and windlass', 'utf16le'), 'text/plain;charset=utf-16'),
    'data.txt': await upload(Buffer.from('anchorage\0binary'), 'text/plain'),
  })
  await isIndexed()
  const [hit, ...others] = await search('"lighthouse keeper" adne')
  expect([hit!.message.id, others]).toEqual([id, []])
  expect(hit!.file).toMatchObject({ position: 0, matched: 'text' })
  expect(hit!.file!.excerpt).toContain('The lighthouse keeper is Ådne. End')
  expect(hit!.file!.excerpt!.length).toBeLessThan(260)
  expect((await search('strasse prafekt'))[0]!.file).toEqual({
    position: 1,
    matched: 'text',
    excerpt: 'Straße;Präfekt',
  })
  expect((await search('windlass'))[0]!.file).toMatchObject({ position: 2, excerpt: 'Quay and windlass' })
  expect(await search('anchorage')).toEqual([])
})

it('finds the text of PDFs, which are read one in a call, and survives damaged ones', async () => {
  const id = await send({
    'a.pdf': await upload(
      createPdf([['Page one'], ['The capstan is on deck, as the light-', 'keeper wrote']]),
      'application/pdf',
    ),
    'b.pdf': await upload('%PDF-1.4 capstan', 'application/pdf'),
    'c.pdf': await upload(createPdf([['A sextant']]), 'application/pdf'),
  })
  await isIndexed()
  expect((await search('"lightkeeper wrote"')).map((hit) => [hit.message.id, hit.file])).toEqual([
    [
      id,
      { position: 0, matched: 'text', excerpt: 'Page one The capstan is on deck, as the lightkeeper wrote' },
    ],
  ])
  expect((await search('sextant'))[0]!.file).toMatchObject({ position: 2 })
})

it('ends the job of a file that does not exist, and runs for the database only', async () => {
  const gone = await upload('A bollard', 'text/plain')
  await db.query(`update storage.objects set name = name || '.moved' where name = $1`, [
    `${channel}/${gone}/file`,
  ])
  const { rows } = await db.query<{ id: Uuid }>(
    `select id from public.messages where channel_id = $1 and kind = 'text'`,
    [channel],
  )
  await db.query(
    `insert into public.attachments (message_id, upload_id, upload_channel_id, position, name, type, size)
     values ($1, $2, $3, 9, 'gone.txt', 'text/plain', 9)`,
    [rows[0]!.id, gone, channel],
  )
  // A message that is sent starts the task; otherwise it starts at the next minute.
  await db.query(`select app.start_task('file-texts')`)
  await isIndexed()
  const { rows: texts } = await db.query(`select passages from public.file_texts where upload_id = $1`, [
    gone,
  ])
  expect(texts).toEqual([{ passages: [] }])
  const task = { method: 'POST', headers: { 'x-linnet-task': 'guessed' } }
  expect((await fetch(`${backend.url}/functions/v1/file-texts`, task)).status).toBe(403)
})
