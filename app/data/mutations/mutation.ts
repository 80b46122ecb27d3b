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

interface Asked {
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

interface Words {
  threadRoot: Uuid | null
  alsoToChannel: boolean
  body: string
  files: OutboxFile[]
  /** This device's clock, for show. */
  createdAt: string
}

export type SendDeed = Asked & Words & { kind: 'send' }
export type EditDeed = Asked & Words & { kind: 'edit'; message: Uuid }
export type DeleteDeed = Asked & { kind: 'delete'; message: Uuid }
export type ReactDeed = Asked & { kind: 'react'; message: Uuid; emoji: string; on: boolean }
/** Position of the read marker when something was read, and its version: one that is lower now was lowered on purpose. */
interface ReadFrom {
  from: number
  /** Absent where an earlier version of the app stored it. */
  readVersion?: number
}

export type ReadDeed = Asked & ReadFrom & { kind: 'read'; seq: number }
export type UnreadDeed = Asked & { kind: 'unread'; seq: number }
export type ReadThreadDeed = Asked & ReadFrom & { kind: 'readThread'; root: Uuid; seq: number }
export type UnreadThreadDeed = Asked & { kind: 'unreadThread'; root: Uuid; seq: number }
/** The person's preferences for a channel. */
export type PreferencesDeed = Asked & { kind: 'preferences'; change: Partial<Preferences> }
/** A section of the person's sidebar that is created, changed or deleted; its channel is empty. */
export type SectionDeed = Asked & {
  kind: 'section'
  workspace: Uuid
  section: Uuid
  change: Partial<SectionChange>
}
export type FollowThreadDeed = Asked & { kind: 'followThread'; root: Uuid; on: boolean }

/** What a person did, as this device keeps it until the server has it. */
export type Deed =
  | SendDeed
  | EditDeed
  | DeleteDeed
  | ReactDeed
  | ReadDeed
  | UnreadDeed
  | ReadThreadDeed
  | UnreadThreadDeed
  | FollowThreadDeed
  | PreferencesDeed
  | SectionDeed

/** What is shown among the messages of a place: those on their way, and words that were refused. */
export type OutboxItem = SendDeed | EditDeed

type Plain<D extends Deed> = Omit<D, keyof Asked> & Partial<Asked> & Pick<Asked, 'id' | 'channel'>
/** A deed as it is asked for; the rest of it is the outbox's. */
export type Wish = { [K in Deed['kind']]: Plain<Extract<Deed, { kind: K }>> }[Deed['kind']]

/** The wish as a deed that comes after all others; `now` is this device's clock in ms. */
export function deedOf(wish: Wish, deeds: readonly Deed[], now: number): Deed {
  const order = topOrder(deeds, now)
  return { version: 0, tried: false, notBefore: 0, state: 'pending', failure: null, ...wish, order } as Deed
}

/** A place behind all of them: pages share the shelf, hence the clock; never below what is there, for a clock may jump. */
export function topOrder(deeds: readonly Deed[], now: number): number {
  return deeds.reduce((most, one) => Math.max(most, one.order + 1), now)
}

/** Whether files of the message are still on their way: until they are there, it has no place among words. */
export function awaitsFiles(deed: Deed): boolean {
  return deed.kind === 'send' && deed.files.some((file) => !file.uploaded)
}

/**
 * The deeds of one lane go in order; those of different lanes don't wait for each other: a large upload must
 * not hold back how far one has read.
 */
export function laneOf(deed: Deed): string {
  switch (deed.kind) {
    case 'send':
      return `words/${deed.channel}`
    case 'edit':
    case 'delete':
    case 'react':
      return `message/${deed.message}`
    case 'read':
    case 'unread':
      return `place/${deed.channel}`
    case 'readThread':
    case 'unreadThread':
      return `place/${deed.root}`
    case 'followThread':
      return `follow/${deed.root}`
    // In order: a conversation is moved into a section that was created before.
    case 'preferences':
    case 'section':
      return 'sidebar'
  }
}

/** The message whose row the deed changes, or null. */
export function messageOf(deed: Deed): Uuid | null {
  return deed.kind === 'edit' || deed.kind === 'delete' || deed.kind === 'react' ? deed.message : null
}

/** Whether it only moves a pointer: those that wait may become one. */
export function isPointer(deed: Deed): boolean {
  return deed.kind === 'read' || deed.kind === 'readThread'
}

/** What is a text in each kind of deed, beside its names. */
const TEXTS: Record<Deed['kind'], readonly string[]> = {
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
 * A deed as it lies on the device. An earlier version of the app kept messages alone, and none said what it was. Null
 * for what this version can't read, a later one's say: it would stop the page at each start, so it stays where it is.
 */
export function deedFromShelf(kept: unknown): Deed | null {
  const old = kept as Partial<SendDeed> | null
  const deed =
    old && !('kind' in old)
      ? { ...old, kind: 'send', version: 0, tried: old.state === 'pending', notBefore: 0 }
      : old
  return isDeed(deed) ? deed : null
}

function isDeed(kept: unknown): kept is Deed {
  const deed = kept as Record<string, unknown> | null
  if (!deed || !Object.hasOwn(TEXTS, String(deed.kind))) return false
  const texts = TEXTS[deed.kind as Deed['kind']]
  return (
    ['id', 'channel', ...texts].every((name) => typeof deed[name] === 'string') &&
    Number.isFinite(deed.order) &&
    Number.isFinite(deed.notBefore) &&
    (laneOf(kept as Deed) !== 'sidebar' || (typeof deed.change === 'object' && deed.change !== null)) &&
    (!texts.includes('body') || (Array.isArray(deed.files) && Date.parse(String(deed.createdAt)) > 0))
  )
}
