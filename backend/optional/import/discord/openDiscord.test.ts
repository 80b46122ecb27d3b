import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeExportFolder, writeExportZip, type FixtureFiles } from '../exportFiles.fixture.ts'
import type { ConvertedText, ExportedMessage, ExportReader, Mapping } from '../ExportReader.ts'
import {
  ann,
  ben,
  bot,
  channelFile,
  exportOf,
  message,
  snowflake,
  start,
  webhook,
} from './discordExport.fixture.ts'
import { openDiscord } from './openDiscord.ts'

const profiles: Record<string, string> = {
  '101': '11111111-1111-4111-8111-111111111111',
  '102': '22222222-2222-4222-8222-222222222222',
}
const at = (seconds: number): number => (start + seconds * 1_000) * 1_000
const idAt = (seconds: number): string => snowflake(start + seconds * 1_000)

interface Read {
  reader: ExportReader
  messages: ExportedMessage[]
  /** The reasons by channel. */
  skipped: string[]
  textOf(message: ExportedMessage | undefined): ConvertedText
  bodies: string[]
}

async function read(
  files: FixtureFiles,
  write: (files: FixtureFiles) => string | Promise<string> = writeExportFolder,
): Promise<Read> {
  const reader = await openDiscord(await write(files))
  const messages: ExportedMessage[] = []
  const skipped: string[] = []
  for await (const one of reader.readMessages((channel, reason) => skipped.push(`${channel} ${reason}`)))
    // As the import stores them.
    messages.push(JSON.parse(JSON.stringify(one)) as ExportedMessage)
  const known = new Set(reader.channels.map(({ key }) => key))
  const mapping: Mapping = {
    personId: (key) => profiles[key] ?? null,
    channelId: (key) => (known.has(key) ? `id-${key}` : null),
    messageId: (channel, key) => `${channel}-${key}`,
    site: 'https://linnet.example',
  }
  const textOf = (one: ExportedMessage | undefined): ConvertedText => {
    if (one?.content.kind !== 'text') throw new Error(`A ${one?.content.kind} is no text.`)
    return reader.convertText(one.content.fields, mapping, [])
  }
  const bodies = messages.filter(({ content }) => content.kind === 'text').map((one) => textOf(one).body)
  reader.close()
  return { reader, messages, skipped, textOf, bodies }
}

describe('a file that is no export', () => {
  it.each([
    [{ 'general.html': '<html>' }],
    [{ 'users.json': [], 'general/2023-11-14.json': [] }],
    [{ 'a.json': { guild: { id: '1' }, channel: { id: '../1' }, messages: [] } }],
    [{ 'a.json': '{"messages": [' }],
    [{}],
  ])('has no channel with messages', async (files) => {
    await expect(openDiscord(await writeExportZip(files))).rejects.toThrow('This is no export of Discord: ')
  })

  it('is neither a ZIP nor a folder', async () => {
    const path = join(writeExportFolder({}), 'a.json')
    writeFileSync(path, '{}')
    await expect(openDiscord(path)).rejects.toThrow('is neither a ZIP file nor a folder.')
  })

  it('has too many files, or too many bytes', async () => {
    const path = await writeExportZip(exportOf([message(1, 'a')], { 'b.txt': 'b' }))
    await expect(openDiscord(path, { files: 1, bytes: 2 ** 30, ratio: 400 })).rejects.toThrow(
      'more than 1 files',
    )
    await expect(openDiscord(path, { files: 10, bytes: 10, ratio: 400 })).rejects.toThrow('too large')
  })
})

