import { expect, it } from 'vitest'
import type { ActivityEntry } from '../../../wire/activity.ts'
import { buildMessage } from '../store/buildRows.fixture.ts'
import { groupActivity } from './groupActivity.ts'

const entry = (seq: number, emoji: string | null, person: string | null, hour: number): ActivityEntry => ({
  kind: emoji ? 'reaction' : 'mention',
  at: `2026-01-01T${hour}:00:00Z`,
  message: buildMessage(seq),
  emoji,
  profile_id: person,
  thread: null,
})

it('lists reactions to a message once, at the time of the latest', () => {
  const items = groupActivity([
    entry(1, '👍', 'cem', 20),
    entry(2, null, null, 19),
    entry(1, '🎉', 'ann', 18),
    entry(1, '👍', 'ann', 17),
    entry(3, '👍', 'ann', 16),
  ])
  expect(items.map(({ kind, message, people, emoji }) => [kind, message.seq, people, emoji])).toEqual([
    ['reaction', 1, ['cem', 'ann'], ['👍', '🎉']],
    ['mention', 2, [], []],
    ['reaction', 3, ['ann'], ['👍']],
  ])
  expect(items[0]?.at).toBe('2026-01-01T20:00:00Z')
})
