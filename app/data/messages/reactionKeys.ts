import type { Message, Reaction } from '../../../wire/messages.ts'

/** Keys of reactions that are no emoji: votes in a poll, and ticks of tasks. `app.require_reaction_key` checks them. */

const POLL = 'poll:'
const TASK = 'task:'

export function pollKey(option: number): string {
  return `${POLL}${option}`
}

/** The key of a task's line. `occurrence` counts equal lines before it. Editing the line gives it another key. */
export function taskKey(line: string, occurrence: number): string {
  // FNV-1a, 32 bits: collisions within one message would need about 10,000 tasks.
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(`${occurrence} ${line}`)) {
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
  return TASK + (hash >>> 0).toString(16).padStart(8, '0')
}

export function isPollKey(key: string): boolean {
  return key.startsWith(POLL)
}

export function isTaskKey(key: string): boolean {
  return key.startsWith(TASK)
}

/** The reactions with emoji, without votes and ticks. */
export function emojiReactions(message: Message): Reaction[] {
  return message.reactions.filter(({ emoji }) => !isPollKey(emoji) && !isTaskKey(emoji))
}