describe('channels', () => {
  it('are private, with the people who have written in them', async () => {
    const { reader } = await read(
      exportOf([
        message(1, 'a'),
        message(2, 'b', { author: bot }),
        message(3, 'c', { author: webhook }),
        message(4, 'Joined the server.', { author: ben, type: 'GuildMemberJoin' }),
      ]),
    )
    expect(reader.channels).toEqual([
      {
        key: '201',
        kind: 'private',
        name: 'general',
        topic: '',
        description: 'Wards',
        members: ['101'],
        creator: '',
        createdAt: 1_420_070_400_000_000,
        isArchived: false,
        isShared: false,
      },
    ])
  })

  it('can have equal names, long topics, and no messages', async () => {
    const topic = 'x'.repeat(400)
    const { reader } = await read({
      'a.json': channelFile({ id: '1', topic }, []),
      'b.json': channelFile({ id: '2', topic: 'Plans' }, []),
      'c.json': channelFile({ id: '3', name: '', categoryId: null, category: null }, []),
    })
    expect(
      reader.channels.map(({ name, topic: found, description }) => [name, found.length, description.length]),
    ).toEqual([
      ['general', 250, 400],
      ['general', 5, 5],
      ['3', 0, 0],
    ])
  })

  it('are one of all parts, without the messages that are in several', async () => {
    const { reader, messages } = await read({
      'general [201].json': channelFile({}, [message(1, 'a'), message(2, 'b')]),
      'general [201] [part 2].json': channelFile({}, [message(2, 'b'), message(3, 'c')]),
      'later/general.json': channelFile({}, [], {
        dateRange: { after: '2024-01-01T00:00:00+00:00', before: null },
      }),
    })
    expect(reader.channels).toHaveLength(1)
    // The import drops messages that have the same key and time.
    expect(new Set(messages.map(({ key, at: time }) => `${key} ${time}`)).size).toBe(3)
    expect(reader.notes).toEqual(new Map())
  })

  it('can be ten thousand', async () => {
    const files = Array.from({ length: 10_000 }, (_, n): [string, unknown] => [
      `${n}.json`,
      channelFile({ id: String(1_000 + n) }, [message(n, 'a')]),
    ])
    const { reader, messages } = await read(Object.fromEntries(files), writeExportZip)
    expect([reader.channels.length, messages.length]).toEqual([10_000, 10_000])
  }, 120_000)

  it('of several servers have the name of theirs', async () => {
    const { reader } = await read({
      'a.json': channelFile({ id: '1' }, []),
      'b.json': channelFile({ id: '2' }, [], { guild: { id: '2', name: 'Beta' } }),
    })
    expect(reader.channels.map(({ description }) => description)).toEqual(['Acme › Wards', 'Beta › Wards'])
    expect(reader.sourceName).toBe('Acme, Beta')
  })

  it.each([
    ['DirectTextChat', [ann, ben], 'direct'],
    ['DirectTextChat', [ann], 'private'],
    ['DirectGroupTextChat', [ann, ben, { ...ben, id: '105' }], 'group'],
    ['DirectGroupTextChat', [ann, ben], 'private'],
  ])('of the type %s are conversations if all their people are known', async (type, authors, kind) => {
    const messages = authors.map((author, n) => message(n, 'a', { author }))
    const { reader } = await read({
      'a.json': channelFile({ type, categoryId: null, category: null }, messages, {
        guild: { id: '0', name: 'Direct Messages' },
      }),
    })
    expect(reader.channels).toMatchObject([{ kind, members: authors.map(({ id }) => id) }])
  })
})

describe('people', () => {
  it('are authors, mentioned people, and people who reacted', async () => {
    const { reader } = await read(
      exportOf([
        message(1, 'a', {
          mentions: [ben],
          reactions: [
            {
              emoji: { id: '', name: '👍', code: 'thumbsup' },
              count: 1,
              users: [{ ...ben, id: '105', nickname: 'Cat' }],
            },
          ],
        }),
        message(2, 'b', { author: bot }),
      ]),
    )
    expect(Array.from(reader.people.values())).toEqual([
      { key: '101', name: 'Ann Lee', email: '', title: 'Nurse', isBot: false },
      { key: '102', name: 'Ben', email: '', title: '', isBot: false },
      { key: '105', name: 'Cat', email: '', title: '', isBot: false },
      { key: '103', name: 'Deploy', email: '', title: '', isBot: true },
    ])
  })

  it('have the picture that the export has, also with the separators of Windows', async () => {
    const { reader } = await read({
      'a/general.json': channelFile({}, [
        message(1, 'a', { author: { ...ann, avatarUrl: 'general.json_Files\\a-1.png' } }),
      ]),
      'a/general.json_Files/a-1.png': 'picture',
    })
    expect(reader.people.get('101')?.avatar).toBe('a/general.json_Files/a-1.png')
  })

  it('of a webhook are as many as its names', async () => {
    const { messages } = await read(
      exportOf([
        message(1, 'a', { author: webhook }),
        message(2, 'b', { author: { ...webhook, nickname: 'Other' } }),
        message(3, 'c', { author: null }),
      ]),
    )
    expect(messages.map(({ author }) => author)).toEqual([
      { key: 'bot/104/News', name: 'News' },
      { key: 'bot/104/Other', name: 'Other' },
      { key: 'bot//', name: '' },
    ])
  })
})

