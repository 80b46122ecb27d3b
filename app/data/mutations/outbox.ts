import type { Message, Uuid } from '../../../wire/linnet.ts'
import type { Failure } from '../failures/failures.ts'
import { askDeed } from './executeMutation.ts'
import type { AskPorts, DeedAnswer } from './executeMutation.ts'
import type { Bringing, UploadPorts } from './uploads/fileUploads.ts'
import { awaitsFiles, isPointer } from './mutation.ts'
import type { Deed, OutboxItem, Wish } from './mutation.ts'
import {
  arrivedDeed,
  beginDeed,
  discardedDeed,
  doneDeed,
  foldDeed,
  refusedDeed,
  resentDeed,
  retriedDeed,
  undoneDelete,
} from './coalesceMutation.ts'
import { createLanded } from './awaitingEcho.ts'
import { createLanes } from './mutationQueues.ts'
import type { Result } from './mutationQueues.ts'
import type { Task } from './tasks.ts'
import type { Ports } from '../sync/ports.ts'
import type { Store } from '../store/store.ts'

export type { OutboxItem } from './mutation.ts'

/** Where deeds outlive the page, shared by all pages of one account. */
export interface OutboxShelf {
  all: () => Promise<readonly Deed[]>
  /**
   * Changes what is kept in one transaction, and clears the draft of a place with it; answers what is kept
   * then. `how` must be pure: it may run again. Rejects where the device can't keep it.
   */
  change: (how: (deeds: readonly Deed[]) => readonly Deed[], draft?: string) => Promise<readonly Deed[]>
}

export interface OutboxPorts extends Pick<Ports, 'after' | 'random'>, AskPorts, UploadPorts {
  shelf: OutboxShelf
  /** Milliseconds of a clock that goes on while nothing runs; it may jump. */
  clock: () => number
  uuid: () => Uuid
  /** Whether this page is the one that sends; the others only show. */
  leads: () => boolean
  /** Tells other pages that the shelf changed, with the answer that changed it. */
  announce: (answer: DeedAnswer | null) => void
  /** A deed without words fell away: nobody would see it else. */
  mishap?: (failure: Failure) => void
}

export interface Outbox {
  /** All that waits or was refused, in order. */
  deeds: () => readonly Deed[]
  /**
   * Words among them, messages on their way and such as were refused: in the order in which they will be there, so that
   * those whose files still come up are last.
   */
  items: () => readonly OutboxItem[]
  /** Accepted ones whose row has not reached its place in what is held. */
  landed: () => readonly Message[]
  subscribe: (listener: () => void) => () => void
  /**
   * Stores a change, shows it, and sends it in its turn. The draft of the place `draft` is deleted in the transaction
   * that stores it.
   */
  put: (wish: Wish, draft?: string) => Promise<void>
  retry: (id: Uuid) => Promise<void>
  /** Takes words back; null when they are gone already. */
  discard: (id: Uuid) => Promise<OutboxItem | null>
  /** Changes what is kept, by a pure function that may run again, and does what is due then. */
  fold: (how: (deeds: readonly Deed[]) => readonly Deed[]) => Promise<void>
  /** Calls a deletion off; false when it is too late. */
  undoDelete: (message: Uuid) => Promise<boolean>
  /** Reads the shelf again: at start, and when another page changed it. */
  reload: (answer?: DeedAnswer | null) => Promise<void>
  /** Tries now whatever waits for its next try: back online, or leading since now or no longer. */
  kick: () => void
  /** Asks at once for the pointers that wait for their turn: the page hides. */
  hurry: () => void
  /** Lanes whose asking runs or waits. */
  busy: () => number
  stop: () => void
}

/**
 * What is shown has been stored, for it would look as if it survived a reload; but where the device takes longer than
 * this, ms, it is shown before.
 */
const SLOW = 250

