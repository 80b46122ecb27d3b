import { expect, it, vi } from 'vitest'
import { createSortOnce } from './memoize.ts'

interface Channel {
  id: string
  name: string
  unread: number
}

it('500 channels are compared once, and again only after a name changes or a channel is added', () => {
  const compare = vi.fn((a: Channel, b: Channel) => (a.name < b.name ? -1 : 1))
  const sort = createSortOnce<Channel>({ idOf: ({ id }) => id, keyOf: ({ name }) => name, compare })
  const channels = Array.from({ length: 500 }, (_, index) => ({
    id: String(index),
    name: `channel ${(index * 37) % 500}`,
    unread: 0,
  }))
  const first = sort(channels)
  const compared = compare.mock.calls.length
  expect(compared).toBeGreaterThan(0)
  const changed = channels.with(7, { ...channels[7]!, unread: 1 })
  const second = sort(changed)
  expect(compare).toHaveBeenCalledTimes(compared)
  expect(second.map(({ id }) => id)).toEqual(first.map(({ id }) => id))
  expect(second).toContain(changed[7])
  const renamed = changed.with(7, { ...changed[7]!, name: 'a' })
  expect(sort(renamed)[0]).toBe(renamed[7])
  expect(sort(renamed.slice(1))).toHaveLength(499)
})
