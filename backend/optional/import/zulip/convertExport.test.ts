import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { generateZulipExport } from '../../../../tests/support/generateZulipExport.ts'
import type { ArchiveRow } from '../../archive/ArchiveRow.ts'
import type { ChannelReceipt } from '../convertChannel.ts'
import { convertMessages, convertPlan } from '../convertExport.ts'
import { planImport, type Target } from '../planImport.ts'
import type { ImportChoices } from '../importChoices.ts'
import { createImportIds } from '../importIds.ts'
import { writeExportFolder } from '../exportFiles.fixture.ts'
import { surveyExport } from '../surveyExport.ts'
import type { TopicMode } from './createConversations.ts'
import { openZulip } from './openZulip.ts'
import { exportOf, message, stream, subscription } from './zulipExport.fixture.ts'

const workspaceId = '99999999-9999-4999-8999-999999999999'
const ann = '11111111-1111-4111-8111-111111111111'

async function convert(
  folder: string,
  topics: TopicMode,
  choices: ImportChoices = {},
): Promise<{ rows: ArchiveRow[]; receipts: ChannelReceipt[] }> {
  const reader = await openZulip(folder, { topics })
  const survey = await surveyExport(reader, tmpdir())
  const target: Target = {
    workspaceId,
    site: 'https://linnet.example',
    members: new Map([['ann@example.org', ann]]),
    channels: [],
    emoji: new Map(),
    ownerId: ann,
    profileIds: new Set([ann]),
  }
  const plan = planImport(reader, survey, target, choices)
  const receipts: ChannelReceipt[] = []
  const context = {
    reader,
    survey,
    plan,
    site: 'https://linnet.example',
    workspaceId,
    importId: null,
    ownerId: ann,
    pictures: { avatars: new Map(), emoji: [], leftOut: new Map() },
    now: Date.UTC(2026, 0) * 1_000,
    storeFile: async () => ({ size: 5 }),
    storeText: async () => 5,
    finishFiles: async () => {},
    onCustomEmoji() {},
  }
  const rows = [...convertPlan(context)]
  for await (const some of convertMessages(context, (receipt) => receipts.push(receipt))) rows.push(...some)
  await survey.messages.close()
  reader.close()
  return { rows, receipts }
}

it.each(['threads', 'channels'] as const)(
  'a generated export with topics as %s becomes the same rows twice, and each message is written',
  async (topics) => {
    const folder = generateZulipExport({
      seed: 3,
      people: 30,
      streams: 10,
      topics: 10,
      messages: 1_500,
      files: 20,
      emails: ['ann@example.org'],
    })
    const { rows, receipts } = await convert(folder, topics)
    expect((await convert(folder, topics)).rows).toEqual(rows)
    const of = (table: string) => rows.filter((row) => row.table === table).map(({ row }) => row)
    const messages = of('messages')
    expect(messages).toHaveLength(1_500)
    for (const { read, written, createdRoots, skipped } of receipts)
      expect([written, createdRoots, skipped]).toEqual([read, 0, {}])
    const ids = new Set(messages.map(({ id }) => id))
    expect(messages.every(({ thread_root: root }) => root === null || ids.has(root))).toBe(true)
    const roots = messages.filter(({ last_thread_seq: replies }) => Number(replies) > 0)
    expect(roots.length > 0).toBe(topics === 'threads')
    for (const { body } of roots.filter(({ deleted_at: deletedAt }) => deletedAt === null))
      expect(body).toMatch(/^\*\*topic \d\*\*\n/i)
    const channels = of('channels')
    expect(new Set(channels.map(({ kind }) => kind))).toEqual(
      new Set(['public', 'private', 'direct', 'group']),
    )
    expect(
      channels.filter(({ archived_at: archived }) => archived !== null).map(({ name }) => name),
    ).toContain('stream-9')
  },
)

it('a member of a private stream that hides older messages reads from the first message after joining', async () => {
  const joined = (person: number, at: number): object => ({
    event_type: 301,
    modified_user: person,
    modified_stream: 2,
    event_time: at,
  })
  const folder = writeExportFolder(
    exportOf(
      [1, 2, 3].map((id) => message(id, `text ${id}`, { recipient: 202, sender: 3 })),
      {
        zerver_realmauditlog: [joined(1, 1_700_000_001.5), joined(3, 1_600_000_000)],
        zerver_stream: [stream(2, 'board', { invite_only: true, history_public_to_subscribers: false })],
        zerver_subscription: [1, 2, 3].map((person) => subscription(202, person)),
      },
    ),
  )
  const { person } = createImportIds(workspaceId, { product: 'zulip', source: '2-1500000000' })
  const startsOf = async (choices: ImportChoices): Promise<unknown> => {
    const { rows } = await convert(folder, 'threads', choices)
    const members = rows.filter(({ table }) => table === 'channel_members').map(({ row }) => row)
    return Object.fromEntries(members.map((row) => [row['profile_id'], row['history_from_seq']]))
  }
  expect(await startsOf({})).toEqual({ [ann]: 2, [person('2')]: 4, [person('3')]: 1 })
  expect(await startsOf({ channels: { 'stream-2': { kind: 'public' } } })).toEqual({
    [ann]: 1,
    [person('2')]: 1,
    [person('3')]: 1,
  })
})
