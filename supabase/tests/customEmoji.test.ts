/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import shortcodes from '../../wire/emojiNames/shortcodes.generated.ts'
import { CUSTOM_EMOJI_NAME, type CustomEmoji } from '../../wire/emoji.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

describe.each(testDatabases)('custom emoji on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const image = { size: 5_000, mimetype: 'image/webp' }
  const upload = (s: TestTransaction, id: string, metadata: object = image, workspace = fixture.workspace) =>
    s.rows(
      `insert into storage.objects (bucket_id, name, owner_id, metadata)
       values ('avatars', $1 || '/' || $2, auth.uid()::text, $3)`,
      [workspace, id, JSON.stringify(metadata)],
    )
  const add = async (s: TestTransaction, name: string, aliases: string[] = []): Promise<CustomEmoji> => {
    const id = randomUUID()
    await upload(s, id)
    return (await s.call('add_emoji', { id, workspace: fixture.workspace, name, aliases })).emoji
  }
  const refuse = async (s: TestTransaction, name: string, aliases: string[] = []) => {
    const id = randomUUID()
    await upload(s, id)
    return s.failure('add_emoji', { id, workspace: fixture.workspace, name, aliases })
  }
  const readable = (s: TestTransaction) =>
    s.rows<{ name: string }>('select name from public.custom_emoji order by name')

  it('is added by owners and admins, by members if the workspace allows it, never by guests', async () => {
    const attempt = (who: Name) =>
      fixture.rolledBackAs(who, async (s) => {
        const id = randomUUID()
        const refusal = s
          .refusal((inner) => upload(inner, id))
          .then(
            () => 'refused',
            () => 'stored',
          )
        if ((await refusal) === 'refused') return 'no upload'
        await upload(s, id)
        return s.call('add_emoji', { id, workspace: fixture.workspace, name: 'ferris' }).then(() => 'added')
      })
    expect(await attempt('ann')).toBe('added')
    expect(await attempt('bea')).toBe('no upload')
    const options = { workspace: fixture.workspace, custom_emoji_by: 'members' as const }
    const changed = await fixture.committedAs('ann', (s) => s.call('set_workspace_options', options))
    expect(changed.custom_emoji_by).toBe('members')
    expect(await attempt('bea')).toBe('added')
    expect(await attempt('gus')).toBe('no upload')
    await fixture.committedAs('ann', (s) =>
      s.call('set_workspace_options', { ...options, custom_emoji_by: 'admins' }),
    )
  })

  it('has names that no standard emoji and no other one has', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      const ferris = await add(s, 'ferris', ['bird_dance'])
      expect(ferris).toMatchObject({
        name: 'ferris',
        aliases: ['bird_dance'],
        author_id: fixture.profile.ann,
      })
      expect(await refuse(s, 'ferris')).toBe('emoji_name_taken')
      expect(await refuse(s, 'bird_dance')).toBe('emoji_name_taken')
      expect(await refuse(s, 'other', ['ferris'])).toBe('emoji_name_taken')
      expect(await refuse(s, 'tada')).toBe('emoji_name_standard')
      expect(await refuse(s, 'flag-de')).toBe('emoji_name_standard')
      expect(await refuse(s, 'fine', ['heart_eyes'])).toBe('emoji_name_standard')
      for (const name of ['', 'a', 'A b', ':x:', 'Grün', 'x'.repeat(33), '-ab'])
        expect(await refuse(s, name), name).toBe('bad_emoji_name')
      expect(await refuse(s, 'same', ['same'])).toBe('bad_emoji_name')
      expect(
        await refuse(
          s,
          'many',
          Array.from({ length: 11 }, (_, i) => `many_${i}`),
        ),
      ).toBe('bad_emoji_name')
    })
  })

  it('knows the names of all standard emoji that the picker has', async () => {
    const names = shortcodes
      .flatMap((group) => group.split('\n'))
      .flatMap((line) => line.split('\t')[0]!.split(' '))
      .filter((name) => CUSTOM_EMOJI_NAME.test(name))
    expect(names.length).toBeGreaterThan(2_500)
    const known = await fixture.service((s) => s.value<string[]>('select app.standard_emoji_names()'))
    expect(known.toSorted()).toEqual(names.toSorted())
  })

  it('takes images of one’s own that are small and of the permitted types', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      const args = { id: randomUUID(), workspace: fixture.workspace, name: 'ferris' }
      expect(await s.failure('add_emoji', args)).toBe('attachments_missing')
      expect((await s.refusal((inner) => upload(inner, args.id, { size: 300_000 }))).message).toMatch(
        /row-level security/,
      )
      await upload(s, args.id, { ...image, mimetype: 'image/svg+xml' })
      expect(await s.failure('add_emoji', args)).toBe('bad_emoji_image')
      const elsewhere = randomUUID()
      expect(
        (await s.refusal((inner) => upload(inner, elsewhere, image, fixture.profile.bea))).message,
      ).toMatch(/row-level security/)
    })
  })

  it('adds one when repeated, and refuses the id of another', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      const ferris = await add(s, 'ferris')
      const again = { id: ferris.id, workspace: fixture.workspace, name: 'ferris' }
      expect((await s.call('add_emoji', again)).emoji).toEqual(ferris)
      expect((await readable(s)).map((one) => one.name)).toEqual(['ferris'])
    })
  })

  it('stores at most 20 images that no emoji uses, and 500 emoji', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      for (let count = 0; count < 20; count += 1) await upload(s, randomUUID())
      expect((await s.refusal((inner) => upload(inner, randomUUID()))).message).toBe('too_many_pictures')
    })
    const id = randomUUID()
    await fixture.service(
      (s) =>
        s.rows(
          `insert into public.custom_emoji (id, workspace_id, name, author_id)
           select gen_random_uuid(), $1, 'filler_' || n, $2 from generate_series(1, 500) n`,
          [fixture.workspace, fixture.profile.ann],
        ),
      true,
    )
    await fixture.rolledBackAs('ann', async (s) => {
      await upload(s, id)
      expect(await s.failure('add_emoji', { id, workspace: fixture.workspace, name: 'ferris' })).toBe(
        'too_many_emoji',
      )
    })
    await fixture.service((s) => s.rows(`delete from public.custom_emoji where name like 'filler%'`), true)
  })

  it('is seen by members and guests of the workspace, with its image, and by nobody else', async () => {
    const ferris = await fixture.committedAs('ann', (s) => add(s, 'ferris'))
    const images = (s: TestTransaction) =>
      s.rows(`select from storage.objects where name = $1`, [`${fixture.workspace}/${ferris.id}`])
    for (const who of ['ann', 'bea', 'gus'] as const) {
      const seen = await fixture.rolledBackAs(who, async (s) => [await readable(s), (await images(s)).length])
      expect(seen, who).toEqual([[{ name: 'ferris' }], 1])
    }
    for (const who of ['omar', 'zoe', 'dee', 'max', 'sid'] as const) {
      const seen = await fixture.rolledBackAs(who, async (s) => [await readable(s), (await images(s)).length])
      expect(seen, who).toEqual([[], 0])
    }
    for (const who of ['bea', 'gus'] as const)
      expect(await fixture.rolledBackAs(who, (s) => s.failure('delete_emoji', { id: ferris.id })), who).toBe(
        'not_allowed',
      )
    for (const who of ['omar', 'zoe'] as const)
      expect(await fixture.rolledBackAs(who, (s) => s.failure('delete_emoji', { id: ferris.id })), who).toBe(
        'not_found',
      )
    await fixture.committedAs('ann', (s) => s.call('delete_emoji', { id: ferris.id }))
    const queued = `select from public.file_deletion_queue where name = $1`
    expect(await fixture.service((s) => s.rows(queued, [`${fixture.workspace}/${ferris.id}`]))).toHaveLength(
      1,
    )
  })

  it('keeps the previous name of a renamed one as an alias until a later change removes it', async () => {
    await fixture.rolledBackAs('ann', async (s) => {
      const { id } = await add(s, 'ferris', ['bird_dance'])
      const renamed = await s.call('change_emoji', { id, name: 'party_ferris', aliases: ['bird_dance'] })
      expect(renamed.emoji).toMatchObject({ name: 'party_ferris', aliases: ['bird_dance', 'ferris'] })
      expect(await refuse(s, 'ferris')).toBe('emoji_name_taken')
      const removed = await s.call('change_emoji', { id, name: 'party_ferris', aliases: [] })
      expect(removed.emoji.aliases).toEqual([])
      const unchanged = await s.call('change_emoji', { id, name: 'party_ferris', aliases: [] })
      expect(unchanged.workspace.emoji_version).toBe(removed.workspace.emoji_version)
      const back = await s.call('change_emoji', { id, name: 'ferris', aliases: ['ferris'] })
      expect(back.emoji).toMatchObject({ name: 'ferris', aliases: ['party_ferris'] })
    })
  })

  it('is changed by its author only while they may add emoji', async () => {
    const allow = (custom_emoji_by: 'admins' | 'members') =>
      fixture.committedAs('ann', (s) =>
        s.call('set_workspace_options', { workspace: fixture.workspace, custom_emoji_by }),
      )
    await allow('members')
    const { id } = await fixture.committedAs('bea', (s) => add(s, 'harbour'))
    const change = { id, name: 'harbour', aliases: ['port'] }
    expect(await fixture.rolledBackAs('cem', (s) => s.failure('change_emoji', change))).toBe('not_allowed')
    await fixture.rolledBackAs('bea', (s) => s.call('change_emoji', change))
    await allow('admins')
    expect(await fixture.rolledBackAs('bea', (s) => s.failure('change_emoji', change))).toBe('not_allowed')
    await fixture.committedAs('ann', (s) => s.call('delete_emoji', { id }))
  })

  it('announces each change with a new version of the workspace, to guests too', async () => {
    const before = await fixture.rolledBackAs('bea', (s) => s.call('bootstrap', {}))
    const events = await collectBroadcasts(fixture, 'ann', (s) => add(s, 'ferris'))
    const changed = events.filter((one) => one.event === 'workspace_changed')
    expect(changed.map((one) => one.topic.split(':')[0]).toSorted()).toEqual(['user', 'workspace'])
    for (const { payload } of changed) {
      const { workspace } = payload as { workspace: { emoji_version: number } }
      expect(workspace.emoji_version).not.toBe(before.workspace?.emoji_version)
      expect(workspace.emoji_version).toBeGreaterThanOrEqual(0)
    }
  })

  it('is a reaction by its name; a deleted one can be removed, but not added to other messages', async () => {
    const message = fixture.messages.fresh
    const react = (s: TestTransaction, emoji: string, on = true, to = message) =>
      s.call('react', { message: to, emoji, on })
    const { id } = await fixture.committedAs('ann', (s) => add(s, 'wave_high', ['hello_there']))
    await fixture.rolledBackAs('bea', async (s) => {
      expect(await s.failure('react', { message, emoji: ':no_such:', on: true })).toBe('bad_emoji')
      expect(await s.failure('react', { message, emoji: ':wave_high', on: true })).toBe('bad_emoji')
      await react(s, ':hello_there:')
      // People see the same picture.
      const { message: reacted } = await react(s, ':wave_high:')
      expect(reacted.reactions.map((one) => [one.emoji, one.count])).toEqual([[':wave_high:', 1]])
    })
    await fixture.committedAs('bea', (s) => react(s, ':wave_high:'))
    await fixture.committedAs('ann', (s) => s.call('delete_emoji', { id }))
    await fixture.rolledBackAs('ann', async (s) => {
      expect(
        await s.failure('react', { message: fixture.messages.old, emoji: ':wave_high:', on: true }),
      ).toBe('bad_emoji')
      const { message: reacted } = await react(s, ':wave_high:')
      expect(reacted.reactions.find((one) => one.emoji === ':wave_high:')?.count).toBe(2)
    })
    const { message: left } = await fixture.committedAs('bea', (s) => react(s, ':wave_high:', false))
    expect(left.reactions.map((one) => one.emoji)).not.toContain(':wave_high:')
  })

  it('has images that the sweep of unreferenced objects leaves, unlike those that no emoji uses', async () => {
    const kept = await fixture.committedAs('ann', (s) => add(s, 'kept_one'))
    const unused = randomUUID()
    await fixture.committedAs('ann', (s) => upload(s, unused))
    await fixture.service(async (s) => {
      await s.rows(
        `update storage.objects set created_at = now() - interval '2 days' where bucket_id = 'avatars'`,
      )
      await s.rows(`select app.queue_unreferenced_objects('avatars')`)
      const queued = await s.rows<{ name: string }>('select name from public.file_deletion_queue')
      const names = queued.map((one) => one.name)
      expect(names).toContain(`${fixture.workspace}/${unused}`)
      expect(names).not.toContain(`${fixture.workspace}/${kept.id}`)
    })
  })
})
