/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Commands } from '../../wire/commands.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { webMentionPosition, type WebChannelPage } from '../../wire/webChannels.ts'
import { openFixture, type Fixture, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

type PageArgs = Omit<Commands['web_channel_page']['args'], 'channel'>

describe.each(testDatabases)('channels on the web on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const as = async (
    s: TestTransaction,
    who: keyof Fixture['account'] | 'anon' | 'postgres',
  ): Promise<void> => {
    await s.rows(`select set_config('role', 'postgres', true)`)
    if (who === 'postgres') return
    const account = who === 'anon' ? null : fixture.account[who]
    const role = account === null ? 'anon' : 'authenticated'
    const claims = account === null ? { role } : { role, sub: account, session_id: account }
    await s.rows(`select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`, [
      JSON.stringify(claims),
      role,
    ])
  }
  /** The page as a person without an account gets it; the transaction goes on as who it was. */
  const page = async (
    s: TestTransaction,
    channel: Uuid,
    args: PageArgs = {},
  ): Promise<WebChannelPage | null> => {
    const [before] = await s.rows<{ role: string; claims: string }>(
      `select current_user as role, coalesce(current_setting('request.jwt.claims', true), '') as claims`,
    )
    await as(s, 'anon')
    try {
      return await s.call('web_channel_page', { channel, ...args })
    } finally {
      await s.rows(`select set_config('role', 'postgres', true)`)
      await s.rows(`select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`, [
        before!.claims,
        before!.role,
      ])
    }
  }
  const shown = async (s: TestTransaction, channel: Uuid, args: PageArgs = {}) =>
    (await page(s, channel, args))?.messages.map((one) => one.body) ?? null
  const send = async (s: TestTransaction, body: string, rest: object = {}): Promise<Uuid> => {
    const id = randomUUID()
    await s.call('send_message', { id, channel: fixture.lobby, body, ...rest })
    return id
  }
  const publish = (s: TestTransaction, channel = fixture.lobby, on = true) =>
    s.call('publish_channel', { channel, on })
  const setRole = async (s: TestTransaction, person: 'bea' | 'cem', role: string): Promise<void> => {
    const { lobby, profile } = fixture
    await s.call('set_channel_role', { channel: lobby, person: profile[person], role: role as 'admin' })
  }

  it('are put there by owners and admins who are members, and where allowed by their admins', async () => {
    const { lobby, side, workspace } = fixture
    await fixture.rolledBackAs('ann', async (s) => {
      expect(await s.failure('publish_channel', { channel: side, on: true })).toBe('not_allowed')
      await setRole(s, 'bea', 'admin')
      await as(s, 'bea')
      expect(await s.failure('publish_channel', { channel: lobby, on: true })).toBe('not_allowed')
      await as(s, 'ann')
      expect((await s.call('set_web_channels', { workspace, by: 'channel_admins' })).web_channels_by).toBe(
        'channel_admins',
      )
      await as(s, 'bea')
      expect((await publish(s)).channel.web_since).toEqual(expect.any(String))
      expect((await publish(s, side)).channel.web_since).toEqual(expect.any(String))
      for (const who of ['cem', 'gus'] as const) {
        await as(s, who)
        expect(await s.failure('publish_channel', { channel: lobby, on: false }), who).toBe('not_allowed')
      }
      // Ann is no member of it.
      await as(s, 'ann')
      expect(await page(s, side)).not.toBeNull()
      expect((await publish(s, side, false)).channel.web_since).toBeNull()
      expect(await page(s, side)).toBeNull()
    })
  })

  it('show what was written before, where an owner chooses so', async () => {
    const { lobby } = fixture
    await fixture.rolledBackAs('ann', async (s) => {
      await send(s, 'Long ago')
      await setRole(s, 'bea', 'admin')
      await s.call('set_web_channels', { workspace: fixture.workspace, by: 'channel_admins' })
      await as(s, 'bea')
      expect(await s.failure('publish_channel', { channel: lobby, on: true, history: true })).toBe(
        'not_allowed',
      )
      expect(await s.failure('publish_channel', { channel: lobby, on: true, history: null as never })).toBe(
        'bad_state',
      )
      await publish(s)
      expect(await shown(s, lobby)).toEqual([])
      expect((await page(s, lobby))?.since).toEqual(expect.any(String))
      await publish(s, lobby, false)
      await as(s, 'ann')
      await s.call('publish_channel', { channel: lobby, on: true, history: true })
      await send(s, 'Since then')
      expect((await shown(s, lobby))?.slice(-2)).toEqual(['Long ago', 'Since then'])
      expect((await page(s, lobby))?.since).toBeNull()
      const { messages } = await s.call('channel_page', { channel: lobby, limit: 10 })
      expect(messages.map((one) => one.system).filter((note) => note?.event === 'published')).toEqual([
        { event: 'published' },
        { event: 'published', history: true },
      ])
    })
  })

  it('show what was written since, with names and times, and no id', async () => {
    const { lobby, profile, side, closed } = fixture
    await fixture.rolledBackAs('ann', async (s) => {
      await publish(s)
      const root = await send(
        s,
        `Hello <@${profile.bea}>, <@${profile.cem}> and <@${profile.ann}> in <#${side}>, <#${closed}>`,
      )
      await as(s, 'bea')
      await send(s, 'A reply', { thread_root: root })
      await send(s, 'Second')
      await s.call('react', { message: root, emoji: '👀', on: true })
      await as(s, 'postgres')
      await s.rows(
        `insert into public.attachments (message_id, upload_id, upload_channel_id, position, name, type, size)
         select $1, gen_random_uuid(), $2, i, 'Secret ' || i || '.png', 'image/png', 7 from generate_series(0, 2) i`,
        [root, lobby],
      )
      const found = await page(s, lobby)
      expect(found).toMatchObject({
        workspace: 'Harbour Street',
        name: 'lobby',
        topic: '',
        thread: null,
        has_before: false,
        has_after: false,
        people: ['Ann Okafor', 'bea Example'],
        channels: [],
      })
      expect(found!.messages).toMatchObject([
        {
          number: 1,
          author: 'Ann Okafor',
          replies: 1,
          files: 3,
          reactions: [{ emoji: '👀', count: 1 }],
        },
        { number: 2, author: 'bea Example', body: 'Second' },
      ])
      const named = [...found!.messages[0]!.body.matchAll(/<[@#]([0-9a-f-]{36})>/g)].map(
        ([, id]) => found!.people[webMentionPosition(id!)],
      )
      expect(named).toEqual(['bea Example', undefined, 'Ann Okafor', undefined, undefined])
      // Neither an id, nor a file's name, nor the name of somebody who wrote nothing, nor of an internal channel.
      const text = JSON.stringify([found, await page(s, lobby, { thread: 1 })])
      expect(text.replaceAll(/00000000-0000-0000-0000-[0-9]{12}/g, '')).not.toMatch(
        /[0-9a-f]{8}-[0-9a-f]{4}-/,
      )
      expect(text).not.toMatch(/Secret|cem|partners|building-works|Orchids|lovely/)
      const thread = await page(s, lobby, { thread: 1 })
      expect(thread).toMatchObject({
        thread: { number: 1, author: 'Ann Okafor' },
        messages: [{ number: 1, author: 'bea Example', body: 'A reply' }],
      })
    })
  })

  it('have no unknown id, in whatever form it is written', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      await as(s, 'postgres')
      const ids = ['deadbeef-0000-4000-8000-000000000000', 'DEADBEEF00004000-8000000000000000']
      const marks = ['<@', '<@&', '<#']
      const body = marks.flatMap((mark) => ids.map((id) => `\x01${mark}${id}>`)).join('<@<#')
      const shown = await s.value<string>(`select app.web_body('${body}', '{}', '{}')`)
      expect(shown).toBe(
        marks.flatMap((mark) => Array(2).fill(`${mark}00000000-0000-0000-0000-000000000000>`)).join('<@<#'),
      )
    })
  })

  it('name other channels on the web, which links lead to', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      await as(s, 'ann')
      await s.call('join_channel', { channel: fixture.side })
      await publish(s)
      await publish(s, fixture.side)
      await send(s, `See <#${fixture.side}>`)
      expect((await page(s, fixture.lobby))!.channels).toEqual([{ id: fixture.side, name: 'building-works' }])
      await s.call('archive_channel', { channel: fixture.side, on: true })
      expect((await page(s, fixture.lobby))!.channels).toEqual([])
    })
  })

  it('show nothing from before: no messages, threads, edits or moved threads', async () => {
    const { lobby, messages, side } = fixture
    await fixture.rolledBackAs('bea', async (s) => {
      const before = await send(s, 'Internal')
      await send(s, 'Internal reply', { thread_root: before })
      const elsewhere = randomUUID()
      await s.call('send_message', { id: elsewhere, channel: side, body: 'Written elsewhere' })
      await as(s, 'ann')
      await publish(s)
      await send(s, 'Late reply', { thread_root: before })
      await send(s, 'Late reply for all', { thread_root: before, also_to_channel: true })
      await as(s, 'bea')
      await s.call('edit_message', { id: before, body: 'Internal, edited', edit: randomUUID() })
      await s.call('edit_message', { id: messages.old, body: 'Old, edited', edit: randomUUID() })
      await s.call('move_thread', {
        id: randomUUID(),
        message: elsewhere,
        channel: lobby,
        accepted_readers: 10,
      })
      const note = await send(s, 'First words')
      await s.call('edit_message', { id: note, body: 'Later words', edit: randomUUID() })
      const text = JSON.stringify(await page(s, lobby))
      expect(await shown(s, lobby)).toEqual(['Late reply for all', 'Later words'])
      expect(text).not.toMatch(/Internal|Old|First words|elsewhere/)
      // Neither by a forged cursor nor as a thread.
      for (const args of [
        { before: 0 },
        { before: -5 },
        { after: -100 },
        { before: 1 },
        { after: 9_000_000_000_000_000 },
        { before: -9_000_000_000_000_000 },
        { thread: 0 },
        { thread: -1 },
        { thread: 9_000_000_000_000_000 },
      ]) {
        const found = JSON.stringify(await page(s, lobby, args))
        expect(found, JSON.stringify(args)).not.toMatch(/Internal|Old|First words|elsewhere|Orchids/)
      }
      const after = await s.value<bigint>('select web_after_seq from public.channels where id = $1', [lobby])
      for (let seq = 0; seq <= Number(after); seq++)
        expect(await page(s, lobby, { thread: seq - Number(after) })).toBeNull()
    })
  })

  it('no longer show what was deleted, and what was written in its thread', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      await publish(s)
      const root = await send(s, 'Soon gone')
      await send(s, 'Below', { thread_root: root })
      expect(await shown(s, fixture.lobby, { thread: 1 })).toEqual(['Below'])
      await s.call('delete_message', { id: root })
      expect(await shown(s, fixture.lobby)).toEqual([])
      expect(await page(s, fixture.lobby, { thread: 1 })).toBeNull()
    })
  })

  it('are read in pages of 30 in both directions', async () => {
    const { lobby, profile } = fixture
    await fixture.rolledBackAs('ann', async (s) => {
      await publish(s)
      await as(s, 'postgres')
      await s.rows('alter table public.messages disable trigger user')
      await s.rows(
        `insert into public.messages (id, channel_id, seq, history_seq, rev, author_id, body, created_at)
         select gen_random_uuid(), $1, k.last_seq + i, k.last_seq + i, k.rev + i, $2, 'N' || i, now()
         from public.channel_counters k, generate_series(1, 70) i where k.channel_id = $1`,
        [lobby, profile.ann],
      )
      await s.rows('alter table public.messages enable trigger user')
      const latest = (await page(s, lobby))!
      const ends = ({ messages, has_before, has_after }: WebChannelPage) =>
        [messages[0]?.number, messages.at(-1)?.number, messages.length, has_before, has_after] as const
      expect(ends(latest)).toEqual([41, 70, 30, true, false])
      const middle = (await page(s, lobby, { before: 41 }))!
      expect(ends(middle)).toEqual([11, 40, 30, true, true])
      const first = (await page(s, lobby, { before: 11 }))!
      expect(ends(first)).toEqual([1, 10, 10, false, true])
      expect(ends((await page(s, lobby, { after: 10 }))!)).toEqual([11, 40, 30, true, true])
      expect(ends((await page(s, lobby, { after: 70 }))!)).toEqual([undefined, undefined, 0, true, false])
      expect(ends((await page(s, lobby, { before: 1 }))!)).toEqual([undefined, undefined, 0, false, true])
    })
  })

  it('end when the channel becomes private or is archived, and do not start again by themselves', async () => {
    const { lobby, workspace } = fixture
    await fixture.rolledBackAs('ann', async (s) => {
      const sent = ['Public once']
      for (const end of [
        () => s.call('publish_channel', { channel: lobby, on: false }),
        () => s.call('update_channel', { channel: lobby, kind: 'private' }),
        () => s.call('archive_channel', { channel: lobby, on: true }),
        () => s.call('archive_channels', { workspace, channels: [lobby], on: true }),
      ]) {
        await publish(s)
        await send(s, sent[0]!)
        expect(await shown(s, lobby)).toEqual(sent)
        await end()
        expect(await page(s, lobby)).toBeNull()
        await s.call('archive_channel', { channel: lobby, on: false })
        await s.call('update_channel', { channel: lobby, kind: 'public' })
        expect(await page(s, lobby)).toBeNull()
        // What was public before is so no more when the channel is published again.
        await publish(s)
        expect(await shown(s, lobby)).toEqual([])
        await publish(s, lobby, false)
      }
      const log = await s.call('list_audit_log', { workspace, limit: 200 })
      const actions = log.entries.map((one) => one.action)
      expect(actions.filter((one) => one === 'channel.published')).toHaveLength(8)
      expect(actions.filter((one) => one === 'channel.unpublished')).toHaveLength(8)
    })
  })

  it('give everyone the same for each channel that is not there', async () => {
    await fixture.rolledBackAs('anon', async (s) => {
      for (const channel of [fixture.lobby, fixture.closed, fixture.direct, randomUUID()])
        for (const args of [{}, { thread: 1 }, { before: 5 }])
          expect(await s.call('web_channel_page', { channel, ...args })).toBeNull()
    })
    await fixture.rolledBackAs('bea', async (s) => {
      const error = await s.refusal((t) => t.call('web_channel_page', { channel: fixture.lobby }))
      expect(error.code).toBe('42501')
    })
  })

  it('announce it to members, whose devices receive it', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      await publish(s)
      await publish(s)
      await as(s, 'gus')
      const start = await s.call('bootstrap', {})
      const entry = start.channels.find((one) => one.channel.id === fixture.lobby)
      expect(entry?.channel.web_since).toEqual(expect.any(String))
      const { messages } = await s.call('channel_page', { channel: fixture.lobby })
      const notes = messages.filter((one) => one.system?.event === 'published')
      expect(notes).toMatchObject([{ author_id: fixture.profile.ann }])
    })
  })

  it('refuse a message whose author did not know', async () => {
    const { lobby } = fixture
    await fixture.rolledBackAs('ann', async (s) => {
      const known = await send(s, 'Sent before', { on_web: false })
      await publish(s)
      const id = randomUUID()
      expect(await s.failure('send_message', { id, channel: lobby, body: 'Queued', on_web: false })).toBe(
        'channel_on_web',
      )
      // A repeated request still gets its message.
      await s.call('send_message', { id: known, channel: lobby, body: 'Sent before', on_web: false })
      await send(s, 'Confirmed', { on_web: true })
      await send(s, 'Of a program')
      expect(await shown(s, lobby)).toEqual(['Confirmed', 'Of a program'])
    })
  })

  it('keep a message that was scheduled before, until its author confirms it', async () => {
    const { lobby } = fixture
    const runJobs = async (s: TestTransaction): Promise<void> => {
      const claims = await s.value<string>(`select current_setting('request.jwt.claims')`)
      await as(s, 'postgres')
      await s.rows(`select set_config('request.jwt.claims', '', true)`)
      await s.rows(`update public.jobs set run_at = now() where kind = 'scheduled_message'`)
      while (await s.value<boolean>('select app.send_next_scheduled_message()'));
      await s.rows(
        `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
        [claims],
      )
    }
    const send_at = new Date(Date.now() + 3_600_000).toISOString()
    await fixture.rolledBackAs('ann', async (s) => {
      const [early, confirmed, late] = [randomUUID(), randomUUID(), randomUUID()]
      await s.call('schedule_message', { id: early, channel: lobby, body: 'Early', send_at })
      await s.call('schedule_message', { id: confirmed, channel: lobby, body: 'Confirmed', send_at })
      await publish(s)
      await s.call('schedule_message', { id: late, channel: lobby, body: 'Late', send_at })
      await s.call('change_scheduled_message', { id: confirmed, send_at })
      await runJobs(s)
      expect((await shown(s, lobby))!.toSorted()).toEqual(['Confirmed', 'Late'])
      expect((await s.call('bootstrap', {})).own.scheduled).toMatchObject([
        { id: early, body: 'Early', problem: 'channel_on_web' },
      ])
      await s.call('send_scheduled_message', { id: early })
      expect(await shown(s, lobby)).toContain('Early')
    })
  })

  /** Stores an object as its owner. Its location is removed unless `isPending`. */
  const put = async (
    s: TestTransaction,
    who: keyof Fixture['account'],
    path: string,
    isPending = false,
  ): Promise<string> => {
    await s.rows(
      `insert into storage.objects (bucket_id, name, owner, owner_id, metadata)
       values ('files', $1, $2::text::uuid, $2::text, '{"size": 1234, "mimetype": "image/png"}')`,
      [path, fixture.account[who]],
    )
    if (!isPending) await endMetadataRemoval(s, who)
    return path
  }
  const endMetadataRemoval = async (s: TestTransaction, who: keyof Fixture['account']): Promise<void> => {
    await as(s, 'postgres')
    await s.rows(`delete from public.jobs where kind = 'remove_metadata'`)
    await as(s, who)
  }
  /** Sends a message with a picture as its author, and returns the picture's folder. */
  const sendPicture = async (
    s: TestTransaction,
    who: keyof Fixture['account'],
    name: string,
    rest: { channel?: Uuid; isPending?: boolean } & Record<string, unknown> = {},
  ): Promise<{ id: Uuid; folder: string }> => {
    const { channel = fixture.lobby, isPending = false, ...args } = rest
    await as(s, who)
    const upload = randomUUID()
    const folder = `${channel}/${upload}`
    for (const part of ['file', 'thumb']) await put(s, who, `${folder}/${part}`, isPending)
    const id = randomUUID()
    await s.call('send_message', {
      id,
      channel,
      body: name,
      attachments: [{ id: upload, name, width: 40, height: 30, thumb: true }],
      ...args,
    })
    return { id, folder }
  }
  const DOWNLOAD = 'storage.object.get_authenticated'
  /** The objects that a request with the public key reads; the transaction goes on as `who`. */
  const readable = async (
    s: TestTransaction,
    who: keyof Fixture['account'],
    operation = DOWNLOAD,
    headers: object = { apikey: 'key' },
  ): Promise<string[]> => {
    await as(s, 'anon')
    await s.rows(
      `select set_config('storage.operation', $1, true), set_config('request.headers', $2, true)`,
      [operation, JSON.stringify(headers)],
    )
    const found = await s.rows<{ name: string }>('select name from storage.objects order by name')
    await s.rows(`select set_config('storage.operation', '', true), set_config('request.headers', '', true)`)
    await as(s, who)
    return found.map(({ name }) => name)
  }
  const partsOf = (...folders: string[]) =>
    folders.flatMap((folder) => [`${folder}/file`, `${folder}/thumb`]).toSorted()
  const publishFiles = (s: TestTransaction, files: boolean | null, history = false) =>
    s.call('publish_channel', { channel: fixture.lobby, on: true, history, files })

  it('show files from when the channel shows them, and hide them again', async () => {
    const { lobby } = fixture
    await fixture.rolledBackAs('ann', async (s) => {
      await sendPicture(s, 'ann', 'before.png')
      expect((await publish(s)).channel.web_files).toBe(false)
      await sendPicture(s, 'ann', 'internal.png')
      expect(await page(s, lobby)).toMatchObject({ files: false, messages: [{ files: 1 }] })
      expect(JSON.stringify(await page(s, lobby))).not.toContain('attachments')
      expect(await readable(s, 'ann')).toEqual([])
      const { channel } = await publishFiles(s, true)
      expect(channel.web_files).toBe(true)
      const shown = await sendPicture(s, 'bea', 'shown.png')
      await as(s, 'ann')
      const { messages, files } = (await page(s, lobby))!
      expect(files).toBe(true)
      expect(messages).toMatchObject([{ files: 1 }, { body: 'shown.png' }])
      expect(messages[1]!.files).toBeUndefined()
      expect(messages[1]!.attachments).toEqual([
        {
          id: shown.folder.split('/')[1],
          name: 'shown.png',
          type: 'image/png',
          size: 1234,
          width: 40,
          height: 30,
          thumb: true,
        },
      ])
      expect(await readable(s, 'ann')).toEqual(partsOf(shown.folder))
      // A client that does not know of files changes nothing.
      expect((await publish(s)).channel.web_files).toBe(true)
      expect((await publishFiles(s, null)).channel.web_files).toBe(true)
      expect((await publishFiles(s, false)).channel.web_files).toBe(false)
      expect(await readable(s, 'ann')).toEqual([])
      expect((await page(s, lobby))!.messages).toMatchObject([{ files: 1 }, { files: 1 }])
      // Not the files of the time before.
      await publishFiles(s, true)
      expect(await readable(s, 'ann')).toEqual([])
      const { messages: all } = await s.call('channel_page', { channel: lobby, limit: 20 })
      expect(all.map((one) => one.system?.event).filter((event) => event?.startsWith('web_'))).toEqual([
        'web_files_shown',
        'web_files_hidden',
        'web_files_shown',
      ])
      const log = await s.call('list_audit_log', { workspace: fixture.workspace, limit: 20 })
      expect(log.entries.map((one) => one.action).filter((action) => action.includes('web_files'))).toEqual([
        'channel.web_files_shown',
        'channel.web_files_hidden',
        'channel.web_files_shown',
      ])
    })
  })

  it('show files only for those who may put the channel on the web', async () => {
    const { lobby } = fixture
    await fixture.rolledBackAs('ann', async (s) => {
      await publish(s)
      for (const who of ['bea', 'gus', 'omar'] as const) {
        await as(s, who)
        expect(await s.failure('publish_channel', { channel: lobby, on: true, files: true }), who).toBe(
          who === 'omar' ? 'not_found' : 'not_allowed',
        )
      }
    })
  })

  it('show earlier files only where an owner chooses the history with files', async () => {
    const { lobby } = fixture
    await fixture.rolledBackAs('ann', async (s) => {
      const { folder } = await sendPicture(s, 'ann', 'before.png')
      await publishFiles(s, null, true)
      expect(await readable(s, 'ann')).toEqual([])
      await publish(s, lobby, false)
      await publishFiles(s, true)
      expect(await readable(s, 'ann')).toEqual([])
      await publish(s, lobby, false)
      await publishFiles(s, true, true)
      expect(await readable(s, 'ann')).toEqual(partsOf(folder))
      const { messages } = await s.call('channel_page', { channel: lobby, limit: 1 })
      expect(messages[0]!.system).toEqual({ event: 'published', history: true, files: true })
    })
  })

  it('let anyone read exactly the files that the page shows', async () => {
    const { lobby, side, closed, messages } = fixture
    await fixture.rolledBackAs('ann', async (s) => {
      await sendPicture(s, 'bea', 'side.png', { channel: side })
      await sendPicture(s, 'bea', 'closed.png', { channel: closed })
      const { id: elsewhere } = await sendPicture(s, 'bea', 'elsewhere.png', { channel: side })
      await as(s, 'ann')
      await publishFiles(s, true)
      const root = await sendPicture(s, 'bea', 'root.png')
      const reply = await sendPicture(s, 'bea', 'reply.png', { thread_root: root.id })
      // Of the replies to an earlier message, the page shows only those that were also sent to the channel.
      await sendPicture(s, 'bea', 'late.png', { thread_root: messages.old })
      const both = await sendPicture(s, 'bea', 'both.png', {
        thread_root: messages.old,
        also_to_channel: true,
      })
      await s.call('move_thread', {
        id: randomUUID(),
        message: elsewhere,
        channel: lobby,
        accepted_readers: 10,
      })
      await put(s, 'bea', `${lobby}/${randomUUID()}/file`)
      const expected = partsOf(root.folder, reply.folder, both.folder)
      expect(await readable(s, 'bea')).toEqual(expected)
      const text = JSON.stringify([await page(s, lobby), await page(s, lobby, { thread: 1 })])
      expect([...text.matchAll(/"name": ?"(\w+\.png)"/g)].map(([, name]) => name).toSorted()).toEqual([
        'both.png',
        'reply.png',
        'root.png',
        'root.png',
      ])
      // A thumbnail that the message does not have is no part of the page.
      await as(s, 'postgres')
      await s.rows(`update public.attachments set thumb = false where name = 'both.png'`)
      await as(s, 'bea')
      expect(await readable(s, 'bea')).toEqual(expected.filter((path) => path !== `${both.folder}/thumb`))
      await s.call('delete_message', { id: root.id })
      expect(await readable(s, 'bea')).toEqual([`${both.folder}/file`])
    })
  })

  it('let nobody list, sign, describe, resize or embed a file', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      await publishFiles(s, true)
      const { folder } = await sendPicture(s, 'ann', 'shown.png')
      expect(await readable(s, 'ann')).toEqual(partsOf(folder))
      expect(await readable(s, 'ann', DOWNLOAD, { authorization: 'Bearer key' })).toEqual(partsOf(folder))
      for (const operation of [
        '',
        'storage.object.list',
        'storage.object.list_v2',
        'storage.object.sign',
        'storage.object.sign_many',
        'storage.object.copy',
        'storage.object.move',
        'storage.object.upload_update',
        'storage.object.delete',
        'storage.object.get_public',
        'object.get_authenticated_info',
        'object.head_authenticated_info',
        'storage.render.image_authenticated',
        'storage.s3.object.list',
      ])
        expect(await readable(s, 'ann', operation), operation).toEqual([])
      // A page or script of an address has no such header.
      expect(await readable(s, 'ann', DOWNLOAD, { host: 'example.org' })).toEqual([])
      await as(s, 'anon')
      await s.rows(`select set_config('storage.operation', $1, true)`, [DOWNLOAD])
      expect(await s.rows(`select from storage.objects`)).toEqual([])
      for (const change of [
        `insert into storage.objects (bucket_id, name) values ('files', '${fixture.lobby}/${randomUUID()}/file')`,
        `insert into storage.objects (bucket_id, name) values ('files', '${folder}/file')
         on conflict (bucket_id, name) do update set metadata = '{}'`,
      ])
        expect((await s.refusal((t) => t.rows(change))).code).toBe('42501')
    })
  })

  it('hide a file until its location was removed', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      await publishFiles(s, true)
      const { folder } = await sendPicture(s, 'ann', 'located.png', { isPending: true })
      expect(await readable(s, 'ann')).toEqual([])
      await endMetadataRemoval(s, 'ann')
      expect(await readable(s, 'ann')).toEqual(partsOf(folder))
    })
  })

  it('end with their files', async () => {
    const { lobby, workspace } = fixture
    await fixture.rolledBackAs('ann', async (s) => {
      for (const end of [
        () => s.call('publish_channel', { channel: lobby, on: false }),
        () => s.call('update_channel', { channel: lobby, kind: 'private' }),
        () => s.call('archive_channel', { channel: lobby, on: true }),
        () => s.call('archive_channels', { workspace, channels: [lobby], on: true }),
        () => s.call('delete_channel', { channel: lobby, name: 'lobby' }),
      ]) {
        await publishFiles(s, true)
        const { folder } = await sendPicture(s, 'ann', 'shown.png')
        expect(await readable(s, 'ann')).toEqual(partsOf(folder))
        await end()
        expect(await readable(s, 'ann')).toEqual([])
        if (String(end).includes('delete_channel')) return
        await s.call('archive_channel', { channel: lobby, on: false })
        await s.call('update_channel', { channel: lobby, kind: 'public' })
        // Without files, unless they are chosen again.
        expect((await publish(s)).channel.web_files).toBe(false)
        expect(await readable(s, 'ann')).toEqual([])
        await publish(s, lobby, false)
      }
    })
  })

  it('have files whose cost does not depend on the number of other files', async () => {
    const { lobby, profile } = fixture
    await fixture.rolledBackAs('ann', async (s) => {
      await publishFiles(s, true)
      const { folder } = await sendPicture(s, 'ann', 'shown.png')
      const cost = async (size: number): Promise<number> => {
        await as(s, 'postgres')
        await s.rows('set local enable_seqscan = off')
        await s.rows('alter table public.messages disable trigger user')
        await s.rows(
          `with sent as (
             insert into public.messages (id, channel_id, seq, history_seq, rev, author_id, body, created_at)
             select gen_random_uuid(), $1, k.last_seq + i, k.last_seq + i, k.rev + i, $2, 'N' || i, now()
             from public.channel_counters k, generate_series(1, $3::int) i where k.channel_id = $1
             returning id, channel_id)
           insert into public.attachments (message_id, upload_id, upload_channel_id, position, name, type, size)
           select id, gen_random_uuid(), channel_id, 0, 'a.txt', 'text/plain', 1 from sent`,
          [lobby, profile.ann, size],
        )
        await s.rows(
          'update public.channel_counters set last_seq = last_seq + $2, rev = rev + $2 where channel_id = $1',
          [lobby, size],
        )
        await s.rows('alter table public.messages enable trigger user')
        await s.rows(
          `insert into public.jobs (kind, owner_id, payload)
           select 'remove_metadata', gen_random_uuid(), '{}' from generate_series(1, $1::int)`,
          [size],
        )
        for (const table of ['messages', 'attachments', 'jobs']) await s.rows(`analyze public.${table}`)
        const read = () =>
          s.value<number>(
            `select sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::int
             from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`,
          )
        const check = () =>
          s.value<boolean>('select app.can_read_web_file($1, gen_random_uuid())', [`${folder}/file`])
        for (let i = 0; i < 7; i++) expect(await check()).toBe(true)
        const before = await read()
        await check()
        return (await read()) - before
      }
      const small = await cost(200)
      expect(await cost(4000), String(small)).toBeLessThan(small * 1.3 + 20)
    })
  })

  it('are found by an index: the cost does not depend on the number of messages', async () => {
    const { lobby, profile } = fixture
    const read = (s: TestTransaction): Promise<number> =>
      s.value(
        `select sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::int
         from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`,
      )
    await fixture.rolledBackAs('ann', async (s) => {
      const root = await (async () => (await publish(s), send(s, 'Root')))()
      const cost = async (size: number): Promise<number[]> => {
        await as(s, 'postgres')
        await s.rows('set local enable_seqscan = off')
        await s.rows('alter table public.messages disable trigger user')
        await s.rows(
          `insert into public.messages (id, channel_id, seq, history_seq, rev, author_id, body, created_at)
           select gen_random_uuid(), $1, k.last_seq + i, k.last_seq + i, k.rev + i, $2, 'N' || i, now()
           from public.channel_counters k, generate_series(1, $3::int) i where k.channel_id = $1`,
          [lobby, profile.ann, size],
        )
        await s.rows(
          `insert into public.messages (id, channel_id, thread_root, thread_seq, history_seq, rev, author_id, body, created_at)
           select gen_random_uuid(), $1, $4, r.last_thread_seq + i, r.history_seq, k.rev + $3::int + i, $2, 'R' || i, now()
           from public.channel_counters k, public.messages r, generate_series(1, $3::int) i
           where k.channel_id = $1 and r.id = $4`,
          [lobby, profile.ann, size, root],
        )
        await s.rows(
          'update public.channel_counters set last_seq = last_seq + $2, rev = rev + 2 * $2 where channel_id = $1',
          [lobby, size],
        )
        await s.rows('update public.messages set last_thread_seq = last_thread_seq + $2 where id = $1', [
          root,
          size,
        ])
        await s.rows('alter table public.messages enable trigger user')
        await s.rows('analyze public.messages')
        const costs: number[] = []
        for (const args of [{}, { before: size / 2 }, { thread: 1 }, { thread: 1, before: size / 2 }]) {
          for (let i = 0; i < 7; i++) await page(s, lobby, args)
          const before = await read(s)
          await page(s, lobby, args)
          costs.push((await read(s)) - before)
        }
        return costs
      }
      const small = await cost(200)
      const large = await cost(4000)
      for (const [i, figure] of large.entries()) {
        expect(figure, `${i}: ${small[i]}`).toBeLessThan(small[i]! * 1.3 + 20)
        expect(figure, String(i)).toBeLessThan(1000)
      }
    })
  })
})
