import type { Commands } from '../../../../wire/commands.ts'
import type { Message, MessageExtras } from '../../../../wire/messages.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import { toExecution, messageEvent } from '../execution.ts'
import { createMutation, replaceMutation, targetMessage, toFailed, toPending } from '../mutation.ts'
import type {
  MessageContent,
  MutationFields,
  MutationInputOf,
  MutationOf,
  Mutations,
  OutboxFile,
} from '../mutation.ts'
import { isAnything, MESSAGE_FIELDS, type MutationKind } from '../mutationKind.ts'
import { findDraftMutation, MAX_CHANGES } from './draftKind.ts'

declare module '../mutation.ts' {
  interface MutationFields {
    send: MessageContent & {
      extras?: MessageExtras | null | undefined
      /** Changes of the draft that are sent, which is emptied with the message; absent: the draft is kept. */
      drafts?: readonly Uuid[] | undefined
      /** Whether its author could see that the channel is on the web; absent in conversations, where none is. */
      onWeb?: boolean | undefined
    }
  }
}

/** A new message whose optional fields are all named, so that the compiler reports a place that lacks a new field. */
export type CompleteSend = MutationInputOf<'send'> & Record<keyof MutationFields['send'], unknown>

/** What its author sees of a message that is not sent yet, besides its files. */
export type UnsentContent = Omit<MutationFields['send'], 'files' | 'drafts' | 'onWeb'>

/** A new message. */
export const sendKind: MutationKind<'send'> = {
  fields: { ...MESSAGE_FIELDS, extras: isAnything, drafts: isAnything, onWeb: isAnything },
  queueKey: ({ channel }) => `messages/${channel}`,
  /** A message that empties its draft replaces the pending changes of that. */
  coalesce: (mutations, input, append) => {
    const rest = mutations.filter((mutation) => mutation.id !== input.id || mutation.maybeSent)
    if (!input.drafts) return append(rest)
    const conversation = input.threadRoot ?? input.channel
    const last = findDraftMutation(rest, conversation)
    // Text that was due to be stored became a new change when the message was.
    const isKnown = !last || input.drafts.includes(last.id)
    const drafts = isKnown
      ? input.drafts
      : [...input.drafts, ...last.base, ...(last.maybeSent ? [last.id] : [])]
    return append(
      rest.filter((mutation) => mutation.kind !== 'draft' || mutation.conversation !== conversation),
      { ...input, drafts: [...new Set(drafts)].slice(-MAX_CHANGES) },
    )
  },
  /** Empties the draft that is sent. */
  optimistic: {
    value: 'draft',
    id: ({ threadRoot, channel }) => threadRoot ?? channel,
    apply: (draft, { drafts }) => (draft && drafts?.includes(draft.change_id) ? null : draft),
  },
  execute: async (mutation, { call }) => {
    // Sentences for what may be wrong with files, before the response arrives.
    if (mutation.files.length > 0) import('../../files/upload/fileFailures.ts').catch(() => {})
    const outcome = await call('send_message', sendArgs(mutation))
    return toExecution(outcome, (value) => messageEvent(value, mutation.drafts))
  },
  /** It stays with the reason and its latest text, unless its author has deleted it. Its other mutations are removed. */
  reject: (mutations, rejected, failure, maybeStored) => {
    const isOther = (mutation: Mutations[number]) => targetMessage(mutation) !== rejected.id
    const deletion = mutations.find((mutation) => mutation.kind === 'delete' && !isOther(mutation))
    if (deletion) {
      const rest = withoutMessage(mutations, rejected.id)
      return maybeStored ? [...rest, deletion] : rest
    }
    const edit = mutations.findLast((mutation) => mutation.kind === 'edit' && !isOther(mutation))
    const body = edit?.kind === 'edit' ? edit.body : rejected.body
    return replaceMutation(mutations.filter(isOther), rejected, {
      ...toFailed(rejected, failure, maybeStored),
      body,
    })
  },
  retry: retryMessage,
  /** A message that may have reached the server is also deleted there, since its author gets its text back. */
  discard: (mutations, { id, channel, maybeSent }, newId, now) => {
    const rest = withoutMessage(mutations, id)
    if (!maybeSent) return rest
    return [...rest, createMutation({ kind: 'delete', id: newId, channel, message: id }, mutations, now)]
  },
}

type SendArgs = Commands['send_message']['args']

