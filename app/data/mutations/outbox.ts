import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Failure } from '../failures/failures.ts'
import type { ExecutionPorts, MutationResult } from './execution.ts'
import type { FileUploads, UploadPorts } from './uploads/fileUploads.ts'
import { filesOf, hasPendingUploads, isOfWorkspace } from './mutation.ts'
import type { Mutation, Mutations, OutboxItem, MutationInput } from './mutation.ts'
import { kindOf } from './mutationKinds.ts'
import {
  markTried,
  discardMutation,
  removeDone,
  coalesceMutation,
  markRejected,
  resetForRetry,
} from './coalesceMutation.ts'
import { cancelDelete } from './kinds/deleteKind.ts'
import { resendMessage, settleArrived } from './kinds/sendKind.ts'
import { createUnplacedMessages } from './unplacedMessages.ts'
import { createMutationQueues } from './mutationQueues.ts'
import type { StepResult } from './mutationQueues.ts'
import type { MutationStep } from './mutationSteps.ts'
import type { Ports } from '../sync/ports.ts'
import type { Store } from '../store/store.ts'

export type { OutboxItem } from './mutation.ts'

/** Persistent storage of mutations, shared by all tabs of an account. */
export interface OutboxStorage {
  all: () => Promise<Mutations>
  /**
   * Changes the stored mutations in one transaction, which also deletes the draft with the key `draft`. Returns all
   * mutations. `update` must be pure, since it may run again. Rejects if the device can't store them.
   */
  change: (update: (mutations: Mutations) => Mutations, draft?: string) => Promise<Mutations>
}

export interface OutboxPorts extends Pick<Ports, 'after' | 'random'>, ExecutionPorts, UploadPorts {
  storage: OutboxStorage
  /** Milliseconds since 1970 by this device's clock, which may jump. */
  clock: () => number
  uuid: () => Uuid
  /** Whether this tab sends. Other tabs only display. */
  isLeader: () => boolean
  /**
   * Notifies other tabs that the stored outbox changed, and sends the result that changed it. `workspace` is the
   * workspace of the result; undefined: the workspace of each tab.
   */
  announce: (result: MutationResult | null, workspace?: Uuid) => void
  /** Called when a mutation without content was rejected, because nothing else shows this. */
  onRejected?: (failure: Failure) => void
}

export interface Outbox {
  /** Whether the stored mutations have been read. */
  isLoaded: () => boolean
  /** The pending and rejected mutations of the shown workspace, in order. */
  mutations: () => Mutations
  /** The stored mutations of all workspaces. */
  storedMutations: () => Mutations
  /**
   * The messages and edits among the mutations, in the expected order. Messages whose files are still being uploaded
   * are last.
   */
  items: () => readonly OutboxItem[]
  /** Accepted messages whose row is not yet in the loaded range. */
  unplacedMessages: () => readonly Message[]
  subscribe: (listener: () => void) => () => void
  /**
   * Stores a mutation, displays it, and sends it after earlier ones of its queue. The same transaction deletes the
   * draft with the key `draft`.
   */
  put: (input: MutationInput, draft?: string) => Promise<void>
  retry: (id: Uuid) => Promise<void>
  /** Discards a message or edit; null when it no longer exists. */
  discard: (id: Uuid) => Promise<OutboxItem | null>
  /** Changes the stored mutations by a pure function that may run again, and executes due mutations. */
  update: (update: (mutations: Mutations) => Mutations) => Promise<void>
  /** Cancels a deletion; false when it is too late. */
  cancelDelete: (message: Uuid) => Promise<boolean>
  /** Reads the outbox storage again. Called at the start, and when another page has changed it. */
  reload: (result?: MutationResult | null, workspace?: Uuid) => Promise<void>
  /**
   * Retries at once. Called when the device is online again, and when this tab becomes the leader or stops being it.
   */
  retryNow: () => void
  /** Sends pending read markers at once. Called when the page hides. */
  sendReadMarkers: () => void
  /** Number of queues with a running or scheduled step. */
  pendingQueues: () => number
  stop: () => void
}

