import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StorageUsage } from '../../wire/files.ts'
import { LIMITS } from '../../wire/limits.ts'
import { testDatabases } from './support/testDatabases.ts'
import {
  openFixture,
  transactionOn,
  type Name,
  type TestTransaction,
  type Fixture,
} from './support/fixture.ts'

const MIB = 1024 * 1024

describe.each(testDatabases)('quotas of files on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const pathIn = (channel: string): string => `${channel}/${randomUUID()}/file`

  /** Stores an object as the storage service does; `who` null: as a service with its own key. */
  const put = (
    s: TestTransaction,
    who: Name | null,
    path: string,
    bytes: number,
    bucket = 'files',
  ): Promise<unknown> =>
    s.rows(
      `insert into storage.objects (bucket_id, name, owner, owner_id, metadata)
       values ($1, $2, $3::text::uuid, $3::text, $4)`,
      [bucket, path, who && fixture.account[who], { size: bytes, mimetype: 'image/png' }],
    )
  const remove = async (s: TestTransaction, paths: string[]): Promise<void> => {
    await s.rows(`set local storage.allow_delete_query = 'true'`)
    await s.rows('delete from storage.objects where name = any ($1)', [paths])
  }
  const quotas = (s: TestTransaction, all: number, each: number): Promise<unknown> =>
    s.rows(
      `update public.workspace_storage set max_bytes = $2, max_bytes_per_person = $3 where workspace_id = $1`,
      [fixture.workspace, all, each],
    )
  const used = (s: TestTransaction): Promise<number> =>
    s.value('select used_bytes::float8 from public.workspace_storage where workspace_id = $1', [
      fixture.workspace,
    ])
  const usedBy = async (s: TestTransaction, who: Name): Promise<number> =>
    (await s.value<number | null>(
      'select used_bytes::float8 from public.person_storage where workspace_id = $1 and profile_id = $2',
      [fixture.workspace, fixture.profile[who]],
    )) ?? 0

  it('refuses a file beyond the quota of its author, before its bytes too', async () => {
    await fixture.service(async (s) => {
      await quotas(s, 100 * MIB, 10 * MIB)
      await put(s, 'gus', pathIn(fixture.lobby), 9 * MIB)
      const refusal = await s.refusal((t) => put(t, 'gus', pathIn(fixture.lobby), 2 * MIB))
      expect([refusal.code, refusal.message]).toEqual(['PT413', 'person_storage_full'])
      await put(s, 'gus', pathIn(fixture.lobby), MIB)
      await put(s, 'bea', pathIn(fixture.lobby), 9 * MIB)
      // Tried with the length that is announced, as before the first byte.
      const early = await s.refusal((t) =>
        t.rows(
          `insert into storage.objects (bucket_id, name, owner_id, metadata) values ('files', $1, $2, $3)`,
          [pathIn(fixture.lobby), fixture.account.gus, { contentLength: 1, mimetype: 'image/png' }],
        ),
      )
      expect(early.message).toBe('person_storage_full')
    })
    // Also as the caller, whose rights the storage service tries first.
    await fixture.service((s) => quotas(s, 100 * MIB, MIB), true)
    await fixture.rolledBackAs('gus', async (s) => {
      const refusal = await s.refusal((t) => put(t, 'gus', pathIn(fixture.lobby), 2 * MIB))
      expect(refusal.message).toBe('person_storage_full')
    })
  })

  it('refuses a file beyond the quota of the workspace, also if others filled it', async () => {
    await fixture.service(async (s) => {
      await quotas(s, 10 * MIB, 8 * MIB)
      await put(s, 'gus', pathIn(fixture.lobby), 6 * MIB)
      const refusal = await s.refusal((t) => put(t, 'bea', pathIn(fixture.side), 5 * MIB))
      expect([refusal.code, refusal.message]).toEqual(['PT413', 'workspace_storage_full'])
      // What a service stores with its own key is counted, and not refused.
      await put(s, null, pathIn(fixture.lobby), 20 * MIB)
      expect(await used(s)).toBe(26 * MIB)
    })
  })

  it('subtracts a deleted file as it was added, also when its channel was deleted', async () => {
    await fixture.service(async (s) => {
      await quotas(s, 100 * MIB, 100 * MIB)
      const paths = [pathIn(fixture.lobby), pathIn(fixture.side), pathIn(fixture.side)]
      await put(s, 'gus', paths[0]!, 3 * MIB)
      await put(s, 'bea', paths[1]!, 4 * MIB)
      await put(s, 'bea', paths[2]!, 5 * MIB)
      expect([await used(s), await usedBy(s, 'gus'), await usedBy(s, 'bea')]).toEqual(
        [12, 3, 9].map((mib) => mib * MIB),
      )
      await s.rows('delete from public.channels where id = $1', [fixture.side])
      await remove(s, paths.slice(0, 2))
      expect([await used(s), await usedBy(s, 'gus'), await usedBy(s, 'bea')]).toEqual(
        [5, 0, 5].map((mib) => mib * MIB),
      )
      await remove(s, paths)
      expect([await used(s), await usedBy(s, 'bea')]).toEqual([0, 0])
      expect(await s.value('select count(*)::int from public.stored_files')).toBe(0)
    })
  })

  it('counts a replaced object once, with the size and the owner that it has now', async () => {
    await fixture.service(async (s) => {
      await quotas(s, 100 * MIB, 10 * MIB)
      const path = pathIn(fixture.lobby)
      await put(s, 'gus', path, 3 * MIB)
      const replace = (t: TestTransaction, who: Name, bytes: number): Promise<unknown> =>
        t.rows('update storage.objects set owner_id = $2, metadata = $3 where name = $1', [
          path,
          fixture.account[who],
          { size: bytes, mimetype: 'image/png' },
        ])
      await replace(s, 'gus', 5 * MIB)
      expect([await used(s), await usedBy(s, 'gus')]).toEqual([5 * MIB, 5 * MIB])
      expect((await s.refusal((t) => replace(t, 'gus', 11 * MIB))).message).toBe('person_storage_full')
      await replace(s, 'bea', 4 * MIB)
      expect([await used(s), await usedBy(s, 'gus'), await usedBy(s, 'bea')]).toEqual([4 * MIB, 0, 4 * MIB])
      // Reading notes the time at an object, which changes nothing here.
      await s.rows('update storage.objects set last_accessed_at = now() where name = $1', [path])
      expect(await used(s)).toBe(4 * MIB)
      // Bytes that are copied to another server with a service's key stay their author's.
      await s.rows(`update storage.objects set owner_id = null where name = $1`, [path])
      expect(await usedBy(s, 'bea')).toBe(4 * MIB)
      const elsewhere = pathIn(fixture.lobby)
      await s.rows('update storage.objects set name = $2 where name = $1', [path, elsewhere])
      expect([await used(s), await usedBy(s, 'bea')]).toEqual([4 * MIB, 0])
      // Avatars and buckets of others are not counted.
      await put(s, 'bea', `${fixture.profile.bea}/a.png`, MIB, 'avatars')
      expect(await used(s)).toBe(4 * MIB)
    })
  })

  it('two concurrent uploads cannot exceed a quota that has space for one', async () => {
    await fixture.service((s) => quotas(s, 100 * MIB, 5 * MIB), true)
    const config = fixture.database.config('postgres')
    const paths = Array.from({ length: 8 }, () => pathIn(fixture.lobby))
    const results = await Promise.allSettled(
      paths.map(async (path) => {
        const client = new Client(config)
        await client.connect()
        try {
          await client.query(
            `insert into storage.objects (bucket_id, name, owner_id, metadata) values ('files', $1, $2, $3)`,
            [path, fixture.account.gus, { size: 2 * MIB, mimetype: 'image/png' }],
          )
        } finally {
          await client.end()
        }
      }),
    )
    expect(results.filter((result) => result.status === 'fulfilled').length).toBe(2)
    await fixture.service(async (s) => {
      expect(await used(s)).toBe(4 * MIB)
      await remove(s, paths)
      expect([await used(s), await usedBy(s, 'gus')]).toEqual([0, 0])
    }, true)
  })

  it('pictures, which no quota counts, have at most 256 KiB each', async () => {
    const buckets = await fixture.service((s) =>
      s.rows(`select file_size_limit::int as "maxBytes" from storage.buckets where id = 'avatars'`),
    )
    expect(buckets).toEqual([{ maxBytes: LIMITS.emojiBytes }])
  })

  it('concurrent uploads cannot exceed the number of pictures of a person or a workspace', async () => {
    const folders = {
      avatars: (id: string) => `${fixture.profile.bea}/${id}.webp`,
      icons: (id: string) => `${fixture.workspace}/${id}.webp`,
      emoji: (id: string) => `${fixture.workspace}/${id}`,
    }
    const config = fixture.database.config('postgres')
    for (const pathOf of Object.values(folders)) {
      const paths = Array.from({ length: 22 }, () => pathOf(randomUUID()))
      await fixture.service(async (s) => {
        for (const path of paths.slice(0, 18)) await put(s, 'bea', path, 1, 'avatars')
      }, true)
      // As the storage service: policies were checked before, and each upload is stored in a transaction of its own.
      const clients = paths.slice(18).map(() => new Client(config))
      await Promise.all(clients.map((client) => client.connect()))
      for (const client of clients) await client.query('begin')
      const results = await Promise.allSettled(
        clients.map(async (client, at) => {
          try {
            await put(transactionOn(client), 'bea', paths[18 + at]!, 1, 'avatars')
            await client.query('commit')
          } finally {
            await client.end()
          }
        }),
      )
      const refused = results.filter((result) => result.status === 'rejected')
      expect(refused.map((result) => (result.reason as Error).message)).toEqual([
        'too_many_pictures',
        'too_many_pictures',
      ])
      await fixture.service((s) => remove(s, paths), true)
    }
  })

  it('shows owners and admins who uses how much, and lets owners set the quotas', async () => {
    await fixture.service(async (s) => {
      await quotas(s, 100 * MIB, 10 * MIB)
      await put(s, 'gus', pathIn(fixture.lobby), 2 * MIB)
      await put(s, 'bea', pathIn(fixture.closed), 3 * MIB)
    }, true)
    const usage: StorageUsage = {
      used_bytes: 5 * MIB,
      max_bytes: 100 * MIB,
      max_bytes_per_person: 10 * MIB,
      people: [
        { profile_id: fixture.profile.bea, used_bytes: 3 * MIB },
        { profile_id: fixture.profile.gus, used_bytes: 2 * MIB },
      ],
    }
    const workspace = { workspace: fixture.workspace }
    const wanted = { ...workspace, max_bytes: 50 * MIB, max_bytes_per_person: MIB }
    await fixture.rolledBackAs('ann', async (s) => {
      expect(await s.call('storage_usage', workspace)).toEqual(usage)
      expect(await s.call('set_storage_quotas', wanted)).toEqual({
        ...usage,
        max_bytes: 50 * MIB,
        max_bytes_per_person: MIB,
      })
      for (const max_bytes of [0, 999_999, 1e15 + 1, null as unknown as number])
        expect(await s.failure('set_storage_quotas', { ...wanted, max_bytes })).toBe('bad_quota')
    })
    await fixture.service(async (s) => {
      await s.rows(`update public.workspace_members set role = 'admin' where profile_id = $1`, [
        fixture.profile.cem,
      ])
      await s.rows(
        `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
        [
          JSON.stringify({
            role: 'authenticated',
            sub: fixture.account.cem,
            session_id: fixture.account.cem,
          }),
        ],
      )
      expect(await s.call('storage_usage', workspace)).toEqual(usage)
      expect(await s.failure('set_storage_quotas', wanted)).toBe('not_allowed')
    })
  })
})
