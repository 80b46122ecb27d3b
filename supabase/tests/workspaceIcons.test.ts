import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Uuid } from '../../wire/scalars.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

describe.each(testDatabases)('icons of workspaces on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const pathIn = (workspace: Uuid = fixture.workspace) => `${workspace}/${randomUUID()}.webp`
  const upload = (s: TestTransaction, path: string, size = 10_000) =>
    s.rows(
      `insert into storage.objects (bucket_id, name, owner_id, metadata)
       values ('avatars', $1, auth.uid()::text, $2)`,
      [path, JSON.stringify({ size, mimetype: 'image/webp' })],
    )
  const setIcon = (s: TestTransaction, icon: string | null) =>
    s.call('set_workspace_icon', { workspace: fixture.workspace, icon })
  const objects = (s: TestTransaction, path: string) =>
    s.rows('select name from storage.objects where name = $1', [path])
  const become = async (s: TestTransaction, who: Name) => {
    const account = fixture.account[who]
    const claims = { role: 'authenticated', sub: account, session_id: account }
    await s.rows(
      `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
      [JSON.stringify(claims)],
    )
  }

  it('are uploaded and set by owners and admins', async () => {
    await fixture.service(async (s) => {
      await s.rows(`update public.workspace_members set role = 'admin' where profile_id = $1`, [
        fixture.profile.bea,
      ])
      for (const who of ['ann', 'bea'] as const) {
        await become(s, who)
        const path = pathIn()
        await upload(s, path)
        expect((await setIcon(s, path)).icon).toBe(path)
      }
      await s.rows('reset role')
    })
  })

  it('are read by the members of their workspace, guests included, and by no outsider', () =>
    fixture.service(async (s) => {
      await become(s, 'ann')
      const path = pathIn()
      const unused = pathIn()
      await upload(s, path)
      await upload(s, unused)
      await setIcon(s, path)
      for (const who of ['ann', 'bea', 'gus'] as const) {
        await become(s, who)
        expect(await objects(s, path)).toHaveLength(1)
        expect((await s.call('bootstrap', {})).workspace?.icon).toBe(path)
        expect(await objects(s, unused)).toHaveLength(who === 'ann' ? 1 : 0)
      }
      for (const who of ['omar', 'zoe', 'dee', 'max', 'sid'] as const) {
        await become(s, who)
        expect(await objects(s, path)).toEqual([])
      }
      await s.rows('reset role')
    }))

  it('are small, at most twenty versions, and uploads of the caller in this workspace', () =>
    fixture.rolledBackAs('ann', async (s) => {
      expect((await s.refusal((t) => upload(t, pathIn(), 300_000))).code).toBe('42501')
      expect((await s.refusal((t) => upload(t, pathIn(randomUUID())))).code).toBe('42501')
      const failure = (icon: string) =>
        s.failure('set_workspace_icon', { workspace: fixture.workspace, icon })
      expect(await failure(pathIn())).toBe('attachments_missing')
      expect(await failure('x')).toBe('attachments_missing')
      const own = `${fixture.profile.ann}/${randomUUID()}.webp`
      await upload(s, own)
      expect(await failure(own)).toBe('attachments_missing')
      for (let count = 0; count < 20; count++) await upload(s, pathIn())
      expect((await s.refusal((t) => upload(t, pathIn()))).code).toBe('42501')
    }))

  it('are queued for deletion when they are replaced, removed or never used, and recorded', () =>
    fixture.service(async (s) => {
      await become(s, 'ann')
      const [first, second, unused, kept] = [pathIn(), pathIn(), pathIn(), pathIn()]
      for (const path of [first, second, unused, kept]) await upload(s, path)
      await setIcon(s, first)
      await setIcon(s, second)
      expect((await setIcon(s, null)).icon).toBeUndefined()
      await setIcon(s, kept)
      await s.rows('reset role')
      const queued = async () =>
        (await s.rows<{ name: string }>('select name from public.file_deletion_queue')).map((one) => one.name)
      expect(await queued()).toEqual(expect.arrayContaining([first, second]))
      await s.rows(
        `update storage.objects set created_at = now() - interval '2 days' where bucket_id = 'avatars'`,
      )
      await s.rows(`select app.queue_unreferenced_objects('avatars')`)
      expect(await queued()).toContain(unused)
      expect(await queued()).not.toContain(kept)
      const recorded = await s.rows(
        `select from public.audit_log where workspace_id = $1 and action = 'workspace.options_changed'
         and target ? 'icon'`,
        [fixture.workspace],
      )
      expect(recorded).toHaveLength(4)
    }))
})
