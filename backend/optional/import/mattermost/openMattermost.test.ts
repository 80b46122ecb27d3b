import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { writeExportFolder, writeExportZip, type FixtureFiles } from '../exportFiles.fixture.ts'
import type { ExportedMessage, ExportReader } from '../ExportReader.ts'
import {
  channel,
  directPost,
  entry,
  exportOf,
  linesOf,
  post,
  team,
  user,
  version,
} from './mattermostExport.fixture.ts'
import { openMattermost } from './openMattermost.ts'

interface Read {
  reader: ExportReader
  messages: ExportedMessage[]
  skipped: string[]
  /** The texts or kinds of the messages. */
  texts: string[]
}

const textOf = ({ content }: ExportedMessage): string =>
  content.kind === 'text' ? (content.fields as { text: string }).text : content.kind

async function readReader(reader: ExportReader): Promise<Read> {
  const skipped: string[] = []
  const messages: ExportedMessage[] = []
  for await (const message of reader.readMessages((of, reason) => skipped.push(`${of}: ${reason}`)))
    messages.push(message)
  return { reader, messages, skipped, texts: messages.map(textOf) }
}

const readFiles = async (files: FixtureFiles): Promise<Read> =>
  readReader(await openMattermost(writeExportFolder(files)))
const read = (...lines: (object | string)[]): Promise<Read> => readFiles(exportOf(lines))

describe('an export', () => {
  const files = exportOf([post(1_000, 'hello', { attachments: [{ path: '2023/a/notes.txt' }] })], {
    'data/2023/a/notes.txt': 'bytes',
  })
  const file = { name: 'notes.txt', type: 'text/plain', size: 5, source: { kind: 'stored' } }

  it.each([
    ['a folder', async () => writeExportFolder(files)],
    ['a ZIP', async () => writeExportZip(files)],
    [
      'a ZIP with a folder around the files',
      async () =>
        writeExportZip({
          '__MACOSX/._import.jsonl': 'x',
          ...Object.fromEntries(Object.entries(files).map(([name, content]) => [`export/${name}`, content])),
        }),
    ],
  ])('is %s', async (_title, write) => {
    const { reader, messages } = await readReader(await openMattermost(await write()))
    expect(messages).toMatchObject([{ files: [file] }])
    const { source } = messages[0]!.files[0]!
    const path = source.kind === 'stored' ? source.path : ''
    const chunks: Buffer[] = []
    for await (const chunk of await reader.open(path)) chunks.push(chunk as Buffer)
    expect([Buffer.concat(chunks).toString(), reader.sizeOf(path)]).toEqual(['bytes', 5])
    reader.close()
  })

  it('is only its file of lines, without the files of its posts', async () => {
    const path = join(writeExportFolder({ 'any.name': files['import.jsonl'] }), 'any.name')
    const { messages } = await readReader(await openMattermost(path))
    expect(messages).toMatchObject([
      {
        files: [{ name: 'notes.txt', size: null, source: { kind: 'missing', reason: 'not in the export' } }],
      },
    ])
  })

  it('can begin with a mark of the byte order, have empty lines and bytes that are no UTF-8', async () => {
    const bytes = Buffer.from(
      `\uFEFF${linesOf(version, team('main'), channel('general'))}\r\n\r\n${linesOf(post(1, 'a?b\u0000c'))}\n\n`,
    )
    bytes[bytes.indexOf('?')] = 0xff
    expect((await readFiles({ 'x.jsonl': bytes })).texts).toEqual(['a\uFFFDbc'])
  })

  it('can be empty', async () => {
    const { reader, messages } = await readFiles({ 'x.jsonl': linesOf(version) })
    expect([reader.people.size, reader.channels, messages]).toEqual([0, [], []])
    const lists = [
      entry('user', { username: 'ann', teams: null }),
      post(1, 'a', { replies: [], reactions: [] }),
    ]
    expect((await readFiles({ 'x.jsonl': linesOf(version, channel('general'), ...lists) })).texts).toEqual([
      'a',
    ])
  })

  it('reads the same messages again', async () => {
    const { reader, messages } = await read(post(1, 'a'), '{', post(1, 'a'))
    expect((await readReader(reader)).messages).toEqual(messages)
    expect(Object.fromEntries(reader.notes)).toEqual({ 'lines are damaged, and are not imported': 1 })
  })
})

