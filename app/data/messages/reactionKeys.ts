import type { Message, Reaction } from '../../../wire/messages.ts'

/** Keys of reactions that are no emoji: votes in a poll, and ticks of tasks. `app.require_reaction_key` checks them. */

const POLL = 'poll:'
export const TASK = 'task:'

export function pollKey(option: number): string {
  return `${POLL}${option}`
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
