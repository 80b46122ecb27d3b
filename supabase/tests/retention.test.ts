import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Commands } from '../../wire/commands.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { verifyReceipts } from '../../wire/verifyReceipts.ts'
import { openFixture, type Fixture, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

/** How long messages are kept, and the receipts of what was deleted. */
describe.each(testDatabases)('retention on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  type Rule = Omit<Commands['set_retention']['args'], 'workspace'>
  const set = (s: TestTransaction, rule: Rule) =>
    s.call('set_retention', { workspace: fixture.workspace, ...rule })
  const asAnn = (rule: Rule) => fixture.committedAs('ann', (s) => set(s, rule))
  const asService = (sql: string, values: unknown[] = []) => fixture.service((s) => s.rows(sql, values), true)
  /** As after the waiting period. */
  const endWaiting = () =>
    asService(`update public.retention_rules set starts_at = now() - interval '1 hour'`)
  const runBatch = (max = 200) =>
    fixture.service((s) => s.value<boolean>('select app.erase_expired_messages($1)', [max]), true)
  const runAll = async (): Promise<number> => {
    let batches = 0
    while (await runBatch()) batches += 1
    return batches
  }
  const receipts = async () =>
    (
      await fixture.rolledBackAs('ann', (s) =>
        s.call('list_retention_receipts', { workspace: fixture.workspace, limit: 1000 }),
      )
    ).receipts
  const exportReceipts = async (): Promise<string> =>
    (await receipts()).map(({ line, hash }) => `${line} ${hash}\n`).join('')

  /** A new public channel of Bea with messages that are `days` old, oldest first. */
  const createChannel = async (days: number[], kind: 'public' | 'private' = 'public') => {
    const channel = randomUUID()
    await fixture.committedAs('bea', (s) =>
      s.call('create_channel', {
        id: channel,
        workspace: fixture.workspace,
        kind,
        name: channel.slice(0, 8),
      }),
    )
    await asService(
      `update public.messages set created_at = now() - interval '500 days' where channel_id = $1`,
      [channel],
    )
    const ids: Uuid[] = []
    for (const age of days) ids.push(await send(channel, age))
    return { channel, ids }
  }
  const send = async (channel: Uuid, days: number, root: Uuid | null = null): Promise<Uuid> => {
    const id = randomUUID()
    await fixture.committedAs('bea', (s) =>
      s.call('send_message', { id, channel, body: `Words of ${id}`, thread_root: root }),
    )
    await asService(
      `update public.messages set created_at = now() - make_interval(days => $2) where id = $1`,
      [id, days],
    )
    return id
  }
  const textsIn = async (channel: Uuid) =>
    (
      await fixture.service((s) =>
        s.rows<{ id: Uuid }>(
          `select id from public.messages where channel_id = $1 and deleted_at is null and kind = 'text'
           order by created_at`,
          [channel],
        ),
      )
    ).map(({ id }) => id)
  const firstSeq = (channel: Uuid) =>
    fixture
      .service((s) => s.value<string>('select first_seq from public.channels where id = $1', [channel]))
      .then(Number)

  beforeEach(() => asService('delete from public.retention_rules'))

  it('is set by owners and shown to admins', async () => {
    const { workspace } = fixture
    const rule = { scope: 'channels', keep: 'days', keep_days: 30 } as const
    const preview = { workspace, scope: 'channels', keep_days: 30 } as const
    await asService(`update public.workspace_members set role = 'admin' where profile_id = $1`, [
      fixture.profile.cem,
    ])
    await fixture.rolledBackAs('cem', async (s) => {
      expect(await s.failure('set_retention', { workspace, ...rule })).toBe('not_allowed')
      expect((await s.call('retention', { workspace })).channels).toBeNull()
      expect((await s.call('preview_retention', preview)).more).toBe(false)
    })
    expect((await asAnn(rule)).channels?.keep_days).toBe(30)
  })

  it('refuses rules that mean nothing, and channels that the owner may not read', async () => {
    const { workspace, closed, direct } = fixture
    const refused = (rule: Rule) =>
      fixture.rolledBackAs('ann', (s) => s.failure('set_retention', { workspace, ...rule }))
    expect(await refused({ scope: 'channels', keep: 'days', keep_days: 0 })).toBe('bad_retention')
    expect(await refused({ scope: 'channels', keep: 'days', keep_days: 3651 })).toBe('bad_retention')
    expect(await refused({ scope: 'channels', keep: 'days' })).toBe('bad_retention')
    expect(await refused({ scope: 'channels', keep: 'forever', keep_days: 3 })).toBe('bad_retention')
    expect(await refused({ scope: 'channels', keep: 'default' })).toBe('bad_retention')
    expect(await refused({ scope: 'channel', keep: 'forever' })).toBe('bad_state')
    for (const channel of [closed, direct, randomUUID()]) {
      expect(await refused({ scope: 'channel', keep: 'forever', channel })).toBe('not_found')
    }
    // The same message of somebody else's private channel must not be found by a preview either.
    await fixture.rolledBackAs('ann', async (s) => {
      const args = { workspace, scope: 'channel', keep_days: 1, channel: closed } as const
      expect(await s.failure('preview_retention', args)).toBe('not_found')
    })
  })

  it('shows what would go, and deletes nothing before the waiting period has ended', async () => {
    const { channel, ids } = await createChannel([50, 40, 2])
    await fixture.committedAs('bea', (s) => s.call('pin_message', { message: ids[0]!, on: true }))
    const preview = await fixture.rolledBackAs('ann', (s) =>
      s.call('preview_retention', { workspace: fixture.workspace, scope: 'channel', keep_days: 30, channel }),
    )
    // With the system message of the channel's creation.
    expect(preview).toMatchObject({ messages: 3, channels: 1, files: 0, bytes: 0, pinned: 1, more: false })
    const { own } = await asAnn({ scope: 'channel', keep: 'days', keep_days: 30, channel })
    expect(Date.parse(own[0]!.starts_at) - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
    expect(await runBatch()).toBe(false)
    expect(await textsIn(channel)).toEqual(ids)
    await endWaiting()
    await runAll()
    expect(await textsIn(channel)).toEqual([ids[2]])
  })

  it('waits again for what deletes earlier, and not for what keeps longer', async () => {
    const start = async (rule: Rule) => {
      await asAnn(rule)
      return fixture.service((s) =>
        s.value<boolean>(
          `select bool_and(r.starts_at > now()) from app.retention_of(array[$1::uuid]) r where keep_days is not null`,
          [fixture.lobby],
        ),
      )
    }
    const channel = fixture.lobby
    expect(await start({ scope: 'channels', keep: 'days', keep_days: 3000 })).toBe(true)
    await endWaiting()
    expect(await start({ scope: 'channels', keep: 'days', keep_days: 3000 })).toBe(false)
    expect(await start({ scope: 'channels', keep: 'days', keep_days: 3100 })).toBe(false)
    expect(await start({ scope: 'channel', keep: 'days', keep_days: 3200, channel })).toBe(false)
    expect(await start({ scope: 'channel', keep: 'forever', channel })).toBe(null)
    // The channel was kept forever: following the others deletes earlier.
    expect(await start({ scope: 'channel', keep: 'default', channel })).toBe(true)
  })

  it('erases what delete_message erases, by the age of each message, replies too', async () => {
    const { channel, ids } = await createChannel([60, 50, 40, 3])
    const [root, quiet] = ids as [Uuid, Uuid]
    const oldReply = await send(channel, 45, root)
    const newReply = await send(channel, 1, root)
    await fixture.committedAs('bea', async (s) => {
      await s.call('react', { message: quiet, emoji: '👀', on: true })
      await s.call('edit_message', {
        id: quiet,
        body: `Changed for <@${fixture.profile.cem}>`,
        edit: randomUUID(),
      })
    })
    await asAnn({ scope: 'channels', keep: 'days', keep_days: 30 })
    await endWaiting()
    await runAll()
    expect(await textsIn(channel)).toEqual([ids[3], newReply])
    for (const table of [
      'message_search',
      'message_revisions',
      'reactions',
      'mentions',
      'pins',
      'attachments',
    ]) {
      const rest = await fixture.service((s) =>
        s.value<string>(`select count(*) from public.${table} where message_id = any ($1)`, [
          [root, quiet, oldReply],
        ]),
      )
      expect(`${table} ${rest}`).toBe(`${table} 0`)
    }
    const rootAfter = await fixture.service((s) =>
      s.rows(
        `select body, reply_count, deleted_at is not null as deleted from public.messages where id = $1`,
        [root],
      ),
    )
    // It stays as a tombstone while its thread has replies; first_seq rises up to it.
    expect(rootAfter).toEqual([{ body: '', reply_count: 1, deleted: true }])
    const seqOf = (id: Uuid) =>
      fixture
        .service((s) => s.value<string>('select seq from public.messages where id = $1', [id]))
        .then(Number)
    expect(await firstSeq(channel)).toBe(await seqOf(root))
    await asService(`update public.messages set created_at = now() - interval '31 days' where id = $1`, [
      newReply,
    ])
    await runAll()
    expect(await firstSeq(channel)).toBe(await seqOf(ids[3]!))
    const page = await fixture.rolledBackAs('bea', (s) => s.call('channel_page', { channel }))
    expect(page.messages.map(({ id }) => id)).toEqual([ids[3]])
  })

  it('queues the files of erased messages, and counts their bytes once', async () => {
    const { channel } = await createChannel([])
    const upload = randomUUID()
    await asService(
      `insert into storage.objects (bucket_id, name, owner, owner_id, metadata)
       values ('files', $1, $2::text::uuid, $2::text, $3)`,
      [`${channel}/${upload}/file`, fixture.account.bea, { size: 5000, mimetype: 'text/plain' }],
    )
    const id = randomUUID()
    await fixture.committedAs('bea', (s) =>
      s.call('send_message', {
        id,
        channel,
        body: '',
        attachments: [{ id: upload, name: 'a.txt' }],
      } as never),
    )
    await asService(`update public.messages set created_at = now() - interval '40 days' where id = $1`, [id])
    await asAnn({ scope: 'channel', keep: 'days', keep_days: 30, channel })
    await endWaiting()
    await runAll()
    expect((await receipts()).at(-1)).toMatchObject({
      channel_id: channel,
      files: 1,
      bytes: 5000,
      keep_days: 30,
    })
    expect(
      await fixture.service((s) =>
        s.value<string>(`select count(*) from public.file_deletion_queue where name like $1`, [
          `${channel}/${upload}/%`,
        ]),
      ),
    ).toBe('2')
  })

  it('applies rules to private channels and conversations that the owner may not read', async () => {
    const { channel, ids } = await createChannel([40], 'private')
    await asService(`update public.messages set created_at = now() - interval '40 days' where id = $1`, [
      fixture.messages.whisper,
    ])
    await asAnn({ scope: 'channels', keep: 'days', keep_days: 30 })
    await endWaiting()
    await runAll()
    expect(await textsIn(channel)).toEqual([])
    expect(ids).toHaveLength(1)
    expect(await textsIn(fixture.direct)).toContain(fixture.messages.whisper)
    await asAnn({ scope: 'conversations', keep: 'days', keep_days: 30 })
    await endWaiting()
    await runAll()
    expect(await textsIn(fixture.direct)).not.toContain(fixture.messages.whisper)
  })

  it('continues after a killed run without a gap or a duplicate', async () => {
    const { channel } = await createChannel([90, 80, 70, 60, 50, 40])
    await asAnn({ scope: 'channel', keep: 'days', keep_days: 30, channel })
    await endWaiting()
    const before = (await receipts()).length
    expect(await runBatch(2)).toBe(true)
    const killed = new Client(fixture.database.config('postgres'))
    killed.on('error', () => undefined)
    await killed.connect()
    await killed.query('begin')
    await killed.query('select app.erase_expired_messages(2)')
    const { rows } = await killed.query<{ pid: number }>('select pg_backend_pid() as pid')
    // A second run at the same time leaves the chain to the first.
    expect(await runBatch(2)).toBe(false)
    await asService('select pg_terminate_backend($1, 5000)', [rows[0]!.pid])
    await killed.end().catch(() => undefined)
    while (await runBatch(2));
    const added = (await receipts()).slice(before)
    expect(added.map(({ messages }) => messages)).toEqual([2, 2, 2, 1])
    expect(added.map(({ from_seq, until_seq }) => [from_seq, until_seq])).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
      [7, 7],
    ])
    const check = await verifyReceipts(await exportReceipts())
    expect(check).toMatchObject({ receipts: before + 4, broken: null })
    const { last_hash } = await fixture.rolledBackAs('ann', (s) =>
      s.call('retention', { workspace: fixture.workspace }),
    )
    expect(check.lastHash).toBe(last_hash)
  })

  it('never changes a receipt, and the chain reveals changes that the database could not refuse', async () => {
    for (const sql of [
      'update public.retention_receipts set messages = 1',
      'delete from public.retention_receipts',
      'truncate public.retention_receipts',
    ]) {
      const refusal = await fixture.service((s) => s.refusal((t) => t.rows(sql)))
      expect(refusal.message).toBe('not_allowed')
    }
    // The premise: somebody who owns the database disables the triggers.
    const tampered = async (sql: string): Promise<string> =>
      fixture.service(async (s) => {
        await s.rows('alter table public.retention_receipts disable trigger user')
        await s.rows(sql)
        const rows = await s.rows<{ line: string }>(
          `select app.receipt_line(r) || ' ' || r.hash || E'\\n' as line from public.retention_receipts r order by number`,
        )
        return rows.map(({ line }) => line).join('')
      })
    const count = (await receipts()).length
    expect(count).toBeGreaterThan(4)
    expect(await verifyReceipts(await tampered('select 1'))).toMatchObject({ receipts: count, broken: null })
    const brokenBy = async (sql: string) => (await verifyReceipts(await tampered(sql))).broken
    expect(
      await brokenBy('update public.retention_receipts set messages = messages + 1 where number = 2'),
    ).toEqual({
      line: 2,
      reason: 'its hash does not match what it records',
    })
    expect(await brokenBy('delete from public.retention_receipts where number = 3')).toEqual({
      line: 3,
      reason: 'its number is 4, not 3',
    })
    expect(
      await brokenBy(
        `update public.retention_receipts r set bytes = 7, hash = encode(sha256(convert_to(app.receipt_line(
           (r.workspace_id, r.number, r.deleted_at, r.channel_id, r.from_seq, r.until_seq, r.messages, r.files, 7,
            r.sent_before, r.scope, r.keep_days, r.previous_hash, r.hash)::public.retention_receipts), 'UTF8')), 'hex')
         where number = 2`,
      ),
    ).toEqual({ line: 3, reason: 'it does not contain the hash of the receipt before' })
  })

  it('is recorded in the audit log', async () => {
    await asAnn({ scope: 'conversations', keep: 'days', keep_days: 365 })
    const { entries } = await fixture.rolledBackAs('ann', (s) =>
      s.call('list_audit_log', { workspace: fixture.workspace, action: 'retention.changed' }),
    )
    expect(entries[0]).toMatchObject({
      actor_id: fixture.profile.ann,
      target: { scope: 'conversations', from: null, to: { keep: 'days', keep_days: 365 } },
    })
  })
})
