import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import type { ArchiveRow } from '../../archive/ArchiveRow.ts'
import type { ChannelReceipt, StoredFile } from '../convertChannel.ts'
import { convertMessages, convertPlan } from '../convertExport.ts'
import { planImport, type Plan, type Target } from '../planImport.ts'
import { writeExportFolder, type FixtureFiles } from '../exportFiles.fixture.ts'
import { openSlack } from './openSlack.ts'
import { channel, exportOf, message, user } from './slackExport.fixture.ts'
import type { ImportChoices } from '../importChoices.ts'
import { createImportIds } from '../importIds.ts'
import { surveyExport } from '../surveyExport.ts'

const workspaceId = '99999999-9999-4999-8999-999999999999'
const ids = createImportIds(workspaceId, { product: 'slack', source: 'T1' })
const ann = '11111111-1111-4111-8111-111111111111'
const ben = ids.person('U2')
const general = ids.channel('C1')
const now = Date.UTC(2026, 0) * 1_000
const emptyTarget: Target = {
  workspaceId,
  site: 'https://linnet.example',
  members: new Map([['ann@example.org', ann]]),
  channels: [],
  emoji: new Map(),
  ownerId: ann,
  profileIds: new Set([ann]),
}

interface Converted {
  rows: ArchiveRow[]
  receipts: ChannelReceipt[]
  plan: Plan
  /** The rows of a table. */
  of(table: string): Record<string, unknown>[]
  /** The rows of messages, by their body or kind, with these columns. */
  messages(...columns: string[]): unknown[][]
}

async function convert(
  files: FixtureFiles,
  {
    target = emptyTarget,
    choices = {},
    storeFile,
  }: { target?: Target; choices?: ImportChoices; storeFile?: () => Promise<StoredFile> } = {},
): Promise<Converted> {
  const reader = await openSlack(writeExportFolder(files))
  const survey = await surveyExport(reader, tmpdir())
  const plan = planImport(reader, survey, target, choices)
  const receipts: ChannelReceipt[] = []
  const rows: ArchiveRow[] = []
  const context = {
    reader,
    survey,
    plan,
    site: target.site,
    workspaceId,
    importId: null,
    ownerId: ann,
    pictures: { avatars: new Map(), emoji: [], leftOut: new Map() },
    now,
    storeFile: storeFile ?? (async () => ({ size: 5 })),
    storeText: async (_channel: string, _upload: string, text: string) => text.length,
    finishFiles: async () => {},
    onCustomEmoji() {},
  }
  rows.push(...convertPlan(context))
  for await (const some of convertMessages(context, (receipt) => receipts.push(receipt))) rows.push(...some)
  const of = (table: string) => rows.filter((row) => row.table === table).map(({ row }) => row)
  return {
    rows,
    receipts,
    plan,
    of,
    messages: (...columns) => of('messages').map((row) => columns.map((column) => row[column])),
  }
}

it('is refused without people and channels', async () => {
  await expect(openSlack(writeExportFolder({ 'a.txt': 'a' }))).rejects.toThrow('This is no export of Slack')
})

it('has the domain of most permalinks as its name', async () => {
  const nameOf = async (messages: readonly object[]): Promise<string> => {
    const reader = await openSlack(writeExportFolder(exportOf(messages)))
    for await (const _ of reader.readMessages(() => {}));
    return reader.sourceName
  }
  const link = (host: string): string => `see <https://${host}/archives/C1/p1700000001000100>`
  const file = { id: 'F1', name: 'a.txt', permalink: 'https://harbour.slack.com/files/U1/F1/a.txt' }
  expect(await nameOf([message('1.0', 'no link')])).toBe('')
  expect(
    await nameOf([
      message('1.0', `${link('pier.slack.com')} ${link('app.slack.com')} ${link('app.slack.com')}`),
      message('2.0', link('harbour.slack.com')),
      message('3.0', 'a file', { files: [file] }),
      message('4.0', 'https://harbour.slack.com.example.org/archives/C1 https://example.org/.slack.com/'),
    ]),
  ).toBe('harbour.slack.com')
  expect(await nameOf([message('1.0', link('pier.enterprise.slack.com'))])).toBe('pier.enterprise.slack.com')
})

