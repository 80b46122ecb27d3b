import type { Uuid } from '../../../wire/scalars.ts'
import type { Failure } from '../failures/failures.ts'

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

/** Fields of all mutations. */
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

/** The text and files of a new or changed message. */
export interface MessageContent {
  threadRoot: Uuid | null
  alsoToChannel: boolean
  body: string
  files: OutboxFile[]
  /** This device's clock, for display only. */
  createdAt: string
}

/** The fields of each kind of mutation. The module of each kind in `kinds/` declares its own. */
// oxlint-disable-next-line typescript/no-empty-object-type -- declaration merging
export interface MutationFields {}

/** A mutation of one of these kinds. */
export type MutationOf<K extends keyof MutationFields> = {
  [P in K]: MutationBase & MutationFields[P] & { kind: P }
}[K]

/** A change by the user, stored on this device until the server has it. */
export type Mutation = MutationOf<keyof MutationFields>

/** The mutations in the order in which they are executed. */
export type Mutations = readonly Mutation[]

/** Mutations that are displayed among messages, pending or rejected. */
export type OutboxItem = MutationOf<'send' | 'edit'>

/** A mutation of one of these kinds without the fields that the outbox sets. */
export type MutationInputOf<K extends keyof MutationFields> = {
  [P in K]: Omit<MutationOf<P>, keyof MutationBase> &
    Partial<MutationBase> &
    Pick<MutationBase, 'id' | 'channel'>
}[K]

/** A mutation without the fields that the outbox sets. */
export type MutationInput = MutationInputOf<keyof MutationFields>

/** Whether a mutation belongs to the shown workspace. Mutations of other workspaces are only sent. */
export function isOfWorkspace({ workspace }: Pick<Mutation, 'workspace'>, shown: Uuid | null): boolean {
  return workspace === undefined || workspace === shown
}

/** Creates a mutation ordered after all others. `now` is this device's clock in ms. */
export function createMutation(input: MutationInput, mutations: Mutations, now: number): Mutation {
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
export function nextOrder(mutations: Mutations, now: number): number {
  return mutations.reduce((max, one) => Math.max(max, one.order + 1), now)
}

/** Replaces one of the mutations. */
export function replaceMutation(mutations: Mutations, one: Mutation, by: Mutation): Mutations {
  return mutations.map((mutation) => (mutation === one ? by : mutation))
}

/** The mutation, rejected for this reason. `maybeSent`: the server may have stored it. */
export function toFailed<M extends Mutation>(mutation: M, failure: Failure, maybeSent = false): M {
  return { ...mutation, state: 'failed', failure, maybeSent }
}

/** The mutations, in which the rejected one stays with the reason. */
export function retainRejected(mutations: Mutations, rejected: Mutation, failure: Failure): Mutations {
  return replaceMutation(mutations, rejected, toFailed(rejected, failure))
}

/** A change of some fields of an own row, which is written directly. */
export type OwnRowMutation = MutationOf<'preferences' | 'notificationPreferences' | 'section'>

/** Merges a later change of some fields into an unsent mutation. */
export function mergeChange<M extends OwnRowMutation>(
  mutations: Mutations,
  unsent: M,
  change: M['change'],
): Mutations {
  const merged = { ...unsent, change: { ...unsent.change, ...change }, revision: unsent.revision + 1 }
  return replaceMutation(mutations, unsent, merged)
}

/** The mutation, pending again. */
export function toPending<M extends Mutation>(mutation: M): M {
  return { ...mutation, state: 'pending', failure: null, revision: mutation.revision + 1 }
}

/** The files of a message in the outbox. */
export function filesOf(mutation: Mutation): readonly OutboxFile[] {
  return mutation.kind === 'send' ? mutation.files : []
}

/** Whether files of the message are not uploaded yet; it is sent after them. */
export function hasPendingUploads(mutation: Mutation): boolean {
  return filesOf(mutation).some((file) => !file.uploaded)
}

/** The message that the mutation concerns, or null. The mutation waits until this message is sent. */
export function targetMessage(mutation: Mutation): Uuid | null {
  return 'message' in mutation ? mutation.message : null
}