/**
 * The maximum delay (ms) until a mutation is displayed. It is displayed once it is stored, because a displayed
 * mutation must survive a reload.
 */
const SLOW_STORAGE_MS = 250

/**
 * Stores, displays and sends the mutations of one account. It sends them in order and repeats each with the same id.
 * README.md in this directory describes the rules.
 */
export function createOutbox(store: Store, ports: OutboxPorts): Outbox {
  const { storage, clock } = ports
  /** Stored mutations: only these are sent. */
  let stored: Mutations = []
  /** Mutations that are displayed but not stored yet, in order. */
  const storing = new Map<Uuid, (all: Mutations) => Mutations>()
  let mutations: Mutations = []
  let items: readonly OutboxItem[] = []
  /** The workspace of the mutations that are shown. */
  let filteredFor: Uuid | null = null
  let stopped = false
  let isLoaded = false
  const listeners = new Set<() => void>()
  const notify = () => {
    for (const listener of listeners) listener()
  }
  const unplacedMessages = createUnplacedMessages(store, notify, async (message) => {
    if (message.author_id !== store.get().me?.profile.id) return
    await changeAndRun((all) => resendMessage(all, message, clock()))
  })
  let uploads: FileUploads | null = null
  const queues = createMutationQueues({
    ...ports,
    mutations: () => stored,
    execute,
    mayRun: () => !stopped && ports.isLeader(),
  })

  const shownWorkspace = () => store.get().workspace?.id ?? null

  function show(current: Mutations) {
    stored = inOrder(current)
    const isStored = (id: Uuid) => stored.some((other) => other.id === id)
    const all = [...storing].reduce((folded, [id, fold]) => (isStored(id) ? folded : fold(folded)), stored)
    filteredFor = shownWorkspace()
    mutations = inOrder(all).filter((one) => isOfWorkspace(one, filteredFor))
    const shown = mutations.filter(isItem)
    const ordered = [
      ...shown.filter((other) => !hasPendingUploads(other)),
      ...shown.filter(hasPendingUploads),
    ]
    if (ordered.length !== items.length || ordered.some((item, index) => item !== items[index]))
      items = ordered
    uploads?.haltUnwanted(stored)
    notify()
  }

  /** Loaded with the first file, since most messages have none. */
  async function loadUploads(): Promise<FileUploads> {
    const { createFileUploads } = await import('./uploads/fileUploads.ts')
    if (uploads) return uploads
    uploads = createFileUploads(ports, async (update) => {
      await change(update)
      ports.announce(null)
    })
    if (stopped) uploads.stop()
    uploads.haltUnwanted(stored)
    return uploads
  }

  async function change(update: (current: Mutations) => Mutations, draft?: string) {
    const current = await storage.change(update, draft)
    if (!stopped) show(current)
    return current
  }

  function applyResult(result: MutationResult, workspace: Uuid | undefined) {
    if (!isOfWorkspace({ workspace }, shownWorkspace())) return
    store.dispatch(result)
    if (result.type === 'messageReceived') unplacedMessages.add(result.message)
  }

  async function execute({ mutation, file }: MutationStep): Promise<StepResult> {
    if (file) return (await loadUploads()).upload(mutation, file)
    const missing = filesOf(mutation).find((file) => !file.uploaded)
    if (missing?.failure) return reject(mutation, missing.failure)
    const begun = kindOf(mutation).isReadMarker ? mutation : await begin(mutation)
    if (!begun || stopped) return 'done'
    const execution = await kindOf(begun).execute(begun, ports, store)
    if (execution.result === 'refused')
      return reject({ ...begun, maybeSent: mutation.maybeSent }, execution.failure)
    // The row is shown before the mutation is removed, so that nothing flickers.
    if (execution.response) applyResult(execution.response, begun.workspace)
    else if (begun.kind === 'delete') unplacedMessages.remove(begun.message)
    if (execution.result === 'retry') return 'retry'
    if (execution.result === 'changed') {
      await change(execution.update)
      ports.announce(execution.response, begun.workspace)
      return 'done'
    }
    await change((all) => removeDone(all, begun))
    ports.announce(execution.response, begun.workspace)
    return 'done'
  }

  /** Returns the mutation as it is now; null when another tab has removed it. */
  async function begin(mutation: Mutation): Promise<Mutation | null> {
    const current = await change((all) => markTried(all, mutation.id))
    const found = current.find((other) => other.id === mutation.id)
    return found?.state === 'pending' ? found : null
  }

  async function reject(mutation: Mutation, failure: Failure): Promise<'done'> {
    const current = await change((all) => markRejected(all, mutation, failure))
    ports.announce(null)
    if (!current.some((other) => other.id === mutation.id)) ports.onRejected?.(failure)
    settleArrivedMessages()
    return 'done'
  }

  async function changeAndRun(update: (current: Mutations) => Mutations, draft?: string) {
    const current = await change(update, draft)
    ports.announce(null)
    queues.run()
    return current
  }

  /** Removes rejected messages whose row has arrived nevertheless: these are no failures. */
  function settleArrivedMessages() {
    for (const { id, channel, kind, state } of items) {
      const refused = kind === 'send' && state === 'failed'
      const row = refused && store.get().channels.get(channel)?.messages.get(id)
      const edit = row && ports.uuid()
      if (row && edit) void changeAndRun((all) => settleArrived(all, row, edit, clock()))
    }
  }
  const unsubscribe = store.subscribe(() => {
    if (shownWorkspace() !== filteredFor) show(stored)
    settleArrivedMessages()
  })

  return {
    isLoaded: () => isLoaded,
    mutations: () => mutations,
    storedMutations: () => stored,
    items: () => items,
    unplacedMessages: unplacedMessages.messages,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    put: async (input, draft) => {
      const now = clock()
      const placed = { workspace: shownWorkspace() ?? undefined, ...input }
      const fold = (all: Mutations) => coalesceMutation(all, placed, now)
      const cancel = ports.after(SLOW_STORAGE_MS, () => {
        storing.set(input.id, fold)
        show(stored)
      })
      let current: Mutations | null = null
      try {
        current = await storage.change(fold, draft)
      } finally {
        cancel()
        storing.delete(input.id)
        // Others may have been stored while this one could not be.
        if (!stopped) show(current ?? stored)
      }
      ports.announce(null)
      queues.run()
    },
    retry: async (id) => {
      await changeAndRun((all) => resetForRetry(all, id))
      queues.retryNow()
    },
    discard: async (id) => {
      let found: Mutation | undefined
      await changeAndRun((all) => {
        found = all.find((other) => other.id === id)
        return discardMutation(all, id, ports.uuid(), clock())
      })
      return found && hasContent(found) ? found : null
    },
    update: async (update) => {
      await changeAndRun(update)
      queues.retryNow()
    },
    cancelDelete: async (message) => {
      const current = await changeAndRun((all) => cancelDelete(all, message))
      return !current.some((other) => other.kind === 'delete' && other.message === message)
    },
    reload: async (result, workspace) => {
      const all = await storage.all()
      if (stopped) return
      isLoaded = true
      if (result) applyResult(result, workspace)
      show(all)
      queues.retryNow()
    },
    retryNow: () => {
      uploads?.haltUnwanted(stored)
      queues.retryNow()
    },
    sendReadMarkers: queues.sendReadMarkers,
    pendingQueues: queues.pendingQueues,
    stop: () => {
      stopped = true
      unsubscribe()
      unplacedMessages.stop()
      uploads?.stop()
      queues.stop()
    },
  }
}

function inOrder(mutations: Mutations): Mutations {
  return mutations.every(
    (other, index) => index === 0 || (mutations[index - 1] as Mutation).order <= other.order,
  )
    ? mutations
    : [...mutations].sort((a, b) => a.order - b.order)
}

function hasContent(mutation: Mutation): mutation is OutboxItem {
  return mutation.kind === 'send' || mutation.kind === 'edit'
}

/**
 * Whether a mutation is displayed as a separate item. Pending edits are displayed in their message, and rejected
 * edits separately.
 */
function isItem(mutation: Mutation): mutation is OutboxItem {
  return mutation.kind === 'send' || (mutation.kind === 'edit' && mutation.state === 'failed')
}