describe('messages', () => {
  it('keep authors, times and texts, and are numbered by their times', async () => {
    const { messages, receipts } = await convert(
      exportOf([
        message('1700000002.000200', 'second', { user: 'U2' }),
        message('1700000001.000100', 'first'),
        message('1700000001.000101', 'next'),
      ]),
    )
    expect(messages('id', 'channel_id', 'seq', 'history_seq', 'author_id', 'body', 'created_at')).toEqual([
      [ids.message('C1', '1700000001.000100'), general, 1, 1, ann, 'first', '2023-11-14T22:13:21.000100Z'],
      [ids.message('C1', '1700000001.000101'), general, 2, 2, ann, 'next', '2023-11-14T22:13:21.000101Z'],
      [ids.message('C1', '1700000002.000200'), general, 3, 3, ben, 'second', '2023-11-14T22:13:22.000200Z'],
    ])
    expect(receipts).toMatchObject([{ name: 'general', read: 3, written: 3, skipped: {} }])
  })

  it('are the same rows in a second conversion', async () => {
    const files = exportOf([
      message('1.000001', 'a', { reactions: [{ name: '+1', users: ['U2'] }] }),
      message('2.0', 'b'),
    ])
    expect((await convert(files)).rows).toEqual((await convert(files)).rows)
  })

  it('have a time before 1970, and no time in the future', async () => {
    const { messages, receipts } = await convert(
      exportOf([
        message('-86400.000100', 'old'),
        message('1700000000.000000', 'now'),
        message('4000000000.000000', 'later'),
      ]),
    )
    expect(messages('body', 'seq', 'created_at')).toEqual([
      ['old', 1, '1969-12-30T23:59:59.999900Z'],
      ['now', 2, '2023-11-14T22:13:20.000000Z'],
      ['later', 3, '2023-11-14T22:13:20.000000Z'],
    ])
    expect(receipts).toMatchObject([{ futureTimes: 1 }])
  })

  it('that cannot be read are counted with the reason', async () => {
    const { messages, receipts } = await convert(
      exportOf([], {
        'general/2023-11-14.json': `[
          ${JSON.stringify(message('1.0', 'good'))},
          {"ts": "2.0", "text": },
          ${JSON.stringify(message('none', 'no time'))},
          ${JSON.stringify(message('1.000000', 'same time'))},
          ${JSON.stringify(message('3.0', ''))},
          ${JSON.stringify(message('4.0', 'pinned', { subtype: 'pinned_item' }))},
          ${JSON.stringify(message('5.0', '', { subtype: 'message_changed' }))},
          7`,
      }),
    )
    expect(messages('body')).toEqual([['good']])
    expect(receipts).toMatchObject([
      {
        read: 8,
        written: 1,
        skipped: {
          damaged: 2,
          'without a time': 1,
          duplicate: 1,
          'without content': 1,
          'notice of Slack': 1,
          'record of an edit or deletion': 1,
        },
      },
    ])
  })

  it('have bytes that are no UTF-8 replaced', async () => {
    const bytes = Buffer.from(JSON.stringify([message('1.0', 'a?b')]))
    bytes[bytes.indexOf('?')] = 0xff
    expect((await convert(exportOf([], { 'general/2023-11-14.json': bytes }))).messages('body')).toEqual([
      ['a\uFFFDb'],
    ])
  })

  it('can be edited and deleted', async () => {
    const { messages } = await convert(
      exportOf([
        message('1.0', 'edited', { edited: { user: 'U1', ts: '5.000000' } }),
        message('2.0', 'This message was deleted.', { subtype: 'tombstone', user: 'USLACKBOT' }),
      ]),
    )
    expect(messages('body', 'edited_at', 'deleted_at')).toEqual([
      ['edited', '1970-01-01T00:00:05.000000Z', null],
      ['', null, '1970-01-01T00:00:02.000000Z'],
    ])
  })

  it('of Slack about a channel are system messages', async () => {
    const { messages } = await convert(
      exportOf([
        message('1.0', '<@U2> has joined', { subtype: 'channel_join', user: 'U2' }),
        message('2.0', 'topic', { subtype: 'channel_topic', topic: 'Plans' }),
        message('3.0', 'name', { subtype: 'channel_name', name: 'general' }),
        message('4.0', 'left', { subtype: 'group_leave' }),
      ]),
    )
    expect(messages('kind', 'seq', 'body', 'system')).toEqual([
      ['system', 1, '', { event: 'joined' }],
      ['system', 2, '', { event: 'topic', topic: 'Plans' }],
      ['system', 3, '', { event: 'renamed', name: 'general' }],
      ['system', 4, '', { event: 'left' }],
    ])
  })

  it('mention people, but not their authors', async () => {
    const { of } = await convert(exportOf([message('1.0', '<@U2> and <@U1>')]))
    expect(of('mentions')).toMatchObject([
      { kind: 'person', profile_id: ben, author_id: ann, seq: 1, thread_root: null },
    ])
  })

  it('longer than a message have their whole text as a file', async () => {
    const { of, receipts } = await convert(exportOf([message('1.0', 'x '.repeat(12_000))]))
    expect(of('attachments')).toMatchObject([{ name: 'message.md', position: 0 }])
    expect(receipts).toMatchObject([{ longTexts: 1 }])
  })
})

