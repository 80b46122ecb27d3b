import type { Message, SavedMessage, Draft } from '../../../wire/messages.ts'
import type { NotificationPreferences } from '../../../wire/notifications.ts'
import type { ThreadState } from '../../../wire/threads.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Failure } from '../failures/failures.ts'
import type { Preferences, SectionChange } from '../store/ownRows.ts'
import type { Store } from '../store/store.ts'
import type { Execution, ExecutionPorts } from './execution.ts'
import type { MutationFields, MutationInputOf, MutationOf, Mutations } from './mutation.ts'

/** A draft with content. */
export type ShownDraft = Pick<
  Draft,
  'id' | 'channel_id' | 'thread_root' | 'body' | 'quote' | 'changed_at' | 'change_id'
>

/** A saved message as it is listed. */
export type SavedItem = Pick<SavedMessage, 'id' | 'channel_id' | 'state' | 'saved_at'>

/** What mutations change before the server confirms them, each by the id of its row. Null: there is no row. */
export interface DisplayedValues {
  message: Message
  thread: ThreadState
  /** Position of the read marker, by channel. */
  readMarker: number
  /** Changes of the person's preferences, by channel. */
  preferences: Partial<Preferences> | null
  /** Changes of the person's notification preferences, by workspace. */
  notificationPreferences: Partial<NotificationPreferences> | null
  /** Changes of the sections of the person's sidebar. */
  section: Partial<SectionChange> | null
  /** Drafts, by thread root or channel. */
  draft: ShownDraft | null
  /** Saved messages, by message. */
  saved: SavedItem | null
}

/** The change of one displayed value. `apply` returns the same value if nothing changes. */
type OptimisticUpdate<M> = {
  [V in keyof DisplayedValues]: {
    value: V
    id: (mutation: M) => Uuid
    apply: (before: DisplayedValues[V], mutation: M) => DisplayedValues[V]
  }
}[keyof DisplayedValues]

/** All that the outbox knows about one kind of mutation. Mutations of a kind have its fields (`MutationFields`). */
export interface MutationKind<K extends keyof MutationFields> {
  /**
   * Checks each field of a stored mutation. The outbox ignores mutations that fail a check, for example because a later
   * version of the app has stored them.
   */
  fields: { readonly [F in keyof Required<MutationFields[K]>]: (value: unknown) => boolean }
  /**
   * Key of the queue. Mutations with the same key are executed in order. Others are executed in parallel, so that a large
   * upload does not delay read markers.
   */
  queueKey: (mutation: MutationOf<K>) => string
  /**
   * Adds a mutation, and removes or changes unsent ones that it reverts, changes or supersedes. Pure. `append` adds the
   * new mutation (or `changed`) after the others. `replaceUnsent`: it replaces the unsent mutations of its queue.
   */
  coalesce:
    | 'replaceUnsent'
    | ((
        mutations: Mutations,
        input: MutationInputOf<K>,
        append: (others: Mutations, changed?: MutationInputOf<K>) => Mutations,
      ) => Mutations)
  /** The displayed effect; null if there is none besides a new message, which is displayed from the outbox. */
  optimistic: OptimisticUpdate<MutationOf<K>> | null
  /** Executes it on the server. Idempotent: a repetition after a lost response changes nothing more. */
  execute: (mutation: MutationOf<K>, ports: ExecutionPorts, store: Store) => Promise<Execution>
  /** Whether it only moves a read marker forward. Pending ones can be coalesced while they are sent. */
  isReadMarker?: true
  /**
   * The mutations after a rejection; by default without the rejected one. `maybeStored`: an earlier attempt has no known
   * result, and the server may have stored it before the author lost access.
   */
  reject?: (
    mutations: Mutations,
    rejected: MutationOf<K>,
    failure: Failure,
    maybeStored: boolean,
  ) => Mutations
  /** Makes a rejected mutation pending again; by default `toPending`. */
  retry?: (rejected: MutationOf<K>) => MutationOf<K>
  /**
   * The mutations after its author has discarded it; by default without it. `newId` and `now` are for a mutation that
   * this adds.
   */
  discard?: (mutations: Mutations, discarded: MutationOf<K>, newId: Uuid, now: number) => Mutations
}

/** Checks a stored field that must be a string. */
export const isString = (value: unknown): boolean => typeof value === 'string'
/** Checks a stored field that must be an object. */
export const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null
/** Accepts each stored value: earlier versions stored others, or the kind does not depend on the type. */
export const isAnything = (): boolean => true

/** Checks of the fields of `MessageContent`. */
export const MESSAGE_FIELDS = {
  threadRoot: isAnything,
  alsoToChannel: isAnything,
  body: isString,
  files: Array.isArray,
  createdAt: (value: unknown) => Date.parse(String(value)) > 0,
}
