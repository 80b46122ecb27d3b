import type { SavedMessage } from '../../../../wire/messages.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import { toExecutionIfFound } from '../execution.ts'
import { isAnything, isString, type MutationKind } from '../mutationKind.ts'

declare module '../mutation.ts' {
  interface MutationFields {
    saveMessage: { message: Uuid; saved: SavedMessage['state'] | null }
  }
}

/** A message that the user has saved for later, or no longer. */
export const saveMessageKind: MutationKind<'saveMessage'> = {
  fields: { message: isString, saved: isAnything },
  queueKey: ({ message }) => `saved/${message}`,
  coalesce: 'replaceUnsent',
  optimistic: {
    value: 'saved',
    id: ({ message }) => message,
    apply: (before, { message: id, channel: channel_id, saved: state, order }) => {
      const saved_at = before?.saved_at ?? new Date(order).toISOString()
      return state && { id, channel_id, state, saved_at }
    },
  },
  execute: async ({ message: id, saved: state }, { call }) =>
    toExecutionIfFound(await call('save_message', { message: id, state }), ({ saved }) => ({
      type: 'ownRowReceived',
      kind: 'saved',
      id,
      row: saved,
    })),
}