describe('threads', () => {
  const reply = (ts: string, text: string, more: object = {}) =>
    message(ts, text, { thread_ts: '1.000000', ...more })

  it('have their replies numbered, also those that were sent to the channel', async () => {
    const { messages } = await convert(
      exportOf([
        message('1.000000', 'root', { thread_ts: '1.000000' }),
        reply('2.000000', 'reply', { user: 'U2' }),
        message('3.000000', 'between'),
        reply('4.000000', 'broadcast', { subtype: 'thread_broadcast' }),
        reply('5.000000', 'last'),
      ]),
    )
    const root = ids.message('C1', '1.000000')
    expect(messages('body', 'seq', 'thread_root', 'thread_seq', 'history_seq')).toEqual([
      ['root', 1, null, null, 1],
      ['reply', null, root, 1, 1],
      ['between', 2, null, null, 2],
      ['broadcast', 3, root, 2, 3],
      ['last', null, root, 3, 1],
    ])
  })

  it('without their first message begin with a deleted one at its time', async () => {
    const { messages, receipts } = await convert(
      exportOf([
        message('0.500000', 'before'),
        message('1.500000', 'after'),
        reply('2.000000', 'reply', { parent_user_id: 'U2' }),
        reply('3.000000', 'reply 2'),
      ]),
    )
    const root = ids.message('C1', '1.000000')
    expect(messages('id', 'body', 'seq', 'thread_root', 'thread_seq', 'author_id').slice(0, 3)).toEqual([
      [ids.message('C1', '0.500000'), 'before', 1, null, null, ann],
      [root, '', 2, null, null, ben],
      [ids.message('C1', '1.500000'), 'after', 3, null, null, ann],
    ])
    expect(messages('deleted_at')[1]).toEqual(['1970-01-01T00:00:01.000000Z'])
    expect(messages('thread_root', 'thread_seq').slice(3)).toEqual([
      [root, 1],
      [root, 2],
    ])
    expect(receipts).toMatchObject([{ read: 4, written: 5, createdRoots: 1 }])
  })

  it.each([
    ['a notice', { subtype: 'channel_join' }, 'joined'],
    ['a notice that is left out elsewhere', { subtype: 'pinned_item' }, 'joined'],
  ])('on %s have it as a text', async (_, more, text) => {
    const { messages } = await convert(
      exportOf([message('1.000000', text, more), reply('2.000000', 'reply')]),
    )
    expect(messages('kind', 'body', 'thread_seq')).toEqual([
      ['text', text, null],
      ['text', 'reply', 1],
    ])
  })

  it('on a message without content have a deleted one', async () => {
    const { messages } = await convert(exportOf([message('1.000000', ''), reply('2.000000', 'reply')]))
    expect(messages('body', 'deleted_at', 'seq', 'thread_seq')).toMatchObject([
      ['', '1970-01-01T00:00:01.000000Z', 1, null],
      ['reply', null, null, 1],
    ])
  })

  it('have the numbers of their replies at the first message', async () => {
    const { of } = await convert(
      exportOf([
        message('1.000000', 'root'),
        reply('2.000000', 'a'),
        reply('3.000000', 'b', { user: 'U2' }),
        reply('4.000000', 'c'),
        reply('5.000000', '', { subtype: 'tombstone' }),
        message('6.000000', 'other'),
      ]),
    )
    expect(of('messages')[0]).toMatchObject({
      last_thread_seq: 4,
      reply_count: 3,
      reply_people: [ann, ben],
      last_reply_at: '1970-01-01T00:00:04.000000Z',
    })
    expect(of('messages')[5]).toMatchObject({ last_thread_seq: 0, reply_count: 0, reply_people: [] })
  })

  it('are followed by their people if they are recent', async () => {
    const files = exportOf([
      message('1767000000.000000', 'root', { user: 'U2' }),
      message('1767000001.000000', 'reply', { thread_ts: '1767000000.000000' }),
      message('1767000002.000000', 'reply', { thread_ts: '1767000000.000000', user: 'U2' }),
      message('1600000000.000000', 'old'),
      message('1600000001.000000', 'reply', { thread_ts: '1600000000.000000' }),
    ])
    expect((await convert(files)).of('thread_members')).toEqual([
      {
        root_id: ids.message('C1', '1767000000.000000'),
        profile_id: ann,
        follows: true,
        last_read_thread_seq: 2,
        read_version: 1,
      },
    ])
  })

  it('are never within threads, and never before their first message', async () => {
    const { messages } = await convert(
      exportOf([
        message('1.000000', 'root'),
        reply('2.000000', 'reply'),
        message('3.000000', 'of a reply', { thread_ts: '2.000000' }),
        message('4.000000', 'of a later message', { thread_ts: '9.000000' }),
      ]),
    )
    expect(messages('body', 'seq', 'thread_root')).toEqual([
      ['root', 1, null],
      ['reply', 2, null],
      ['of a reply', null, ids.message('C1', '2.000000')],
      ['of a later message', 3, null],
    ])
  })
})

