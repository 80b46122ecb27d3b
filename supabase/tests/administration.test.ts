import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Commands } from '../../wire/commands.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'

const MIB = 1024 * 1024

/** The pages of the administration: the list of channels, storage and health. */
describe.each(testDatabases)('administration on $name', ({ open }) => {
  let fixture: Fixture
  let workspace: string
  beforeAll(async () => {
    fixture = await openFixture(await open())
    workspace = fixture.workspace
  })
  afterAll(() => fixture.stop())

  const become = async (s: TestTransaction, who: Name) => {
    await s.rows('reset role')
    await s.rows(
      `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
      [
        JSON.stringify({
          role: 'authenticated',
          sub: fixture.account[who],
          session_id: fixture.account[who],
        }),
      ],
    )
  }
  const makeAdmin = (s: TestTransaction, who: Name) =>
    s.rows(`update public.workspace_members set role = 'admin' where profile_id = $1`, [fixture.profile[who]])
  const put = async (s: TestTransaction, who: Name, channel: string, bytes: number) => {
    const path = `${channel}/${randomUUID()}/file`
    await s.rows(
      `insert into storage.objects (bucket_id, name, owner, owner_id, metadata)
       values ('files', $1, $2::text::uuid, $2::text, $3)`,
      [path, fixture.account[who], { size: bytes, mimetype: 'image/png' }],
    )
    return path
  }

  it.each([
    ['list_channels', {}],
    ['archive_channels', { channels: [] as string[], on: true }],
    ['list_person_storage', {}],
    ['list_channel_storage', {}],
    ['workspace_health', {}],
    ['request_server_checks', {}],
  ] as const)('%s is for owners and admins', async (name, args) => {
    const given = { workspace, ...args, ...(name === 'archive_channels' && { channels: [fixture.lobby] }) }
    const call = (s: TestTransaction) => s.call(name, given as Commands[typeof name]['args'])
    const failure = (s: TestTransaction) => s.failure(name, given as Commands[typeof name]['args'])
    await fixture.rolledBackAs('ann', call)
    await fixture.service(async (s) => {
      await makeAdmin(s, 'cem')
      await become(s, 'cem')
      await call(s)
      for (const who of ['bea', 'gus'] as const) {
        await become(s, who)
        expect(await failure(s)).toBe('not_allowed')
      }
      for (const who of ['omar', 'zoe', 'dee'] as const) {
        await become(s, who)
        expect(await failure(s)).toBe('not_found')
      }
    })
  })

  it.each(['ＢＥＡ', 'b\u200Bea', ' bea\u00A0'])(
    'people and channels are found by %j as by "bea"',
    async (query) => {
      await fixture.service(async (s) => {
        await s.rows(`update public.channels set name = 'Beaufort' where id = $1`, [fixture.lobby])
        await become(s, 'ann')
        const people = await s.call('list_people', { workspace, query })
        expect(people.people.map(({ profile }) => profile.id)).toContain(fixture.profile.bea)
        const channels = await s.call('list_channels', { workspace, query })
        expect(channels.channels.map(({ id }) => id)).toEqual([fixture.lobby])
      })
    },
  )

  describe('channels', () => {
    it('are listed without private ones of others and without conversations', async () => {
      const list = (who: Name) =>
        fixture.rolledBackAs(who, async (s) => {
          const { channels, total } = await s.call('list_channels', { workspace })
          expect(total).toBe(channels.length)
          return channels.map(({ name }) => name)
        })
      expect(await list('ann')).toEqual(['building-works', 'lobby'])
      await fixture.service(async (s) => {
        await makeAdmin(s, 'bea')
        await become(s, 'bea')
        const { channels } = await s.call('list_channels', { workspace })
        expect(channels.map(({ name }) => name)).toEqual(['building-works', 'lobby', 'partners'])
        // The search of somebody who may not know it reveals nothing either.
        await become(s, 'ann')
        for (const args of [
          { query: 'partners' },
          { kinds: ['private' as const] },
          { after: fixture.closed },
        ])
          expect(
            (await s.call('list_channels', { workspace, ...args })).channels.map(({ id }) => id),
          ).not.toContain(fixture.closed)
        expect((await s.call('list_channels', { workspace, query: 'partners' })).total).toBe(0)
      })
    })

    it('are found by name, kind and state, sorted, and listed page by page', async () => {
      await fixture.service(async (s) => {
        await s.rows(`update public.channels set topic = 'Paint' where id = $1`, [fixture.side])
        await s.rows(`update public.channels set created_at = now() - interval '1 day' where id = $1`, [
          fixture.lobby,
        ])
        await s.rows(
          `update public.channel_counters set last_at = now() + interval '1 day' where channel_id = $1`,
          [fixture.lobby],
        )
        await makeAdmin(s, 'bea')
        await become(s, 'bea')
        const names = async (args: Omit<Commands['list_channels']['args'], 'workspace'>) =>
          (await s.call('list_channels', { workspace, ...args })).channels.map(({ name }) => name)
        expect(await names({ query: 'LOB' })).toEqual(['lobby'])
        expect(await names({ query: 'paint' })).toEqual(['building-works'])
        expect(await names({ query: '%' })).toEqual([])
        expect(await names({ kinds: ['private'] })).toEqual(['partners'])
        expect(await names({ archived: true })).toEqual([])
        expect(await names({ sort: 'members' })).toEqual(['lobby', 'partners', 'building-works'])
        expect(await names({ sort: 'members.asc' })).toEqual(['building-works', 'partners', 'lobby'])
        expect(await names({ sort: 'name.desc' })).toEqual(['partners', 'lobby', 'building-works'])
        expect((await names({ sort: 'created' })).at(-1)).toBe('lobby')
        expect((await names({ sort: 'created.asc' }))[0]).toBe('lobby')
        expect((await names({ sort: 'active' }))[0]).toBe('lobby')
        expect((await names({ sort: 'inactive' })).at(-1)).toBe('lobby')
        const first = await s.call('list_channels', { workspace, limit: 2 })
        expect(first).toMatchObject({ total: 3, after: fixture.lobby })
        expect(await names({ limit: 2, after: first.after })).toEqual(['partners'])
        expect(await s.failure('list_channels', { workspace, sort: 'size' as never })).toBe('bad_filter')
        expect(await s.failure('list_channels', { workspace, kinds: ['direct' as never] })).toBe('bad_filter')
        const { channels } = await s.call('list_channels', { workspace, query: 'partners' })
        await s.rows('reset role')
        expect(channels[0]!.members).toBe(
          await s.value('select count(*)::int from public.channel_members where channel_id = $1', [
            fixture.closed,
          ]),
        )
      })
    })

    it('are archived and restored together, with a message and an entry of the audit log each', async () => {
      await fixture.service(async (s) => {
        const both = { workspace, channels: [fixture.lobby, fixture.side] }
        await become(s, 'ann')
        // Ann is no member of building-works.
        expect(await s.failure('archive_channel', { channel: fixture.side, on: true })).toBe('not_a_member')
        const archived = await s.call('archive_channels', { ...both, on: true })
        expect(archived.changed).toBe(2)
        expect(archived.channels.every(({ archived_at }) => archived_at !== null)).toBe(true)
        expect((await s.call('list_channels', { workspace, archived: true })).total).toBe(2)
        expect((await s.call('archive_channels', { ...both, on: true })).changed).toBe(0)
        expect(
          (await s.call('archive_channels', { ...both, channels: [fixture.side], on: false })).changed,
        ).toBe(1)
        await s.rows('reset role')
        expect(
          await s.rows(
            `select m.channel_id, m.system ->> 'event' as event from public.messages m
             where m.kind = 'system' and m.system ->> 'event' in ('archived', 'unarchived') order by m.created_at, 1`,
          ),
        ).toHaveLength(3)
        expect(
          await s.value(
            `select count(*)::int from public.audit_log a where a.actor_id = $1 and a.action in ('channel.archived', 'channel.unarchived')`,
            [fixture.profile.ann],
          ),
        ).toBe(3)
      })
    })

    it('are archived all or none, and never private ones of others, conversations or those of other workspaces', async () => {
      await fixture.rolledBackAs('ann', async (s) => {
        for (const channel of [fixture.closed, fixture.direct, randomUUID()])
          expect(
            await s.failure('archive_channels', { workspace, channels: [fixture.lobby, channel], on: true }),
          ).toBe('not_found')
        expect((await s.call('list_channels', { workspace, archived: true })).total).toBe(0)
        for (const channels of [[], Array.from({ length: 101 }, () => randomUUID())])
          expect(await s.failure('archive_channels', { workspace, channels, on: true })).toBe('bad_state')
        expect(
          await s.failure('archive_channels', { workspace, channels: [fixture.lobby], on: null as never }),
        ).toBe('bad_state')
      })
    })
  })

  describe('storage', () => {
    it('is listed by person and by channel; what the caller does not read is one sum', async () => {
      await fixture.service(async (s) => {
        await put(s, 'gus', fixture.lobby, 2 * MIB)
        await put(s, 'bea', fixture.lobby, MIB)
        await put(s, 'bea', fixture.side, MIB)
        await put(s, 'bea', fixture.closed, 3 * MIB)
        await put(s, 'bea', fixture.direct, 5 * MIB)
        await makeAdmin(s, 'bea')
        await become(s, 'ann')
        const people = await s.call('list_person_storage', { workspace, limit: 1 })
        expect(people).toEqual({
          people: [{ profile_id: fixture.profile.bea, used_bytes: 10 * MIB }],
          after: fixture.profile.bea,
        })
        expect(await s.call('list_person_storage', { workspace, after: people.after })).toEqual({
          people: [{ profile_id: fixture.profile.gus, used_bytes: 2 * MIB }],
          after: null,
        })
        const listed = async (who: Name) => {
          await become(s, who)
          const { channels, other_bytes } = await s.call('list_channel_storage', { workspace })
          return {
            ...Object.fromEntries(channels.map((one) => [one.name, one.used_bytes / MIB])),
            others: other_bytes / MIB,
          }
        }
        expect(await listed('ann')).toEqual({ lobby: 3, 'building-works': 1, others: 8 })
        expect(await listed('bea')).toEqual({ lobby: 3, partners: 3, 'building-works': 1, others: 5 })
        await become(s, 'ann')
        const first = await s.call('list_channel_storage', { workspace, limit: 1 })
        expect(first).toMatchObject({
          channels: [{ name: 'lobby' }],
          other_bytes: 8 * MIB,
          after: fixture.lobby,
        })
        expect(
          await s.call('list_channel_storage', { workspace, limit: 1, after: first.after }),
        ).toMatchObject({
          channels: [{ name: 'building-works' }],
          other_bytes: 8 * MIB,
          after: null,
        })
      })
    })

    it('of a channel follows files that are added, replaced, moved and deleted', async () => {
      await fixture.service(async (s) => {
        const counted = () =>
          s.rows<{ channel_id: string; used: number }>(
            'select channel_id, (used_bytes / $1)::int as used from public.channel_storage where used_bytes > 0',
            [MIB],
          )
        const path = await put(s, 'bea', fixture.lobby, 3 * MIB)
        const other = await put(s, 'bea', fixture.lobby, MIB)
        expect(await counted()).toEqual([{ channel_id: fixture.lobby, used: 4 }])
        await s.rows('update storage.objects set metadata = $2 where name = $1', [path, { size: 5 * MIB }])
        expect(await counted()).toEqual([{ channel_id: fixture.lobby, used: 6 }])
        await s.rows('update storage.objects set name = $2 where name = $1', [
          other,
          `${fixture.side}/${randomUUID()}/file`,
        ])
        expect((await counted()).toSorted((a, b) => b.used - a.used)).toEqual([
          { channel_id: fixture.lobby, used: 5 },
          { channel_id: fixture.side, used: 1 },
        ])
        await s.rows('delete from public.channels where id = $1', [fixture.side])
        await s.rows(`set local storage.allow_delete_query = 'true'`)
        await s.rows('delete from storage.objects where true')
        expect(await counted()).toEqual([])
      })
    })
  })

  describe('health', () => {
    it('counts due, retried and failed jobs by kind, without their errors', async () => {
      await fixture.service(async (s) => {
        await s.rows(
          `insert into public.jobs (kind, owner_id, payload, run_at, failed_at, error)
           values ('mail', $1, '{}', now() - interval '1 hour', null, 'secret@harbour.example'),
             ('mail', $1, '{}', now() - interval '2 hours', null, null),
             ('mail', $1, '{}', now() + interval '2 hours', null, 'ECONNECTION CONN'),
             ('mail', $1, '{}', now() + interval '3 hours', null, 'ECONNECTION CONN'),
             ('mail', $1, '{}', now() + interval '1 hour', null, null),
             ('push', $1, '{}', now(), null, null),
             ('webhook', $1, '{}', now(), now() - interval '1 day', 'The server secret responded with status 503.'),
             ('webhook', $1, '{}', now(), now() - interval '8 days', 'secret')`,
          [randomUUID()],
        )
        await become(s, 'ann')
        const health = await s.call('workspace_health', { workspace })
        expect(health.server!.queue).toMatchObject({
          waiting: [
            { kind: 'mail', jobs: 1 },
            { kind: 'push', jobs: 1 },
          ],
          retried: [{ kind: 'mail', jobs: 3, problem: 'unreachable' }],
          failed: [{ kind: 'webhook', jobs: 1, problem: 'refused' }],
        })
        expect(health.server!.database_bytes).toBeGreaterThan(1e6)
        expect(JSON.stringify(health)).not.toContain('secret')
      })
    })

    it('has the last run of each scheduled job, or none of them where they cannot be read', async () => {
      await fixture.service(async (s) => {
        await s.rows(
          `insert into cron.job_run_details (jobid, username, status, start_time, end_time, command, return_message)
           select j.jobid, 'postgres', v.status, now() - v.ago, now() - v.ago, 'secret', 'secret'
           from cron.job j, (values ('failed', interval '2 minutes'), ('succeeded', interval '1 minute'), ('starting', null)) v (status, ago)
           where j.jobname = 'linnet: sweep'`,
        )
        await s.rows(`select cron.schedule('secret of the operator', '0 0 * * *', 'select 1')`)
        await become(s, 'ann')
        const health = await s.call('workspace_health', { workspace })
        const jobs = health.server!.cron!.jobs
        expect(jobs.find(({ name }) => name === 'sweep')).toMatchObject({
          succeeded: true,
          failures: 1,
          active: true,
        })
        expect(jobs.find(({ name }) => name === 'remind')).toMatchObject({ last_run: null, failures: 0 })
        expect(JSON.stringify(health)).not.toContain('secret')
        await s.rows('reset role')
        await s.rows('grant create on schema app to service_role')
        await s.rows('alter function app.cron_health() owner to service_role')
        await become(s, 'ann')
        expect((await s.call('workspace_health', { workspace })).server!.cron).toBeNull()
      })
    })

    it('has the numbers of the server only for the workspace that was founded first', async () => {
      await fixture.rolledBackAs('zoe', async (s) => {
        const other = await s.value<string>('select workspace_id from public.workspace_members')
        expect((await s.call('workspace_health', { workspace: other })).server).toBeNull()
      })
    })

    it('has what the server last found, which only the service role stores, for the first workspace', async () => {
      const findings = [{ code: 'disk.low', state: 'problem', values: { free_bytes: 1, total_bytes: 2 } }]
      await fixture.service(async (s) => {
        await become(s, 'ann')
        expect((await s.call('workspace_health', { workspace })).server!.checks).toBeNull()
        await s.rows('reset role')
        for (const stored of [[], findings])
          await s.rows('select public.store_server_checks($1)', [JSON.stringify(stored)])
        for (const [invalid, constraint] of [
          [JSON.stringify(['x'.repeat(65_536)]), 'server_checks_size'],
          ['{}', 'server_checks_list'],
        ] as const) {
          await s.rows('savepoint before')
          await expect(s.rows('select public.store_server_checks($1)', [invalid])).rejects.toThrow(constraint)
          await s.rows('rollback to savepoint before')
        }
        await become(s, 'ann')
        expect((await s.call('workspace_health', { workspace })).server!.checks!.findings).toEqual(findings)
        expect(await s.call('request_server_checks', { workspace })).toEqual({})
      })
    })

    it('lets owners of the first workspace change settings of the server, and records only their names', async () => {
      await fixture.service(async (s) => {
        await become(s, 'ann')
        expect(await s.call('check_server_owner', { workspace })).toEqual({ profile_id: fixture.profile.ann })
        await s.rows('reset role')
        await makeAdmin(s, 'cem')
        for (const [who, failure] of [
          ['cem', 'not_allowed'],
          ['bea', 'not_allowed'],
          ['gus', 'not_allowed'],
          ['omar', 'not_found'],
        ] as const) {
          await become(s, who)
          expect(await s.failure('check_server_owner', { workspace })).toBe(failure)
        }
        await s.rows('reset role')
        const record = (settings: string[]) =>
          s.rows('select public.record_server_settings($1, $2, $3)', [
            workspace,
            fixture.profile.ann,
            settings,
          ])
        await record(['backup.to', 'auth.email.smtp.pass'])
        for (const invalid of [[], ['backup.to = "/mnt"'], Array<string>(101).fill('backup.to')]) {
          await s.rows('savepoint before')
          await expect(record(invalid)).rejects.toThrow('bad_state')
          await s.rows('rollback to savepoint before')
        }
        expect(
          await s.rows(
            `select actor_id, target from public.audit_log where action = 'server.settings_changed'`,
          ),
        ).toEqual([
          { actor_id: fixture.profile.ann, target: { settings: ['backup.to', 'auth.email.smtp.pass'] } },
        ])
      })
    })

    it('lets nobody else administer the server once the first workspace was deleted', async () => {
      await fixture.service(async (s) => {
        const elsewhere = await s.value<string>(`select id from public.workspaces where name = 'Elsewhere'`)
        const own = randomUUID()
        await become(s, 'ann')
        await s.call('create_workspace', { id: own, name: 'Second', channel_name: 'general' })
        const remove = async (id: string) => {
          await s.rows('reset role')
          await s.rows('delete from public.workspaces where id = $1', [id])
        }
        await remove(workspace)
        // Her other workspace, although Zoe's is older.
        await become(s, 'ann')
        await s.call('check_server_owner', { workspace: own })
        await become(s, 'zoe')
        expect(await s.failure('check_server_owner', { workspace: elsewhere })).toBe('not_allowed')
        await remove(own)
        await become(s, 'zoe')
        expect(await s.failure('check_server_owner', { workspace: elsewhere })).toBe('not_allowed')
      })
    })

    it('lets owners of a workspace export it and import into it, and records each start', async () => {
      await fixture.service(async (s) => {
        await become(s, 'ann')
        expect(await s.call('check_moving', { workspace })).toEqual({
          profile_id: fixture.profile.ann,
          stored_bytes: expect.any(Number) as number,
        })
        for (const starts of ['export', 'download', 'import'] as const)
          await s.call('check_moving', { workspace, starts })
        expect(await s.failure('check_moving', { workspace, starts: 'all' as 'export' })).toBe('bad_state')
        await s.rows('reset role')
        await makeAdmin(s, 'cem')
        for (const [who, failure] of [
          ['cem', 'not_allowed'],
          ['bea', 'not_allowed'],
          ['gus', 'not_allowed'],
          ['omar', 'not_found'],
          ['zoe', 'not_found'],
        ] as const) {
          await become(s, who)
          expect(await s.failure('check_moving', { workspace })).toBe(failure)
          expect(await s.failure('check_moving', { workspace, starts: 'export' })).toBe(failure)
        }
        await s.rows('reset role')
        expect(
          await s.rows(
            `select actor_id, action from public.audit_log
             where action ~ '^workspace\\.(export|import)_' order by action`,
          ),
        ).toEqual(
          ['export_downloaded', 'import_started'].map((name) => ({
            actor_id: fixture.profile.ann,
            action: `workspace.${name}`,
          })),
        )
      })
    })

    it('reports mails that were refused, invitations that were not sent, and mails that are off', async () => {
      await fixture.service(async (s) => {
        const mail = async () => {
          await become(s, 'ann')
          const health = await s.call('workspace_health', { workspace })
          await s.rows('reset role')
          return health.mail
        }
        expect(await mail()).toEqual({
          state: 'unknown',
          is_fixed: false,
          rejected: 0,
          failed_invitations: 0,
        })
        await s.rows(
          `insert into public.mail_deliveries (workspace_id, profile_id, attempted_at, is_rejected)
           values ($1, $2, now(), true), ($1, $3, now() - interval '8 days', true)`,
          [workspace, fixture.profile.bea, fixture.profile.cem],
        )
        await s.rows(
          `insert into public.invitations (workspace_id, token_hash, role, invited_by, max_uses, expires_at, mail_state)
           values ($1, 'x', 'member', $2, 1, now() + interval '1 day', 'failed'),
             ($1, 'y', 'member', $2, 1, now() + interval '1 day', 'sent')`,
          [workspace, fixture.profile.ann],
        )
        expect(await mail()).toEqual({ state: 'on', is_fixed: false, rejected: 1, failed_invitations: 1 })
        await s.rows('select public.report_no_mail_server()')
        expect((await mail()).state).toBe('no_server')
        await s.rows(`update public.settings set value = '"infinity"' where key = 'mail_off_until'`)
        expect((await mail()).state).toBe('off')
      })
    })
  })
})
