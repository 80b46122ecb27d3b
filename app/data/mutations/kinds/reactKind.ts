import type { Reaction } from '../../../../wire/messages.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import { isTaskKey } from '../../messages/reactionKeys.ts'
import { toExecutionIfFound, messageEvent } from '../execution.ts'
import { isAnything, isString, type MutationKind } from '../mutationKind.ts'

declare module '../mutation.ts' {
  interface MutationFields {
    react: { message: Uuid; emoji: string; on: boolean }
  }
}

/** The user's own reaction to a message. */
export const reactKind: MutationKind<'react'> = {
  fields: { message: isString, emoji: isString, on: isAnything },
  queueKey: ({ message }) => `message/${message}`,
  /** Adding and removing the same reaction cancel out while unsent. */
  coalesce: (mutations, input, append) => {
    const last = mutations.findLast(
      (mutation) =>
        mutation.kind === 'react' && mutation.message === input.message && mutation.emoji === input.emoji,
    )
    if (last?.kind !== 'react') return append(mutations)
    if (last.on === input.on) return mutations
    return last.maybeSent ? append(mutations) : mutations.filter((mutation) => mutation !== last)
  },
  optimistic: {
    value: 'message',
    id: ({ message }) => message,
    apply: (message, { emoji, on }) => {
      const reactions = withReaction(message.reactions, emoji, on)
      return message.deleted_at !== null || reactions === message.reactions
        ? message
        : { ...message, reactions }
    },
  },
  execute: async ({ message, emoji, on }, { call }) =>
    toExecutionIfFound(await call('react', { message, emoji, on }), messageEvent),
}

function withReaction(reactions: Reaction[], emoji: string, on: boolean): Reaction[] {
  const reaction = reactions.find((one) => one.emoji === emoji)
  // Whoever unticks a task removes the ticks of everyone.
  if (!on && isTaskKey(emoji)) return reaction ? reactions.filter((one) => one !== reaction) : reactions
  if ((reaction?.mine === true) === on) return reactions
  if (!reaction) return [...reactions, { emoji, count: 1, people: [], mine: true }]
  const count = reaction.count + (on ? 1 : -1)
  if (count <= 0) return reactions.filter((one) => one !== reaction)
  return reactions.map((one) => (one === reaction ? { ...one, count, mine: on } : one))
}
