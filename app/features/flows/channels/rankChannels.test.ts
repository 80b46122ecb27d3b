import { expect, test } from 'vitest'
import { buildChannelEntry } from '../../../data/store/buildRows.fixture.ts'
import { rankChannels, type ListedChannel } from './rankChannels.ts'

function listed(
  name: string,
  change: Partial<ListedChannel['channel']> = {},
  rest: Partial<ListedChannel> = {},
): ListedChannel {
  return {
    channel: { ...buildChannelEntry().channel, name, ...change },
    members: 1,
    member: true,
    last_message_at: null,
    ...rest,
  }
}

const all = [
  listed(
    'rota',
    { created_at: '2026-01-03T00:00:00Z', topic: 'Who works when' },
    { members: 4, last_message_at: '2026-02-01T00:00:00Z' },
  ),
  listed(
    'ward 10',
    { created_at: '2026-01-02T00:00:00Z' },
    { members: 9, member: false, last_message_at: '2026-02-02T00:00:00Z' },
  ),
  listed('ward 9', { created_at: '2026-01-01T00:00:00Z', description: 'Next to the rota board' }),
  listed('party', { archived_at: '2026-02-01T00:00:00Z' }),
]

const names = (...args: [string, 'all' | 'mine' | 'archived', 'name' | 'people' | 'active' | 'new']) =>
  rankChannels(all, ...args).map(({ channel }) => channel.name)

test('the filter selects all, joined or archived channels', () => {
  expect(names('', 'all', 'name')).toEqual(['rota', 'ward 9', 'ward 10'])
  expect(names('', 'mine', 'name')).toEqual(['rota', 'ward 9'])
  expect(names('', 'archived', 'name')).toEqual(['party'])
})

test('channels are sorted by members, by latest activity or by age, newest first', () => {
  expect(names('', 'all', 'people')).toEqual(['ward 10', 'rota', 'ward 9'])
  expect(names('', 'all', 'active')).toEqual(['ward 10', 'rota', 'ward 9'])
  expect(names('', 'all', 'new')).toEqual(['rota', 'ward 10', 'ward 9'])
})

test('matches in names rank above matches in topics and descriptions', () => {
  expect(names('rota', 'all', 'name')).toEqual(['rota', 'ward 9'])
  expect(names('works', 'all', 'name')).toEqual(['rota'])
  expect(names('nothing', 'all', 'name')).toEqual([])
})
