import { createEngine } from '../../app/data/sync/engine.ts'
import type { Engine } from '../../app/data/sync/engine.ts'
import { baseOf, restoredState, wordsOf } from '../../app/data/sync/kept.ts'
import type { Deed } from '../../app/data/sync/deeds.ts'
import { createOutbox } from '../../app/data/sync/outbox.ts'
import type { Outbox, OutboxShelf } from '../../app/data/sync/outbox.ts'
import { createPointers } from '../../app/data/sync/pointers.ts'
import type { Pointers } from '../../app/data/sync/pointers.ts'
import { holdsWords, isBehind } from '../../app/data/sync/state.ts'
import { createStore } from '../../app/data/sync/store.ts'
import type { Store } from '../../app/data/sync/store.ts'
import { createThreadViews } from '../../app/data/sync/threadViews.ts'
import type { ThreadViews } from '../../app/data/sync/threadViews.ts'
import { createViews } from '../../app/data/sync/views.ts'
import type { Views } from '../../app/data/sync/views.ts'
import { wishesOf } from '../../app/data/sync/wishes.ts'
import type { ChannelEntry, CommandName, Commands, Message, Uuid } from '../../wire/linnet.ts'
import type { Person } from './home.ts'
import type { Device, Network } from './network.ts'

export type Reducer = NonNullable<Parameters<typeof createStore>[0]>

/** A person at a device: the app's own engine, outbox, pointers and views on a simulated network. */
export interface Actor {
  label: string
  person: Person
  device: Device
  store: Store
  engine: Engine
  outbox: Outbox
  pointers: Pointers
  views: Views
  threads: ThreadViews
  /** The conversation in front, if any. */
  opened: { channel: Uuid; close: () => void } | null
  /** Every id that was given to the outbox, in order. */
  written: { id: Uuid; channel: Uuid }[]
  /** Asks a command and lays its answer (a message, an entry) into the rows, as the app's actions do. */
  change: <N extends CommandName>(name: N, args: Commands[N]['args']) => void
  open: (channel: Uuid) => void
  close: () => void
  busy: () => boolean
  stop: () => void
}

function memoryShelf(device: { deeds: readonly Deed[] }): OutboxShelf {
  return {
    all: async () => device.deeds,
    change: async (how) => {
      device.deeds = how(device.deeds)
      return device.deeds
    },
  }
}

/** What a page leaves behind on its device when it is closed. */
export interface Leftover {
  kept: Parameters<typeof restoredState>[0]
  deeds: readonly Deed[]
  written: Actor['written']
}

export function createActor(
  network: Network,
  label: string,
  person: Person,
  reduce: Reducer | undefined,
  from?: Leftover,
): { actor: Actor; leave: () => Leftover } {
  const device = network.device(label, person)
  const ports = network.ports(device)
  const store = createStore(reduce)
  const views = createViews(store, ports)
  const threads = createThreadViews(store, ports)
  const engine = createEngine({ store, ports, anchorOf: (channel) => views.get(channel).anchor })
  const shelf = { deeds: from?.deeds ?? [] }
  const outbox = createOutbox(store, {
    ...ports,
    shelf: memoryShelf(shelf),
    clock: ports.now,
    uuid: network.uuid,
    upload: async () => ({ ok: true, value: undefined }),
    leads: () => true,
    announce: () => {},
  })
  let wishes = wishesOf([], null)
  outbox.subscribe(() => {
    wishes = wishesOf(outbox.deeds(), wishes)
  })
  const pointers = createPointers(store, outbox, {
    ...ports,
    clock: ports.now,
    uuid: network.uuid,
    wishes: () => wishes,
  })
  const restored = restoredState(from?.kept ?? null)
  if (restored) store.dispatch({ type: 'restored', state: restored })
  engine.start()
  void outbox.reload()
  let asking = 0

  const actor: Actor = {
    label,
    person,
    device,
    store,
    engine,
    outbox,
    pointers,
    views,
    threads,
    opened: null,
    written: from?.written ?? [],
    change: (name, args) => {
      asking += 1
      void ports.call(name, args).then((outcome) => {
        asking -= 1
        if (!outcome.ok) return
        const answer = outcome.value as { message?: Message } | ChannelEntry
        if ('counters' in answer) store.dispatch({ type: 'entryGiven', entry: answer })
        else if (answer.message) store.dispatch({ type: 'rowGiven', message: answer.message })
        else if (name === 'leave_channel') {
          const channelId = (args as Commands['leave_channel']['args']).channel
          store.dispatch({ type: 'channelGone', channelId })
        }
      })
    },
    open: (channel) => {
      actor.close()
      const release = engine.open(channel)
      pointers.opened(channel)
      views.open(channel)
      actor.opened = {
        channel,
        close: () => {
          release()
          views.close(channel)
        },
      }
    },
    close: () => {
      actor.opened?.close()
      actor.opened = null
    },
    busy: () =>
      engine.busy() + outbox.busy() + pointers.busy() + views.busy() + threads.busy() + asking > 0 ||
      outbox.deeds().some((deed) => deed.state === 'pending') ||
      // A topic that was closed is joined again after a while, and asks then.
      [...store.get().channels.values()].some((rows) => holdsWords(rows) && isBehind(rows)),
    stop: () => {
      engine.stop()
      outbox.stop()
      pointers.stop()
      network.forget(device)
    },
  }
  const leave = (): Leftover => {
    const state = store.get()
    actor.stop()
    return {
      kept: state.me
        ? {
            base: structuredClone(baseOf(state)),
            words: [...state.channels.values()].flatMap((rows) => wordsOf(rows) ?? []),
          }
        : null,
      deeds: shelf.deeds,
      written: actor.written,
    }
  }
  return { actor, leave }
}