describe('a file that is refused', () => {
  const refused = async (files: FixtureFiles): Promise<string> =>
    openMattermost(await writeExportZip(files)).then(
      () => 'opened',
      (error: Error) => `${error.name}: ${error.message}`,
    )

  it('has no lines of an export', async () => {
    expect(await refused({ 'users.json': [], 'channels.json': [] })).toBe(
      'ExportError: This is no export of Mattermost: it has no file whose name ends with .jsonl.',
    )
    const first =
      'ExportError: This is no export of Mattermost: its first line must be {"type":"version","version":1}.'
    for (const lines of [
      '',
      'text',
      '[]',
      '{"type":"version"}',
      linesOf(post(1, 'a')),
      linesOf(channel('a')),
    ])
      expect(await refused({ 'import.jsonl': lines })).toBe(first)
    expect(await refused({ 'import.jsonl': '{"type":"version","version":2}' })).toBe(
      'ExportError: The export has the version 2 of the format, and only 1 is known.',
    )
    const path = join(writeExportFolder({ 'a.zip': 'text' }), 'a.zip')
    await expect(openMattermost(path)).rejects.toThrow('This is no export of Mattermost: its first line')
    await expect(openMattermost('/nothing/here.zip')).rejects.toThrow('There is no file /nothing/here.zip.')
  })

  it('has several files of lines', async () => {
    const lines = linesOf(version)
    expect(await refused({ 'a.jsonl': lines, 'b.jsonl': lines })).toContain('several files')
    expect(await refused({ 'a.jsonl': 'text', 'import.jsonl': lines, 'data/b.jsonl': 'text' })).toBe('opened')
  })

  it('becomes too large when it is unpacked', async () => {
    const path = join(writeExportFolder({}), 'bomb.zip')
    writeFileSync(path, zipOf('import.jsonl', deflateRawSync(Buffer.alloc(2 ** 22, 32)), 2 ** 22))
    await expect(openMattermost(path)).rejects.toThrow('import.jsonl is too large when it is unpacked.')
  })

  it('has bytes that are damaged', async () => {
    const path = join(writeExportFolder({}), 'damaged.zip')
    const lines = Buffer.from(
      linesOf(version, ...Array.from({ length: 5_000 }, (_, at) => post(at, `${Math.sin(at)}`))),
    )
    const packed = deflateRawSync(lines)
    packed.fill(0, packed.length >> 1)
    writeFileSync(path, zipOf('import.jsonl', packed, lines.length))
    await expect(openMattermost(path)).rejects.toThrow(/^import\.jsonl cannot be read to its end: /)
  })

  it('has too many of something', async () => {
    const many = Array.from({ length: 10_001 }, (_, at) => team(`team${at}`))
    expect(await refused({ 'import.jsonl': linesOf(version, ...many) })).toBe(
      'ExportError: The export has more than 10000 teams.',
    )
  })

  it('has a wrong address as its server', async () => {
    const path = writeExportFolder(exportOf([]))
    for (const server of ['chat.example.org', 'file:///etc', 'https://a.example/?b', '', 7])
      await expect(openMattermost(path, { server })).rejects.toThrow('must be like https://chat.example.org')
    const { source } = await openMattermost(path, { server: 'https://A.example/chat/' })
    expect(source).toBe('https://a.example/chat')
    expect((await openMattermost(path)).source).toBe('')
  })
})

