import type { SupabaseClient } from '@supabase/supabase-js'
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Uuid } from '../../../wire/scalars.ts'
import { heic, jpeg, place, video } from '../../../wire/media/mediaFiles.fixture.ts'
import { startBackend, type Backend } from '../../support/backend.ts'
import { call, foundWorkspace } from '../../support/people.ts'

/** What a program uploads, by the trigger, pg_net, the function and storage. */
let backend: Backend
let db: Client
let ann: SupabaseClient
let channel: Uuid

beforeAll(async () => {
  backend = await startBackend()
  db = new Client(backend.dbUrl)
  await db.connect()
  ;({ ann, channel } = await foundWorkspace(backend))
})
afterAll(async () => {
  await db?.end()
  await backend?.stop()
})

const upload = async (content: Uint8Array<ArrayBuffer>, type: string): Promise<string> => {
  const path = `${channel}/${randomUUID()}/file`
  const { error } = await ann.storage.from('files').upload(path, new Blob([content], { type }))
  expect(error).toBe(null)
  return path
}
const read = async (path: string): Promise<Buffer> => {
  const { data } = await ann.storage.from('files').download(path)
  return Buffer.from(await data!.arrayBuffer())
}
const isDone = () =>
  vi.waitFor(
    async () => {
      const { rows } = await db.query(
        `select attempts, error from public.jobs where kind = 'remove_metadata'`,
      )
      expect(rows).toEqual([])
    },
    { interval: 50 },
  )

it('removes the location of stored pictures and videos, whatever their type, and keeps their owner', async () => {
  // More than one chunk of a resumable upload, with metadata at both ends.
  const long = Buffer.concat([Buffer.from(video()), Buffer.from([0, 0x60, 0, 8]), Buffer.from('mdat')])
  const contents = [
    [new Uint8Array(jpeg()), 'image/png'],
    [new Uint8Array(heic()), 'application/octet-stream'],
    [
      new Uint8Array([
        ...long,
        ...new Uint8Array(6 * 1024 * 1024),
        0,
        0,
        0,
        30,
        ...Buffer.from(`free${place}`),
      ]),
      'video/mp4',
    ],
    [new Uint8Array(Buffer.from(`The place is ${place}`)), 'text/plain'],
  ] as const
  const paths = await Promise.all(contents.map(([content, type]) => upload(content, type)))
  await isDone()
  const stored = await Promise.all(paths.map(read))
  expect(stored.map((content) => content.includes(place))).toEqual([false, false, false, true])
  expect(stored.map(({ length }) => length)).toEqual(contents.map(([{ length }]) => length))
  expect(stored[2]!.includes('PIXELS AND SOUNDS')).toBe(true)
  const { rows } = await db.query(
    `select metadata ->> 'mimetype' as type from storage.objects
     where bucket_id = 'files' and owner_id = $1 order by array_position($2, name)`,
    [(await ann.auth.getUser()).data.user!.id, paths],
  )
  expect(rows.map(({ type }) => type)).toEqual(contents.map(([, type]) => type))
  // Its author can still attach it.
  const file = { id: paths[0]!.split('/')[1], name: 'picture.png', width: null, height: null, thumb: false }
  await call(ann, 'send_message', { id: randomUUID(), channel, body: '', attachments: [file] } as never)
})
