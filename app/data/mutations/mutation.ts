import type { MessageExtras, SavedMessage } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Failure } from '../failures/failures.ts'
import type { Preferences, SectionChange } from '../store/ownRows.ts'

/** A file attached to a message in the outbox, with its bytes. */
export interface OutboxFile {
  id: Uuid
  name: string
  type: string
  /** Bytes. */
  size: number
  width: number | null
  height: number | null
  blob: Blob
  thumb: Blob | null
  uploaded: boolean
  /** URL of its resumable upload, once that was created. */
  url?: string | null
  /** Bytes sent when its author last paused it, for display. */
  sent?: number
  /** Paused by its author. */
  paused?: boolean
  /** Why the server rejected it. */
  failure?: Failure | null
}

interface MutationBase {
  /** Id of the mutation: for `send` the message's id, for `edit` the change's. */
  id: Uuid
  channel: Uuid
  /** The workspace that was shown; absent where an earlier version stored it. */
  workspace?: Uuid | undefined
  /** This device's clock, raised so that orders are unique. */
  order: number
  /** Incremented by each change while it is pending: the response to an earlier revision does not complete it. */
  revision: number
  /** Whether it may have reached the server: requested, and not rejected. */
  maybeSent: boolean
  /** Earliest time to send it, in ms of this device's clock; 0: at once. */
  notBefore: number
  /** `failed`: content that the server rejected, kept with the reason. */
  state: 'pending' | 'failed'
  failure: Failure | null
}

interface MessageContent {
  threadRoot: Uuid | null
  alsoToChannel: boolean
  body: string
  files: OutboxFile[]
  /** This device's clock, for display only. */
  createdAt: string
}

export type SendMutation = MutationBase &
  MessageContent & {
    kind: 'send'
    extras?: MessageExtras | null | undefined
    /** Changes of the draft that are sent, which is emptied with the message; absent: the draft is kept. */
    drafts?: readonly Uuid[] | undefined
    /** Whether its author could see that the channel is on the web; absent in conversations, where none is. */
    onWeb?: boolean | undefined
  }
export type EditMutation = MutationBase & MessageContent & { kind: 'edit'; message: Uuid }
export type DeleteMutation = MutationBase & { kind: 'delete'; message: Uuid }
export type ReactMutation = MutationBase & { kind: 'react'; message: Uuid; emoji: string; on: boolean }
/**
 * The position and version of the read marker when messages were read. If the marker is lower now, the person has
 * marked messages as unread since then, and that change wins.
 */
interface ReadOrigin {
  from: number
  readVersion: number
}

export type ReadMutation = MutationBase & ReadOrigin & { kind: 'read'; seq: number }
export type UnreadMutation = MutationBase & { kind: 'unread'; seq: number }
export type ReadThreadMutation = MutationBase & ReadOrigin & { kind: 'readThread'; root: Uuid; seq: number }
export type UnreadThreadMutation = MutationBase & { kind: 'unreadThread'; root: Uuid; seq: number }
/** The person's preferences for a channel. */
export type PreferencesMutation = MutationBase & { kind: 'preferences'; change: Partial<Preferences> }
/** A section of the person's sidebar that is created, changed or deleted; its channel is empty. */
export type SectionMutation = MutationBase & {
  kind: 'section'
  workspace: Uuid
  section: Uuid
  change: Partial<SectionChange>
}
export type FollowThreadMutation = MutationBase & { kind: 'followThread'; root: Uuid; on: boolean }

/**
 * The draft of a channel or thread as it was typed; empty if the person has emptied it. Its id is the id of the
 * change.
 */
export type DraftMutation = MutationBase & {
  kind: 'draft'
  /** The thread's root, or the channel. */
  conversation: Uuid
  threadRoot: Uuid | null
  text: string
  quote: Uuid | null
  /** The text that it replaces, and the changes of the draft that led to that: see `save_draft`. */
  from: string
  base: readonly Uuid[]
}

/** A message that the person has saved for later, or no longer (`saved` null). */
export type SaveMessageMutation = MutationBase & {
  kind: 'saveMessage'
  message: Uuid
  saved: SavedMessage['state'] | null
}

/** A change by the user, stored on this device until the server has it. */
export type Mutation =
  | SendMutation
  | EditMutation
  | DeleteMutation
  | ReactMutation
  | ReadMutation
  | UnreadMutation
  | ReadThreadMutation
  | UnreadThreadMutation
  | FollowThreadMutation
  | PreferencesMutation
  | SectionMutation
  | DraftMutation
  | SaveMessageMutation

/** Mutations that are displayed among messages, pending or rejected. */
export type OutboxItem = SendMutation | EditMutation