describe('messages', () => {
  it('keep authors, times, edits and pins', async () => {
    const { messages } = await read(
      exportOf([
        message(1, 'a', { author: ben, timestampEdited: '2023-11-14T23:13:25+01:00', isPinned: true }),
      ]),
    )
    expect(messages).toMatchObject([
      {
        channel: '201',
        key: idAt(1),
        at: at(1),
        author: { key: '102', name: 'Ben' },
        root: null,
        isInChannel: true,
        editedAt: at(5),
        pin: { by: null, at: null },
        files: [],
        reactions: [],
      },
    ])
  })

  it('have a time before 1970 or in the future, or the time of their id', async () => {
    const { messages } = await read(
      exportOf([
        message(1, 'a', { timestamp: '1969-12-31T23:00:00+00:00' }),
        message(2, 'b', { timestamp: '2999-01-01T00:00:00+00:00' }),
        message(3, 'c', { timestamp: 'yesterday' }),
      ]),
    )
    expect(messages.map((one) => one.at)).toEqual([-3_600_000_000, Date.UTC(2999, 0) * 1_000, at(3)])
  })

  it('that cannot be read are counted with the reason', async () => {
    const file = JSON.stringify(
      channelFile({}, ['BROKEN', message(1, 'a'), 7, { ...message(2, 'b'), id: 'x' }, message(3, '')]),
    )
    const { bodies, skipped, messages } = await read({
      'a.json': file.replace('"BROKEN"', '{"id":}').replace(/\],"messageCount".*$/, ','),
    })
    expect(bodies).toEqual(['a'])
    expect(skipped).toEqual(['201 damaged', '201 without an id', '201 without an id', '201 damaged'])
    expect(messages.at(-1)?.content).toEqual({ kind: 'skipped', reason: 'without content' })
  })

  it('can have values within values, however deep', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const file = JSON.stringify(
      channelFile({}, [message(1, 'a', { author: bot, embeds: [{ title: 'T', fields: 'DEEP' }] })]),
    )
    expect((await read({ 'a.json': file.replace('"DEEP"', deep) })).bodies).toEqual(['a\n\n> **T**'])
  })

  it('have bytes that are no UTF-8 replaced', async () => {
    const bytes = Buffer.from(JSON.stringify(channelFile({}, [message(1, 'a?b')])))
    bytes[bytes.indexOf('?')] = 0xff
    expect((await read({ 'a.json': bytes })).bodies).toEqual(['a\uFFFDb'])
  })

  it('of Discord about a channel are the same notices', async () => {
    const { messages } = await read(
      exportOf([
        message(1, 'Joined the server.', { type: 'GuildMemberJoin' }),
        message(2, 'Left the group.', { type: 'RecipientRemove', mentions: [ann] }),
        message(3, 'Removed Ben from the group.', { type: 'RecipientRemove', mentions: [ben] }),
        message(4, 'Changed the channel name: plans', { type: 'ChannelNameChange' }),
        message(5, 'Pinned a message.', { type: 'ChannelPinnedMessage' }),
        message(6, 'Started a call that lasted 5 minutes.', { type: 'Call' }),
        message(7, '', { type: '8' }),
      ]),
    )
    const skipped = { kind: 'skipped', reason: 'notice of Discord' }
    expect(messages.map(({ content }) => content)).toEqual([
      { kind: 'system', note: { event: 'joined' } },
      { kind: 'system', note: { event: 'left' } },
      skipped,
      { kind: 'system', note: { event: 'renamed', name: 'plans' } },
      skipped,
      skipped,
      skipped,
    ])
  })

  it('have reactions with people, and a count of the others in the receipt', async () => {
    const blobwave = { id: '501', name: 'Blobwave', code: 'Blobwave', imageUrl: 'x' }
    const { messages, reader } = await read(
      exportOf([
        message(1, 'a', {
          reactions: [
            { emoji: { id: '', name: '❤', code: 'heart' }, count: 2, users: [ann, ben] },
            { emoji: blobwave, count: 1, users: [ann] },
            { emoji: { ...blobwave, id: '502', name: 'blobwave' }, count: 1, users: [ann] },
            { emoji: { id: null, name: '👍🏽', code: 'thumbsup_tone3' }, count: 1, users: [ben] },
            { emoji: { id: '', name: '🎉', code: 'tada' }, count: 3 },
          ],
        }),
      ]),
    )
    expect(messages[0]!.reactions).toEqual([
      { emoji: '❤️', people: ['101', '102'] },
      { emoji: ':blobwave:', people: ['101'] },
      { emoji: ':blobwave_502:', people: ['101'] },
      { emoji: '👍🏽', people: ['102'] },
    ])
    expect(reader.notes).toEqual(new Map([['reactions have no people in the export, and are left out', 3]]))
  })

  it('that reply to another message quote it', async () => {
    const reply = (seconds: number, reference: object): Record<string, unknown> =>
      message(seconds, 'answer', { type: 'Reply', reference })
    const { messages, textOf } = await read(
      exportOf([
        message(1, 'question'),
        reply(2, { messageId: idAt(1), channelId: '201', guildId: '1' }),
        reply(3, { messageId: idAt(1), channelId: '999', guildId: '1' }),
        reply(4, {}),
      ]),
    )
    expect(messages.slice(1).map((one) => textOf(one).extras)).toEqual([
      { quote: { message_id: `201-${idAt(1)}` } },
      null,
      null,
    ])
  })

  it('can be forwarded ones', async () => {
    const forwardedMessage = {
      content: '**plan**',
      attachments: [{ id: '9', url: 'https://cdn.example/p.png', fileName: 'p.png', fileSizeBytes: 5 }],
      embeds: [],
      stickers: [],
    }
    const forward = (reference: object): object => ({
      reference: { type: 'Forward', ...reference },
      forwardedMessage,
    })
    const { messages, bodies } = await read(
      exportOf([
        message(1, '', forward({ channelId: '999', messageId: '1' })),
        message(2, 'see', forward({ channelId: '201', messageId: idAt(1) })),
      ]),
    )
    expect(bodies).toEqual([
      '↪\n> **plan**',
      `see\n\n[↪](<https://linnet.example/c/id-201/m/201-${idAt(1)}>)\n> **plan**`,
    ])
    expect(messages[0]!.files).toMatchObject([{ name: 'p.png', size: 5, source: { kind: 'linked' } }])
  })
})

