import { expect, test } from 'vitest'
import type { Message } from '../../../../wire/messages.ts'
import { buildChannelEntry, buildMessage, LOBBY } from '../../../data/store/buildRows.fixture.ts'
import type { ChannelRows } from '../../../data/store/state.ts'
import { findStoredMessages } from './findStoredMessages.ts'

const OTHER_AUTHOR = '30000000-0000-4000-8000-000000000009'

function channelsWith(...changes: Partial<Message>[]) {
  const messages = changes.map((change, index) => buildMessage(index + 1, change))
  const rows = { entry: buildChannelEntry(), messages: new Map(messages.map((one) => [one.id, one])) }
  return new Map([[LOBBY, rows as unknown as ChannelRows]])
}

const bodies = (
  channels: ReturnType<typeof channelsWith>,
  text: string,
  filters: Parameters<typeof findStoredMessages>[1]['filters'] = {},
) => findStoredMessages(channels, { text, filters })?.hits.map(({ message }) => message.body)

test('stored messages are found by beginnings of words, phrases and excluded words, the newest first', () => {
  const channels = channelsWith(
    { body: 'The orchid needs water' },
    { body: 'Orchids on Tuesday' },
    { body: 'A water orchid' },
    { body: 'orchid', deleted_at: '2026-01-01T00:00:00Z' },
    { body: 'Nothing else' },
  )
  expect(bodies(channels, 'órchid')).toEqual([
    'A water orchid',
    'Orchids on Tuesday',
    'The orchid needs water',
  ])
  expect(bodies(channels, 'orchid water')).toEqual(['A water orchid', 'The orchid needs water'])
  expect(bodies(channels, '"water orchid"')).toEqual(['A water orchid'])
  expect(bodies(channels, 'orchid -water')).toEqual(['Orchids on Tuesday'])
  expect(bodies(channels, 'rchid')).toEqual([])
})

test('authors, channels and times limit the result, and null means that only the server has an answer', () => {
  const channels = channelsWith({ body: 'one' }, { body: 'two', author_id: OTHER_AUTHOR }, { body: 'three' })
  const [, second] = channels.get(LOBBY)!.messages.values()
  expect(bodies(channels, '', { from: [OTHER_AUTHOR] })).toEqual(['two'])
  expect(bodies(channels, '', { not: { from: [OTHER_AUTHOR] } })).toEqual(['three', 'one'])
  expect(bodies(channels, '', { in: [OTHER_AUTHOR] })).toEqual([])
  expect(bodies(channels, '', { before: second!.created_at })).toEqual(['one'])
  expect(bodies(channels, '', { after: second!.created_at })).toEqual(['three', 'two'])
  expect(bodies(channels, 'one', { has: ['poll'] })).toBeUndefined()
})
