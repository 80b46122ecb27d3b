import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LinkPreview, Message } from '../../wire/messages.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'

const page = { title: 'Tides', description: 'High and low', site: 'tides.example', picture: null }
const link = 'https://tides.example/today'

describe.each(testDatabases)('previews of links on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const as = async (s: TestTransaction, who: Name | 'postgres'): Promise<void> => {
    const sub = who === 'postgres' ? undefined : fixture.account[who]
    await s.rows(`select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`, [
      JSON.stringify({ role: 'authenticated', sub, session_id: sub }),
      sub === undefined ? 'postgres' : 'authenticated',
    ])
  }
  const by = async <T>(s: TestTransaction, who: Name, work: () => Promise<T>): Promise<T> => {
    await as(s, who)
    const result = await work()
    await as(s, 'postgres')
    return result
  }
  /** A transaction as `postgres` in which previews are switched on, and that is rolled back. */
  const switchedOn = <T>(work: (s: TestTransaction) => Promise<T>): Promise<T> =>
    fixture.service(async (s) => {
      await by(s, 'ann', () =>
        s.call('set_workspace_options', { workspace: fixture.workspace, link_previews: true }),
      )
      return work(s)
    })
  const send = (s: TestTransaction, who: Name, body: string, channel = fixture.lobby): Promise<Message> =>
    by(s, who, async () => (await s.call('send_message', { id: randomUUID(), channel, body })).message)
  const claim = (s: TestTransaction) =>
    s.value<{ job: Uuid; body: string }[]>('select public.claim_link_previews(10)')
  const begin = (s: TestTransaction, job: Uuid, urls: string[]) =>
    s.value<{ id: Uuid; url: string }[]>('select public.begin_link_previews($1, $2)', [job, urls])
  const store = (s: TestTransaction, id: Uuid, preview: object | null) =>
    s.value('select public.store_link_preview($1, $2)', [id, preview && JSON.stringify(preview)])
  /** What the function does for all waiting messages; returns the addresses that it requests. */
  const run = async (s: TestTransaction, urls: string[], found: object | null = page): Promise<string[]> => {
    const requested: string[] = []
    for (const { job } of await claim(s)) {
      for (const { id, url } of await begin(s, job, urls)) {
        requested.push(url)
        await store(s, id, found)
      }
      await s.value('select public.finish_link_previews($1)', [job])
    }
    return requested
  }
  const previewsOf = async (s: TestTransaction, { id }: Message): Promise<LinkPreview[] | null> =>
    s.value(`select extras -> 'previews' from public.messages where id = $1`, [id])
  const jobs = (s: TestTransaction) =>
    s.value<number>(`select count(*)::int from public.jobs where kind = 'link_preview'`)

  it('are off until an owner or admin switches them on', async () => {
    const options = { workspace: fixture.workspace, link_previews: true }
    for (const who of ['bea', 'gus', 'omar'] as const) {
      expect(await fixture.rolledBackAs(who, (s) => s.failure('set_workspace_options', options))).toMatch(
        /not_allowed|not_found/,
      )
    }
    await fixture.service(async (s) => {
      await send(s, 'bea', link)
      expect(await jobs(s)).toBe(0)
    })
    await fixture.rolledBackAs('ann', async (s) => {
      expect(await s.call('set_workspace_options', options)).toMatchObject({ link_previews: true })
      const off = await s.call('set_workspace_options', { ...options, link_previews: false })
      expect(off).not.toHaveProperty('link_previews')
    })
  })

  it('are fetched once for all messages, and change a message like an edit', async () => {
    await switchedOn(async (s) => {
      const first = await send(s, 'gus', `See ${link}`)
      await send(s, 'bea', 'No link')
      expect(await jobs(s)).toBe(1)
      expect(await run(s, [link])).toEqual([link])
      const [shown] = (await previewsOf(s, first))!
      const { picture: _, ...text } = page
      expect(shown).toEqual({ id: expect.any(String), url: link, ...text })
      const changes = await by(s, 'bea', () =>
        s.call('channel_changes', { channel: fixture.lobby, after_rev: first.rev }),
      )
      expect(changes).toMatchObject({
        reset: false,
        messages: expect.arrayContaining([
          expect.objectContaining({ id: first.id, edited_at: null, extras: { previews: [shown] } }),
        ]),
      })
      const second = await send(s, 'bea', link)
      expect(await run(s, [link])).toEqual([])
      expect(await previewsOf(s, second)).toEqual([shown])
      expect(await jobs(s)).toBe(0)
      await s.rows(`update public.link_previews set expires_at = now() - interval '1 second'`)
      await send(s, 'bea', link)
      expect(await run(s, [link])).toEqual([link])
    })
  })

  it('that are being fetched for one message are shown in the others too, and what fails is not requested again', async () => {
    await switchedOn(async (s) => {
      const [first, second] = [await send(s, 'bea', link), await send(s, 'ann', link)]
      const [one, other] = await claim(s)
      const [{ id }] = (await begin(s, one!.job, [link])) as [{ id: Uuid; url: string }]
      expect(await begin(s, other!.job, [link])).toEqual([])
      expect(await previewsOf(s, second)).toBe(null)
      await store(s, id, page)
      expect(await previewsOf(s, first)).toHaveLength(1)
      expect(await previewsOf(s, second)).toHaveLength(1)
      const third = await send(s, 'bea', 'https://nothing.example')
      expect(await run(s, ['https://nothing.example/'], null)).toEqual(['https://nothing.example/'])
      await send(s, 'ann', 'https://nothing.example')
      expect(await run(s, ['https://nothing.example/'])).toEqual([])
      expect(await previewsOf(s, third)).toBe(null)
    })
  })

  it('follow the text: edits, deletion, and at most three', async () => {
    await switchedOn(async (s) => {
      const urls = [1, 2, 3, 4].map((n) => `https://a.example/${n}`)
      const message = await send(s, 'bea', urls.join(' '))
      expect(await run(s, urls)).toEqual(urls.slice(0, 3))
      const edit = (body: string) =>
        by(s, 'bea', () => s.call('edit_message', { id: message.id, body, edit: randomUUID() }))
      await edit(`${urls[2]} ${urls[0]}`)
      expect(await run(s, [urls[2]!, urls[0]!])).toEqual([])
      expect((await previewsOf(s, message))!.map(({ url }) => url)).toEqual([urls[2], urls[0]])
      // The job of an earlier text has no effect.
      await edit(`${urls[1]}`)
      const [stale] = await claim(s)
      await edit('Without links')
      expect(await begin(s, stale!.job, [urls[1]!])).toEqual([])
      await run(s, [])
      expect(await previewsOf(s, message)).toBe(null)
      await edit(urls[0]!)
      await by(s, 'bea', () => s.call('delete_message', { id: message.id }))
      expect(await run(s, [urls[0]!])).toEqual([])
      expect(await s.value('select count(*)::int from public.message_previews')).toBe(0)
      expect(await jobs(s)).toBe(0)
    })
  })

  it('go with a thread that is moved', async () => {
    await switchedOn(async (s) => {
      const message = await send(s, 'bea', link)
      await run(s, [link])
      const id = randomUUID()
      await by(s, 'bea', () => s.call('move_thread', { id, message: message.id, channel: fixture.side }))
      expect(await previewsOf(s, { ...message, id })).toHaveLength(1)
      expect(await s.value('select array_agg(message_id) from public.message_previews')).toEqual([id])
      expect(await jobs(s)).toBe(0)
    })
  })

  it('are removed by the author and by those who manage the channel, for good', async () => {
    await switchedOn(async (s) => {
      const message = await send(s, 'bea', link)
      await run(s, [link])
      const [{ id: preview }] = (await previewsOf(s, message)) as [LinkPreview]
      const args = { message: message.id, preview }
      for (const [who, failure] of [
        ['cem', 'not_allowed'],
        ['gus', 'not_allowed'],
        ['omar', 'not_found'],
      ] as const) {
        expect([who, await by(s, who, () => s.failure('remove_link_preview', args))]).toEqual([who, failure])
      }
      const removed = await by(s, 'bea', () => s.call('remove_link_preview', args))
      expect(removed.message.extras).toBe(null)
      const again = await by(s, 'bea', () => s.call('remove_link_preview', args))
      expect(again.message.rev).toBe(removed.message.rev)
      await by(s, 'bea', () => s.call('edit_message', { id: message.id, body: `Again ${link}` }))
      await run(s, [link])
      expect(await previewsOf(s, message)).toBe(null)
      // The broadcasts that contained it are redacted.
      const stored = await s.rows(`select payload from realtime.messages where payload::text like '%Tides%'`)
      expect(stored).toEqual([])
      const other = await send(s, 'cem', link)
      await run(s, [link])
      expect(await previewsOf(s, other)).toHaveLength(1)
      const byOwner = await by(s, 'ann', () => s.call('remove_link_preview', { message: other.id, preview }))
      expect(byOwner.message.extras).toBe(null)
    })
  })

  it('and their pictures are visible only with a message that the reader may read', async () => {
    await switchedOn(async (s) => {
      const message = await send(s, 'bea', link, fixture.closed)
      await run(s, [link], { ...page, picture: { width: 200, height: 100 } })
      const [shown] = (await previewsOf(s, message))!
      expect(shown).toMatchObject({ picture: { width: 200, height: 100 } })
      await s.rows(`insert into storage.objects (bucket_id, name) values ('previews', $1)`, [shown!.id])
      const readers = async () => {
        const found: Name[] = []
        for (const who of ['ann', 'bea', 'cem', 'gus', 'omar', 'eli', 'dee'] as const) {
          const rows = await by(s, who, () =>
            s.rows(`select from storage.objects where bucket_id = 'previews'`),
          )
          if (rows.length > 0) found.push(who)
        }
        return found
      }
      expect(await readers()).toEqual(['bea', 'cem'])
      for (const table of ['link_previews', 'message_previews']) {
        const error = await by(s, 'bea', () => s.refusal((t) => t.rows(`select from public.${table}`)))
        expect(error.code).toBe('42501')
      }
      const shared = await send(s, 'gus', link)
      await run(s, [link])
      expect(await readers()).toEqual(['ann', 'bea', 'cem', 'gus', 'eli'])
      await by(s, 'bea', () => s.call('remove_link_preview', { message: message.id, preview: shown!.id }))
      await by(s, 'gus', () => s.call('delete_message', { id: shared.id }))
      expect(await readers()).toEqual([])
    })
  })

  it('cost one person at most so many requests an hour', async () => {
    await switchedOn(async (s) => {
      await s.rows(`update public.settings set value = '2' where key = 'link_previews_per_hour'`)
      const urls = [1, 2, 3].map((n) => `https://a.example/${n}`)
      await send(s, 'bea', urls.join(' '))
      expect(await run(s, urls)).toEqual(urls.slice(0, 2))
      await send(s, 'bea', urls[0]!)
      await send(s, 'ann', urls[2]!)
      expect(await run(s, [urls[2]!])).toEqual([urls[2]])
      await s.rows(`update public.link_previews set requested_at = now() - interval '61 minutes'`)
      await send(s, 'bea', 'https://a.example/5')
      expect(await run(s, ['https://a.example/5'])).toEqual(['https://a.example/5'])
    })
  })

  it('are fetched for two messages of a person at once, so that those of others do not wait', async () => {
    await switchedOn(async (s) => {
      const claimedOfAll = async () => {
        const claimed = await claim(s)
        return { slow: claimed.filter(({ body }) => body.includes('slow')), count: claimed.length }
      }
      for (let i = 0; i < 12; i++) await send(s, 'gus', `https://slow.example/${i}`)
      await send(s, 'bea', link)
      const first = await claimedOfAll()
      expect([first.slow.length, first.count]).toEqual([2, 3])
      expect(await claim(s)).toEqual([])
      await s.value('select public.finish_link_previews($1)', [first.slow[0]!.job])
      await send(s, 'bea', 'https://tides.example/next')
      const next = await claimedOfAll()
      expect([next.slow.length, next.count]).toEqual([1, 2])
    })
  })

  it('are requested again if their caller does not return, once', async () => {
    await switchedOn(async (s) => {
      await send(s, 'bea', link)
      const due = () =>
        s.rows(`update public.jobs set run_at = now(); update public.link_previews set expires_at = now()`)
      const [first] = await claim(s)
      const [missing] = await begin(s, first!.job, [link])
      expect(await claim(s)).toEqual([])
      await due()
      const [second] = await claim(s)
      expect(await begin(s, second!.job, [link])).toEqual([missing])
      await due()
      expect(await claim(s)).toEqual([])
      expect(await jobs(s)).toBe(0)
    })
  })

  it('that nobody needs are deleted with their pictures', async () => {
    await switchedOn(async (s) => {
      const message = await send(s, 'bea', link)
      await run(s, [link], { ...page, picture: { width: 200, height: 100 } })
      const [{ id }] = (await previewsOf(s, message)) as [LinkPreview]
      await s.rows(`update public.link_previews set expires_at = now() - interval '2 days'`)
      await s.rows('select app.delete_link_previews()')
      expect(await s.value('select count(*)::int from public.link_previews')).toBe(1)
      await by(s, 'bea', () => s.call('delete_message', { id: message.id }))
      await s.rows('select app.delete_link_previews()')
      expect(
        await s.rows(`select name from public.file_deletion_queue where bucket_id = 'previews'`),
      ).toEqual([{ name: id }])
    })
  })

  it('cannot be sent by a person', async () => {
    const extras = { previews: { title: 'Mine' } } as never
    const failure = await fixture.rolledBackAs('bea', (s) =>
      s.failure('send_message', { id: randomUUID(), channel: fixture.lobby, body: 'x', extras }),
    )
    expect(failure).toBe('bad_extra')
  })
})
