import type { Uuid } from '../../../../wire/scalars.ts'
import { toExecution, messageEvent } from '../execution.ts'
import { replaceMutation, retainRejected } from '../mutation.ts'
import type { MessageContent, MutationOf } from '../mutation.ts'
import { isString, MESSAGE_FIELDS, type MutationKind } from '../mutationKind.ts'
import { retryMessage } from './sendKind.ts'

declare module '../mutation.ts' {
  interface MutationFields {
    edit: MessageContent & { message: Uuid }
  }
}

/** A new text of a message. A rejected edit is displayed separately from its message. */
export const editKind: MutationKind<'edit'> = {
  fields: { ...MESSAGE_FIELDS, message: isString },
  queueKey: ({ message }) => `message/${message}`,
  /** An unsent message is changed in place; an unsent edit is replaced by the later one. */
  coalesce: (mutations, { message, body }, append) => {
    const waiting = mutations.find(
      (mutation): mutation is MutationOf<'send'> => mutation.kind === 'send' && mutation.id === message,
    )
    if (waiting && !waiting.maybeSent)
      return replaceMutation(mutations, waiting, { ...waiting, body, state: 'pending', failure: null })
    const others = mutations.filter(
      (mutation) => mutation.kind !== 'edit' || mutation.message !== message || mutation.maybeSent,
    )
    return append(
      waiting?.state === 'failed' ? replaceMutation(others, waiting, retryMessage(waiting)) : others,
    )
  },
  optimistic: {
    value: 'message',
    id: ({ message }) => message,
    apply: (message, { state, body, createdAt }) =>
      state === 'failed' || message.deleted_at !== null || message.body === body
        ? message
        : { ...message, body, edited_at: createdAt },
  },
  execute: async ({ id, message, body }, { call }) =>
    toExecution(await call('edit_message', { id: message, body, edit: id }), messageEvent),
  reject: retainRejected,
}
