import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ended, received, joined } from './channelEvents.ts'
import { startRealtime, type Person, type TestRealtime } from './startRealtime.ts'

let realtime: TestRealtime

beforeAll(async () => {
  realtime = await startRealtime()
})
afterAll(() => realtime.close())

const privately = { config: { private: true } }

/** Somebody new who may listen, and speak, in these rooms. */
async function member(...rooms: string[]): Promise<Person> {
  const person = await realtime.person()
  for (const room of rooms) {
    await realtime.sql('insert into public.members (room, user_id, speaks) values ($1, $2, true)', [
      room,
      person.id,
    ])
  }
  return person
}

const sendEvent = (room: string, event: string): Promise<unknown> =>
  realtime.sql(`select realtime.send('{}', $1, $2, true)`, [event, room])

describe('a permission that ends', () => {
  it('with membership: the topic closes, others and the other topics do not', async () => {
    const [bea, ann] = await Promise.all([member('pier', 'quay'), member('pier')])
    const client = await realtime.client(bea.token)
    const [pier, quay] = [client.channel('pier', privately), client.channel('quay', privately)]
    const anns = (await realtime.client(ann.token)).channel('pier', privately)
    const first = received(pier, 'first')
    const over = ended(pier)
    await Promise.all([joined(pier), joined(quay), joined(anns)])
    await sendEvent('pier', 'first')
    await first

    const events: string[] = []
    pier.on('broadcast', { event: '*' }, ({ event }) => events.push(event))
    await realtime.sql(`delete from public.members where room = 'pier' and user_id = $1`, [bea.id])
    expect(await over).toBe('You no longer have permission to read from this Channel topic: pier')
    const [last, still] = [received(anns, 'last'), received(quay, 'still')]
    await sendEvent('pier', 'last')
    await sendEvent('quay', 'still')
    await Promise.all([last, still])
    expect(events).toEqual([])
    await expect(joined(client.channel('pier', privately))).rejects.toThrow('Unauthorized')
  })

  it('with the permission to send: the topic stays open, her messages are no longer forwarded', async () => {
    const bea = await member('stage')
    const [speaker, listener] = await Promise.all(
      [0, 1].map(async () => (await realtime.client(bea.token)).channel('stage', privately)),
    )
    const loud = received(listener!, 'loud')
    await Promise.all([joined(speaker!), joined(listener!)])
    await speaker!.send({ type: 'broadcast', event: 'loud', payload: {} })
    await loud
    const events: string[] = []
    listener!.on('broadcast', { event: '*' }, ({ event }) => events.push(event))
    await realtime.sql(`update public.members set speaks = false where user_id = $1`, [bea.id])
    await expect
      .poll(async () => {
        events.length = 0
        await speaker!.send({ type: 'broadcast', event: 'whisper', payload: {} })
        const marked = received(listener!, 'mark')
        await sendEvent('stage', 'mark')
        await marked
        return events
      })
      .toEqual(['mark'])
  })

  it('with the session, where the policies require one: the topic closes, and a join is refused with the reason', async () => {
    const bea = await member('session:cellar', 'session:attic', 'quay')
    const client = await realtime.client(bea.token)
    const [cellar, attic] = [
      client.channel('session:cellar', privately),
      client.channel('session:attic', privately),
    ]
    const quay = client.channel('quay', privately)
    const square = client.channel('square')
    const overs = [ended(cellar), ended(attic)]
    await Promise.all([joined(cellar), joined(attic), joined(quay), joined(square)])
    await realtime.sql('delete from auth.sessions where id = $1', [bea.sessionId])
    expect(await Promise.all(overs)).toEqual([
      'The session of this token has ended',
      'The session of this token has ended',
    ])
    expect([quay.state, square.state]).toEqual(['joined', 'joined'])
    // The token is good for an hour yet; its session is not.
    await expect(joined(client.channel('session:cellar', privately))).rejects.toThrow(
      'Unauthorized: The session of this token has ended',
    )
    const [still, whisper] = [received(quay, 'still'), received(quay, 'whisper')]
    await sendEvent('quay', 'still')
    await still
    const again = (await realtime.client(bea.token)).channel('quay', privately)
    await joined(again)
    await again.send({ type: 'broadcast', event: 'whisper', payload: {} })
    await whisper
  })

  it('while it is still being joined', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, () => member('gate')))
    const attempts = people.map(async (person) => {
      const channel = (await realtime.client(person.token)).channel('gate', privately)
      const over = ended(channel)
      const entered = await joined(channel).then(
        () => true,
        () => false,
      )
      return entered ? over : 'refused'
    })
    await realtime.sql(`delete from public.members where room = 'gate'`)
    for (const outcome of await Promise.all(attempts)) {
      expect(outcome).toMatch(/refused|no longer have permission/)
    }
  })
})