type InputOf<D extends Mutation> = Omit<D, keyof MutationBase> &
  Partial<MutationBase> &
  Pick<MutationBase, 'id' | 'channel'>
/** Whether a mutation belongs to the shown workspace. Mutations of other workspaces are only sent. */
export function isOfWorkspace({ workspace }: Pick<Mutation, 'workspace'>, shown: Uuid | null): boolean {
  return workspace === undefined || workspace === shown
}

/** A mutation without the fields that the outbox sets. */
export type MutationInput = {
  [K in Mutation['kind']]: InputOf<Extract<Mutation, { kind: K }>>
}[Mutation['kind']]

/** Creates a mutation ordered after all others. `now` is this device's clock in ms. */
export function createMutation(input: MutationInput, mutations: readonly Mutation[], now: number): Mutation {
  const order = nextOrder(mutations, now)
  return {
    revision: 0,
    maybeSent: false,
    notBefore: 0,
    state: 'pending',
    failure: null,
    ...input,
    order,
  } as Mutation
}

/**
 * Returns an order after all others. It is the time of the clock, since tabs share the storage. It is above existing
 * orders, since clocks can jump.
 */
export function nextOrder(mutations: readonly Mutation[], now: number): number {
  return mutations.reduce((max, one) => Math.max(max, one.order + 1), now)
}

/** Whether files of the message are not uploaded yet; it is sent after them. */
export function hasPendingUploads(mutation: Mutation): boolean {
  return mutation.kind === 'send' && mutation.files.some((file) => !file.uploaded)
}

/**
 * Returns the key of a mutation's queue. Mutations with the same key are executed in order. Others are executed in
 * parallel, so that a large upload does not delay read markers.
 */
export function queueKeyOf(mutation: Mutation): string {
  switch (mutation.kind) {
    case 'send':
      return `messages/${mutation.channel}`
    case 'edit':
    case 'delete':
    case 'react':
      return `message/${mutation.message}`
    case 'read':
    case 'unread':
      return `marker/${mutation.channel}`
    case 'readThread':
    case 'unreadThread':
      return `marker/${mutation.root}`
    case 'followThread':
      return `follow/${mutation.root}`
    // In order: a conversation is moved into a section that was created before.
    case 'preferences':
    case 'section':
      return 'sidebar'
    case 'saveMessage':
      return `saved/${mutation.message}`
    case 'draft':
      return `draft/${mutation.conversation}`
  }
}

/** The message whose row the mutation changes, or null. */
export function targetMessage(mutation: Mutation): Uuid | null {
  return mutation.kind === 'edit' || mutation.kind === 'delete' || mutation.kind === 'react'
    ? mutation.message
    : null
}

/** Whether it only moves a read marker; pending ones may be coalesced. */
export function isReadMarker(mutation: Mutation): boolean {
  return mutation.kind === 'read' || mutation.kind === 'readThread'
}

/** String fields of each kind of mutation, besides its ids. */
const STRING_FIELDS: Record<Mutation['kind'], readonly string[]> = {
  send: ['body'],
  edit: ['body', 'message'],
  delete: ['message'],
  react: ['message', 'emoji'],
  read: [],
  unread: [],
  readThread: ['root'],
  unreadThread: ['root'],
  followThread: ['root'],
  preferences: [],
  section: ['section', 'workspace'],
  draft: ['conversation', 'text', 'from'],
  saveMessage: ['message'],
}

/**
 * Validates a stored mutation. Null if this version of the app can't read it, for example because a later version has
 * stored it. The mutation stays stored and is ignored, so that it does not fail each start.
 */
export function parseStoredMutation(stored: unknown): Mutation | null {
  return isMutation(stored) ? stored : null
}

function isMutation(stored: unknown): stored is Mutation {
  const mutation = stored as Record<string, unknown> | null
  if (!mutation || !Object.hasOwn(STRING_FIELDS, String(mutation.kind))) return false
  const fields = STRING_FIELDS[mutation.kind as Mutation['kind']]
  return (
    ['id', 'channel', ...fields].every((name) => typeof mutation[name] === 'string') &&
    Number.isFinite(mutation.order) &&
    Number.isFinite(mutation.notBefore) &&
    (queueKeyOf(stored as Mutation) !== 'sidebar' ||
      (typeof mutation.change === 'object' && mutation.change !== null)) &&
    (mutation.kind !== 'draft' || Array.isArray(mutation.base)) &&
    (!fields.includes('body') ||
      (Array.isArray(mutation.files) && Date.parse(String(mutation.createdAt)) > 0))
  )
}