describe('reactions and pins', () => {
  it('have the emoji of Linnet, each person once', async () => {
    const { of } = await convert(
      exportOf([
        message('1.0', 'a', {
          reactions: [
            { name: '+1', users: ['U1', 'U2'], count: 2 },
            { name: 'thumbsup', users: ['U1'], count: 1 },
            { name: '+1::skin-tone-2', users: ['U1'], count: 1 },
            { name: 'party_parrot', users: ['U2', 'U9'], count: 2 },
            { name: 'No Emoji', users: ['U2'], count: 1 },
          ],
        }),
      ]),
    )
    expect(of('reactions').map(({ emoji, profile_id: person }) => [emoji, person])).toEqual([
      ['👍', ann],
      ['👍', ben],
      ['👍🏻', ann],
      [':party_parrot:', ben],
    ])
  })

  it('are of the list of the channel, or of the message', async () => {
    const pins = [{ id: '1.000000', type: 'C', created: 50, user: 'U2' }]
    const { of } = await convert(
      exportOf([message('1.000000', 'a'), message('2.0', 'b', { pinned_to: ['C1'] }), message('3.0', 'c')], {
        'channels.json': [channel('C1', 'general', { pins })],
      }),
    )
    expect(of('pins').map(({ pinned_by: by, pinned_at: at }) => [by, at])).toEqual([
      [ben, '1970-01-01T00:00:50.000000Z'],
      [ann, '1970-01-01T00:00:02.000000Z'],
    ])
  })
})