/** All arguments of the command. Undefined ones are not sent. */
function sendArgs(mutation: MutationOf<'send'>): SendArgs & Record<keyof SendArgs, unknown> {
  const { id, channel, body, threadRoot, alsoToChannel, files, extras, onWeb, drafts } = mutation
  return {
    id,
    channel,
    body,
    thread_root: threadRoot,
    also_to_channel: alsoToChannel,
    attachments: files.map(({ id, name, width, height, thumb }) => {
      return { id, name, width, height, thumb: thumb !== null }
    }),
    extras: extras ?? undefined,
    on_web: onWeb,
    drafts: drafts?.length ? [...drafts] : undefined,
  }
}

/** Errors of a message whose files were deleted on the server, because it was sent too long after their upload. */
const LOST_FILE_FAILURES = new Set(['bad_attachment', 'attachments_missing'])

/** Makes a rejected message pending again, with its files. */
export function retryMessage(rejected: MutationOf<'send'>): MutationOf<'send'> {
  const lost = LOST_FILE_FAILURES.has(rejected.failure?.name ?? '')
  // The displayed reason states that anyone can read the channel. Its author has read that before sending it again.
  const onWeb = rejected.failure?.name === 'channel_on_web' ? true : rejected.onWeb
  return { ...toPending(rejected), onWeb, files: rejected.files.map((file) => resetFile(file, lost)) }
}

/** The file for another attempt; from its start if the server no longer has it. */
export function resetFile(file: OutboxFile, lost: boolean): OutboxFile {
  const again = { ...file, paused: false, failure: null }
  return lost ? { ...again, uploaded: false, url: null, sent: 0 } : again
}

/**
 * Removes a message that was never sent, with all other mutations of it. The draft that it would have emptied is emptied
 * by a change of its own.
 */
export function withoutMessage(mutations: Mutations, message: Uuid): Mutations {
  const rest = mutations.filter((mutation) => mutation.id !== message && targetMessage(mutation) !== message)
  const found = mutations.find((mutation) => mutation.id === message)
  if (found?.kind !== 'send' || !found.drafts?.length) return rest
  const { id, channel, threadRoot, drafts: base, order } = found
  const conversation = threadRoot ?? channel
  if (findDraftMutation(rest, conversation)) return rest
  const emptied = { id, channel, conversation, threadRoot, text: '', quote: null, from: '', base }
  return [...rest, createMutation({ kind: 'draft', ...emptied }, [], order)]
}

/**
 * Sends a message again that the server had accepted and lost (it was restored from a backup), unless its author has
 * deleted it. If the server has also lost its files, it will reject the message.
 */
export function resendMessage(mutations: Mutations, message: Message, now: number): Mutations {
  const { id, channel_id: channel, thread_root: threadRoot, body, extras, created_at: createdAt } = message
  const known = mutations.some(
    (mutation) => mutation.id === id || (mutation.kind === 'delete' && mutation.message === id),
  )
  if (known || message.deleted_at !== null) return mutations
  const files = message.attachments.map((file) => {
    const bytes = new Blob([])
    return Object.assign({}, file, { blob: bytes, thumb: file.thumb ? bytes : null, uploaded: true })
  })
  const alsoToChannel = threadRoot !== null && message.seq !== null
  const content = { channel, threadRoot, alsoToChannel, body, files, extras, createdAt }
  const input: CompleteSend = { kind: 'send', id, ...content, drafts: undefined, onWeb: undefined }
  return [...mutations, createMutation(input, mutations, now)]
}

/**
 * Removes a rejected message whose row has arrived nevertheless, by an earlier, slow attempt. If its text has changed
 * since that attempt, an edit with the id `edit` is added.
 */
export function settleArrived(mutations: Mutations, row: Message, edit: Uuid, now: number): Mutations {
  const refused = mutations.find((mutation) => mutation.id === row.id && mutation.state === 'failed')
  if (refused?.kind !== 'send') return mutations
  const rest = mutations.filter((mutation) => mutation !== refused)
  const { channel, threadRoot, alsoToChannel, body, createdAt } = refused
  if (row.deleted_at !== null || row.body === body) return rest
  const content = { channel, threadRoot, alsoToChannel, body, files: [], createdAt }
  return [...rest, createMutation({ kind: 'edit', id: edit, message: row.id, ...content }, mutations, now)]
}
