/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SearchFilters } from '../../wire/messages.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { createRandom, testSeed } from '../../tests/support/random.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

/** Words, phrases, exclusions and filters of `search_messages`. */
describe.each(testDatabases)('search filters on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const send = async (s: TestTransaction, body: string, more: Record<string, unknown> = {}) =>
    (await s.call('send_message', { id: randomUUID(), channel: fixture.lobby, body, ...more })).message.id
  const search = (s: TestTransaction, query: string, filters?: SearchFilters) =>
    s.call('search_messages', { workspace: fixture.workspace, query, ...(filters && { filters }) })
  const find = async (s: TestTransaction, query: string, filters?: SearchFilters): Promise<Uuid[]> =>
    (await search(s, query, filters)).hits.map((hit) => hit.message.id)

  it('finds words by beginnings, without accents and case, in any script', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const id = await send(
        s,
        'Crème brûlée für die Straße, ЁЛКА, 水曜の午後は会議, ร้านกาแฟ, 서울역에서, Ærø',
      )
      for (const query of [
        'creme brulee',
        'CRÈME',
        'strasse',
        'straße',
        'елка',
        '午後は会',
        'กาแฟ',
        '서울역',
        'aero',
        'bru cre',
      ]) {
        expect(await find(s, query), query).toEqual([id])
      }
      // Their pairs of characters occur, in another order.
      expect(await find(s, '後は午')).toEqual([])
      expect(await find(s, '午後会議')).toEqual([])
      const repeated = await send(s, '見見 水水水')
      expect(await find(s, '水水水')).toEqual([repeated])
      expect(await find(s, '見見見')).toEqual([])
    })
  })

  it('finds words within sentences of scripts without spaces, and beside symbols', async () => {
    const texts: [text: string, queries: string[]][] = [
      ['ខ្ញុំចូលចិត្តភាសាខ្មែរណាស់។', ['ភាសាខ្មែរ', 'ចូលចិត្ត', '"ភាសាខ្មែរ"']],
      // With the breaks that keyboards write.
      ['ភ្នំ\u200Bពេញ\u200Bជា\u200Bរាជធានី', ['ភ្នំពេញ', 'រាជធានី', 'ជា\u200Bរាជ']],
      ['ຂ້ອຍມັກພາສາລາວຫຼາຍ', ['ພາສາລາວ']],
      ['ကျွန်တော်မြန်မာစာကိုလေ့လာသည်။', ['မြန်မာစာ', 'လေ့လာ']],
      ['ང་བོད་སྐད་ཤེས་ཀྱི་ཡོད།', ['བོད་སྐད', 'སྐད་', '"བོད་སྐད་ཤེས"', 'ཤེས']],
      ['ꦲꦏ꧀ꦱꦫꦗꦮꦲꦪꦸ꧉', ['ꦗꦮ', 'ꦲꦪꦸ']],
      ['漢字𠮷野家と〇〇七', ['𠮷野', '〇七']],
      ['done✅and🎉party→next', ['✅', '🎉', 'party', 'next']],
      ['ที่ Linnetใช้งานdeployแล้ว', ['deploy', 'ใช้งาน']],
      ['բարեւ։աշխարհ', ['աշխարհ']],
      ['ሰላም፡ዓለም', ['ዓለም']],
      ['یہ کتاب۔ہے', ['ہے', '"کتاب"']],
      ['בית־ספר', ['ספר']],
      ['Donau\u00ADdampfschiff', ['donaudampf']],
    ]
    await fixture.rolledBackAs('bea', async (s) => {
      for (const [text, queries] of texts) {
        const id = await send(s, text)
        for (const query of queries) expect(await find(s, query), query).toEqual([id])
      }
    })
  })

  it('finds names with signs, and not everything that begins with their letter', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const ids = new Map<string, Uuid>()
      for (const text of [
        'Cats',
        'We use C++, too',
        '(C#) is fine',
        'C++11 it is',
        'networks',
        'ASP.NET or .NET',
      ])
        ids.set(text, await send(s, text))
      const cases: [query: string, texts: string[]][] = [
        ['C++', ['C++11 it is', 'We use C++, too']],
        ['c++11', ['C++11 it is']],
        ['C#', ['(C#) is fine']],
        ['"c++ too"', ['We use C++, too']],
        ['is -c++11', ['(C#) is fine']],
        ['.NET', ['ASP.NET or .NET']],
        ['net', ['ASP.NET or .NET', 'networks']],
        ['++', []],
        ['#', []],
      ]
      for (const [query, expected] of cases)
        expect(
          (await find(s, query)).filter((id) => [...ids.values()].includes(id)),
          query,
        ).toEqual(expected.map((text) => ids.get(text)))
      await s.rows('reset role')
      const words: [string, string[]][] = [
        ['a+b=c page#top #tag 2+2', ['a', 'b', 'c', 'page', 'top', 'tag', '2', '2']],
        ['A+ C++/C# i++; c+++ F#', ['a+', 'c++', 'c#', 'i++', 'c++', 'f#']],
        ['+# ++ a\uE000b', ['a', 'b']],
      ]
      for (const [text, expected] of words)
        expect(await s.value('select app.ordered_words($1)', [text])).toEqual(expected)
    })
  })

  it('indexes a bounded number of words of a message', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const body = Array.from({ length: 9_500 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('')
      await s.rows('reset role')
      const indexed = await s.value<number>('select length(app.index_text($1))', [body + body])
      // With the mark of long messages.
      expect(indexed).toBe(4_001)
    })
  })

  it('splits stored messages again after a change of the definition of words', async () => {
    await fixture.service(async (s) => {
      const become = () => s.rows(`select set_config('role', 'authenticated', true)`)
      await s.rows(`select set_config('request.jwt.claims', $1, true)`, [
        JSON.stringify({ sub: fixture.account.bea, session_id: fixture.account.bea }),
      ])
      await become()
      const id = await send(s, 'ខ្ញុំចូលចិត្តភាសាខ្មែរ with C++ https://a.example/')
      await s.rows('reset role')
      // As an earlier version stored it.
      await s.rows(
        `update public.message_search
         set words = array_to_tsvector(array['ខ្ញុំចូលចិត្តភាសាខ្មែរ', 'with', 'c', '=link', '=from:' || $2])
         where message_id = $1`,
        [id, fixture.profile.bea],
      )
      await s.rows('update public.search_segments set words_version = 1')
      await become()
      expect(await find(s, 'ភាសាខ្មែរ')).toEqual([])
      await s.rows('reset role')
      const remaining = async () => {
        await s.rows('select app.rebuild_search_words(1)')
        return s.value<number>('select count(*)::int from public.search_segments where words_version < 2')
      }
      const counts = [await remaining(), await remaining()]
      expect(counts[1]).toBe(counts[0]! - 1)
      await s.rows('select app.rebuild_search_words(1000)')
      await become()
      for (const query of ['ភាសាខ្មែរ', 'c++']) expect(await find(s, query), query).toEqual([id])
      expect(await find(s, 'c++', { has: ['link'], from: [fixture.profile.bea] })).toEqual([id])
    })
  })

  it('shows the messages beside a hit that its reader may read', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const become = (name: Name) =>
        s.rows(`select set_config('request.jwt.claims', $1, true)`, [
          JSON.stringify({ sub: fixture.account[name], session_id: fixture.account[name] }),
        ])
      const beside = async (query: string) => {
        const [hit] = (await search(s, query)).hits
        return [hit?.before?.body ?? null, hit?.after?.body ?? null]
      }
      const gone = await send(s, 'Nobody sees this again')
      await send(s, 'Who brings the ropes?')
      const root = await send(s, 'The quokka arrives at noon')
      await s.call('delete_message', { id: gone })
      await send(s, 'Then we wait.')
      await send(s, 'A reply of the wombat', { thread_root: root })
      await send(s, 'The last reply', { thread_root: root })
      expect(await beside('quokka')).toEqual(['Who brings the ropes?', 'Then we wait.'])
      // The messages beside a reply are in its thread, which begins with the root.
      expect(await beside('wombat')).toEqual(['The quokka arrives at noon', 'The last reply'])
      expect(await beside('"last reply"')).toEqual(['A reply of the wombat', null])

      // Gus joined after this thread began. He may read only the reply that was also sent to the channel.
      await send(s, 'Before the numbat', { thread_root: fixture.messages.old })
      await send(s, 'The numbat is here', { thread_root: fixture.messages.old, also_to_channel: true })
      await send(s, 'After the numbat', { thread_root: fixture.messages.old })
      expect(await beside('"numbat is here"')).toEqual(['Before the numbat', 'After the numbat'])
      await become('gus')
      expect(await beside('"numbat is here"')).toEqual([null, null])
      expect(await beside('quokka')).toEqual(['Who brings the ropes?', 'Then we wait.'])
    })
  })

  it('finds phrases as they were written, and leaves out excluded words and phrases', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const one = await send(s, 'The red-brick lighthouse, at noon')
      const two = await send(s, 'At noon the lighthouse is red; brick by brick')
      const cases: [string, Uuid[]][] = [
        ['lighthouse', [two, one]],
        ['"red brick"', [one, two]],
        ['"lighthouse at noon"', [one]],
        ['“noon the”', [two]],
        // The last word of a phrase is whole.
        ['"at no"', []],
        ['lighthouse -by', [one]],
        ['lighthouse -b', [two, one]],
        ['lighthouse -"red brick" ', []],
        ['lighthouse -"brick by"', [one]],
        ['lighthouse -red-brick', []],
        ['light -', [two, one]],
        ['"light', []],
        ['"brick brick"', []],
        ['lighthouse -"brick brick"', [one, two]],
      ]
      for (const [query, ids] of cases) {
        expect((await find(s, query)).toSorted(), query).toEqual(ids.toSorted())
      }
      expect((await search(s, 'Light "At Noon"')).highlights.toSorted()).toEqual(['at noon', 'light'])
    })
  })

  it('has the same phrases by positions as in the text, for random texts', async () => {
    await fixture.service(async (s) => {
      const random = createRandom(testSeed)
      const create = (parts: string[], max: number): string =>
        Array.from({ length: 1 + random.below(max) }, () => random.pick(parts)).join('')
      const bodies = Array.from({ length: 300 }, () =>
        create(['a', 'b', 'É', 'ab', '水', '火', '水火', '火水', 'ก', ' ', ' ', ' ', '-', '. ', '\n'], 14),
      )
      const phrases = Array.from({ length: 100 }, () =>
        create(['a', 'b', 'e', '水', '火', '水火', 'ก', ' ', ' '], 6),
      )
      const differences = await s.rows(
        `with texts as materialized (
           select body, app.fold_phrase(body) as folded, app.index_text(body) as words from unnest($1::text[]) body),
         wanted as materialized (
           select phrase, app.phrase_to_find(phrase) as pattern, app.phrase_query(phrase)::tsquery as query
           from unnest($2::text[]) phrase where app.phrase_to_find(phrase) is not null)
         select body, phrase from texts cross join wanted where (strpos(folded, pattern) > 0) <> (words @@ query)`,
        [bodies, phrases],
      )
      expect(differences, `seed ${testSeed}`).toEqual([])
      expect(await s.value(`select app.index_text('a 水火 b') @@ app.phrase_query('火 b')::tsquery`)).toBe(
        true,
      )
    })
  })

  it('finds phrases at the end of long texts and after hundreds of the same word', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const long = await send(s, `${'lantern green '.repeat(300)}${'wick '.repeat(300)}green lantern at dusk`)
      const runs = await send(s, `${'水'.repeat(17_000)}火木`)
      expect(await find(s, '"lantern at dusk"')).toEqual([long])
      expect(await find(s, '"wick green lantern"')).toEqual([long])
      expect(await find(s, '"lantern dusk"')).toEqual([])
      expect(await find(s, 'lantern -"lantern at dusk"')).toEqual([])
      expect(await find(s, 'lantern -"lantern dusk"')).toEqual([long])
      expect(await find(s, '水火木')).toEqual([runs])
      expect(await find(s, '水木')).toEqual([])
      await s.call('edit_message', { id: long, body: 'a lantern at dusk' })
      expect(await find(s, '"lantern at dusk"')).toEqual([long])
      expect(await find(s, '"green lantern"')).toEqual([])
    })
  })

  it('pages through all phrases where one search compares few texts', async () => {
    await fixture.service(async (s) => {
      await s.rows(`update public.settings set value = '3' where key = 'search_messages_compared'`)
      await s.rows(
        `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
        [JSON.stringify({ sub: fixture.account.bea, session_id: fixture.account.bea })],
      )
      const written: Uuid[] = []
      // Phrases are compared with the texts of long messages.
      const more = ' and so on'.repeat(90)
      for (let n = 0; n < 30; n++) {
        const id = await send(s, (n % 5 === 0 ? `a green lantern ${n}` : `a lantern, green ${n}`) + more)
        if (n % 5 === 0) written.unshift(id)
      }
      // The newest messages are examined one by one, or none of them.
      for (const examined of ['1000', '1']) {
        await s.rows('reset role')
        await s.rows(`update public.settings set value = $1 where key = 'search_messages_examined'`, [
          examined,
        ])
        await s.rows(`select set_config('role', 'authenticated', true)`)
        const ids: Uuid[] = []
        let requests = 0
        let before: string | null = null
        do {
          const page: Awaited<ReturnType<typeof search>> = await s.call('search_messages', {
            workspace: fixture.workspace,
            query: '"green lantern"',
            before,
            limit: 4,
          })
          ids.push(...page.hits.map((hit) => hit.message.id))
          before = page.next
          requests++
        } while (before !== null && requests < 30)
        expect(ids, examined).toEqual(written)
        expect(requests, examined).toBeGreaterThan(2)
        expect(before, examined).toBeNull()
      }
    })
  })

  it('finds by author, channel, people, time, content and state, as they are now', async () => {
    await fixture.service(async (s) => {
      const become = (name: 'ann' | 'bea') =>
        s.rows(
          `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
          [JSON.stringify({ sub: fixture.account[name], session_id: fixture.account[name] })],
        )
      await become('ann')
      const link = await send(s, 'beacon https://example.org')
      const everyone = await send(s, 'beacon <!channel>')
      const mention = await send(s, `beacon <@${fixture.profile.bea}>`)
      const direct = await send(s, 'beacon', { channel: fixture.direct })
      await become('bea')
      const own = await send(s, 'beacon `code` <!here>')
      const poll = await send(s, 'Where?', {
        extras: { poll: { options: ['beacon', 'pier'], multiple: false, anonymous: false, closes_at: null } },
      })
      const reply = await send(s, 'beacon', { thread_root: link })
      await s.call('react', { message: own, emoji: '👍', on: true })
      await s.call('react', { message: poll, emoji: 'poll:0', on: true })
      await s.call('pin_message', { message: mention, on: true })
      await s.call('save_message', { message: direct, state: 'saved' })
      const { created_at: sent } = (await search(s, 'code')).hits[0]!.message
      const { ann, bea, cem } = fixture.profile
      const cases: [SearchFilters, Uuid[]][] = [
        [{ from: [ann] }, [link, everyone, mention, direct]],
        [{ from: [ann, bea] }, [link, everyone, mention, direct, own, poll, reply]],
        [{ from: [cem] }, []],
        [{ in: [fixture.direct] }, [direct]],
        [{ in: [fixture.direct, fixture.lobby], from: [ann] }, [link, everyone, mention, direct]],
        [{ with: [ann] }, [direct]],
        [{ with: [ann, cem] }, []],
        [{ after: sent }, [own, poll, reply]],
        [{ before: sent }, [link, everyone, mention, direct]],
        [{ has: ['link'] }, [link]],
        [{ has: ['code'] }, [own]],
        [{ has: ['poll'] }, [poll]],
        [{ has: ['reaction'] }, [own]],
        [{ has: ['file'] }, []],
        [{ is: ['thread'] }, [link, reply]],
        [{ is: ['pinned'] }, [mention]],
        [{ is: ['saved'] }, [direct]],
        [{ is: ['saved', 'pinned'] }, []],
        [{ mentions_me: true }, [everyone, mention]],
        [{ not: { from: [ann] } }, [own, poll, reply]],
        [{ not: { from: [ann, bea] } }, []],
        [{ not: { in: [fixture.lobby] } }, [direct]],
        [
          { in: [fixture.lobby, fixture.direct], not: { in: [fixture.direct], from: [bea] } },
          [link, everyone, mention],
        ],
        [{ not: { has: ['link', 'poll'] } }, [everyone, mention, direct, own, reply]],
        [{ not: { is: ['thread', 'pinned'] } }, [everyone, direct, own, poll]],
        [{ is: ['saved'], not: { from: [ann] } }, []],
        [{ mentions_me: false, from: [] }, [link, everyone, mention, direct, own, poll, reply]],
      ]
      for (const order of ['newest', 'relevance'] as const) {
        for (const [filters, ids] of cases) {
          expect(
            (await find(s, 'beacon', { ...filters, order })).toSorted(),
            `${JSON.stringify(filters)} by ${order}`,
          ).toEqual(ids.toSorted())
        }
      }
      expect(await find(s, '', { with: [ann], from: [ann] })).toContain(direct)
      expect(await find(s, '')).toEqual([])
      const others = await find(s, '', { not: { in: [fixture.lobby] } })
      expect(others).toContain(direct)
      expect(others).not.toContain(link)
      expect(await find(s, '', { not: { from: [ann] }, in: [fixture.lobby] })).not.toContain(link)

      await s.call('react', { message: own, emoji: '👍', on: false })
      await s.call('pin_message', { message: mention, on: false })
      await s.call('edit_message', { id: own, body: 'beacon, see http://example.org' })
      await s.call('delete_message', { id: reply })
      for (const [filters, ids] of [
        [{ has: ['reaction'] }, []],
        [{ is: ['pinned'] }, []],
        [{ has: ['link'] }, [link, own]],
        [{ has: ['code'] }, []],
        [{ is: ['thread'] }, []],
        [{ from: [bea] }, [own, poll]],
      ] satisfies [SearchFilters, Uuid[]][]) {
        const label = `afterwards ${JSON.stringify(filters)}`
        expect((await find(s, 'beacon', filters)).toSorted(), label).toEqual(ids.toSorted())
      }
    })
  })

  it('finds a message by the names of its files, and marks which one matched', async () => {
    await fixture.service(async (s) => {
      const id = await s.value<Uuid>('select id from public.messages where id = $1', [fixture.messages.fresh])
      await s.rows(
        `insert into public.attachments (message_id, upload_id, upload_channel_id, position, name, type, size)
         select $1, gen_random_uuid(), $2, n, (array['plan.png', 'Gezeiten-Übersicht.pdf'])[n + 1],
           (array['image/png', 'application/pdf'])[n + 1], 7
         from generate_series(0, 1) n`,
        [id, fixture.lobby],
      )
      await s.rows(
        `with deleted as (delete from public.message_search where message_id = $1 returning *)
         select set_config('test.row', to_json(d)::text, true) from deleted d`,
        [id],
      )
      await s.rows(
        `insert into public.message_search (message_id, channel_id, history_seq, created_at, words)
         select id, channel_id, history_seq, created_at, array_to_tsvector(app.split_words(body))
         from public.messages where id = $1`,
        [id],
      )
      await s.rows(
        `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
        [JSON.stringify({ sub: fixture.account.ann, session_id: fixture.account.ann })],
      )
      const { hits } = await search(s, 'übers', { has: ['file', 'image'] })
      expect(hits.map((hit) => [hit.message.id, hit.file, hit.channel.id])).toEqual([
        [id, { position: 1, matched: 'name' }, fixture.lobby],
      ])
      // An edit keeps the words of the names, and what else the message has.
      await s.call('edit_message', { id, body: 'Changed' })
      expect(await find(s, 'gezeiten changed', { has: ['file'], from: [fixture.profile.ann] })).toEqual([id])
    })
  })

  it('corrects typing errors by words that the reader may read, and by no others', async () => {
    await fixture.service(async (s) => {
      const become = (name: 'ann' | 'bea') =>
        s.rows(
          `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
          [JSON.stringify({ sub: fixture.account[name], session_id: fixture.account[name] })],
        )
      const words = () => s.rows<{ word: string }>('select word from public.search_vocabulary order by word')
      await become('bea')
      const open = await send(s, 'The lighthouse keeper waves')
      const secret = await send(s, 'A smugglers tunnel', { channel: fixture.closed })
      const deleted = await send(s, 'Password: corresponding')
      await s.rows('reset role')
      // Of all segments, in several runs.
      for (let i = 0; i < 5; i++) await s.rows('select app.update_search_vocabulary(2)')
      expect((await words()).map((row) => row.word)).toEqual(
        expect.arrayContaining(['corresponding', 'lighthouse', 'smugglers', 'tunnel']),
      )
      const before = (await words()).length
      await s.rows('select app.update_search_vocabulary()')
      expect(await words()).toHaveLength(before)
      await become('bea')
      const cases: [string, Uuid[], string | undefined][] = [
        ['lighthouse', [open], undefined],
        ['lihgthouse', [open], 'lighthouse'],
        ['lighthuse keeper', [open], 'lighthouse keeper'],
        ['the Lighthousse "keeper waves"', [open], 'the lighthouse "keeper waves"'],
        ['tunel -keeper', [secret], 'tunnel -keeper'],
        ['smuglers tunnle', [secret], 'smugglers tunnel'],
        // Too far, and too short.
        ['tupper', [], undefined],
        ['taht', [], undefined],
      ]
      for (const [query, ids, corrected] of cases) {
        const found = await search(s, query)
        expect(
          found.hits.map((hit) => hit.message.id),
          query,
        ).toEqual(ids)
        expect(found.corrected, query).toBe(corrected)
      }
      expect((await search(s, 'lihgthouse keep')).highlights).toEqual(['keep', 'lighthouse'])
      await s.call('delete_message', { id: deleted })
      await become('ann')
      for (const query of ['smuglers', 'tunel', 'corespondin']) {
        expect(await search(s, query), query).toMatchObject({ hits: [], next: null, highlights: [query] })
        expect(await search(s, query)).not.toHaveProperty('corrected')
      }
      await s.rows('reset role')
      expect((await words()).map((row) => row.word)).not.toContain('corresponding')
    })
  })

  it('tries the same corrections whether a word occurs in channels of others or not', async () => {
    // Eight words in a channel that Gus reads are as close to the query as the word of a private channel.
    const decoys = [...'abcdefgh'].map((letter) => `merger${letter}`)
    const correct = (elsewhere: string, earlier: string) =>
      fixture.service(async (s) => {
        const become = (name: 'bea' | 'gus') =>
          s.rows(
            `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
            [JSON.stringify({ sub: fixture.account[name], session_id: fixture.account[name] })],
          )
        await become('bea')
        await send(s, elsewhere, { channel: fixture.closed })
        await s.call('edit_message', { id: fixture.messages.old, body: earlier, edit: randomUUID() })
        await become('gus')
        for (const decoy of decoys) await send(s, decoy)
        await s.rows('reset role')
        await s.rows('select app.update_search_vocabulary()')
        await become('gus')
        return (await search(s, 'mergerz')).hits.map((hit) => hit.message.body)
      })
    const expected = await correct('other', 'other')
    expect(expected.toSorted()).toEqual(decoys)
    expect(await correct('merger', 'other')).toEqual(expected)
    expect(await correct('other', 'merger')).toEqual(expected)
  })

  it('forgets a word of a channel with the newest message that has it', async () => {
    await fixture.service(async (s) => {
      await s.rows(
        `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
        [JSON.stringify({ sub: fixture.account.bea, session_id: fixture.account.bea })],
      )
      const ids: Uuid[] = []
      for (let n = 0; n < 5; n += 1) ids.push(await send(s, 'gangplanks'))
      const words = async () => {
        await s.rows('reset role')
        await s.rows('select app.update_search_vocabulary()')
        const count = await s.value(
          `select count(*)::int from public.search_vocabulary where word = 'gangplanks'`,
        )
        await s.rows(`select set_config('role', 'authenticated', true)`)
        return count
      }
      expect(await words()).toBe(1)
      await s.call('delete_message', { id: ids[0]! })
      expect(await words()).toBe(1)
      await s.call('delete_message', { id: ids[4]! })
      expect(await words()).toBe(0)
    })
  })

  it('returns what was corrected where each word is right in some of the messages', async () => {
    await fixture.service(async (s) => {
      await s.rows(
        `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
        [JSON.stringify({ sub: fixture.account.bea, session_id: fixture.account.bea })],
      )
      const one = await send(s, 'harbor colour')
      const two = await send(s, 'harbour color')
      await s.rows('reset role')
      await s.rows('select app.update_search_vocabulary()')
      await s.rows(`select set_config('role', 'authenticated', true)`)
      const found = await search(s, 'harbor color')
      expect(found.hits.map((hit) => hit.message.id)).toEqual([two, one])
      expect(found.corrected).toBe('harbour colour')
    })
  })

  it('ranks whole words over beginnings, and pages by relevance through the same hits', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const whole = await send(s, 'pier')
      const others: Uuid[] = []
      for (let n = 0; n < 6; n++) others.push(await send(s, `piers ${n}`))
      const filters: SearchFilters = { order: 'relevance' }
      expect((await find(s, 'pier', filters))[0]).toBe(whole)
      const pages: Uuid[] = []
      let before: string | null = null
      do {
        const page: Awaited<ReturnType<typeof search>> = await s.call('search_messages', {
          workspace: fixture.workspace,
          query: 'pier',
          filters,
          before,
          limit: 3,
        })
        pages.push(...page.hits.map((hit) => hit.message.id))
        if (before === null) await send(s, 'pier, later')
        before = page.next
      } while (before !== null)
      expect(pages.toSorted()).toEqual([whole, ...others].toSorted())
    })
  })

  it('needs no words beside filters by channel, people and time', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const id = await send(s, 'nothing to search for')
      const [row] = await s.rows<{ created_at: string; channel_id: Uuid }>(
        `select channel_id, to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.USZ') as created_at
         from public.messages where id = $1`,
        [id],
      )
      await s.call('save_message', { message: id, state: 'saved' })
      for (const order of ['newest', 'relevance'] as const) {
        for (const filters of [
          { in: [row!.channel_id] },
          { after: row!.created_at },
          { is: ['saved' as const] },
          { from: [fixture.profile.bea], in: [row!.channel_id] },
        ]) {
          expect(await find(s, '', { ...filters, order }), JSON.stringify(filters)).toContain(id)
        }
        expect(await find(s, '', { before: row!.created_at, order })).not.toContain(id)
        expect(await find(s, '', { order })).toEqual([])
      }
    })
  })

  it('fails for unknown and malformed filters with their key', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      for (const [key, filters] of [
        ['colour', { colour: 'red' }],
        ['from', { from: 'bea' }],
        ['from', { from: ['bea'] }],
        ['in', { in: [1] }],
        ['with', { with: Array.from({ length: 11 }, () => randomUUID()) }],
        ['before', { before: 'yesterday' }],
        ['before', { before: '2026-11-23T10:00:00' }],
        ['after', { after: '2026-13-23T10:00:00Z' }],
        ['after', { after: 7 }],
        ['has', { has: ['money'] }],
        ['is', { is: ['unread'] }],
        ['mentions_me', { mentions_me: 'yes' }],
        ['order', { order: 'oldest' }],
        ['not', { not: { with: [] } }],
        ['not', { not: { not: {} } }],
        ['not', { not: [randomUUID()] }],
        ['is', { not: { is: ['saved'] } }],
        ['from', { not: { from: ['bea'] } }],
        ['filters', []],
      ] as [string, SearchFilters][]) {
        const error = await s.refusal((t) =>
          t.rows('select public.search_messages($1, $2, $3)', [
            fixture.workspace,
            'x',
            JSON.stringify(filters),
          ]),
        )
        expect([error.code, error.message, error.detail], JSON.stringify(filters)).toEqual([
          'PT400',
          'bad_filter',
          key,
        ])
      }
      expect(
        await s.failure('search_messages', {
          workspace: fixture.workspace,
          query: 'x',
          before: `r20 1 ${randomUUID()}`,
        }),
      ).toBe('bad_cursor')
    })
  })
})
