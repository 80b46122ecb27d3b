import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openFixture, type Fixture, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

/** Jobs of the function `remove-metadata`. tests/integration/functions/removeMetadata.test.ts runs it. */
describe.each(testDatabases)('metadata of files on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const insert = async (s: TestTransaction, bucket: string, name: string, metadata: object) => {
    await s.rows('insert into storage.objects (bucket_id, name, metadata) values ($1, $2, $3)', [
      bucket,
      name,
      metadata,
    ])
    return name
  }
  const fileName = () => `${fixture.lobby}/${randomUUID()}/file`
  const stored = { size: 50, mimetype: 'image/jpeg', eTag: '"1"' }
  const jobs = async (s: TestTransaction): Promise<string[]> => {
    const rows = await s.rows<{ name: string }>(
      `select payload ->> 'name' as name from public.jobs where kind = 'remove_metadata' order by name`,
    )
    return rows.map(({ name }) => name)
  }
  const claim = (s: TestTransaction) =>
    s.value<{ job: string; name: string } | null>('select public.claim_metadata_removal()')

  it('is removed from each object that is stored or replaced', async () => {
    await fixture.service(async (s) => {
      const file = await insert(s, 'files', fileName(), stored)
      const avatar = await insert(s, 'avatars', `${randomUUID()}/a.jpg`, stored)
      // The check of the policies, before the first byte; a folder; another bucket.
      await insert(s, 'files', fileName(), { mimetype: 'image/jpeg', contentLength: 50 })
      await insert(s, 'files', 'folder', stored)
      await insert(s, 'previews', randomUUID(), stored)
      expect(await jobs(s)).toEqual([avatar, file].sort())
      const claimed = [await claim(s), await claim(s)]
      expect(claimed.map((one) => one?.name).sort()).toEqual([avatar, file].sort())
      expect(await claim(s)).toBe(null)
      for (const one of claimed)
        // oxlint-disable-next-line no-await-in-loop -- one connection
        await s.value('select public.finish_metadata_removal($1)', [one!.job])
      expect(await jobs(s)).toEqual([])
      await s.rows(`update storage.objects set metadata = metadata || '{"eTag": "2"}' where name = $1`, [
        avatar,
      ])
      await s.rows(`update storage.objects set last_accessed_at = now() where name = $1`, [file])
      expect(await jobs(s)).toEqual([avatar])
    })
  })

  it('of an object that was deleted, or ended the function twice, is not read again', async () => {
    await fixture.service(async (s) => {
      const file = await insert(s, 'files', fileName(), stored)
      await s.rows(`update public.jobs set attempts = 2 where kind = 'remove_metadata'`)
      expect(await claim(s)).toBe(null)
      expect(await jobs(s)).toEqual([])
      await s.rows('select app.add_job($1, $2, $3)', [
        'remove_metadata',
        randomUUID(),
        { bucket: 'files', name: `${file}x` },
      ])
      expect(await claim(s)).toBe(null)
      expect(await jobs(s)).toEqual([])
    })
  })

  it('of the files of an import waits until the import ends', async () => {
    await fixture.service(async (s) => {
      const channel = randomUUID()
      await s.rows(
        `with begun as (select app.begin_import($1, 'slack', 'Old') as id)
         insert into public.channels (id, workspace_id, kind, name, import_id)
         select $2, $1, 'public', 'old-channel', id from begun`,
        [fixture.workspace, channel],
      )
      const imported = await insert(s, 'files', `${channel}/${randomUUID()}/file`, stored)
      // A member's upload to the same channel.
      const own = `${channel}/${randomUUID()}/file`
      await s.rows(
        `insert into storage.objects (bucket_id, name, metadata, owner_id) values ('files', $1, $2, $3)`,
        [own, stored, fixture.account.bea],
      )
      expect(await jobs(s)).toEqual([imported, own].sort())
      expect((await claim(s))?.name).toBe(own)
      expect(await claim(s)).toBe(null)
      await s.rows('update public.imports set finished_at = now()')
      const later = await insert(s, 'files', `${channel}/${randomUUID()}/file`, stored)
      expect((await claim(s))?.name).toBe(later)
    })
  })

  it('is removed from objects that were stored before, a few at a time', async () => {
    await fixture.service(async (s) => {
      const names = [fileName(), fileName(), fileName()].sort()
      for (const name of names)
        // oxlint-disable-next-line no-await-in-loop -- one connection
        await insert(s, 'files', name, stored)
      await s.rows(`delete from public.jobs where kind = 'remove_metadata'`)
      await s.rows('select app.queue_stored_objects(2)')
      expect(await jobs(s)).toEqual(names.slice(0, 2))
      await s.rows('select app.queue_stored_objects(2)')
      expect(await jobs(s)).toEqual(names)
      const cursor = `select count(*)::int from public.settings where key = 'metadata_cursor'`
      expect(await s.value<number>(cursor)).toBe(0)
    })
  })
})
