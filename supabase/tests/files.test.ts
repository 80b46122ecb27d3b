/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabases } from './support/testDatabases.ts'
import { names, openFixture, type Name, type TestTransaction, type Fixture } from './support/fixture.ts'

/** Files end with membership: who may put, see, sign and take away bytes. */
describe.each(testDatabases)('files on $name', ({ open }) => {
  let fixture: Fixture
  let upload: string
  let message: string
  const pathOf = (channel: string, id: string, part = 'file'): string => `${channel}/${id}/${part}`

  beforeAll(async () => {
    fixture = await openFixture(await open())
    upload = randomUUID()
    message = randomUUID()
    await fixture.committedAs('bea', async (s) => {
      await put(s, 'bea', pathOf(fixture.lobby, upload))
      await put(s, 'bea', pathOf(fixture.lobby, upload, 'thumb'))
      await s.call('send_message', {
        id: message,
        channel: fixture.lobby,
        body: '',
        attachments: [{ id: upload, name: 'Dienstplan – März.png', width: 400, height: 300, thumb: true }],
      })
    })
  })
  afterAll(() => fixture.stop())

  const put = (
    s: TestTransaction,
    who: Name,
    name: string,
    bucket = 'files',
    made: { size: number; mimetype: string } = { size: 1234, mimetype: 'image/png' },
  ): Promise<unknown> =>
    s.rows(
      `insert into storage.objects (bucket_id, name, owner, owner_id, metadata)
       values ($1, $2, $3::text::uuid, $3::text, $4)`,
      [bucket, name, fixture.account[who], made],
    )
  const sees = (s: TestTransaction, name: string): Promise<number> =>
    s.value('select count(*)::int from storage.objects where name = $1', [name])
  const readers = async (name: string): Promise<Name[]> => {
    const found: Name[] = []
    for (const who of names) if ((await fixture.rolledBackAs(who, (s) => sees(s, name))) > 0) found.push(who)
    return found
  }

  it('only readers of a message that carries a file can read the file', async () => {
    const inside: Name[] = ['ann', 'bea', 'cem', 'gus', 'eli']
    for (const part of ['file', 'thumb'])
      expect(await readers(pathOf(fixture.lobby, upload, part))).toEqual(inside)
    const early = randomUUID()
    await fixture.committedAs('bea', async (s) => {
      await put(s, 'bea', pathOf(fixture.lobby, early))
      await s.call('send_message', {
        id: randomUUID(),
        channel: fixture.lobby,
        body: '',
        thread_root: fixture.messages.old,
        attachments: [{ id: early, name: 'a.png', width: null, height: null, thumb: false }],
      })
    })
    // Gus came after the thread began, so its files are not his either.
    expect(await readers(pathOf(fixture.lobby, early))).toEqual(['ann', 'bea', 'cem', 'eli'])
    expect((await fixture.rolledBackAs('anon', (s) => s.rows('select from storage.objects'))).length).toBe(0)
  })

  it('takes size and type from storage, the name from the sender, and broadcasts them with the message', async () => {
    const page = await fixture.rolledBackAs('gus', (s) => s.call('channel_page', { channel: fixture.lobby }))
    expect(page.messages.find((m) => m.id === message)!.attachments).toEqual([
      {
        id: upload,
        channel_id: fixture.lobby,
        name: 'Dienstplan – März.png',
        type: 'image/png',
        size: 1234,
        width: 400,
        height: 300,
        thumb: true,
      },
    ])
    const changes = await fixture.service((s) =>
      s.rows<{ files: unknown[] }>(
        `select payload -> 'message' -> 'attachments' as files from realtime.messages where payload -> 'message' ->> 'id' = $1`,
        [message],
      ),
    )
    expect(changes.map((row) => row.files.length)).toEqual([1])
  })

  it('uploads have a path of the right form', async () => {
    const id = randomUUID()
    await fixture.rolledBackAs('bea', async (s) => {
      for (const name of [
        pathOf(fixture.direct, id, 'other'),
        `${fixture.lobby}/${id}`,
        `${fixture.lobby}/x/file`,
        `../${fixture.lobby}/${id}/file`,
        pathOf(randomUUID(), id),
        `${pathOf(fixture.lobby, id)}/`,
        // What others saw attached can't be put anew.
        pathOf(fixture.lobby, upload, 'file').replace(fixture.lobby, fixture.closed),
      ]) {
        expect((await s.refusal((t) => put(t, 'bea', name))).code, name).toBe('42501')
      }
    })
  })

  it('the owner of an unattached upload can read it for a day, and delete it', async () => {
    const loose = pathOf(fixture.closed, randomUUID())
    await fixture.committedAs('bea', (s) => put(s, 'bea', loose))
    expect(await readers(loose)).toEqual(['bea'])
    await fixture.rolledBackAs('bea', async (s) => {
      await s.rows(`set local storage.allow_delete_query = 'true'`)
      expect(
        await s.rows('delete from storage.objects where name = $1 returning name', [loose]),
      ).toHaveLength(1)
      expect(await s.rows('delete from storage.objects where true returning name')).toEqual([])
    })
    await fixture.service(
      (s) =>
        s.rows(`update storage.objects set created_at = now() - interval '26 hours' where name = $1`, [
          loose,
        ]),
      true,
    )
    expect(await readers(loose)).toEqual([])
    const swept = await fixture.service(async (s) => {
      await s.rows('select app.sweep()')
      return s.value<{ name: string }[]>('select public.list_files_to_delete()')
    })
    expect(swept.map((file) => file.name)).toEqual([loose])
  })

  it('a removed member cannot read their unattached upload', async () => {
    const loose = pathOf(fixture.closed, randomUUID())
    await fixture.committedAs('cem', (s) => put(s, 'cem', loose))
    expect(await readers(loose)).toEqual(['cem'])
    await fixture.committedAs('bea', (s) =>
      s.call('remove_member', { channel: fixture.closed, person: fixture.profile.cem }),
    )
    expect(await readers(loose)).toEqual([])
  })

  it('opens the attached path alone, not another channel’s under the same upload', async () => {
    const id = randomUUID()
    await fixture.committedAs('bea', async (s) => {
      for (const channel of [fixture.lobby, fixture.closed]) await put(s, 'bea', pathOf(channel, id))
      const attachments = [{ id, name: 'a.png', width: null, height: null, thumb: false }]
      await s.call('send_message', { id: randomUUID(), channel: fixture.lobby, body: '', attachments })
    })
    expect(await readers(pathOf(fixture.lobby, id))).toContain('eli')
    expect(await readers(pathOf(fixture.closed, id))).toEqual([])
  })

  it('attaches only one’s own fresh upload in its own channel', async () => {
    const id = randomUUID()
    await fixture.committedAs('bea', (s) => put(s, 'bea', pathOf(fixture.lobby, id)))
    const attach = (who: Name, channel: string) =>
      fixture.rolledBackAs(who, (s) =>
        s.failure('send_message', {
          id: randomUUID(),
          channel,
          body: '',
          attachments: [{ id, name: 'a.png', width: null, height: null, thumb: false }],
        }),
      )
    expect(await attach('cem', fixture.lobby)).toBe('attachments_missing')
    expect(await attach('bea', fixture.closed)).toBe('attachments_missing')
    await expect(attach('bea', fixture.lobby)).rejects.toThrow('allowed')
  })

  it('reports a thumbnail only where the sender uploaded a small picture', async () => {
    const mib = 1024 * 1024
    const thumbs = [
      ['bea', { size: 2 * mib, mimetype: 'image/webp' }, true],
      ['bea', { size: 2 * mib + 1, mimetype: 'image/webp' }, false],
      ['bea', { size: 500 * mib, mimetype: 'image/png' }, false],
      ['bea', { size: 9, mimetype: 'image/svg+xml' }, false],
      ['ann', { size: 9, mimetype: 'image/webp' }, false],
      [null, null, false],
    ] as const
    for (const [who, made, is] of thumbs) {
      const id = randomUUID()
      await fixture.committedAs('bea', (s) => put(s, 'bea', pathOf(fixture.lobby, id)))
      if (who)
        await fixture.committedAs(who, (s) => put(s, who, pathOf(fixture.lobby, id, 'thumb'), 'files', made))
      const sent = await fixture.rolledBackAs('bea', (s) =>
        s.call('send_message', {
          id: randomUUID(),
          channel: fixture.lobby,
          body: '',
          attachments: [{ id, name: 'a.png', width: 1, height: 1, thumb: true }],
        }),
      )
      expect([made, sent.message.attachments.map((file) => file.thumb)]).toEqual([made, [is]])
    }
  })

  it('attaches nothing that is older than a day, waits to be emptied, or is of a channel that was left', async () => {
    const attach = (s: TestTransaction, channel: string, id: string): Promise<unknown> =>
      s.call('send_message', {
        id: randomUUID(),
        channel,
        body: '',
        attachments: [{ id, name: 'a.png', width: null, height: null, thumb: false }],
      })
    const ages = (hours: number, name: string): Promise<unknown> =>
      fixture.service(
        (s) =>
          s.rows(
            `update storage.objects set created_at = now() - make_interval(hours => $2) where name = $1`,
            [name, hours],
          ),
        true,
      )
    const [late, timely, queued, left] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    await fixture.committedAs('bea', async (s) => {
      for (const id of [late, timely, queued]) await put(s, 'bea', pathOf(fixture.lobby, id))
    })
    await ages(25, pathOf(fixture.lobby, late))
    await ages(23, pathOf(fixture.lobby, timely))
    await fixture.service(
      (s) =>
        s.rows(`insert into public.file_deletion_queue values ('files', $1)`, [
          pathOf(fixture.lobby, queued),
        ]),
      true,
    )
    const failing = (who: Name, channel: string, id: string): Promise<string> =>
      fixture.rolledBackAs(who, async (s) => (await s.refusal((t) => attach(t, channel, id))).message)
    expect(await failing('bea', fixture.lobby, late)).toBe('attachments_missing')
    expect(await failing('bea', fixture.lobby, queued)).toBe('attachments_missing')
    await fixture.rolledBackAs('bea', (s) => attach(s, fixture.lobby, timely))

    await fixture.committedAs('bea', (s) =>
      s.call('add_members', { channel: fixture.closed, people: [fixture.profile.ann] }),
    )
    await fixture.committedAs('ann', (s) => put(s, 'ann', pathOf(fixture.closed, left)))
    await fixture.rolledBackAs('ann', (s) => attach(s, fixture.closed, left))
    await fixture.committedAs('bea', (s) =>
      s.call('remove_member', { channel: fixture.closed, person: fixture.profile.ann }),
    )
    // As for a channel that isn't there.
    expect(await failing('ann', fixture.closed, left)).toBe(await failing('ann', randomUUID(), left))
  })

  it('refuses signed URLs and listing', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      expect(await sees(s, pathOf(fixture.lobby, upload))).toBe(1)
      for (const operation of [
        'storage.object.sign',
        'storage.object.sign_many',
        'storage.object.list',
        'storage.object.list_v2',
      ]) {
        await s.rows(`select set_config('storage.operation', $1, true)`, [operation])
        expect(await sees(s, pathOf(fixture.lobby, upload)), operation).toBe(0)
      }
      await s.rows(`select set_config('storage.operation', 'storage.object.sign_upload_url', true)`)
      expect((await s.refusal((t) => put(t, 'bea', pathOf(fixture.lobby, randomUUID())))).code).toBe('42501')
      await s.rows(`select set_config('storage.operation', 'storage.object.get_authenticated', true)`)
      expect(await sees(s, pathOf(fixture.lobby, upload))).toBe(1)
    })
  })

  it('stores at most twenty avatars of one person, and allows replacing one', async () => {
    const face = (at: number, who: Name = 'bea'): string => `${fixture.profile[who]}/${at}.png`
    await fixture.rolledBackAs('bea', async (s) => {
      const bring = (at: number): Promise<unknown> => put(s, 'bea', face(at), 'avatars')
      for (let at = 1; at <= 20; at++) await bring(at)
      expect((await s.refusal(() => bring(21))).code).toBe('42501')
      // The policy lets it through, and the name is taken: an upload that replaces goes on from there.
      expect((await s.refusal(() => bring(7))).code).toBe('23505')
    })
    await fixture.rolledBackAs('cem', (s) => put(s, 'cem', face(1, 'cem'), 'avatars'))
  })

  it('only its owner can change an avatar, and those who may see the person can read it', async () => {
    const face = `${fixture.profile.bea}/face.png`
    await fixture.committedAs('bea', (s) => put(s, 'bea', face, 'avatars'))
    expect(await readers(face)).toEqual(['ann', 'bea', 'cem', 'gus', 'eli'])
    await fixture.rolledBackAs('cem', async (s) => {
      expect((await s.refusal((t) => put(t, 'cem', face, 'avatars'))).code).toBe('42501')
      expect((await s.refusal((t) => put(t, 'cem', `${fixture.profile.cem}/a/b.png`, 'avatars'))).code).toBe(
        '42501',
      )
      expect(await s.rows(`update storage.objects set name = name where true returning name`)).toEqual([])
    })
    const takeAway = (who: Name) =>
      fixture.rolledBackAs(who, async (s) => {
        await s.rows(`set local storage.allow_delete_query = 'true'`)
        return s.rows('delete from storage.objects where name = $1 returning name', [face])
      })
    expect(await takeAway('cem')).toEqual([])
    expect(await takeAway('bea')).toEqual([{ name: face }])
    const deep = await fixture.rolledBackAs('bea', (s) =>
      s.refusal((t) =>
        t.rows('update storage.objects set name = $2 where name = $1', [
          face,
          `${fixture.profile.bea}/a/b.png`,
        ]),
      ),
    )
    expect(deep.code).toBe('42501')
    await fixture.rolledBackAs('bea', async (s) => {
      expect(await s.rows(`update storage.objects set metadata = '{}' where true returning name`)).toEqual([
        { name: face },
      ])
      const away = await s.refusal((t) =>
        t.rows(`update storage.objects set name = $1 where true`, [`${fixture.profile.cem}/face.png`]),
      )
      expect(away.code).toBe('42501')
    })
  })

  it('stores a file while one message carries it, and queues the files of a deleted channel', async () => {
    const sendFiles = async (channel: string, id: string): Promise<string> => {
      const messageId = randomUUID()
      const attachments = [{ id, name: 'a.png', width: null, height: null, thumb: false }]
      await fixture.committedAs('bea', (s) =>
        s.call('send_message', { id: messageId, channel, body: '', attachments }),
      )
      return messageId
    }
    const queued = (): Promise<{ name: string }[]> =>
      fixture.service((s) => s.value<{ name: string }[]>('select public.list_files_to_delete()'), true)
    const [twice, kept] = [randomUUID(), randomUUID()]
    const path = pathOf(fixture.side, twice)
    await fixture.committedAs('bea', async (s) => {
      await put(s, 'bea', path)
      await put(s, 'bea', pathOf(fixture.side, kept))
    })
    const [first, again] = [await sendFiles(fixture.side, twice), await sendFiles(fixture.side, twice)]
    await sendFiles(fixture.side, kept)
    await fixture.committedAs('bea', (s) => s.call('delete_message', { id: first }))
    expect(await queued()).not.toContainEqual({ bucket: 'files', name: path })
    expect(await readers(path)).toContain('bea')
    // Queued by a deletion that did not see the other message, as two at once would.
    await fixture.service(
      (s) => s.rows(`insert into public.file_deletion_queue values ('files', $1)`, [path]),
      true,
    )
    expect(await queued()).not.toContainEqual({ bucket: 'files', name: path })
    await fixture.committedAs('bea', (s) => s.call('delete_message', { id: again }))
    expect(await queued()).toContainEqual({ bucket: 'files', name: path })

    await fixture.service(async (s) => {
      await s.rows(`update storage.objects set created_at = now() - interval '26 hours' where name = $1`, [
        pathOf(fixture.side, kept),
      ])
      await s.rows('select app.sweep()')
      const names = (): Promise<{ name: string }[]> => s.rows('select name from public.file_deletion_queue')
      expect(await names()).not.toContainEqual({ name: pathOf(fixture.side, kept) })
      await s.rows('delete from public.channels where id = $1', [fixture.side])
      await s.rows('select app.sweep()')
      expect(await names()).toContainEqual({ name: pathOf(fixture.side, kept) })
    })
  })

  it('looks for unused files at so many objects a run, each time from where it ended', async () => {
    await fixture.service(async (s) => {
      await s.rows(
        `insert into storage.objects (bucket_id, name, created_at)
         select 'files', $1 || '/' || gen_random_uuid() || '/file', now() - interval '2 days'
         from generate_series(1, 7)`,
        [fixture.side],
      )
      const queued = () =>
        s.value<number>(`select count(*)::int from public.file_deletion_queue where name like $1`, [
          `${fixture.side}/%`,
        ])
      const unused = await s.value<number>(
        `select count(*)::int from storage.objects o where o.bucket_id = 'files' and o.name like $1
           and o.created_at < now() - interval '1 day 1 hour'`,
        [`${fixture.side}/%`],
      )
      let [before, runs] = [await queued(), 0]
      for (; before < unused; runs++) {
        expect(runs).toBeLessThan(100)
        await s.rows(`select app.queue_unreferenced_objects('files', 2)`)
        const now = await queued()
        expect(now - before).toBeLessThanOrEqual(2)
        before = now
      }
      expect(runs).toBeGreaterThanOrEqual(3)
    })
  })

  it('keeps a file whose channel is deleted while a message elsewhere carries it', async () => {
    const [channel, uploaded, forwarded] = [randomUUID(), randomUUID(), randomUUID()]
    const path = pathOf(channel, uploaded)
    await fixture.committedAs('bea', async (s) => {
      const { workspace } = fixture
      await s.call('create_channel', { id: channel, workspace, kind: 'private', name: 'for a while' })
      await put(s, 'bea', path)
      const attachments = [{ id: uploaded, name: 'plan.png', width: null, height: null, thumb: false }]
      await s.call('send_message', { id: randomUUID(), channel, body: '', attachments })
      await s.call('send_message', { id: forwarded, channel: fixture.lobby, body: 'The plan' })
    })
    await fixture.service(async (s) => {
      await s.rows(
        `insert into public.attachments (message_id, upload_id, upload_channel_id, position, name, type, size)
         values ($1, $2, $3, 0, 'plan.png', 'image/png', 1234)`,
        [forwarded, uploaded, channel],
      )
      await s.rows(`update storage.objects set created_at = now() - interval '26 hours' where name = $1`, [
        path,
      ])
      await s.rows('delete from public.channels where id = $1', [channel])
      await s.rows('select app.sweep()')
    }, true)
    expect(await readers(path)).toEqual(['ann', 'bea', 'cem', 'gus', 'eli'])
    const queued = () =>
      fixture.service((s) => s.value<{ name: string }[]>('select public.list_files_to_delete()'), true)
    expect(await queued()).not.toContainEqual({ bucket: 'files', name: path })
    const page = await fixture.rolledBackAs('ann', (s) => s.call('channel_page', { channel: fixture.lobby }))
    expect(page.messages.find((m) => m.id === forwarded)!.attachments).toHaveLength(1)
    await fixture.committedAs('bea', (s) => s.call('delete_message', { id: forwarded }))
    expect(await readers(path)).toEqual([])
    expect(await queued()).toContainEqual({ bucket: 'files', name: path })
  })

  it('queues an avatar for deletion once no profile names it', async () => {
    const avatar = (at: number): string => `${fixture.profile.bea}/avatar-${at}.webp`
    const set = (path: string | null) =>
      fixture.committedAs('bea', (s) =>
        s.rows('update public.profiles set avatar = $1 where id = $2', [path, fixture.profile.bea]),
      )
    const queued = async (): Promise<string[]> => {
      const files = await fixture.service(
        (s) => s.value<{ bucket: string; name: string }[]>('select public.list_files_to_delete()'),
        true,
      )
      return files.filter((file) => file.bucket === 'avatars').map((file) => file.name)
    }
    await set(avatar(1))
    expect(await queued()).toEqual([])
    await fixture.committedAs('bea', (s) =>
      s.rows(`update public.profiles set name = name where id = $1`, [fixture.profile.bea]),
    )
    expect(await queued()).toEqual([])
    await set(avatar(2))
    expect(await queued()).toEqual([avatar(1)])
    await set(avatar(1))
    expect(await queued()).toEqual([avatar(2)])
    await set(null)
    expect((await queued()).toSorted()).toEqual([avatar(1), avatar(2)])
  })

  it('queues an avatar that no profile took within a day, and that of a deleted account', async () => {
    const [loose, named] = ['loose', 'named'].map((name) => `${fixture.profile.cem}/${name}.webp`)
    await fixture.service(async (s) => {
      await s.rows('update public.profiles set avatar = $1 where id = $2', [named, fixture.profile.cem])
      for (const name of [loose, named])
        await s.rows(
          `insert into storage.objects (bucket_id, name, created_at)
           values ('avatars', $1, now() - interval '26 hours')`,
          [name],
        )
      const names = (): Promise<{ name: string }[]> =>
        s.rows(`select name from public.file_deletion_queue where bucket_id = 'avatars' and name like $1`, [
          `${fixture.profile.cem}/%`,
        ])
      await s.rows('select app.sweep()')
      expect(await names()).toEqual([{ name: loose }])
      await s.rows('update public.profiles set user_id = null where id = $1', [fixture.profile.cem])
      expect(await names()).toContainEqual({ name: named })
      expect(
        await s.value('select avatar from public.profiles where id = $1', [fixture.profile.cem]),
      ).toBeNull()
    })
  })

  it('queues the bytes of a deleted message, which nobody sees any more', async () => {
    await fixture.committedAs('bea', (s) => s.call('delete_message', { id: message }))
    expect(await readers(pathOf(fixture.lobby, upload))).toEqual([])
    const queued = await fixture.service((s) =>
      s.value<{ name: string }[]>('select public.list_files_to_delete()'),
    )
    const paths = ['file', 'thumb'].map((part) => pathOf(fixture.lobby, upload, part))
    expect(queued.map((file) => file.name)).toEqual(expect.arrayContaining(paths))
    await fixture.service(async (s) => {
      await s.rows('select public.confirm_files_deleted($1, $2)', ['files', paths])
      expect(
        await s.value(`select count(*)::int from public.file_deletion_queue where name = any ($1)`, [paths]),
      ).toBe(0)
    })
    expect(
      (
        await fixture.rolledBackAs('ann', (s) =>
          s.refusal((t) => t.rows('select public.list_files_to_delete()')),
        )
      ).code,
    ).toBe('42501')
  })
})