describe('people', () => {
  it('have a name, a title and an address, also if they are deactivated or programs', async () => {
    const { reader } = await read(
      entry('bot', { username: 'Deploy', display_name: 'Deploy bot', owner: 'ann', profile_image: 'x.png' }),
      user('cleo', [], { nickname: '\u202E', first_name: 'Ann', email: 'CLEO@Example.org' }),
      user('dora', []),
      user('ann', [], { nickname: 'Other' }),
      user('a/b', []),
    )
    expect(Array.from(reader.people.values())).toEqual([
      { key: 'ann', name: 'Ann', email: 'ann@example.org', title: 'Nurse', isBot: false },
      { key: 'ben', name: 'Ben Smith', email: 'ben@example.org', title: '', isBot: false },
      { key: 'deploy', name: 'Deploy bot', email: '', title: '', isBot: true },
      { key: 'cleo', name: 'Ann', email: 'cleo@example.org', title: '', isBot: false },
      { key: 'dora', name: 'dora', email: 'dora@example.org', title: '', isBot: false },
    ])
  })

  it('and custom emoji have the pictures that the export has', async () => {
    const emoji = (name: string, image: string): object => entry('emoji', { name, image })
    const { reader } = await readFiles(
      exportOf(
        [
          user('cleo', [], { profile_image: 'users/1/profile.png' }),
          emoji('party', 'emoji/1/image'),
          emoji('party', 'emoji/2/image'),
          emoji('old', '/exported_emoji/2/image'),
          emoji('gone', 'emoji/9/image'),
          emoji('up', '../etc/passwd'),
          emoji('self', 'import.jsonl'),
        ],
        {
          'data/users/1/profile.png': 'p',
          'data/emoji/1/image': 'a',
          'data/emoji/2/image': 'a',
          'exported_emoji/2/image': 'b',
        },
      ),
    )
    expect(reader.people.get('cleo')?.avatar).toBe('data/users/1/profile.png')
    expect(reader.emoji).toEqual([
      { name: 'party', aliases: [], path: 'data/emoji/1/image' },
      { name: 'old', aliases: [], path: 'exported_emoji/2/image' },
    ])
    expect(Object.fromEntries(reader.notes)).toEqual({ 'custom emoji have no picture in the export': 3 })
  })
})

describe('channels', () => {
  it('have their texts, members and state', async () => {
    const { reader } = await read(
      channel('plans', {
        display_name: 'Our plans',
        type: 'P',
        header: 'a\nheader',
        purpose: 'A purpose',
        deleted_at: 1_700_000_000_000,
      }),
      entry('user', {
        username: 'cleo',
        teams: [
          {
            name: 'Main',
            channels: [{ name: 'Plans', roles: 'channel_user channel_admin' }, { name: 'gone' }, 7],
          },
        ],
      }),
      channel('general', { display_name: 'again' }),
      channel('', {}),
    )
    const more = { createdAt: 0, isShared: false }
    expect(reader.channels).toEqual([
      {
        ...more,
        key: 'main/general',
        kind: 'public',
        name: 'general',
        topic: '',
        description: '',
        members: ['ann', 'ben'],
        creator: '',
        isArchived: false,
      },
      {
        ...more,
        key: 'main/plans',
        kind: 'private',
        name: 'Our plans',
        topic: 'a header',
        description: 'A purpose',
        members: ['cleo'],
        creator: 'cleo',
        isArchived: true,
      },
    ])
  })

  it('of several teams are different, and private unless everybody can join the team', async () => {
    const of = (name: string, more: object): object => channel('general', { team: name, ...more })
    const { reader, messages } = await readFiles({
      'x.jsonl': linesOf(
        version,
        team('main', { allow_open_invite: true }),
        team('other', { display_name: 'Other team' }),
        of('main', { display_name: 'General' }),
        of('other', { display_name: 'general' }),
        channel('own', { team: 'other' }),
        post(1, 'a'),
        post(1, 'a', { team: 'other' }),
      ),
    })
    expect(reader.channels.map(({ key, kind, name }) => [key, kind, name])).toEqual([
      ['main/general', 'public', 'General (MAIN)'],
      ['other/general', 'private', 'general (Other team)'],
      ['other/own', 'private', 'own'],
    ])
    expect(Object.fromEntries(reader.notes)).toEqual({
      'public channels of teams that people join by invitation become private': 2,
    })
    expect(reader.sourceName).toBe('MAIN, Other team')
    expect(messages.map((message) => message.channel)).toEqual(['main/general', 'other/general'])
    expect(new Set(messages.map(({ key }) => key)).size).toBe(2)
  })

  it('can be 10,000', async () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `c${at}`)
    const { reader } = await readFiles({
      'x.jsonl': linesOf(version, team('main'), ...names.map((name) => channel(name)), user('ann', names)),
    })
    expect(reader.channels).toHaveLength(10_000)
    expect(reader.channels.every(({ members }) => members.length === 1)).toBe(true)
  })

  it('are direct and group conversations of the people of their messages', async () => {
    const { reader, messages } = await read(
      entry('direct_channel', { members: ['ben', 'cleo'] }),
      entry('direct_channel', { participants: [{ username: 'ben' }, { username: 'ann' }], header: 'x' }),
      directPost(['ben', 'ann'], 1, 'a'),
      directPost(['ann', 'ben'], 2, 'b'),
      directPost(['ann', 'ben', 'cleo'], 3, 'c'),
      directPost(['ann', 'ann'], 4, 'note to self'),
      directPost([], 5, 'nobody'),
    )
    expect(reader.channels.slice(1).map(({ kind, members, name }) => [kind, members, name])).toEqual([
      ['direct', ['ann', 'ben'], 'Ann, Ben Smith'],
      ['group', ['ann', 'ben', 'cleo'], 'Ann, Ben Smith, cleo'],
      ['direct', ['ann'], 'Ann'],
    ])
    const [direct, group, own] = reader.channels.slice(1).map(({ key }) => key)
    expect(messages.map((message) => message.channel)).toEqual([direct, direct, group, own])
    expect(Object.fromEntries(reader.notes)).toEqual({
      'conversations without messages are not imported': 1,
      'threads are in channels that the export does not list, and are not imported': 1,
    })
  })
})

