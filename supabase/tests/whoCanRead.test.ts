import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom, testSeed } from '../../tests/support/random.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { names, openFixture, type Fixture, type Name } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

const MESSAGES = 200 * Number(process.env['LINNET_RUNS'] ?? 1)

describe.each(testDatabases)('who can read a message on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  it(`equals what the policies show each person, for ${MESSAGES} random messages and files`, async () => {
    const random = createRandom(testSeed)
    const { workspace, profile } = fixture
    const people = Object.values(profile)
    const messages: Uuid[] = []
    await fixture.service(async (s) => {
      // Written as rows, so that states arise in any combination.
      for (let n = 0; n < 20; n += 1) {
        const channel = randomUUID()
        await s.rows(
          `insert into public.channels (id, workspace_id, kind, name, created_by) values ($1, $2, $3, $4, $5)`,
          [channel, workspace, random.pick(['public', 'private']), `Random ${n}`, profile.bea],
        )
        for (const person of people) {
          if (!random.happens(0.5)) continue
          await s.rows(
            `insert into public.channel_members (channel_id, profile_id, role, history_from_seq, expires_at)
             select $1, $2, 'member', $3, $4 where exists (
               select from public.workspace_members where workspace_id = $5 and profile_id = $2)`,
            [
              channel,
              person,
              random.happens(0.5) ? 1 : 1 + random.below(MESSAGES / 20),
              random.happens(0.15) ? '2020-01-01T00:00:00Z' : null,
              workspace,
            ],
          )
        }
        for (let seq = 1; seq <= MESSAGES / 20; seq += 1) {
          const id = randomUUID()
          messages.push(id)
          await s.rows(
            `insert into public.messages (id, channel_id, seq, history_seq, rev, author_id, body, created_at)
             values ($1, $2, $3, $3, $3, $4, 'x', now())`,
            [id, channel, seq, profile.bea],
          )
          const upload = randomUUID()
          await s.rows(
            `insert into public.attachments (message_id, upload_id, upload_channel_id, position, name, type, size)
             values ($1, $2, $3, 1, 'x', 'text/plain', 1)`,
            [id, upload, channel],
          )
          await s.rows(
            `insert into storage.objects (bucket_id, name, owner, metadata) values ('files', $1, $2, '{"size": 1}')`,
            [`${channel}/${upload}/file`, fixture.account.bea],
          )
        }
      }
      // Autovacuum may come later: without statistics the policies are evaluated for each pair of rows.
      await s.rows('analyze public.channel_members, public.messages, public.attachments')
    }, true)

    // What each person really reads, by one query under the policies.
    const expected = new Map<Uuid, Uuid[]>(messages.map((id) => [id, []]))
    for (const name of names.toSorted((a, b) => (profile[a] < profile[b] ? -1 : 1))) {
      const isThere = name !== 'sid'
      // Signed out: Sid may read what another session of his would.
      const shown = await fixture.rolledBackAs(isThere ? name : 'sid', async (s) => {
        if (!isThere) return []
        const rows = await s.rows<{ id: Uuid }>('select id from public.messages where id = any ($1)', [
          messages,
        ])
        const files = await s.rows<{ id: Uuid }>(
          `select a.message_id as id from public.attachments a
           join storage.objects o on o.name = a.upload_channel_id || '/' || a.upload_id || '/file'
           where a.message_id = any ($1)`,
          [messages],
        )
        expect(files.map(({ id }) => id).toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
        return rows.map(({ id }) => id)
      })
      for (const id of shown) expected.get(id)!.push(profile[name])
    }

    let compared = 0
    const hidden = messages.find((id) => !expected.get(id)!.includes(profile.gus))
    expect(await fixture.rolledBackAs('gus', (s) => s.failure('who_can_read', { message: hidden! }))).toBe(
      'not_found',
    )
    const callers: Name[] = ['bea', 'ann', 'gus']
    for (const who of callers) {
      await fixture.rolledBackAs(who, async (s) => {
        const visible = new Set(
          (await s.rows<{ id: Uuid }>('select id from public.profiles')).map(({ id }) => id),
        )
        for (const id of messages) {
          const readers = expected.get(id)!
          if (!readers.includes(profile[who])) continue
          const answer = await s.call('who_can_read', { message: id })
          const listed = answer.people.filter((one) => one !== profile.sid)
          expect(listed).toEqual(readers.filter((one) => visible.has(one)))
          expect(answer.members.every((one) => answer.people.includes(one))).toBe(true)
          compared += 1
        }
      })
    }
    expect(compared).toBeGreaterThan(MESSAGES / 2)
  })
})
