/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileKindOf, fileKinds } from '../../wire/fileKinds.ts'
import type { FileList, ListFilesArgs } from '../../wire/files.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { testDatabases } from './support/testDatabases.ts'
import { names, openFixture, type Name, type Fixture } from './support/fixture.ts'

type Files = readonly (readonly [name: string, type: string])[]

/** Who finds which files, by what; the expectation is written by hand. */
describe.each(testDatabases)('listing files on $name', ({ open }) => {
  let fixture: Fixture
  let secret: Uuid

  /** Uploads the files and sends a message with them as their author; returns the id of the message. */
  const sendFiles = async (who: Name, channel: Uuid, files: Files, thread?: Uuid): Promise<Uuid> => {
    const id = randomUUID()
    const uploads = files.map(([name, type]) => ({ id: randomUUID(), name, type }))
    await fixture.committedAs(who, async (s) => {
      for (const upload of uploads) {
        await s.rows(
          `insert into storage.objects (bucket_id, name, owner, owner_id, metadata)
           values ('files', $1, $2::text::uuid, $2::text, $3)`,
          [`${channel}/${upload.id}/file`, fixture.account[who], { size: 7, mimetype: upload.type }],
        )
      }
      const attachments = uploads.map(({ id: upload, name }) => ({
        id: upload,
        name,
        width: null,
        height: null,
        thumb: false,
      }))
      await s.call('send_message', { id, channel, body: '', attachments, thread_root: thread ?? null })
    })
    return id
  }

  const listed = (who: Name | 'anon', filter: Partial<ListFilesArgs> = {}): Promise<string[]> =>
    fixture.rolledBackAs(who, async (s) =>
      (await s.call('list_files', { workspace: fixture.workspace, ...filter })).files.map(
        (one) => one.file.name,
      ),
    )

  const png = 'image/png'
  const all = {
    early: 'In an old thread.png',
    side: 'Plan of the house.pdf',
    secret: 'Salaries.csv',
    whisper: 'For Bea.mp3',
    first: 'Dienstplan – März.png',
    second: 'rota_week2.PNG',
    attic: 'Attic.zip',
  }

  beforeAll(async () => {
    fixture = await openFixture(await open())
    await sendFiles('bea', fixture.lobby, [[all.early, png]], fixture.messages.old)
    await sendFiles('bea', fixture.side, [[all.side, 'application/pdf']])
    secret = await sendFiles('bea', fixture.closed, [[all.secret, 'text/csv; charset=utf-8']])
    await sendFiles('ann', fixture.direct, [[all.whisper, 'audio/mpeg']])
    await sendFiles('cem', fixture.lobby, [
      [all.first, png],
      [all.second, 'IMAGE/PNG'],
    ])
    const gone = await sendFiles('cem', fixture.lobby, [['Oops.png', png]])
    await fixture.committedAs('cem', (s) => s.call('delete_message', { id: gone }))
    const attic = randomUUID()
    await fixture.committedAs('ann', (s) =>
      s.call('create_channel', { id: attic, workspace: fixture.workspace, kind: 'private', name: 'attic' }),
    )
    await sendFiles('ann', attic, [[all.attic, 'application/zip']])
    await fixture.committedAs('ann', (s) => s.call('archive_channel', { channel: attic, on: true }))
  })
  afterAll(() => fixture.stop())

  it('shows each what is theirs to read, newest first, and outsiders nothing', async () => {
    expect(await listed('ann')).toEqual([all.attic, all.first, all.second, all.whisper, all.side, all.early])
    expect(await listed('bea')).toEqual([all.first, all.second, all.whisper, all.secret, all.side, all.early])
    expect(await listed('cem')).toEqual([all.first, all.second, all.secret, all.side, all.early])
    // Eli was removed from the private channel; a person who joined after a thread began does not see its files.
    expect(await listed('eli')).toEqual([all.first, all.second, all.side, all.early])
    expect(await listed('gus')).toEqual([all.first, all.second])
    for (const who of names.filter((name) => !['ann', 'bea', 'cem', 'eli', 'gus'].includes(name))) {
      const failure = await fixture.rolledBackAs(who, (s) =>
        s.failure('list_files', { workspace: fixture.workspace }),
      )
      expect(failure, who).toBe(who === 'sid' ? 'session_ended' : 'not_found')
    }
  })

  it('equals what the policies on attachments let each see', async () => {
    for (const who of ['ann', 'bea', 'cem', 'eli', 'gus'] as const) {
      const seen = await fixture.rolledBackAs(who, (s) =>
        s.rows<{ name: string }>('select name from public.attachments'),
      )
      expect((await listed(who)).toSorted(), who).toEqual(seen.map((row) => row.name).toSorted())
    }
  })

  it('lists the files of a channel to its readers only', async () => {
    expect(await listed('gus', { channel: fixture.lobby })).toEqual([all.first, all.second])
    expect(await listed('cem', { channel: fixture.closed })).toEqual([all.secret])
    // A full member reads public channels that they haven't joined.
    expect(await listed('ann', { channel: fixture.side })).toEqual([all.side])
    for (const [who, channel] of [
      ['ann', fixture.closed],
      ['eli', fixture.closed],
      ['gus', fixture.side],
      ['cem', fixture.direct],
      ['ann', randomUUID()],
    ] as const) {
      const filter = { workspace: fixture.workspace, channel }
      expect(await fixture.rolledBackAs(who, (s) => s.failure('list_files', filter)), who).toBe('not_found')
    }
  })

  it('finds by kind, person and any part of a name, all together', async () => {
    expect(await listed('bea', { kinds: ['picture'] })).toEqual([all.first, all.second, all.early])
    expect(await listed('bea', { kinds: ['pdf', 'text'] })).toEqual([all.secret, all.side])
    expect(await listed('bea', { kinds: ['video'] })).toEqual([])
    expect(await listed('bea', { author: fixture.profile.ann })).toEqual([all.whisper])
    expect(await listed('bea', { author: fixture.profile.bea, kinds: ['picture', 'text'] })).toEqual([
      all.secret,
      all.early,
    ])
    expect(await listed('bea', { query: 'plan' })).toEqual([all.first, all.side])
    expect(await listed('bea', { query: 'PLAN mär' })).toEqual([all.first])
    expect(await listed('bea', { query: 'eek2', author: fixture.profile.cem, kinds: ['picture'] })).toEqual([
      all.second,
    ])
    expect(await listed('bea', { query: '  ' })).toEqual(await listed('bea'))
    expect(await listed('bea', { query: '…' })).toEqual([])
    expect(await listed('ann', { query: 'salaries' })).toEqual([])
    expect(await listed('gus', { query: 'thread' })).toEqual([])
    expect(await listed('ann', { author: fixture.profile.zoe })).toEqual([])
  })

  it('returns each file as its message does, with the position of the message', async () => {
    const [page, message] = await fixture.rolledBackAs('cem', async (s) => [
      await s.call('list_files', { workspace: fixture.workspace, channel: fixture.closed }),
      (await s.call('channel_page', { channel: fixture.closed })).messages.find((one) => one.id === secret)!,
    ])
    expect(page).toEqual({
      before: null,
      files: [
        {
          channel_id: fixture.closed,
          message_id: secret,
          thread_root: null,
          author_id: fixture.profile.bea,
          created_at: message.created_at,
          position: 0,
          file: message.attachments[0],
        },
      ],
    })
  })

  it('paging returns each file once, also within a message, and however many files are examined first', async () => {
    expect(await listed('bea')).toHaveLength(6)
    const cases: [filter: Partial<ListFilesArgs>, examined: number][] = [
      [{}, 1000],
      [{ author: fixture.profile.cem }, 1000],
      [{ query: 'r' }, 0],
      [{ query: 'r' }, 2],
      [{ query: 'r' }, 1000],
    ]
    for (const [filter, examined] of cases) {
      await fixture.service(
        (s) =>
          s.rows(`update public.settings set value = to_jsonb($1::int) where key = 'list_files_examined'`, [
            examined,
          ]),
        true,
      )
      const found: string[] = []
      await fixture.rolledBackAs('bea', async (s) => {
        let before: string | null = null
        do {
          const page: FileList = await s.call('list_files', {
            workspace: fixture.workspace,
            limit: 1,
            before,
            ...filter,
          })
          expect(page.files).toHaveLength(1)
          found.push(page.files[0]!.file.name)
          before = page.before
        } while (before !== null)
      })
      expect(found).toEqual(await listed('bea', filter))
    }
  })

  it('lists nothing after access to the channel ends', async () => {
    await sendFiles('cem', fixture.closed, [['Later.txt', 'text/plain']])
    expect(await listed('cem', { query: 'later' })).toEqual(['Later.txt'])
    await fixture.committedAs('bea', (s) =>
      s.call('remove_member', { channel: fixture.closed, person: fixture.profile.cem }),
    )
    expect(await listed('cem', { query: 'later' })).toEqual([])
    expect(await listed('bea', { query: 'later' })).toEqual(['Later.txt'])
    await fixture.committedAs('bea', (s) => s.call('leave_channel', { channel: fixture.closed }))
    expect(await listed('bea')).not.toContain('Later.txt')
  })

  it('rejects invalid arguments', async () => {
    const bad: readonly (readonly [Record<string, unknown>, string])[] = [
      [{ kinds: ['picture', 'painting'] }, 'bad_file_kind'],
      [{ kinds: [] }, 'bad_file_kind'],
      [{ kinds: [null] }, 'bad_file_kind'],
      [{ before: 'x' }, 'bad_cursor'],
      [{ before: `1 ${randomUUID()}` }, 'bad_cursor'],
      [{ before: `1 ${randomUUID()} 10` }, 'bad_cursor'],
      [{ before: `${'9'.repeat(18)} ${randomUUID()} 1` }, 'bad_cursor'],
    ]
    await fixture.rolledBackAs('bea', async (s) => {
      for (const [args, failure] of bad) {
        const filter = { workspace: fixture.workspace, ...args } as ListFilesArgs
        expect(await s.failure('list_files', filter), JSON.stringify(args)).toBe(failure)
      }
      const far = `${'9'.repeat(17)} ${randomUUID()} 9`
      const page = await s.call('list_files', { workspace: fixture.workspace, before: far, limit: -3 })
      expect(page.files).toHaveLength(1)
    })
  })

  it('classifies each content type as the app does', async () => {
    const types = [
      png,
      'IMAGE/JPEG',
      'video/webm;codecs="vp9,opus"',
      'audio/x-m4a',
      'application/pdf',
      'text/plain; charset=utf-8',
      ' text/x-python ',
      'text/x-c++src',
      'application/json',
      'image/svg+xml',
      'image/png+xml',
      'text/html',
      'text/plain+xml',
      'text/x-drawing+xml',
      'image/heic',
      'video/mp2t',
      '',
      ';text/plain',
      'text/html\ntext/plain',
      'text/plain\n',
      '\ttext/csv',
      'text/x-+',
      'TEXT/X-C++',
      'application/octet-stream',
      'audio/vnd.wave',
      'audio/vndxwave',
      'application/ld+json',
      'text/ſql',
    ]
    await fixture.service(async (s) => {
      expect(await s.value('select app.file_kinds()')).toEqual(fileKinds)
      for (const type of types)
        expect(await s.value('select app.file_kind($1)', [type]), type).toBe(fileKindOf(type))
    })
  })
})