describe('messages', () => {
  it('keep their times, authors, edits, reactions and pins', async () => {
    const { messages } = await read(
      post(1_700_000_000_123, 'hello', {
        edit_at: 1_700_000_000_456,
        is_pinned: true,
        reactions: [
          { user: 'ben', emoji_name: '+1', create_at: 5 },
          { user: 'ann', emoji_name: '+1_dark_skin_tone' },
          { user: 'Ann', emoji_name: 'thumbsup' },
          { user: 'ann', emoji_name: 'party_parrot' },
          { user: 'ann', emoji_name: 'no emoji' },
          { user: '', emoji_name: '+1' },
          null,
        ],
      }),
      post(5, 'x', { edit_at: 0, user: 'zoe' }),
    )
    expect(messages[0]).toMatchObject({
      channel: 'main/general',
      at: 1_700_000_000_123_000,
      author: { key: 'ann', name: 'ann' },
      root: null,
      isInChannel: false,
      editedAt: 1_700_000_000_456_000,
      reactions: [
        { emoji: '👍', people: ['ben', 'ann'] },
        { emoji: '👍🏿', people: ['ann'] },
        { emoji: ':party_parrot:', people: ['ann'] },
      ],
      pin: { by: null, at: null },
    })
    expect(messages[1]).toMatchObject({ author: { key: 'zoe' }, editedAt: null, reactions: [], pin: null })
  })

  it('have keys that follow from their contents, also if the lines have another order', async () => {
    const posts = [post(1, 'a'), post(2, 'a'), post(1, 'b'), post(1, 'a', { user: 'ben' })]
    const keysOf = async (lines: object[]): Promise<string[]> =>
      (await read(...lines)).messages.map(({ key }) => key).sort()
    const keys = await keysOf(posts)
    expect(new Set(keys).size).toBe(4)
    expect(await keysOf([post(9, 'new'), ...posts.toReversed()])).toEqual(expect.arrayContaining(keys))
  })

  it('that are equal are different messages', async () => {
    const { messages } = await read(
      post(1, 'a', { replies: [{ user: 'ann', message: 'a', create_at: 1 }] }),
      post(1, 'a'),
      post(1, 'a'),
    )
    expect(new Set(messages.map(({ key }) => key)).size).toBe(4)
  })

  it('have a time before 1970 or in the future, and are left out without one', async () => {
    const { messages, skipped } = await read(
      post(-86_400_000, 'old'),
      post(4_000_000_000_000, 'later'),
      post(9e15, 'never'),
      post(Number.NaN, 'none'),
      post(1, 'x', { create_at: '1' }),
    )
    expect(messages.map(({ at }) => at)).toEqual([-86_400_000_000, 4_000_000_000_000_000])
    expect(skipped).toEqual(Array.from({ length: 3 }, () => 'main/general: without a time'))
  })

  it('that cannot be read are counted with the reason', async () => {
    const { texts, skipped, reader } = await read(
      post(1, 'good'),
      '{"type":"post","post":{"team":"main",}}',
      '{"type":"post","post":7}',
      post(2, 'elsewhere', { channel: 'gone' }),
      post(3, 'nowhere', { team: null }),
      '{"type":"wiki","wiki":{}}',
      '7',
      `{"type":"post","post":"${'x'.repeat(9 * 1024 * 1024)}"}`,
      post(4, 'end', { replies: [7, { user: 'ann', message: 'no time' }] }),
    )
    expect(texts).toEqual(['good', 'end'])
    expect(skipped).toEqual(['main/general: damaged', 'main/general: without a time'])
    expect(Object.fromEntries(reader.notes)).toEqual({
      'lines are damaged, and are not imported': 3,
      'lines have more than 8 MiB, and are not imported': 1,
      'threads are in channels that the export does not list, and are not imported': 2,
    })
  })

  it('without a text have attachments or files, or are left out', async () => {
    const { messages } = await read(
      post(1, '', { props: { attachments: [{ fallback: 'Built' }] } }),
      post(2, '', { attachments: [{ path: 'a/b.png' }, { path: 'a/b.png' }, { path: '' }, {}] }),
      post(3, ' ', { replies: [{ user: 'ben', message: '', create_at: 4 }] }),
    )
    expect(messages.map(({ content }) => content.kind)).toEqual(['text', 'text', 'skipped', 'skipped'])
    expect(messages[1]!.files).toMatchObject([{ key: 'a/b.png', name: 'b.png', type: 'image/png' }])
    expect(messages[2]!.contentAsRoot).toEqual({ kind: 'deleted' })
  })

  it('of programs have the name that they show', async () => {
    const webhook = { from_webhook: 'true', override_username: 'Alerts' }
    const { messages } = await read(
      post(1, 'a', { props: webhook }),
      post(2, 'a', { props: { from_webhook: 'true', webhook_display_name: 'CI' } }),
      post(3, 'a', { props: { from_webhook: 'true' } }),
      post(4, 'a', { user: 'deploy', props: { from_bot: 'true', override_username: 'Git' } }),
      post(5, 'a', { user: 'deploy', props: { from_bot: 'true' } }),
      post(6, 'a', { props: { override_username: 'Ben' } }),
      post(7, 'a', { user: null }),
    )
    expect(messages.map(({ author }) => [author.key, author.name])).toEqual([
      ['bot//Alerts', 'Alerts'],
      ['bot//CI', 'CI'],
      ['bot//Webhook', 'Webhook'],
      ['bot//Git', 'Git'],
      ['deploy', 'deploy'],
      ['ann', 'ann'],
      ['bot//', ''],
    ])
  })
})

