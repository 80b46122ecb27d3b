import type { Draft } from '../../../../wire/messages.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import { replaceMutation, retainRejected, toPending } from '../mutation.ts'
import type { MutationOf, Mutations } from '../mutation.ts'
import { isAnything, isString, type MutationKind } from '../mutationKind.ts'

declare module '../mutation.ts' {
  interface MutationFields {
    draft: {
      /** The thread's root, or the channel. */
      conversation: Uuid
      threadRoot: Uuid | null
      text: string
      quote: Uuid | null
      /** The text that it replaces, and the changes of the draft that led to that: see `save_draft`. */
      from: string
      base: readonly Uuid[]
    }
  }
}

/** Changes of a draft that a save or a message names at most. */
export const MAX_CHANGES = 20
/** Milliseconds after which a draft is saved although its author is still typing. */
const MAX_DRAFT_DELAY_MS = 10_000

/**
 * The draft of a channel or thread as it was typed; empty if the person has emptied it. Its id is the id of the change.
 */
export const draftKind: MutationKind<'draft'> = {
  fields: {
    conversation: isString,
    threadRoot: isAnything,
    text: isString,
    quote: isAnything,
    from: isString,
    base: Array.isArray,
  },
  queueKey: ({ conversation }) => `draft/${conversation}`,
  /** Changes the unsent change of the same draft; one that may have been sent becomes part of what this one replaces. */
  coalesce: (mutations, input, append) => {
    const last = findDraftMutation(mutations, input.conversation)
    if (!last || last.maybeSent) {
      const sends = mutations.flatMap((mutation) =>
        mutation.kind === 'send' && (mutation.threadRoot ?? mutation.channel) === input.conversation
          ? [...(mutation.drafts ?? []), mutation.id]
          : [],
      )
      const base = (last ? [...last.base, last.id] : [...input.base, ...sends]).slice(-MAX_CHANGES)
      if (!isContent(input) && input.base.length === 0 && !last) return mutations
      return append(mutations, { ...input, base, from: last?.from ?? input.from })
    }
    // It was never saved.
    if (!isContent(input) && last.base.length === 0) return mutations.filter((mutation) => mutation !== last)
    const { text, quote, notBefore = 0 } = input
    const dueAt = Math.min(notBefore, last.order + MAX_DRAFT_DELAY_MS)
    const changed = { ...toPending(last), text, quote, notBefore: dueAt }
    return replaceMutation(mutations, last, changed)
  },
  optimistic: {
    value: 'draft',
    id: ({ conversation }) => conversation,
    apply: (_before, mutation) => {
      const { conversation: id, channel: channel_id, threadRoot: thread_root, text: body, quote } = mutation
      const changed_at = new Date(mutation.order).toISOString()
      return isContent(mutation)
        ? { id, channel_id, thread_root, body, quote, changed_at, change_id: mutation.id }
        : null
    },
  },
  execute: (mutation, { saveDraft }) => saveDraft(mutation),
  reject: retainRejected,
}

/** The pending change of a draft. */
export function findDraftMutation(mutations: Mutations, conversation: Uuid): MutationOf<'draft'> | undefined {
  return mutations.findLast(
    (mutation): mutation is MutationOf<'draft'> =>
      mutation.kind === 'draft' && mutation.conversation === conversation,
  )
}

/**
 * All changes of a draft that a message with its text replaces, also if a save has no response yet: it may end while the
 * device stores the message. What another device has written since is no part of the message. `row`: the server's draft.
 */
export function changesToSend(mutations: Mutations, row: Draft | undefined, conversation: Uuid): Uuid[] {
  const last = findDraftMutation(mutations, conversation)
  if (last) return [...last.base, last.id]
  return row && (row.body !== '' || row.quote !== null) ? [row.change_id] : []
}

/** Whether a draft is not empty. */
export function isContent(draft: Pick<MutationOf<'draft'>, 'text' | 'quote'>): boolean {
  return draft.text !== '' || draft.quote !== null
}