describe('a token', () => {
  afterEach(() => void vi.useRealTimers())

  it('that expires closes the topic with the reason', async () => {
    const bea = await member('clock')
    const client = await realtime.client(bea.token)
    const channel = client.channel('clock', privately)
    const over = ended(channel)
    await joined(channel)
    // Only now: a busy machine may take longer for the join. It may also read the token after its expiry.
    await client.realtime.setAuth(await realtime.tokenOf(bea, { expiresIn: 3 }))
    expect(await over).toMatch(/^(InvalidJWTToken: )?Token has expired \d+ seconds ago$/)
  })

  it('that is renewed keeps the topic open', async () => {
    const bea = await member('harbour')
    const client = await realtime.client(await realtime.tokenOf(bea, { expiresIn: 600 }))
    const other = (await realtime.client(await realtime.tokenOf(bea, { expiresIn: 600 }))).channel(
      'harbour',
      privately,
    )
    const channel = client.channel('harbour', privately)
    const [over, otherOver] = [ended(channel), ended(other)]
    await Promise.all([joined(channel), joined(other)])
    await client.realtime.setAuth(await realtime.tokenOf(bea, { expiresIn: 7_200 }))
    // Half an hour later: the clock is set, since a busy machine may take longer than a short validity.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_800_000 })
    await otherOver
    const next = received(channel, 'on')
    await sendEvent('harbour', 'on')
    expect(await Promise.race([next, over])).toMatchObject({ event: 'on' })
  })

  it('of another user causes a check of the policies', async () => {
    const [bea, omar] = await Promise.all([member('vault'), realtime.person()])
    const client = await realtime.client(bea.token)
    const channel = client.channel('vault', privately)
    const over = ended(channel)
    await joined(channel)
    await client.realtime.setAuth(omar.token)
    expect(await over).toBe('You no longer have permission to read from this Channel topic: vault')
  })

  it.each([
    ['expired', /^InvalidJWTToken: Token has expired \d+ seconds ago$/],
    ['forged', /^JwtSignatureError: Failed to validate JWT signature$/],
    ['garbled', /^MalformedJWT: The token provided is not a valid JWT$/],
    ['huge', /^MalformedJWT: The token provided is not a valid JWT$/],
    ['of a role that is none', /^Unauthorized/],
    ['of the service itself', /^InvalidJWTToken: Fields `role` and `exp` are required in JWT$/],
  ])('that is %s is refused', async (kind, reason) => {
    const bea = await member('door')
    const tokens: Record<string, () => Promise<string> | string> = {
      expired: () => realtime.tokenOf(bea, { expiresIn: -10 }),
      forged: () => `${bea.token.slice(0, -8)}AAAAAAAA`,
      garbled: () => 'x.y.z',
      huge: () => 'a'.repeat(50_000),
      'of a role that is none': () => realtime.tokenOf(bea, { role: 'supabase_admin' }),
      'of the service itself': () => realtime.tokenOf(bea, { role: 'none' }),
    }
    const channel = (await realtime.client(await tokens[kind]!())).channel('door', privately)
    await expect(joined(channel)).rejects.toThrow(reason)
  })
})

describe('a policy', () => {
  it('that raises an error refuses its own topic and no other of its batch', async () => {
    const bea = await member('sound')
    const client = await realtime.client(bea.token)
    const broken = joined(client.channel('broken:1', privately))
    const sound = joined(client.channel('sound', privately))
    await expect(broken).rejects.toThrow(
      'Unauthorized: You do not have permissions to read from this Channel topic: broken:1',
    )
    await sound
  })

  it('may depend on the search path of API sessions', async () => {
    const client = await realtime.client((await realtime.person()).token)
    await expect(joined(client.channel('shed', privately))).rejects.toThrow('Unauthorized')
    await realtime.sql(`insert into public.doors values ('barn')`)
    await joined(client.channel('barn', privately))
  })

  it('is checked for each extension separately', async () => {
    const bea = await realtime.person()
    await realtime.sql(`insert into public.members (room, user_id, shows) values ('porch', $1, true)`, [
      bea.id,
    ])
    const [first, second] = await Promise.all(
      [0, 1].map(async () =>
        (await realtime.client(bea.token)).channel('porch', {
          config: { private: true, presence: { key: 'bea', enabled: true } },
        }),
      ),
    )
    const seen = new Promise((resolve) => first!.on('presence', { event: 'join' }, resolve))
    await Promise.all([joined(first!), joined(second!)])
    expect(await second!.track({ mood: 'calm' })).toBe('ok')
    expect(await seen).toMatchObject({ key: 'bea', newPresences: [{ mood: 'calm' }] })

    const omar = await member('porch')
    const blind = (await realtime.client(omar.token)).channel('porch', {
      config: { private: true, presence: { key: 'omar', enabled: true } },
    })
    const states: unknown[] = []
    blind.on('presence', { event: 'sync' }, () => states.push(blind.presenceState()))
    await joined(blind)
    expect(await blind.track({ mood: 'curious' })).toBe('error')
    expect(states).toEqual([])
  })

  it('interleaved roles on one connection are checked separately', async () => {
    const bea = await member('mixed')
    const tokens = [
      bea.token,
      await realtime.tokenOf(bea, { role: 'anon' }),
      await realtime.tokenOf(bea, { role: 'service_role' }),
    ]
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, async (_, i) =>
        joined((await realtime.client(tokens[i % 3])).channel('mixed', privately)).then(
          () => 'in',
          () => 'out',
        ),
      ),
    )
    expect(outcomes).toEqual(Array.from({ length: 30 }, (_, i) => ['in', 'out', 'in'][i % 3]))
  })
})
