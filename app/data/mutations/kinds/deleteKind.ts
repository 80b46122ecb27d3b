import type { ErasableContent } from '../../../../wire/messages.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import { toExecutionIfFound, messageEvent } from '../execution.ts'
import type { Mutations } from '../mutation.ts'
import { isString, type MutationKind } from '../mutationKind.ts'
import { withoutMessage } from './sendKind.ts'

declare module '../mutation.ts' {
  interface MutationFields {
    delete: { message: Uuid }
  }
}

const ERASED: ErasableContent = { body: '', attachments: [], extras: null, reactions: [], pinned_at: null }

/** The deletion of a message. */
export const deleteKind: MutationKind<'delete'> = {
  fields: { message: isString },
  queueKey: ({ message }) => `message/${message}`,
  /** Deleting an unsent message removes it. */
  coalesce: (mutations, { message }, append) => {
    const waiting = mutations.find((mutation) => mutation.kind === 'send' && mutation.id === message)
    if (waiting && !waiting.maybeSent) return withoutMessage(mutations, message)
    if (waiting?.state === 'failed') return append(withoutMessage(mutations, message))
    if (mutations.some((mutation) => mutation.kind === 'delete' && mutation.message === message))
      return mutations
    return append(mutations)
  },
  optimistic: {
    value: 'message',
    id: ({ message }) => message,
    apply: (message) =>
      message.deleted_at === null
        ? { ...message, ...ERASED, deleted_at: message.edited_at ?? message.created_at }
        : message,
  },
  execute: async ({ message }, { call }) =>
    toExecutionIfFound(await call('delete_message', { id: message }), messageEvent),
}

/** Cancels a deletion that was not sent yet. */
export function cancelDelete(mutations: Mutations, message: Uuid): Mutations {
  return mutations.filter(
    (mutation) => mutation.kind !== 'delete' || mutation.message !== message || mutation.maybeSent,
  )
}
