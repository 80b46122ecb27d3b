import { mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { generateZulipExport, packZulipExport } from '../../../../tests/support/generateZulipExport.ts'
import type { ExportedMessage, ExportReader } from '../ExportReader.ts'
import { writeExportFolder, type FixtureFiles } from '../exportFiles.fixture.ts'
import { createReactions } from './createReactions.ts'
import type { TopicMode } from './createConversations.ts'
import { openZulip } from './openZulip.ts'
import { exportOf, message, stream, subscription, user, writeExportTar } from './zulipExport.fixture.ts'

interface Read {
  reader: ExportReader
  messages: ExportedMessage[]
  skipped: Record<string, number>
  /** The fields of all messages, by their names. */
  fields(...names: (keyof ExportedMessage)[]): unknown[][]
}

async function read(files: FixtureFiles, topics: TopicMode = 'threads'): Promise<Read> {
  const reader = await openZulip(writeExportFolder(files), { topics })
  const messages: ExportedMessage[] = []
  const skipped: Record<string, number> = {}
  const onSkipped = (channel: string, reason: string): void => {
    const key = `${channel}: ${reason}`
    skipped[key] = (skipped[key] ?? 0) + 1
  }
  for await (const one of reader.readMessages(onSkipped)) messages.push(one)
  return {
    reader,
    messages,
    skipped,
    fields: (...names) => messages.map((one) => names.map((name) => one[name])),
  }
}

const texts = ({ messages }: Read): unknown[] =>
  messages.map(({ content }) =>
    content.kind === 'text' ? (content.fields as { content: string }).content : content,
  )

describe('people', () => {
  it('have their names, addresses and pictures', async () => {
    const { reader } = await read(
      exportOf(
        [],
        {},
        {
          'avatars/records.json': [
            { user_profile_id: 1, path: '2/a.png' },
            { user_profile_id: 1, path: '2/a.original' },
            { user_profile_id: 2, path: '../../etc/passwd' },
          ],
          'avatars/2/a.png': 'small',
          'avatars/2/a.original': 'large',
        },
      ),
    )
    expect([...reader.people.values()]).toEqual([
      {
        key: '1',
        name: 'Ann',
        email: 'ann@example.org',
        title: '',
        isBot: false,
        avatar: 'avatars/2/a.original',
      },
      { key: '2', name: 'Ben', email: 'ben@example.org', title: '', isBot: false },
      { key: '3', name: 'Cem', email: 'cem@example.org', title: '', isBot: false },
      { key: '9', name: 'Welcome Bot', email: 'welcome-bot@zulip.com', title: '', isBot: true },
    ])
    expect(String(await buffer(await reader.open('avatars/2/a.original')))).toBe('large')
    expect(reader.source).toBe('2-1500000000')
  })

  it('can have the same name, and write without being in a list', async () => {
    const { reader, fields } = await read(
      exportOf([message(1, 'a', { sender: 7 })], {
        zerver_userprofile: [user(1, 'Ann'), user(2, 'Ann')],
        zerver_userprofile_mirrordummy: [user(3, 'Old\u202E Cem', { is_mirror_dummy: true })],
      }),
    )
    expect([...reader.people.values()].map(({ name }) => name)).toEqual([
      'Ann',
      'Ann',
      'Old Cem',
      'Welcome Bot',
    ])
    expect(fields('author')).toEqual([[{ key: '7', name: 'User 7' }]])
  })
})

describe('streams', () => {
  it('have their members, and are archived or private as in Zulip', async () => {
    const { reader } = await read(
      exportOf([], {
        zerver_stream: [
          stream(1, 'general', { description: 'For *all*' }),
          stream(2, 'board', { invite_only: true, history_public_to_subscribers: false }),
          stream(3, '!DEACTIVATED:old', { deactivated: true }),
          stream(4, 'a1b2c3d!DEACTIVATED:older', { deactivated: true, creator: null }),
        ],
        zerver_subscription: [
          subscription(201, 1),
          subscription(201, 1),
          subscription(201, 2, { active: false }),
          subscription(202, 3),
        ],
      }),
    )
    const base = { topic: '', creator: '1', createdAt: 1_600_000_000_500_000, isShared: false }
    expect(reader.channels).toEqual([
      {
        ...base,
        key: 'stream-1',
        kind: 'public',
        name: 'general',
        description: 'For *all*',
        members: ['1'],
        isArchived: false,
      },
      {
        ...base,
        key: 'stream-2',
        kind: 'private',
        name: 'board',
        description: '',
        members: ['3'],
        historyFrom: new Map([['3', Number.POSITIVE_INFINITY]]),
        isArchived: false,
      },
      {
        ...base,
        key: 'stream-3',
        kind: 'public',
        name: 'old',
        description: '',
        members: [],
        isArchived: true,
      },
      {
        ...base,
        key: 'stream-4',
        kind: 'public',
        name: 'older',
        description: '',
        members: [],
        isArchived: true,
        creator: '',
      },
    ])
    expect([...reader.notes]).toEqual([
      [expect.stringMatching(/^private streams hide older messages/), 1],
      [expect.stringMatching(/^members of such streams read no older messages/), 1],
    ])
  })

  it('that hide older messages have the time from which each member can read', async () => {
    const event = (type: number, person: number, at: number, stream = 2): object => ({
      event_type: type,
      modified_user: person,
      modified_stream: stream,
      event_time: at,
    })
    const { reader } = await read(
      exportOf(
        [message(1, 'a', { recipient: 202, sender: 2 }), message(2, 'b', { recipient: 202, sender: 1 })],
        {
          // The list of events can come before the list of streams.
          zerver_realmauditlog: [
            event(301, 1, 1_600_000_000.5),
            event(302, 1, 1_700_000_000.25),
            event(303, 1, 1_700_000_009),
            event(302, 1, 1_650_000_000),
            event(301, 2, 1_600_000_000, 1),
          ],
          zerver_stream: [
            stream(1, 'general'),
            stream(2, 'board', { invite_only: true, history_public_to_subscribers: false }),
          ],
          zerver_subscription: [1, 2, 3].map((person) => subscription(202, person)),
        },
      ),
    )
    expect(reader.channels.map(({ historyFrom }) => historyFrom)).toEqual([
      undefined,
      new Map([
        ['1', 1_700_000_000_250_000],
        ['2', 1_700_000_001_000_000],
        ['3', Number.POSITIVE_INFINITY],
      ]),
    ])
    expect(Array.from(reader.notes.values())).toEqual([1, 1, 1])
  })

  it('may be ten thousand', async () => {
    const ids = Array.from({ length: 10_000 }, (_, at) => at + 1)
    const { reader, messages } = await read(
      exportOf(
        ids.map((id) => message(id, 'text', { recipient: 1_000_000 + id })),
        {
          zerver_stream: ids.map((id) => stream(id, `s${id}`)),
          zerver_recipient: ids.map((id) => ({ id: 1_000_000 + id, type: 2, type_id: id })),
        },
      ),
    )
    expect(reader.channels).toHaveLength(10_000)
    expect(messages).toHaveLength(10_000)
  })
})

describe('direct messages', () => {
  it('are conversations of the same people, also with oneself, and in groups', async () => {
    const { reader, fields } = await read(
      exportOf(
        [
          message(1, 'to Ben', { recipient: 102, subject: '\u0007' }),
          message(2, 'to Ann', { recipient: 101, sender: 2, subject: '\u0007' }),
          message(3, 'to me', { recipient: 101 }),
          message(4, 'to all', { recipient: 301 }),
          message(5, 'newer', { recipient: 302, sender: 2 }),
        ],
        {
          zerver_subscription: [
            ...[1, 2, 3].map((person) => subscription(301, person)),
            ...[1, 2].map((person) => subscription(302, person)),
          ],
          zerver_recipient: [
            ...[1, 2, 3].map((id) => ({ id: 100 + id, type: 1, type_id: id })),
            { id: 301, type: 3, type_id: 1 },
            { id: 302, type: 3, type_id: 2 },
          ],
        },
      ),
    )
    expect(fields('channel', 'root')).toEqual([
      ['direct-1-2', null],
      ['direct-1-2', null],
      ['direct-1', null],
      ['group-1', null],
      ['direct-1-2', null],
    ])
    expect(
      reader.channels.slice(1).map(({ key, kind, name, members }) => [key, kind, name, members]),
    ).toEqual([
      ['direct-1-2', 'direct', 'Ann, Ben', ['1', '2']],
      ['direct-1', 'direct', 'Ann', ['1']],
      ['group-1', 'group', 'Ann, Ben, Cem', ['1', '2', '3']],
    ])
  })
})

describe('topics', () => {
  const lunch = [
    message(3, 'third', { subject: 'lunch' }),
    message(1, 'first', { subject: 'Lunch' }),
    message(2, 'second', { subject: 'Lunch', sender: 2 }),
    message(4, 'alone', { subject: '✔ Keys' }),
    message(5, 'without', { subject: '(no topic)' }),
    message(6, 'general', { subject: 'General chat' }),
  ]

  it('become threads, whose first message has the name of the topic', async () => {
    const { fields, messages, reader } = await read(exportOf(lunch))
    const root = { key: '1', at: 1_700_000_001_000_000, author: '1' }
    expect(fields('key', 'channel', 'root')).toEqual([
      ['3', 'stream-1', root],
      ['1', 'stream-1', null],
      ['2', 'stream-1', root],
      ['4', 'stream-1', null],
      ['5', 'stream-1', null],
      ['6', 'stream-1', null],
    ])
    expect(
      messages.map(({ content }) => content.kind === 'text' && (content.fields as { title: string }).title),
    ).toEqual(['', 'Lunch', '', '✔ Keys', '', ''])
    expect([...reader.notes]).toEqual([[expect.stringMatching(/^topics become threads/), 2]])
  })

  it('become channels with the people and rights of their stream', async () => {
    const { fields, reader } = await read(
      exportOf(lunch, { zerver_stream: [stream(1, 'general', { invite_only: true })] }),
      'channels',
    )
    const keys = reader.channels.map(({ key }) => key)
    expect(reader.channels.map(({ name, kind, members }) => [name, kind, members])).toEqual([
      ['general', 'private', ['1', '2']],
      ['general › lunch', 'private', ['1', '2']],
      ['general › ✔ Keys', 'private', ['1', '2']],
    ])
    expect(fields('channel', 'root')).toEqual([1, 1, 1, 2, 0, 0].map((at) => [keys[at], null]))
    expect([...reader.notes]).toEqual([[expect.stringMatching(/^topics become channels/), 2]])
  })

  it('whose first message is empty have a deleted one', async () => {
    const { fields } = await read(
      exportOf([message(1, '', { subject: 'x' }), message(2, 'a', { subject: 'x' })]),
    )
    expect(fields('content', 'contentAsRoot')).toMatchObject([
      [{ kind: 'skipped', reason: 'without content' }, { kind: 'deleted' }],
      [{ kind: 'text' }, undefined],
    ])
  })
})

describe('messages', () => {
  it('are edited if their text was, but not if they were moved', async () => {
    const history = (...entries: object[]) => ({
      last_edit_time: 1_700_000_009.5,
      edit_history: JSON.stringify(entries),
    })
    const { fields } = await read(
      exportOf([
        message(
          1,
          'a',
          history({ timestamp: 1_700_000_005, prev_content: 'b' }, { timestamp: 3, prev_content: 'c' }),
        ),
        message(2, 'b', history({ timestamp: 1_700_000_009, prev_topic: 'x' })),
        message(3, 'c', { last_edit_time: 1_700_000_009.5 }),
        message(4, '(deleted)', history({ timestamp: 1_700_000_005, prev_content: 'b' })),
        message(5, '(deleted)'),
        message(6, 'd', { last_edit_time: 7, edit_history: '[{' }),
      ]),
    )
    expect(fields('editedAt')).toEqual([
      [1_700_000_005_000_000],
      [null],
      [1_700_000_009_500_000],
      [1_700_000_005_000_000],
      [null],
      [7_000_000],
    ])
    expect(fields('content').map(([content]) => (content as { kind: string }).kind)).toEqual([
      'text',
      'text',
      'text',
      'deleted',
      'text',
      'text',
    ])
  })

  it('have a time before 1970 or in the future', async () => {
    const { fields } = await read(
      exportOf([
        message(1, 'a', { date_sent: -86_400.000001 }),
        message(2, 'b', { date_sent: 4_000_000_000.123456 }),
        message(3, 'c', { date_sent: undefined, pub_date: 5 }),
      ]),
    )
    expect(fields('at')).toEqual([[-86_400_000_001], [4_000_000_000_123_456], [5_000_000]])
  })

  it('that cannot be read are counted with the reason', async () => {
    const found = await read(
      exportOf(
        [],
        {},
        {
          'messages-000001.json': `{"zerver_message": [
          ${JSON.stringify(message(1, 'good'))},
          {"id": 2, "content": },
          ${JSON.stringify(message(3, 'a', { date_sent: 'now' }))},
          ${JSON.stringify(message(4, 'a', { sender: null }))},
          ${JSON.stringify(message(5, 'a', { recipient: 999 }))},
          ${JSON.stringify(message(6, 'a', { recipient: 204 }))},
          7, ${JSON.stringify(message(8, ' '))}`,
          'messages-000002.json': { zerver_message: [message(9, 'next')] },
          'messages-000003.json': { zerver_message: [] },
          'messages-000004.json.partial': { zerver_message: [message(10, 'partial')] },
        },
      ),
    )
    expect(texts(found)).toEqual(['good', 'next'])
    expect(found.skipped).toEqual({ 'stream-1: without a time': 1, 'stream-1: damaged': 1 })
    expect([...found.reader.notes]).toEqual([
      ['entries of the export are damaged, and are not imported', 3],
      ['messages are of a conversation that the export does not have, and are not imported', 2],
    ])
  })

  it('have bytes that are no UTF-8 replaced', async () => {
    const bytes = Buffer.from(
      JSON.stringify({ zerver_message: [message(1, 'a?b', { rendered_content: '' })] }),
    )
    bytes[bytes.indexOf('?')] = 0xff
    expect(texts(await read(exportOf([], {}, { 'messages-000001.json': bytes })))).toEqual(['a\uFFFDb'])
  })

  it('have the reactions of the list, or of their own file', async () => {
    const reaction = (
      person: number,
      emoji_name: string,
      emoji_code: string,
      reaction_type = 'unicode_emoji',
    ) => ({
      message: 1,
      user_profile: person,
      emoji_name,
      emoji_code,
      reaction_type,
    })
    const { fields } = await read(
      exportOf(
        [],
        { zerver_reaction: [reaction(1, 'heart', '2764'), reaction(2, 'anything', '2764'), { message: 2 }] },
        {
          'messages-000001.json': {
            zerver_message: [message(1, 'a'), message(2, 'b')],
            zerver_reaction: [
              reaction(3, 'party_parrot', '17', 'realm_emoji'),
              reaction(3, 'Not Valid', '17', 'realm_emoji'),
              reaction(3, 'flag', '1f1e9-1f1ea'),
              reaction(3, 'zulip', 'zulip', 'zulip_extra_emoji'),
            ],
          },
        },
      ),
    )
    expect(fields('reactions')).toEqual([
      [
        [
          { emoji: '❤️', people: ['1', '2'] },
          { emoji: ':party_parrot:', people: ['3'] },
          { emoji: '🇩🇪', people: ['3'] },
          { emoji: ':zulip:', people: ['3'] },
        ],
      ],
      [[]],
    ])
  })

  it('have the uploads that they link to as files', async () => {
    const local = '<a href="/user_uploads/2/ab/plan.pdf">'
    const { fields, reader } = await read(
      exportOf(
        [
          message(
            1,
            '[Plan](/user_uploads/2/ab/plan.pdf) `[x](/user_uploads/2/cd/x)` [y](/user_uploads/2/ef/y.txt)',
          ),
          message(2, 'https://chat.example.org/user_uploads/2/ab/plan.pdf', { rendered_content: local }),
          message(3, 'https://other.example/user_uploads/2/ab/plan.pdf', {
            rendered_content: `${local}<a href="https://other.example/user_uploads/2/ab/plan.pdf">`,
          }),
        ],
        {},
        {
          'attachment.json': {
            zerver_attachment: [{ path_id: '2/ab/plan.pdf', file_name: 'Der Plan.pdf', content_type: null }],
          },
          'uploads/records.json': [{ path: '2/ab/plan.pdf', content_type: 'application/pdf; x' }],
          'uploads/2/ab/plan.pdf': 'bytes',
        },
      ),
    )
    const plan = {
      key: '2/ab/plan.pdf',
      name: 'Der Plan.pdf',
      type: 'application/pdf',
      size: 5,
      width: null,
      height: null,
      address: '',
      source: { kind: 'stored', path: 'uploads/2/ab/plan.pdf' },
    }
    expect(fields('files')).toEqual([
      [
        [
          plan,
          {
            ...plan,
            key: '2/ef/y.txt',
            name: 'y.txt',
            type: 'application/octet-stream',
            size: null,
            source: { kind: 'missing', reason: 'not in the export' },
          },
        ],
      ],
      [[plan]],
      [[]],
    ])
    expect(reader.sizeOf('uploads/2/ab/plan.pdf')).toBe(5)
  })
})

describe('custom emoji', () => {
  it('have their stored pictures', async () => {
    const { reader } = await read(
      exportOf(
        [],
        {
          zerver_realmemoji: [
            { name: 'Parrot', file_name: '1.png', deactivated: false },
            { name: 'old', file_name: '2.png', deactivated: true },
            { name: 'lost', file_name: '3.png', deactivated: false },
          ],
        },
        {
          'emoji/records.json': [1, 2].map((id) => ({
            file_name: `${id}.png`,
            path: `2/emoji/images/${id}.png`,
          })),
          'emoji/2/emoji/images/1.png': 'a',
          'emoji/2/emoji/images/2.png': 'b',
        },
      ),
    )
    expect(reader.emoji).toEqual([{ name: 'parrot', aliases: [], path: 'emoji/2/emoji/images/1.png' }])
  })
})

describe('an export', () => {
  const files = exportOf([message(1, 'a')])
  const wrapped = Object.fromEntries(
    Object.entries(files).map(([name, content]) => [`zulip-export/${name}`, content]),
  )

  it('is a tar file with a folder around the files, or a folder', async () => {
    for (const path of [
      await writeExportTar(wrapped),
      await writeExportTar(files),
      writeExportFolder(wrapped),
    ]) {
      const reader = await openZulip(path, { topics: 'threads' })
      const keys: string[] = []
      for await (const { key } of reader.readMessages(() => {})) keys.push(key)
      expect(keys).toEqual(['1'])
      reader.close()
    }
  })

  it('has its symbolic links left out', async () => {
    const path = writeExportFolder(files)
    symlinkSync('/etc', join(path, 'uploads'))
    const reader = await openZulip(path, { topics: 'threads' })
    expect(reader.sizeOf('uploads/passwd')).toBeNull()
  })

  it('has empty lists', async () => {
    const { reader, messages } = await read({
      'realm.json': { zerver_realm: [{ id: 1, name: 'Acme' }], zerver_stream: [] },
    })
    expect([reader.channels, messages, reader.people.size, reader.sourceName]).toEqual([[], [], 0, 'Acme'])
  })

  it('has damaged entries, which are counted', async () => {
    const { reader } = await read({ 'realm.json': '{"zerver_realm":[{"id":1},{x}],"zerver_stream":[3' })
    expect([...reader.notes]).toEqual([['entries of the export are damaged, and are not imported', 2]])
  })
})

describe('a generated export', () => {
  it('is read equally from a folder and a tar file', async () => {
    const folder = generateZulipExport({
      seed: 7,
      people: 30,
      streams: 6,
      topics: 20,
      messages: 2_500,
      files: 60,
    })
    const readAll = async (path: string): Promise<{ messages: ExportedMessage[]; files: string[] }> => {
      const reader = await openZulip(path, { topics: 'threads' })
      const messages: ExportedMessage[] = []
      const files: string[] = []
      for await (const one of reader.readMessages((_channel, reason) => expect.unreachable(reason))) {
        messages.push(one)
        for (const { source } of one.files)
          if (source.kind === 'stored') files.push(String(await buffer(await reader.open(source.path))))
      }
      reader.close()
      return { messages, files }
    }
    const { messages, files } = await readAll(folder)
    expect(await readAll(await packZulipExport(folder))).toEqual({ messages, files })
    expect(messages.map(({ key }) => key)).toEqual(Array.from({ length: 2_500 }, (_, at) => String(at + 1)))
    expect(messages.flatMap((one) => one.files)).toHaveLength(60)
    expect(files).toHaveLength(59)
    const keys = new Set(messages.map(({ key }) => key))
    expect(messages.every(({ root }) => root === null || keys.has(root.key))).toBe(true)
  })
})

describe('a file that is refused', () => {
  const open = (path: string) => openZulip(path, { topics: 'threads' })

  it('does not exist, or is no export of Zulip', async () => {
    await expect(open('/nothing/here.tar.gz')).rejects.toThrow('There is no file /nothing/here.tar.gz.')
    await expect(open(mkdtempSync(join(tmpdir(), 'zulip-export-')))).rejects.toThrow(
      'This is no export of Zulip: it has no realm.json.',
    )
    await expect(open(await writeExportTar({ 'users.json': [] }))).rejects.toThrow(
      'This is no export of Zulip: it has no realm.json.',
    )
    for (const content of ['[]', 'text', '', '{}'])
      await expect(open(writeExportFolder({ 'realm.json': content }))).rejects.toThrow(
        'This is no export of Zulip: its realm.json has no organization.',
      )
  })

  it('has more topics as channels than a workspace can have', async () => {
    const many = Array.from({ length: 50_001 }, (_, at) => message(at + 1, 'a', { subject: `t${at}` }))
    await expect(openZulip(writeExportFolder(exportOf(many)), { topics: 'channels' })).rejects.toThrow(
      'The export has more than 50000 streams, topics and conversations. Import its topics as threads.',
    )
  })

  it('has too many reactions', () => {
    const reactions = createReactions(2)
    reactions.add(5, 1, 'a')
    reactions.add(5, 2, 'a')
    expect(() => reactions.add(6, 2, 'a')).toThrow('The export has more than 2 reactions.')
  })
})
