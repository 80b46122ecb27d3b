import type { Uuid } from '../../../wire/linnet.ts'
import type { Failure } from '../failures/failures.ts'
import type { SectionChange } from '../store/ownRows.ts'
import type { Preferences } from '../store/preferences.ts'

/** A file that goes with a message; the bytes stay with it until the message was accepted. */
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
  /** Where the server goes on with its bytes, once it has begun to take them in pieces. */
  url?: string | null
  /** Bytes that had left when its author last stopped it, for show. */
  sent?: number
  /** Its author said to wait. */
  paused?: boolean
  /** Why the server won't have it as it is. */
  failure?: Failure | null
}

interface MutationBase {
  /** Names the deed: of a `send` the message's id, of an `edit` the change's. */
  id: Uuid
  channel: Uuid
  /** This device's clock, raised so that it orders. */
  order: number
  /** Rises with each change while it waits: the answer to an earlier version doesn't end it. */
  version: number
  /** Whether it may have reached the server: asked, and not refused. */
  tried: boolean
  /** Not asked before, in ms of this device's clock; 0: at once. */
  notBefore: number
  /** `failed`: words that the server will never take as they are, kept with the reason. */
  state: 'pending' | 'failed'
  failure: Failure | null
}

interface MessageContent {
  threadRoot: Uuid | null
  alsoToChannel: boolean
  body: string
  files: OutboxFile[]
  /** This device's clock, for show. */
  createdAt: string
}

export type SendMutation = MutationBase & MessageContent & { kind: 'send' }
export type EditMutation = MutationBase & MessageContent & { kind: 'edit'; message: Uuid }
export type DeleteMutation = MutationBase & { kind: 'delete'; message: Uuid }
export type ReactMutation = MutationBase & { kind: 'react'; message: Uuid; emoji: string; on: boolean }
/** Position of the read marker when something was read, and its version: one that is lower now was lowered on purpose. */
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

/** What a person did, as this device keeps it until the server has it. */
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

/** What is shown among the messages of a place: those on their way, and words that were refused. */
export type OutboxItem = SendMutation | EditMutation

type InputOf<D extends Mutation> = Omit<D, keyof MutationBase> &
  Partial<MutationBase> &
  Pick<MutationBase, 'id' | 'channel'>
/** A deed as it is asked for; the rest of it is the outbox's. */
export type MutationInput = {
  [K in Mutation['kind']]: InputOf<Extract<Mutation, { kind: K }>>
}[Mutation['kind']]

/** The wish as a deed that comes after all others; `now` is this device's clock in ms. */
export function createMutation(input: MutationInput, mutations: readonly Mutation[], now: number): Mutation {
  const order = nextOrder(mutations, now)
  return {
    version: 0,
    tried: false,
    notBefore: 0,
    state: 'pending',
    failure: null,
    ...input,
    order,
  } as Mutation
}

/** A place behind all of them: pages share the shelf, hence the clock; never below what is there, for a clock may jump. */
export function nextOrder(mutations: readonly Mutation[], now: number): number {
  return mutations.reduce((max, one) => Math.max(max, one.order + 1), now)
}

/** Whether files of the message are still on their way: until they are there, it has no place among words. */
export function hasPendingUploads(mutation: Mutation): boolean {
  return mutation.kind === 'send' && mutation.files.some((file) => !file.uploaded)
}

/**
 * The deeds of one lane go in order; those of different lanes don't wait for each other: a large upload must
 * not hold back how far one has read.
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
  }
}

/** The message whose row the deed changes, or null. */
export function targetMessage(mutation: Mutation): Uuid | null {
  return mutation.kind === 'edit' || mutation.kind === 'delete' || mutation.kind === 'react'
    ? mutation.message
    : null
}

/** Whether it only moves a pointer: those that wait may become one. */
export function isReadMarker(mutation: Mutation): boolean {
  return mutation.kind === 'read' || mutation.kind === 'readThread'
}

/** What is a text in each kind of deed, beside its names. */
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
}

/**
 * The mutation that the device stores. Null for a value that this version of the app can't read, such as one of a later
 * version: it stays stored, and would otherwise stop each start of the page.
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
    (!fields.includes('body') ||
      (Array.isArray(mutation.files) && Date.parse(String(mutation.createdAt)) > 0))
  )
}