describe('files', () => {
  const file = {
    id: 'F1',
    name: 'plan.pdf',
    mimetype: 'application/pdf',
    size: 5,
    url_private_download: 'https://files.slack.com/x',
  }

  it('are attached', async () => {
    const { of, messages } = await convert(exportOf([message('1.0', '', { files: [file, file] })]))
    expect(messages('body')).toEqual([['']])
    expect(of('attachments')).toEqual([
      {
        message_id: ids.message('C1', '1.000000'),
        upload_id: ids.upload('C1', 'F1'),
        upload_channel_id: general,
        name: 'plan.pdf',
        type: 'application/pdf',
        size: 5,
        width: null,
        height: null,
        thumb: false,
        position: 0,
      },
    ])
  })

  it('that are missing are lines with their names, and in the receipt', async () => {
    const { of, messages, receipts } = await convert(
      exportOf([
        message('1.0', 'see', { files: [{ ...file, permalink: 'https://acme.slack.com/files/F1' }] }),
      ]),
      { storeFile: async () => ({ problem: 'the server responded with status 404' }) },
    )
    expect(messages('body')).toEqual([['see\n\n📎 [plan.pdf](<https://acme.slack.com/files/F1>)']])
    expect(of('attachments')).toEqual([])
    expect(receipts).toMatchObject([
      {
        files: 0,
        missingFileCount: 1,
        missingFiles: [{ file: 'F1', name: 'plan.pdf', reason: 'the server responded with status 404' }],
      },
    ])
  })

  it('of a message are at most ten', async () => {
    const many = Array.from({ length: 12 }, (_, at) => ({ ...file, id: `F${at}`, name: `${at}.txt` }))
    const { of, messages, receipts } = await convert(exportOf([message('1.0', '', { files: many })]))
    expect(of('attachments')).toHaveLength(10)
    expect(messages('body')).toEqual([['📎 10.txt\n📎 11.txt']])
    expect(receipts).toMatchObject([{ files: 10, missingFileCount: 2 }])
  })

  it('of other services are links', async () => {
    const external = { id: 'F2', name: 'Sheet', mode: 'external', external_url: 'https://docs.example/1' }
    const { messages, receipts } = await convert(exportOf([message('1.0', '', { files: [external] })]))
    expect(messages('body')).toEqual([['📎 [Sheet](<https://docs.example/1>)']])
    expect(receipts).toMatchObject([{ missingFileCount: 0 }])
  })

  it('have names that are legible', async () => {
    const { of } = await convert(
      exportOf([message('1.0', '', { files: [{ ...file, name: '../a\u202Eb\n/c.txt' }] })]),
    )
    expect(of('attachments')[0]).toMatchObject({ name: '.._a b _c.txt' })
  })
})

describe('people', () => {
  it('are members with the same confirmed address, else imported without an account', async () => {
    const { of } = await convert(exportOf([]))
    expect(of('profiles').map(({ id, kind, name, title }) => [id, kind, name, title])).toEqual([
      [ben, 'imported', 'Ben', null],
      [ids.person('USLACKBOT'), 'imported', 'Slackbot', null],
    ])
    expect(of('workspace_members').map(({ profile_id: id, state, role }) => [id, state, role])).toEqual([
      [ben, 'deactivated', 'member'],
      [ids.person('USLACKBOT'), 'deactivated', 'member'],
    ])
    expect(JSON.stringify(of('profiles'))).not.toContain('@')
  })

  it('can have the same name, and a name that is not legible is replaced', async () => {
    const { of } = await convert(
      exportOf([], {
        'users.json': [
          user('U1', 'Ann'),
          user('U2', 'Ann'),
          user('U3', '\u200B\u202E'),
          user('U4', 'x'.repeat(200)),
        ],
      }),
    )
    expect(of('profiles').map(({ name }) => name)).toEqual(['Ann', 'Ann', 'U3', 'x'.repeat(80)])
  })

  it('who are not in the list have the name of their messages', async () => {
    const { of, messages } = await convert(
      exportOf([
        message('1.0', 'a', { user: 'U7', user_profile: { display_name: 'Zoe' } }),
        message('2.0', 'b', { user: undefined, subtype: 'bot_message', bot_id: 'B1', username: 'Deploy' }),
        message('3.0', 'c', { user: undefined, subtype: 'bot_message', bot_id: 'B1', username: 'Alerts' }),
        message('4.0', 'd', { user: 'U8' }),
      ]),
    )
    const names = new Map(of('profiles').map(({ id, name }) => [id, name]))
    expect(messages('author_id').map(([id]) => names.get(id))).toEqual(['Zoe', 'Deploy', 'Alerts', 'U8'])
  })
})

