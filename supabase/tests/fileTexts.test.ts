/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SearchHit } from '../../wire/messages.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

/** The text of attached files in the search; the passages are what the function `file-texts` stores. */
describe.each(testDatabases)('text of files on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  /** Does something as a person in a transaction of `postgres`. */
  const by = async <T>(s: TestTransaction, who: Name, work: () => Promise<T>): Promise<T> => {
    const sub = fixture.account[who]
    await s.rows(
      `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
      [JSON.stringify({ role: 'authenticated', sub, session_id: sub })],
    )
    const result = await work()
    await s.rows('reset role')
    return result
  }
  const upload = async (s: TestTransaction, channel: Uuid, o: { type?: string; size?: number } = {}) => {
    const id = randomUUID()
    const sub = fixture.account.bea
    await by(s, 'bea', () =>
      s.rows(
        `insert into storage.objects (bucket_id, name, owner, owner_id, metadata)
         values ('files', $1, $2::text::uuid, $2::text, $3)`,
        [`${channel}/${id}/file`, sub, { size: o.size ?? 50, mimetype: o.type ?? 'text/plain' }],
      ),
    )
    return id
  }
  const attach = (s: TestTransaction, channel: Uuid, uploads: Uuid[], body = 'My notebook') => {
    const attachments = uploads.map((id) => ({
      id,
      name: 'notes.txt',
      width: null,
      height: null,
      thumb: false,
    }))
    const id = randomUUID()
    return by(s, 'bea', async () => {
      await s.call('send_message', { id, channel, body, attachments } as never)
      return id
    })
  }
  const claim = (s: TestTransaction) =>
    s.value<{ job: Uuid; path: string; kind: string } | null>('select public.claim_file_text()')
  const store = (s: TestTransaction, job: Uuid, passages: string[]) =>
    s.value('select public.store_file_text($1, $2)', [job, passages])
  /** Attaches a file by Bea with this text to a message and reads it. */
  const sendFile = async (s: TestTransaction, passages: string[], channel = fixture.lobby, body?: string) => {
    const id = await attach(s, channel, [await upload(s, channel)], body)
    await store(s, (await claim(s))!.job, passages)
    return id
  }
  const search = (s: TestTransaction, who: Name, query: string): Promise<SearchHit[]> =>
    by(s, who, async () => (await s.call('search_messages', { workspace: fixture.workspace, query })).hits)
  const find = async (s: TestTransaction, who: Name, query: string): Promise<Uuid[]> =>
    (await search(s, who, query)).map((hit) => hit.message.id)
  const jobs = (s: TestTransaction) =>
    s.value<number>(`select count(*)::int from public.jobs where kind = 'index_file'`)
  const texts = (s: TestTransaction) => s.value<number>('select count(*)::int from public.file_texts')

  it('is found by those who can read the message, with a passage of it', async () => {
    await fixture.service(async (s) => {
      const passages = ['Tides of the Øresund <b>harbour</b>', 'High water at noon, <a>low', 'water at six']
      const id = await sendFile(s, passages)
      const closed = await sendFile(s, ['The harbour plan is secret'], fixture.closed)
      const fileOf = async (query: string) => (await search(s, 'ann', query)).map((hit) => hit.file)
      expect(await find(s, 'bea', 'harbour')).toEqual([closed, id])
      expect(await find(s, 'ann', 'harbour')).toEqual([id])
      expect(await find(s, 'gus', 'harbour')).toEqual([id])
      expect(
        await by(s, 'omar', () =>
          s.failure('search_messages', { workspace: fixture.workspace, query: 'harbour' }),
        ),
      ).toBe('not_found')
      // A word of the message and one of its file, beginnings, and phrases, also across passages.
      expect(await find(s, 'ann', 'notebook harb oresund')).toEqual([id])
      expect(await fileOf('"high water"')).toEqual([{ position: 0, matched: 'text', excerpt: passages[1] }])
      expect(await find(s, 'ann', '"low water at"')).toEqual([id])
      expect(await find(s, 'ann', '"water low"')).toEqual([])
      expect(await find(s, 'ann', 'notebook -harbour')).toEqual([])
      expect(await fileOf('notes six')).toEqual([{ position: 0, matched: 'name', excerpt: passages[2] }])
      expect(await fileOf('notebook notes')).toEqual([{ position: 0, matched: 'name' }])
      expect(await fileOf('notebook')).toEqual([null])
    })
  })

  it('is not found by a guest whose history starts later, or by a removed member', async () => {
    await fixture.service(async (s) => {
      const id = await s.value<Uuid>('select id from public.messages where id = $1', [fixture.messages.old])
      const file = randomUUID()
      await s.rows(
        `insert into public.attachments (message_id, upload_id, upload_channel_id, position, name, type, size)
         values ($1, $2, $3, 0, 'old.txt', 'text/plain', 7)`,
        [id, file, fixture.lobby],
      )
      await store(s, (await claim(s))!.job, ['An anchorage'])
      const closed = await sendFile(s, ['An anchorage'], fixture.closed)
      expect(await find(s, 'bea', 'anchorage')).toEqual([closed, id])
      expect(await find(s, 'ann', 'anchorage')).toEqual([id])
      expect(await find(s, 'gus', 'anchorage')).toEqual([])
      expect(await find(s, 'eli', 'anchorage')).toEqual([id])
    })
  })

  it('stays with its message when that is edited, marked or moved, and ends with it', async () => {
    await fixture.service(async (s) => {
      const id = await sendFile(s, ['A capstan and a windlass'], fixture.lobby, 'Our capstan')
      const edit = (body: string) =>
        by(s, 'bea', () => s.call('edit_message', { id, body, edit: randomUUID() }))
      await by(s, 'bea', () => s.call('react', { message: id, emoji: '👀', on: true }))
      await edit('Changed')
      await by(s, 'bea', () => s.call('react', { message: id, emoji: '👀', on: false }))
      expect(await find(s, 'gus', 'capstan windlass changed')).toEqual([id])
      const copy = randomUUID()
      await by(s, 'bea', () =>
        s.call('move_thread', { id: copy, message: id, channel: fixture.side, accepted_readers: 9 }),
      )
      expect(await find(s, 'bea', '"a windlass"')).toEqual([copy])
      expect(await find(s, 'gus', 'windlass')).toEqual([])
      expect([await texts(s), await claim(s)]).toEqual([1, null])
      await by(s, 'bea', () => s.call('delete_message', { id: copy }))
      expect([await find(s, 'bea', 'windlass'), await texts(s)]).toEqual([[], 0])
    })
  })

  it('is read once, of text files and of PDFs up to 20 MiB, and not at all after the message was deleted', async () => {
    await fixture.service(async (s) => {
      const file = await upload(s, fixture.lobby)
      const first = await attach(s, fixture.lobby, [
        file,
        await upload(s, fixture.lobby, { type: 'image/png' }),
        await upload(s, fixture.lobby, { size: 0 }),
        await upload(s, fixture.lobby, { type: 'application/pdf', size: 20 * 1024 * 1024 + 1 }),
      ])
      const second = await attach(s, fixture.lobby, [file], 'Again')
      const claimed = (await claim(s))!
      expect(claimed).toMatchObject({ path: `${fixture.lobby}/${file}/file`, kind: 'text' })
      expect(await claim(s)).toBe(null)
      await store(s, claimed.job, ['Bollard'])
      const third = await attach(s, fixture.lobby, [file], 'Third')
      expect(await claim(s)).toBe(null)
      expect(await find(s, 'ann', 'bollard')).toEqual([third, second, first])
      const remove = (id: Uuid) => by(s, 'bea', () => s.call('delete_message', { id }))
      for (const id of [first, third]) await remove(id)
      expect([await find(s, 'ann', 'bollard'), await texts(s)]).toEqual([[second], 1])
      await remove(second)
      expect(await texts(s)).toBe(0)

      const deleted = await attach(s, fixture.lobby, [await upload(s, fixture.lobby)])
      const late = (await claim(s))!
      await remove(deleted)
      await store(s, late.job, ['Late'])
      expect([await texts(s), await jobs(s)]).toEqual([0, 0])
    })
  })

  it('that ends the function twice is not attempted again, unlike one that could not be fetched', async () => {
    await fixture.service(async (s) => {
      const due = () => s.rows(`update public.jobs set run_at = now() where kind = 'index_file'`)
      await attach(s, fixture.lobby, [await upload(s, fixture.lobby)])
      for (let attempt = 1; attempt <= 2; attempt++) {
        expect(await claim(s), `${attempt}`).not.toBe(null)
        await due()
      }
      expect(await claim(s)).toBe(null)
      await attach(s, fixture.lobby, [await upload(s, fixture.lobby)])
      for (let attempt = 1; attempt <= 7; attempt++) {
        const claimed = await claim(s)
        expect(claimed, `${attempt}`).not.toBe(null)
        await s.value('select public.fail_file_text($1, $2)', [
          claimed!.job,
          'Storage responded with status 503.',
        ])
        await due()
      }
      expect(await jobs(s)).toBe(0)
    })
  })

  it('adds a bounded number of words to a message, and none to the vocabulary', async () => {
    await fixture.service(async (s) => {
      const uploads = [await upload(s, fixture.lobby), await upload(s, fixture.lobby)]
      const id = await attach(s, fixture.lobby, uploads, 'Lanterns')
      for (const letter of ['a', 'b']) {
        const words = Array.from({ length: 2500 }, (_, n) => `${letter}${n.toString(36)}x`)
        await store(
          s,
          (await claim(s))!.job,
          Array.from({ length: 100 }, (_, n) => words.slice(n * 25, (n + 1) * 25).join(' ')),
        )
      }
      const amount = await s.value<number>(
        `select count(*)::int from public.message_search f, unnest(f.words) w
         where f.message_id = $1 and 'A' = any (w.weights)`,
        [id],
      )
      expect(amount).toBe(2000)
      // Both have the first of theirs.
      expect(await find(s, 'ann', 'a5x b5x lanterns')).toEqual([id])
      await sendFile(s, ['Lanterns and gangways'])
      await s.rows('select app.update_search_vocabulary()')
      const known = await s.rows<{ word: string }>(
        `select word from public.search_vocabulary where word in ('lanterns', 'gangways')`,
      )
      expect(known).toEqual([{ word: 'lanterns' }])
      await by(s, 'bea', () => s.call('delete_message', { id }))
      expect(
        await s.value(`select count(*)::int from public.search_vocabulary where word = 'lanterns'`),
      ).toBe(0)
    })
  })
})