describe('notices', () => {
  it.each([
    ['system_join_channel', {}, ['ann', { event: 'joined' }]],
    ['system_leave_channel', {}, ['ann', { event: 'left' }]],
    ['system_add_to_channel', { addedUsername: 'Ben' }, ['ben', { event: 'joined' }]],
    ['system_remove_from_channel', { removedUsername: 'ben' }, ['ben', { event: 'left' }]],
    ['system_header_change', { new_header: 'a\nb' }, ['ann', { event: 'topic', topic: 'a b' }]],
    ['system_purpose_change', { new_purpose: '' }, ['ann', { event: 'description', description: '' }]],
    ['system_displayname_change', { new_displayname: 'New' }, ['ann', { event: 'renamed', name: 'New' }]],
    ['system_convert_channel', {}, ['ann', { event: 'visibility', kind: 'private' }]],
    ['system_channel_deleted', {}, ['ann', { event: 'archived' }]],
    ['system_channel_restored', {}, ['ann', { event: 'unarchived' }]],
  ])('%s with %j', async (type, props, [author, note]) => {
    const { messages } = await read(post(1, 'text', { type, props }))
    expect(messages).toMatchObject([
      { author: { key: author }, content: { kind: 'system', note }, contentAsRoot: { kind: 'text' } },
    ])
  })

  it('without a counterpart are left out, and texts with such types stay', async () => {
    const { messages } = await read(
      ...[
        'system_join_team',
        'system_add_to_channel',
        'system_displayname_change',
        'add_bot_teams_channels',
        'burn_on_read',
      ].map((type, at) => post(at, 'text', { type })),
      ...['system_auto_responder', 'system_generic', 'me', 'custom_zoom', 'slack_attachment', ''].map(
        (type, at) => post(9 + at, 'text', { type }),
      ),
    )
    const reasons = messages.map(({ content }) =>
      content.kind === 'skipped' ? content.reason : content.kind,
    )
    const notice = 'notice of Mattermost'
    expect(reasons.slice(0, 5)).toEqual([notice, notice, notice, notice, 'message that disappears'])
    expect(reasons.slice(5)).toEqual(Array.from({ length: 6 }, () => 'text'))
    expect(messages[4]!.contentAsRoot).toEqual({ kind: 'deleted' })
  })
})