describe('channels', () => {
  it('have their counters, and are read by the members of the workspace', async () => {
    const { of } = await convert(
      exportOf([
        message('1.000000', 'a'),
        message('2.000000', 'b'),
        message('3.0', 'c', { thread_ts: '1.000000' }),
      ]),
    )
    expect(of('channel_counters')).toEqual([
      { channel_id: general, last_seq: 2, rev: 4, meta_rev: 4, last_at: '1970-01-01T00:00:03.000000Z' },
    ])
    expect(of('channel_member_state')).toEqual([
      {
        channel_id: general,
        profile_id: ann,
        last_read_seq: 2,
        read_version: 1,
        notify: 'default',
        hidden: false,
      },
    ])
  })

  it('get another name if theirs is taken, and keep the one of an earlier import', async () => {
    const files = exportOf([], {
      'channels.json': [channel('C1', 'General'), channel('C2', 'general-slack')],
    })
    const taken = {
      id: 'x',
      kind: 'public',
      name: 'general',
      direct_key: null,
      meta_rev: 0,
      last_seq: 0,
      is_deleted: false,
    }
    const { of, plan } = await convert(files, { target: { ...emptyTarget, channels: [taken] } })
    expect(of('channels').map(({ name }) => name)).toEqual(['General-slack', 'general-slack-slack'])
    expect(plan.renamed).toEqual([
      { from: 'General', to: 'General-slack' },
      { from: 'general-slack', to: 'general-slack-slack' },
    ])
    const earlier = {
      id: general,
      kind: 'public',
      name: 'General-slack',
      direct_key: null,
      meta_rev: 0,
      last_seq: 0,
      is_deleted: false,
    }
    const again = await convert(files, { target: { ...emptyTarget, channels: [taken, earlier] } })
    expect(again.of('channels').map(({ name }) => name)).toEqual(['General-slack', 'general-slack-slack'])
  })

  it('are left out, renamed and made private by choice, and people are members by choice', async () => {
    const files = exportOf([message('1700000000.0', 'a', { user: 'U2' })], {
      'channels.json': [channel('C1', 'general'), channel('C2', 'random'), channel('C3', 'old')],
    })
    const bea = '22222222-2222-4222-8222-222222222222'
    const target = { ...emptyTarget, profileIds: new Set([ann, bea]) }
    const choices = {
      people: { U2: bea },
      channels: {
        C1: { name: ' Start \n', kind: 'private' as const },
        C3: { isLeftOut: true },
      },
    }
    const { of } = await convert(files, { target, choices })
    expect(of('channels').map(({ kind, name }) => [kind, name])).toEqual([
      ['private', 'Start'],
      ['public', 'random'],
    ])
    expect(of('messages').map(({ author_id: author }) => author)).toEqual([bea])
    expect(of('profiles').map(({ name }) => name)).not.toContain('Ben')
    await expect(convert(files, { target, choices: { people: { U2: general } } })).rejects.toThrow(
      'is not the profile of a member',
    )
  })

  it('have topic, purpose, members and the state of the archive', async () => {
    const { of } = await convert(
      exportOf([message('1700000000.0', 'a')], {
        'channels.json': [
          channel('C1', 'general', {
            topic: { value: 'Today' },
            purpose: { value: 'All' },
            is_archived: true,
            members: ['U1', 'U2', 'U2', 'U9', 7],
          }),
        ],
      }),
    )
    expect(of('channels')).toEqual([
      {
        id: general,
        workspace_id: workspaceId,
        kind: 'public',
        name: 'general',
        topic: 'Today',
        description: 'All',
        direct_key: null,
        import_id: null,
        archived_at: '2023-11-14T22:13:20.000000Z',
        created_by: ann,
        created_at: '2020-09-13T12:26:40.000000Z',
      },
    ])
    const members = of('channel_members').map(({ profile_id: id, role }) => [id, role])
    expect(members).toHaveLength(2)
    expect(new Map(members as [string, string][])).toEqual(
      new Map([
        [ann, 'admin'],
        [ben, 'member'],
      ]),
    )
  })

  it('are private, direct and group conversations where the export has them', async () => {
    const { of, messages } = await convert(
      exportOf([], {
        'groups.json': [channel('G1', 'secret')],
        'dms.json': [{ id: 'D1', created: 1, members: ['U1', 'U2'] }],
        'mpims.json': [{ id: 'M1', name: 'mpdm-a--b--c-1', created: 1, members: ['U1', 'U2', 'USLACKBOT'] }],
        'D1/2023-11-14.json': [message('1.0', 'direct')],
        'mpdm-a--b--c-1/2023-11-14.json': [message('1.0', 'group')],
      }),
    )
    const key = [ann, ben].sort().join(':')
    expect(of('channels').map(({ kind, name, direct_key: direct }) => [kind, name, direct])).toEqual([
      ['public', 'general', null],
      ['private', 'secret', null],
      ['direct', null, key],
      ['group', null, expect.stringMatching(/^[\da-f]{64}$/)],
    ])
    expect(messages('body', 'channel_id')).toEqual([
      ['direct', ids.channel('D1')],
      ['group', ids.channel('M1')],
    ])
  })

  it('are private channels where the people have a direct conversation already', async () => {
    const key = [ann, ben].sort().join(':')
    const target = {
      ...emptyTarget,
      channels: [
        { id: 'x', kind: 'direct', name: null, direct_key: key, meta_rev: 1, last_seq: 0, is_deleted: false },
      ],
    }
    const files = exportOf([], { 'dms.json': [{ id: 'D1', created: 1, members: ['U1', 'U2'] }] })
    const { of, plan } = await convert(files, { target })
    expect(of('channels')[1]).toMatchObject({ kind: 'private', name: 'Ann, Ben', direct_key: null })
    expect(plan.separateConversations).toBe(1)
  })

  it('that an earlier import has completed stay as they are', async () => {
    const files = exportOf([
      message('1.000000', 'a', { subtype: 'channel_join' }),
      message('2.0', 'b', { thread_ts: '1.000000' }),
    ])
    const earlier = {
      id: general,
      kind: 'public',
      name: 'renamed',
      direct_key: null,
      meta_rev: 2,
      last_seq: 0,
      is_deleted: false,
    }
    const of = async (channel: typeof earlier): Promise<[string[], unknown]> => {
      const { rows, receipts } = await convert(files, { target: { ...emptyTarget, channels: [channel] } })
      return [rows.map(({ table }) => table), receipts[0]!.present]
    }
    expect(await of(earlier)).toEqual([
      expect.arrayContaining(['channels', 'messages', 'channel_counters']),
      0,
    ])
    const person = ['profiles', 'workspace_members', 'imported_people']
    const people = [...person, ...person]
    expect(await of({ ...earlier, meta_rev: 3 })).toEqual([people, 2])
    expect(await of({ ...earlier, is_deleted: true })).toEqual([people, 2])
    // The earlier export had fewer messages.
    await expect(of({ ...earlier, last_seq: 1 })).rejects.toThrow("can't add to a channel")
  })

  it('may be ten thousand', async () => {
    const channels = Array.from({ length: 10_000 }, (_, at) => channel(`C${at + 1}`, `channel ${at}`))
    const { of } = await convert(exportOf([], { 'channels.json': channels }))
    expect(of('channels')).toHaveLength(10_000)
  })
})
