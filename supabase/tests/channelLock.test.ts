import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Uuid } from '../../wire/scalars.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Fixture, type TestTransaction } from './support/fixture.ts'

/** A call that a command has made: of a function, or to read a secret. */
interface Call extends Record<string, unknown> {
  name: string
  /** Whether its transaction had locked the counters of a channel. */
  is_locked: boolean
}

/** All senders to a channel wait while a command locks it, so a command does nothing slow under this lock. */
describe.each(testDatabases)('the lock of a channel on $name', ({ open }) => {
  let fixture: Fixture
  const bot = randomUUID()
  let token: string

  beforeAll(async () => {
    fixture = await openFixture(await open())
    const { workspace, lobby, profile } = fixture
    token = await fixture.committedAs('ann', async (s) => {
      await s.call('create_bot', { id: bot, workspace, name: 'Relay', channels: [lobby] })
      await s.call('create_outgoing_webhook', { bot, channel: lobby, url: 'https://relay.example/in' })
      return (await s.call('create_incoming_webhook', { bot, channel: lobby })).token
    })
    await fixture.service(async (s) => {
      await s.rows('update public.workspaces set link_previews = true where id = $1', [workspace])
      await s.rows(
        `insert into public.push_subscriptions (id, profile_id, session_id, endpoint, p256dh, auth, device, language)
         values ($1, $2, $3, 'https://updates.push.services.mozilla.com/wpush/v2/a', $4, $5, 'Firefox', 'de')`,
        [randomUUID(), profile.cem, fixture.account.cem, `B${'A'.repeat(86)}`, 'A'.repeat(22)],
      )
      await s.rows(`select public.register_server_url('http://127.0.0.1:4280')`)
      await s.rows('create table public.test_calls (name text not null, is_locked boolean not null)')
      // Every statement that locks a row locks its table in one of these modes.
      await s.rows(`create function app.record_test_call(name text) returns void
        language sql security definer set search_path = '' as $$
          insert into public.test_calls (name, is_locked) select $1, exists (
            select from pg_locks l
            where l.pid = pg_backend_pid() and l.relation = 'public.channel_counters'::regclass
              and l.mode in ('RowShareLock', 'RowExclusiveLock'))
        $$`)
      await s.rows(`create or replace function app.read_secret(secret_name text) returns text
        language plpgsql volatile security definer set search_path = '' as $$
        begin
          perform app.record_test_call('secret');
          return 'whsec_' || encode('secret', 'base64');
        end $$`)
      await s.rows(`create or replace function app.start_task(task text, body jsonb default '{}') returns void
        language plpgsql volatile security definer set search_path = '' as $$
        begin
          perform app.record_test_call(task);
        end $$`)
    }, true)
  })
  afterAll(() => fixture.stop())

  const asBea = <T>(work: (s: TestTransaction) => Promise<T>): Promise<T> => fixture.committedAs('bea', work)
  const asService = <T>(work: (s: TestTransaction) => Promise<T>): Promise<T> => fixture.service(work, true)
  /** The calls of a command, which returns without a request that waits to be sent by pg_net. */
  const callsOf = async (command: Promise<unknown>): Promise<Call[]> => {
    await command
    return asService(async (s) => {
      expect(await s.rows('select url from net.http_request_queue')).toEqual([])
      // A call for an earlier message makes others unnecessary until its job is claimed.
      await s.rows('delete from public.jobs')
      return s.rows<Call>('delete from public.test_calls returning name, is_locked')
    })
  }
  const before = (...names: string[]): Call[] => names.map((name) => ({ name, is_locked: false }))
  const upload = async (): Promise<Uuid> => {
    const id = randomUUID()
    await asBea((s) =>
      s.rows(
        `insert into storage.objects (bucket_id, name, owner, owner_id, metadata)
         values ('files', $1, $2::text::uuid, $2::text, '{"size": 50, "mimetype": "text/plain"}')`,
        [`${fixture.lobby}/${id}/file`, fixture.account.bea],
      ),
    )
    await callsOf(Promise.resolve())
    return id
  }
  const link = 'See https://garden.example/orchids'
  const send = async (o: { body?: string; file?: Uuid; thread_root?: Uuid } = {}): Promise<Uuid> => {
    const id = randomUUID()
    const { body = link, file, thread_root } = o
    const attachments =
      file === undefined ? [] : [{ id: file, name: 'notes.txt', width: null, height: null, thumb: false }]
    await asBea((s) =>
      s.call('send_message', { id, channel: fixture.lobby, body, attachments, thread_root } as never),
    )
    return id
  }

  it('is taken after the functions are called that a new message needs', async () => {
    const file = await upload()
    expect(await callsOf(send({ file }))).toEqual(
      before('push', 'link-previews', 'outgoing-webhooks', 'file-texts'),
    )
    expect(await callsOf(send({ body: 'No link' }))).toEqual(before('push', 'outgoing-webhooks'))
    expect(await callsOf(send({ body: 'Reply', thread_root: fixture.messages.old }))).toEqual(
      before('push', 'outgoing-webhooks'),
    )
  })

  it('is taken after the functions are called that an edit or a deletion needs', async () => {
    const id = await send({ file: await upload() })
    await callsOf(Promise.resolve())
    const edit = (body: string) => asBea((s) => s.call('edit_message', { id, body, edit: randomUUID() }))
    expect(await callsOf(edit(`${link} again`))).toEqual(before('push', 'link-previews'))
    expect(await callsOf(edit('The link is gone'))).toEqual(before('push', 'link-previews'))
    expect(await callsOf(edit('The link is gone'))).toEqual([])
    expect(await callsOf(asBea((s) => s.call('delete_message', { id })))).toEqual(before('delete-files'))
    const removed = await send({ file: await upload() })
    await callsOf(Promise.resolve())
    const remove = fixture.committedAs('ann', (s) =>
      s.call('remove_message', { reason: 'Off topic', message: removed }),
    )
    expect(await callsOf(remove)).toEqual(before('delete-files'))
  })

  it('is taken after the functions are called that messages of webhooks and scheduled messages need', async () => {
    expect(
      await callsOf(asService((s) => s.rows('select public.post_by_webhook($1, $2)', [token, link]))),
    ).toEqual(before('push', 'link-previews', 'outgoing-webhooks'))
    const id = randomUUID()
    const send_at = new Date(Date.now() + 86_400_000).toISOString()
    await asBea((s) => s.call('schedule_message', { id, channel: fixture.lobby, body: link, send_at }))
    const sendNow = asBea((s) => s.call('send_scheduled_message', { id }))
    expect(await callsOf(sendNow)).toEqual(before('push', 'link-previews', 'outgoing-webhooks'))
  })

  it('is taken without any call by reactions, pins and moves of a thread', async () => {
    const id = await send({ file: await upload() })
    await callsOf(Promise.resolve())
    const react = asBea((s) => s.call('react', { message: id, emoji: '🌱', on: true }))
    expect(await callsOf(react)).toEqual([])
    expect(await callsOf(asBea((s) => s.call('pin_message', { message: id, on: true })))).toEqual([])
    const move = asBea((s) => s.call('move_thread', { id: randomUUID(), message: id, channel: fixture.side }))
    expect(await callsOf(move)).toEqual([])
  })

  it('is not taken while the first attempts of deliveries are signed', async () => {
    await send()
    const calls = await asService(async (s) => {
      await s.rows('delete from public.test_calls')
      await s.rows('select public.deliver_webhooks()')
      const found = await s.rows<Call>('delete from public.test_calls returning name, is_locked')
      expect(await s.rows('delete from net.http_request_queue returning url')).toEqual([
        { url: 'https://relay.example/in' },
      ])
      return found
    })
    expect(calls).toEqual(before('secret'))
  })
})