describe('threads', () => {
  const reply = (createAt: number, message: string, more: object = {}): object => ({
    user: 'ben',
    message,
    create_at: createAt,
    ...more,
  })

  it('have replies after their first message, and never before it', async () => {
    const { messages } = await read(
      post(10, 'root', { replies: [reply(11, 'b'), reply(10, 'a'), reply(5, 'early')] }),
    )
    const [root, ...replies] = messages
    expect(messages.map(({ at }) => at)).toEqual([10_000, 11_000, 10_000, 10_000])
    expect(root!.root).toBeNull()
    for (const { root: found, isInChannel } of replies)
      expect({ found, isInChannel }).toEqual({
        found: { key: root!.key, at: 10_000, author: 'ann' },
        isInChannel: false,
      })
  })

  it('stay together without their first message', async () => {
    const lines = [post(10, 'root', { create_at: null, replies: [reply(12, 'b'), reply(11, 'a')] })]
    const { messages, skipped } = await read(...lines)
    expect(skipped).toEqual(['main/general: without a time'])
    expect(messages.map(textOf)).toEqual(['b', 'a'])
    const [{ root }] = messages as [ExportedMessage]
    expect(root).toMatchObject({ at: 11_000, author: null })
    expect(messages[1]!.root).toEqual(root)
    expect((await read(...lines)).messages).toEqual(messages)
  })

  it('can begin with a notice or an empty message', async () => {
    const { messages } = await read(
      post(1, 'Ann joined', { type: 'system_join_channel', replies: [reply(2, 'welcome')] }),
      post(3, '', { replies: [reply(4, 'to nothing')] }),
    )
    expect(messages.map(({ content, contentAsRoot }) => [content.kind, contentAsRoot?.kind])).toEqual([
      ['system', 'text'],
      ['text', undefined],
      ['skipped', 'deleted'],
      ['text', undefined],
    ])
  })

  it('in a text can be stored as JSON, whatever a post contains', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const { messages } = await read(
      `{"type":"post","post":{"team":"main","channel":"general","user":"ann","message":"a","create_at":1,"type":${deep},"props":{"attachments":[{"text":${deep},"fields":${deep}}],"channel_mentions":${deep}}}}`,
    )
    expect(JSON.parse(JSON.stringify(messages))).toMatchObject([{ content: { kind: 'text' } }])
  })
})

/** A ZIP with one file. */
function zipOf(name: string, packed: Buffer, size: number): Buffer {
  const local = Buffer.alloc(30 + name.length)
  local.writeUInt32LE(0x04_03_4b_50)
  local.writeUInt16LE(20, 4)
  local.writeUInt16LE(8, 8)
  local.writeUInt32LE(packed.length, 18)
  local.writeUInt32LE(size, 22)
  local.writeUInt16LE(name.length, 26)
  local.write(name, 30)
  const central = Buffer.alloc(46 + name.length)
  central.writeUInt32LE(0x02_01_4b_50)
  central.writeUInt16LE(20, 6)
  central.writeUInt16LE(8, 10)
  central.writeUInt32LE(packed.length, 20)
  central.writeUInt32LE(size, 24)
  central.writeUInt16LE(name.length, 28)
  central.write(name, 46)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06_05_4b_50)
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(local.length + packed.length, 16)
  return Buffer.concat([local, packed, central, end])
}
