import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apply } from '../../app/data/sync/apply.ts'
import type { Reducer } from './actor.ts'
import { openLawHome } from './home.ts'
import type { LawHome } from './home.ts'
import { tellStory } from './story.ts'

let home: LawHome

beforeAll(async () => {
  home = await openLawHome(join(import.meta.dirname, '../..'))
})
afterAll(() => home?.stop())

/** Misses every deletion, whatever brings it. */
const forgetsDeletions: Reducer = (state, event) => {
  if (event.type === 'rowGiven' && event.message.deleted_at !== null) return state
  if (event.type === 'changesGiven') {
    const messages = event.changes.messages.filter((message) => message.deleted_at === null)
    return apply(state, { ...event, changes: { ...event.changes, messages } })
  }
  return apply(state, event)
}

/** Takes a broadcast for a proof: after a gap it believes to be up to date. */
const trustsBroadcasts: Reducer = (state, event) => {
  const next = apply(state, event)
  if (event.type !== 'channelTold' || event.event.event !== 'message') return next
  const id = event.event.payload.channel_id
  const rows = next.channels.get(id)
  if (!rows) return next
  const rev = Math.max(rows.rev, event.event.payload.rev)
  return { ...next, channels: new Map(next.channels).set(id, { ...rows, rev }) }
}

describe('any stale state and the events since are a fresh fetch', () => {
  // Odd seeds: sockets end with rights, as on the embedded home; even ones: with the token, as elsewhere.
  it.each([1, 2])('story %i', { timeout: 240_000 }, async (seed) => {
    const { divergences } = await tellStory({ home, steps: 1_000, seed, evicts: seed % 2 === 1 })
    expect(divergences).toEqual([])
  })
})

describe('the law can fail', () => {
  it.each([
    ['forgets deletions', forgetsDeletions],
    ['trusts broadcasts', trustsBroadcasts],
  ])('on a reducer that %s', { timeout: 240_000 }, async (_name, reduce) => {
    const { divergences } = await tellStory({ home, steps: 1_500, seed: 3, evicts: true, reduce })
    expect(divergences).toHaveLength(1)
    expect(divergences[0]?.script.length).toBeGreaterThan(0)
  })
})