describe('threads', () => {
  const thread = (name: string, id = idAt(1), more: object = {}): Record<string, unknown> => ({
    id,
    type: 'GuildPublicThread',
    categoryId: '201',
    category: 'general',
    name,
    ...more,
  })
  const starterNotice = message(1.001, '', {
    type: '21',
    reference: { messageId: idAt(1), channelId: '201' },
  })

  it('are replies to the message from which they began, with their name', async () => {
    const { reader, messages, bodies } = await read(
      exportOf([message(1, 'Who comes?'), message(5, 'other')], {
        'thread.json': channelFile(thread('The party'), [
          starterNotice,
          message(2, 'me', { author: ben }),
          message(3, 'me too'),
        ]),
      }),
    )
    expect(reader.channels).toMatchObject([{ key: '201', members: ['101', '102'] }])
    const root = { key: idAt(1), at: at(1), author: null }
    expect(
      messages.map(({ channel, key, root: found, isInChannel }) => [channel, key, found, isInChannel]),
    ).toEqual([
      ['201', idAt(1), null, true],
      ['201', idAt(5), null, true],
      ['201', starterNotice['id'], root, false],
      ['201', idAt(2), root, false],
      ['201', idAt(3), root, false],
    ])
    expect(bodies).toEqual(['Who comes?\n\n🧵 **The party**', 'other', 'me', 'me too'])
    expect(messages[2]!.content).toEqual({ kind: 'skipped', reason: 'notice of Discord' })
  })

  it('do not repeat their name if the message begins with it', async () => {
    const { bodies } = await read(
      exportOf([message(1, 'Who comes to the party?')], {
        'thread.json': channelFile(thread('Who comes to'), []),
      }),
    )
    expect(bodies).toEqual(['Who comes to the party?'])
  })

  it('without a message begin with the notice of their creation', async () => {
    const { messages, bodies } = await read(
      exportOf(
        [
          message(2, 'Started a thread.', {
            type: 'ThreadCreated',
            author: ben,
            reference: { channelId: idAt(1) },
          }),
        ],
        {
          'thread.json': channelFile(thread('The party'), [message(3, 'me')]),
        },
      ),
    )
    expect(messages.map(({ key, root, author }) => [key, root?.key, author.key])).toEqual([
      [idAt(2), undefined, '102'],
      [idAt(3), idAt(2), '101'],
    ])
    expect(bodies).toEqual(['🧵 **The party**', 'me'])
  })

  it('have their notice left out beside their first message', async () => {
    const { messages } = await read(
      exportOf(
        [
          message(1, 'first'),
          message(2, 'Started a thread.', { type: 'ThreadCreated', reference: { channelId: idAt(1) } }),
        ],
        { 'thread.json': channelFile(thread('The party'), [message(3, 'me')]) },
      ),
    )
    expect(messages.map(({ content, root }) => [content.kind, root?.key])).toEqual([
      ['text', undefined],
      ['skipped', undefined],
      ['text', idAt(1)],
    ])
  })

  it('whose first message is missing begin with their name', async () => {
    const { reader, messages, bodies } = await read(
      exportOf([], {
        'thread.json': channelFile(thread('The party (*new*)'), [
          message(2, 'me'),
          message(3, 'early', { timestamp: '1969-12-31T23:00:00+00:00' }),
        ]),
      }),
    )
    expect(messages.map(({ key, at: time, author, root }) => [key, time, author.name, root?.key])).toEqual([
      [idAt(1), at(1), 'Discord', undefined],
      [idAt(2), at(2), 'Ann Lee', idAt(1)],
      // No reply is before its first message.
      [idAt(3), at(1), 'Ann Lee', idAt(1)],
    ])
    expect(bodies[0]).toBe(String.raw`🧵 **The party (\*new*)**`)
    expect(reader.notes.get('threads lack their first message, and begin with their name')).toBe(1)
  })

  it('can begin with a notice', async () => {
    const { messages, textOf } = await read(
      exportOf([message(1, 'Joined the server.', { type: 'GuildMemberJoin' })], {
        'thread.json': channelFile(thread('Welcome'), [message(2, 'Hi')]),
      }),
    )
    expect(textOf(messages[0]).body).toBe('🧵 **Welcome**')
  })

  it('of a forum are threads of a channel with its name', async () => {
    const post = (seconds: number, name: string, content: string): [string, unknown] => [
      `${name}.json`,
      channelFile(thread(name, idAt(seconds), { categoryId: '700', category: 'questions' }), [
        message(seconds, content),
        message(seconds + 1, 'answer', { author: ben }),
      ]),
    ]
    const { reader, messages, bodies } = await read(
      Object.fromEntries([post(10, 'Ask', 'How?'), post(20, 'Who?', 'Who? And where?')]),
    )
    expect(reader.channels).toMatchObject([
      { key: '700', name: 'questions', kind: 'private', members: ['101', '102'] },
    ])
    expect(messages.map(({ channel, key, root }) => [channel, key, root?.key])).toEqual([
      ['700', idAt(10), undefined],
      ['700', idAt(11), idAt(10)],
      ['700', idAt(20), undefined],
      ['700', idAt(21), idAt(20)],
    ])
    expect(bodies).toEqual(['**Ask**\n\nHow?', 'answer', 'Who? And where?', 'answer'])
  })

  it('become channels if they are private, or if the export does not have their channel', async () => {
    const { reader, messages } = await read(
      exportOf([message(1, 'first')], {
        'private.json': channelFile(thread('Secret', idAt(1), { type: 'GuildPrivateThread' }), [
          message(2, 'me', { author: ben }),
        ]),
        'lost.json': channelFile(thread('Lost', idAt(8), { categoryId: '999' }), [message(9, 'me')]),
      }),
    )
    expect(reader.channels.map(({ key, name, members }) => [key, name, members])).toEqual([
      ['201', 'general', ['101']],
      [idAt(8), 'Lost', ['101']],
      [idAt(1), 'Secret', ['102']],
    ])
    expect(messages.every(({ root }) => root === null)).toBe(true)
    expect(Array.from(reader.notes.keys())).toEqual([
      'private threads become channels of their own',
      'threads become channels, because the export does not have their channel',
    ])
  })

  it('are links where a text names them, and their messages too', async () => {
    const { bodies } = await read(
      exportOf(
        [
          message(1, 'first'),
          message(
            3,
            `<#${idAt(1)}> <#201> https://discord.com/channels/1/${idAt(1)}/${idAt(2)} https://discord.com/channels/1/999/1`,
          ),
        ],
        {
          'thread.json': channelFile(thread('first'), [message(2, 'me')]),
        },
      ),
    )
    const site = 'https://linnet.example/c/id-201/m'
    expect(bodies[1]).toBe(
      `[first](<${site}/201-${idAt(1)}>) <#id-201> <${site}/201-${idAt(2)}> <https://discord.com/channels/1/999/1>`,
    )
  })
})