/** Does what was wished, in order and under the same names however often it is tried. */
export function createOutbox(store: Store, ports: OutboxPorts): Outbox {
  const { shelf, clock } = ports
  /** What is stored: only that is sent. */
  let stored: readonly Deed[] = []
  /** Changes that the device is slow to store, in order: shown all the same. */
  const storing = new Map<Uuid, (all: readonly Deed[]) => readonly Deed[]>()
  let deeds: readonly Deed[] = []
  let items: readonly OutboxItem[] = []
  let stopped = false
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of listeners) listener()
  }
  const landed = createLanded(store, tell, async (message) => {
    if (message.author_id !== store.get().me?.profile.id) return
    await changeAndGo((all) => resentDeed(all, message, clock()))
  })
  let bringing: Bringing | null = null
  const lanes = createLanes({ ...ports, deeds: () => stored, deliver, may: () => !stopped && ports.leads() })

  function show(kept: readonly Deed[]) {
    stored = inOrder(kept)
    const isStored = (id: Uuid) => stored.some((one) => one.id === id)
    deeds = inOrder([...storing].reduce((all, [id, fold]) => (isStored(id) ? all : fold(all)), stored))
    const all = deeds.filter(isItem)
    const words = [...all.filter((one) => !awaitsFiles(one)), ...all.filter(awaitsFiles)]
    if (words.length !== items.length || words.some((one, index) => one !== items[index])) items = words
    bringing?.compare(stored)
    tell()
  }

  /** What uploads: loaded with the first file, for most messages are words. */
  async function loadBringing(): Promise<Bringing> {
    const { createBringing } = await import('./uploads/fileUploads.ts')
    if (bringing) return bringing
    bringing = createBringing(ports, async (how) => {
      await change(how)
      ports.announce(null)
    })
    if (stopped) bringing.stop()
    bringing.compare(stored)
    return bringing
  }

  async function change(how: (kept: readonly Deed[]) => readonly Deed[], draft?: string) {
    const kept = await shelf.change(how, draft)
    if (!stopped) show(kept)
    return kept
  }

  function take(answer: DeedAnswer) {
    store.dispatch(answer)
    if (answer.type === 'rowGiven') landed.take(answer.message)
  }

  async function deliver({ deed, file }: Task): Promise<Result> {
    if (file) return (await loadBringing()).bring(deed, file)
    const hindered = deed.kind === 'send' && deed.files.find((one) => !one.uploaded)
    if (hindered && hindered.failure) return refuse(deed, hindered.failure)
    const asked = isPointer(deed) ? deed : await begin(deed)
    if (!asked || stopped) return 'done'
    const asking = await askDeed(asked, store, ports)
    if (asking.result === 'refused') return refuse(asked, asking.failure)
    // The row is shown before the deed is let go, so that nothing blinks.
    if (asking.answer) take(asking.answer)
    else if (asked.kind === 'delete') landed.drop(asked.message)
    if (asking.result === 'later') return 'later'
    await change((all) => doneDeed(all, asked))
    ports.announce(asking.answer)
    return 'done'
  }

  /** The deed as it is now that it is asked; null when another page took it back. */
  async function begin(deed: Deed): Promise<Deed | null> {
    const kept = await change((all) => beginDeed(all, deed.id))
    const found = kept.find((one) => one.id === deed.id)
    return found?.state === 'pending' ? found : null
  }

  async function refuse(deed: Deed, failure: Failure): Promise<'done'> {
    const kept = await change((all) => refusedDeed(all, deed, failure))
    ports.announce(null)
    if (!kept.some((one) => one.id === deed.id)) ports.mishap?.(failure)
    settleArrived()
    return 'done'
  }

  async function changeAndGo(how: (kept: readonly Deed[]) => readonly Deed[], draft?: string) {
    const kept = await change(how, draft)
    ports.announce(null)
    lanes.go()
    return kept
  }

  /** Words that were refused and are there all the same are no failure. */
  function settleArrived() {
    for (const { id, channel, kind, state } of items) {
      const refused = kind === 'send' && state === 'failed'
      const row = refused && store.get().channels.get(channel)?.messages.get(id)
      const edit = row && ports.uuid()
      if (row && edit) void changeAndGo((all) => arrivedDeed(all, row, edit, clock()))
    }
  }
  const unsubscribe = store.subscribe(settleArrived)

  return {
    deeds: () => deeds,
    items: () => items,
    landed: landed.messages,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    put: async (wish, draft) => {
      const now = clock()
      const fold = (all: readonly Deed[]) => foldDeed(all, wish, now)
      const cancel = ports.after(SLOW, () => {
        storing.set(wish.id, fold)
        show(stored)
      })
      let kept = stored
      try {
        kept = await shelf.change(fold, draft)
      } finally {
        cancel()
        storing.delete(wish.id)
        if (!stopped) show(kept)
      }
      ports.announce(null)
      lanes.go()
    },
    retry: async (id) => {
      await changeAndGo((all) => retriedDeed(all, id))
      lanes.kick()
    },
    discard: async (id) => {
      let found: Deed | undefined
      await changeAndGo((all) => {
        found = all.find((one) => one.id === id)
        return discardedDeed(all, id, ports.uuid(), clock())
      })
      return found && isWords(found) ? found : null
    },
    fold: async (how) => {
      await changeAndGo(how)
      lanes.kick()
    },
    undoDelete: async (message) => {
      const kept = await changeAndGo((all) => undoneDelete(all, message))
      return !kept.some((one) => one.kind === 'delete' && one.message === message)
    },
    reload: async (answer) => {
      const all = await shelf.all()
      if (stopped) return
      if (answer) take(answer)
      show(all)
      lanes.kick()
    },
    kick: () => {
      bringing?.compare(stored)
      lanes.kick()
    },
    hurry: lanes.hurry,
    busy: lanes.busy,
    stop: () => {
      stopped = true
      unsubscribe()
      landed.stop()
      bringing?.stop()
      lanes.stop()
    },
  }
}

function inOrder(deeds: readonly Deed[]): readonly Deed[] {
  return deeds.every((one, index) => index === 0 || (deeds[index - 1] as Deed).order <= one.order)
    ? deeds
    : [...deeds].sort((a, b) => a.order - b.order)
}

function isWords(deed: Deed): deed is OutboxItem {
  return deed.kind === 'send' || deed.kind === 'edit'
}

/** A change of words shows in its message, unless it was refused: then its words stand alone. */
function isItem(deed: Deed): deed is OutboxItem {
  return deed.kind === 'send' || (deed.kind === 'edit' && deed.state === 'failed')
}
