import { rmSync } from 'node:fs'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Product } from '../../../backend/optional/import/ExportReader.ts'
import { generateDiscordExport } from '../../support/generateDiscordExport.ts'
import { generateMattermostExport } from '../../support/generateMattermostExport.ts'
import { generateSlackExport } from '../../support/generateSlackExport.ts'
import { generateZulipExport, packZulipExport } from '../../support/generateZulipExport.ts'
import { countExport, interruptImport } from '../../support/interruptImport.ts'
import { temporaryData, type Server } from '../../support/server.ts'
import { startWorkspace } from '../../support/startWorkspace.ts'

const data = temporaryData()
const paths: string[] = []
let server: Server
let database: Client
let workspaceId: string

const size = { seed: 1, people: 30, messages: 1_200, files: 12 }
const emails = ['ann@harbour.example', 'bea@harbour.example']
const generators: Record<Product, () => Promise<string>> = {
  slack: () => generateSlackExport({ ...size, channels: 3, days: 5, emails }),
  mattermost: () => generateMattermostExport({ ...size, channels: 2, emails }),
  discord: () => generateDiscordExport({ ...size, channels: 3 }),
  async zulip() {
    const folder = generateZulipExport({ ...size, streams: 10, topics: 20, emails })
    paths.push(folder)
    return packZulipExport(folder)
  },
}

const rowsOf = async <Row extends Record<string, unknown>>(
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> => (await database.query<Row>(sql, values)).rows

/** Hashes and numbers of all rows that imports write. */
const readState = async (): Promise<unknown> =>
  rowsOf(
    `select (select md5(string_agg(m::text, '' order by m.id)) from public.messages m) as messages,
       (select md5(string_agg(c::text, '' order by c.id)) from public.channels c) as channels,
       (select md5(string_agg(p::text, '' order by p.id)) from public.profiles p) as profiles,
       (select md5(string_agg(k::text, '' order by k.channel_id)) from public.channel_counters k) as counters,
       (select md5(string_agg(a::text, '' order by a.message_id, a.position)) from public.attachments a) as files,
       (select count(*)::int from public.reactions) as reactions, (select count(*)::int from public.pins) as pins,
       (select count(*)::int from public.mentions) as mentions, (select count(*)::int from public.channel_members) as members,
       (select count(*)::int from public.message_search) as found, (select count(*)::int from storage.objects) as objects,
       (select max(w.emoji_version) from public.workspaces w) as emoji_version`,
  )

beforeAll(async () => {
  server = await startWorkspace(data.dir)
  database = new Client(server.dbUrl)
  await database.connect()
  workspaceId = (await rowsOf<{ id: string }>('select id from public.workspaces'))[0]!.id
})
afterAll(async () => {
  await database?.end()
  await server?.end('SIGTERM')
  data.remove()
  for (const path of paths) rmSync(path, { recursive: true, force: true })
})

it.each(Object.keys(generators) as Product[])(
  'an import of %s that was interrupted at ten points writes what the dry run has counted, and a second one changes nothing',
  async (product) => {
    const path = await generators[product]()
    paths.push(path)
    const request = { server, workspaceId, product, path }
    const before = await readState()
    const { rows: expected, channels, emoji } = await countExport(request)
    expect(await readState()).toEqual(before)

    expect(await interruptImport(request, 2)).toBe(true)
    expect(emoji === 0 || (await interruptImport(request, 'emoji'))).toBe(true)
    let interruptions = 1
    for (let calls = 4; await interruptImport(request, calls); calls = Math.ceil(calls * 1.25))
      interruptions++
    expect(interruptions).toBeGreaterThanOrEqual(10)

    const records = await rowsOf<{ id: string; is_finished: boolean }>(
      `select i.id, i.finished_at is not null as is_finished from public.imports i where i.product = $1`,
      [product],
    )
    expect(records).toMatchObject([{ is_finished: true }])
    const imported = await rowsOf<Record<string, unknown>>(
      `with c as materialized (select id from public.channels where import_id = $1)
       select (select count(*)::int from c) as channels,
         (select count(*)::int from public.messages m where m.channel_id in (select id from c)) as messages,
         (select count(*)::int from public.reactions r join public.messages m on m.id = r.message_id
          where m.channel_id in (select id from c)) as reactions,
         (select count(*)::int from public.attachments a where a.upload_channel_id in (select id from c)) as attachments,
         (select count(*)::int from public.pins p where p.channel_id in (select id from c)) as pins,
         (select count(*)::int from public.mentions n where n.channel_id in (select id from c)) as mentions,
         (select count(*)::int from public.channel_members m where m.channel_id in (select id from c)) as channel_members,
         (select count(*)::int from public.imported_people p where p.import_id = $1) as imported_people`,
      [records[0]!.id],
    )
    const { pins = 0, mentions = 0 } = expected
    const {
      channels: channelCount,
      messages,
      reactions,
      attachments,
      channel_members,
      imported_people,
    } = expected
    expect(imported).toEqual([
      {
        channels: channelCount,
        messages,
        reactions,
        attachments,
        pins,
        mentions,
        channel_members,
        imported_people,
      },
    ])
    const perChannel = await rowsOf<{ messages: number; gaps: boolean }>(
      `select count(*)::int as messages, k.last_seq <> count(m.seq) as gaps
       from public.channels c join public.channel_counters k on k.channel_id = c.id
       left join public.messages m on m.channel_id = c.id
       where c.import_id = $1 group by c.id, k.last_seq`,
      [records[0]!.id],
    )
    const numbers = perChannel.map((channel) => channel.messages).sort((a, b) => a - b)
    expect(numbers).toEqual(channels.map(({ written }) => written).sort((a, b) => a - b))
    expect(perChannel.some(({ gaps }) => gaps)).toBe(false)
    // Each stored file has its bytes, and no other file was stored.
    const [stored] = await rowsOf<{ objects: number; missing: number }>(
      `select (select count(*)::int from storage.objects o where o.bucket_id = 'files'
           and exists (select from public.channels c where c.import_id = $1 and starts_with(o.name, c.id::text))) as objects,
         (select count(*)::int from public.attachments a join public.channels c on c.id = a.upload_channel_id
          where c.import_id = $1 and not exists (
            select from storage.objects o where o.bucket_id = 'files'
              and o.name = a.upload_channel_id || '/' || a.upload_id || '/file')) as missing`,
      [records[0]!.id],
    )
    expect(stored).toEqual({ objects: attachments, missing: 0 })
    const emojiWithPictures = await rowsOf(
      `select e.id from public.custom_emoji e join storage.objects o
         on o.bucket_id = 'avatars' and o.name = e.workspace_id || '/' || e.id
       where e.import_id = $1`,
      [records[0]!.id],
    )
    expect(emojiWithPictures).toHaveLength(emoji)

    const after = await readState()
    expect(await interruptImport(request, Number.MAX_SAFE_INTEGER)).toBe(false)
    expect(await readState()).toEqual(after)
  },
  900_000,
)