describe('texts', () => {
  it('mention people by their ids, or by the names that the exporter has written', async () => {
    const { bodies } = await read(
      exportOf([
        message(1, '<@101> <@!102> <@105> <@&301>', { mentions: [{ ...ben, id: '105', nickname: 'Cat' }] }),
        message(2, '@Ann Lee and @Ben, but not @Benjamin', { mentions: [ann, ben] }),
        message(3, '@Ann Lee without a mention'),
      ]),
    )
    expect(bodies).toEqual([
      `<@${profiles['101']}> <@${profiles['102']}> @Cat @Nurse`,
      `<@${profiles['101']}> and <@${profiles['102']}>, but not @Benjamin`,
      '@Ann Lee without a mention',
    ])
  })

  it('have custom emoji, whose pictures the export can have', async () => {
    const inlineEmojis = [
      {
        id: '501',
        name: 'Blobwave',
        code: 'Blobwave',
        isAnimated: false,
        imageUrl: 'general.json_Files/501-1.png',
      },
    ]
    const { bodies, reader } = await read({
      'general.json': channelFile({}, [
        message(1, ':Blobwave: :fire:', { inlineEmojis }),
        message(2, '<:Blobwave:501> <a:fire:503>'),
      ]),
      'general.json_Files/501-1.png': 'picture',
    })
    expect(bodies).toEqual([':blobwave: :fire:', ':blobwave: :fire_503:'])
    expect(reader.emoji).toEqual([{ name: 'blobwave', aliases: [], path: 'general.json_Files/501-1.png' }])
  })

  it('that begin with /me are no action', async () => {
    expect((await read(exportOf([message(1, '/me waves')]))).bodies).toEqual(['\u2060/me waves'])
  })

  it('longer than a message are whole beside it', async () => {
    const { messages, textOf } = await read(exportOf([message(1, 'word '.repeat(5_000))]))
    const { body, whole } = textOf(messages[0])
    expect([body.length, whole?.trim()]).toEqual([20_000, 'word '.repeat(5_000).trim()])
  })

  it('have the backslashes of a very long text left', async () => {
    const { messages, textOf } = await read(exportOf([message(1, '*a* '.repeat(30_000))]))
    expect(textOf(messages[0]).whole?.slice(0, 10)).toBe(String.raw`\*a\* \*a\*`.slice(0, 10))
  })

  it('have the embeds of programs as cards, and no previews of links', async () => {
    const embed = {
      title: '**Build** 7',
      url: 'https://ci.example/7',
      timestamp: '2023-11-14T22:13:20+00:00',
      description: 'failed for <@101>',
      color: '#DD2222',
      author: { name: 'CI', url: 'https://ci.example' },
      footer: { text: 'in 3 s' },
      image: {
        url: 'https://cdn.example/1.png',
        canonicalUrl: 'https://ci.example/1.png',
        width: 5,
        height: 5,
      },
      fields: [{ name: 'Branch', value: '`main`', isInline: true }],
    }
    const { messages, textOf } = await read(
      exportOf([
        message(1, 'Look', { author: bot, embeds: [embed] }),
        message(2, 'https://ci.example/7', { author: bot, embeds: [embed] }),
        message(3, 'https://other.example', { embeds: [embed] }),
      ]),
    )
    const { body, extras } = textOf(messages[0])
    expect(body.split('\n')[2]).toBe('> [CI](<https://ci.example/>)')
    expect(extras).toEqual({
      cards: {
        start: 4,
        items: [
          {
            color: 'red',
            at: '2023-11-14T22:13:20.000Z',
            author: '[CI](<https://ci.example/>)',
            title: '[**Build** 7](<https://ci.example/7>)',
            text: `failed for <@${profiles['101']}>\n[🖼](<https://ci.example/1.png>)`,
            fields: [{ name: 'Branch', value: '`main`', short: true }],
            footer: 'in 3 s',
          },
        ],
      },
    })
    expect(messages.slice(1).map((one) => textOf(one))).toMatchObject([
      { body: '<https://ci.example/7>', extras: null },
      { body: '<https://other.example/>', extras: null },
    ])
  })

  it('have the result of a poll, of which the export has nothing else', async () => {
    const fields = Object.entries({
      poll_question_text: 'Lunch?',
      victor_answer_text: 'Soup',
      victor_answer_votes: '3',
      total_votes: '5',
    }).map(([name, value]) => ({ name, value, isInline: false }))
    const { bodies } = await read(
      exportOf([message(1, '', { type: '46', embeds: [{ title: '', description: '', fields }] })]),
    )
    expect(bodies).toEqual(['📊 **Lunch?**\nSoup (3/5)'])
  })
})

describe('files', () => {
  const attachment = (id: string, url: string): object => ({
    id,
    url,
    fileName: `a/${id}.PNG`,
    fileSizeBytes: 7,
  })

  it('are stored in the export, behind links, or missing', async () => {
    const { messages, reader } = await read({
      'acme/general.json': channelFile({}, [
        message(1, '', {
          attachments: [
            attachment('1', 'general.json_Files/1-abc.png'),
            attachment('2', 'https://cdn.discordapp.com/attachments/1/2/2.png?ex=1'),
            attachment('3', '../../etc/passwd'),
            attachment('4', '/etc/passwd'),
            attachment('5', ''),
          ],
          stickers: [{ id: '6', name: 'Wave', format: 'Apng', sourceUrl: 'general.json_Files/6.png' }],
        }),
      ]),
      'acme/general.json_Files/1-abc.png': 'picture',
      'acme/general.json_Files/6.png': 'sticker',
      'acme/general.json_Files/7.json': '{}',
    })
    expect(messages[0]!.files.map(({ name, type, size, source }) => [name, type, size, source])).toEqual([
      ['a_1.PNG', 'image/png', 7, { kind: 'stored', path: 'acme/general.json_Files/1-abc.png' }],
      [
        'a_2.PNG',
        'image/png',
        7,
        { kind: 'linked', url: 'https://cdn.discordapp.com/attachments/1/2/2.png?ex=1' },
      ],
      ['a_3.PNG', 'image/png', 7, { kind: 'missing', reason: 'not in the export' }],
      ['a_4.PNG', 'image/png', 7, { kind: 'missing', reason: 'not in the export' }],
      ['a_5.PNG', 'image/png', 7, { kind: 'missing', reason: 'without an address' }],
      ['Wave.png', 'image/png', null, { kind: 'stored', path: 'acme/general.json_Files/6.png' }],
    ])
    expect(reader.sizeOf('acme/general.json_Files/1-abc.png')).toBe(7)
    expect(reader.notes).toEqual(new Map())
  })

  it('are pictures of embeds that the export has', async () => {
    const image = { url: 'general.json_Files/1.png', canonicalUrl: 'https://ci.example/chart.png?x=1' }
    const embeds = [{ title: 'T', images: [image] }]
    const { messages, textOf } = await read({
      'general.json': channelFile({}, [
        message(1, 'Chart', { author: bot, embeds }),
        message(2, 'Preview', { embeds }),
      ]),
      'general.json_Files/1.png': 'picture',
    })
    expect(messages.map(({ files }) => files.map(({ name, source }) => [name, source.kind]))).toEqual([
      [['chart.png', 'stored']],
      [],
    ])
    expect(textOf(messages[0]).body).toBe('Chart\n\n> **T**')
  })
})
