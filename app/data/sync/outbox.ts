import type { Message, Uuid } from '../../../wire/linnet.ts'
import type { Failure, Outcome } from '../failures.ts'
import { backoff } from './ports.ts'
import type { Ports } from './ports.ts'
import type { Store } from './store.ts'

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
}

/** A message as this device keeps it until the server has it. */
export interface OutboxItem {
  id: Uuid
  channel: Uuid
  threadRoot: Uuid | null
  alsoToChannel: boolean
  body: string
  files: OutboxFile[]
  /** This device's clock, for show; `order` is what orders. */
  createdAt: string
  order: number
  state: 'pending' | 'failed'
  failure: Failure | null
}

/** Where items outlive the page. A rejected promise means that the device can't keep it. */
export interface OutboxShelf {
  all: () => Promise<OutboxItem[]>
  /** Stores a new item and clears its draft in the same transaction. */
  add: (item: OutboxItem) => Promise<void>
  /** Replaces an item that is still there; one that is gone stays gone. */
  update: (item: OutboxItem) => Promise<void>
  remove: (id: Uuid) => Promise<void>
}

export interface OutboxPorts extends Pick<Ports, 'call' | 'after' | 'random'> {
  shelf: OutboxShelf
  upload: (channel: Uuid, file: OutboxFile) => Promise<Outcome>
  /** Whether this page is the one that sends; the others only show. */
  leads: () => boolean
  /** Tells other pages that the shelf changed; with the row when one was accepted. */
  announce: (landed: Message | null) => void
}

export interface Outbox {
  /** Waiting and failed ones, in the order of sending. */
  items: () => readonly OutboxItem[]
  /** Accepted ones whose row has not reached its place in what is held. */
  landed: () => readonly Message[]
  subscribe: (listener: () => void) => () => void
  send: (item: Omit<OutboxItem, 'order' | 'state' | 'failure'>) => Promise<void>
  retry: (id: Uuid) => Promise<void>
  /** Takes it back; null when it is gone already. */
  discard: (id: Uuid) => Promise<OutboxItem | null>
  /** Reads the shelf again: at start, and when another page changed it. */
  reload: (landed?: Message | null) => Promise<void>
  /** Tries now whatever waits for its next try: back online, or leading since now. */
  kick: () => void
  /** Channels whose sending runs or waits. */
  busy: () => number
  stop: () => void
}

/** Sends what was written, in order per channel, with the same id however often it is tried. */
export function createOutbox(store: Store, ports: OutboxPorts): Outbox {
  const { shelf } = ports
  let items: readonly OutboxItem[] = []
  let landed: readonly Message[] = []
  let stopped = false
  let lastOrder = 0
  /** One runner a channel; a function when it waits for its next try. */
  const runners = new Map<Uuid, 'running' | (() => void)>()
  const tries = new Map<Uuid, number>()
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of listeners) listener()
  }

  function replace(item: OutboxItem) {
    items = items.map((one) => (one.id === item.id ? item : one))
    tell()
  }

  function forget(id: Uuid) {
    items = items.filter((one) => one.id !== id)
    tell()
  }

  /** The overlay goes when the row itself is held. */
  const unsubscribe = store.subscribe(() => {
    if (landed.length === 0) return
    const left = landed.filter((message) => !isHeld(store, message))
    if (left.length === landed.length) return
    landed = left
    tell()
  })

  function land(message: Message) {
    store.dispatch({ type: 'rowGiven', message })
    if (!isHeld(store, message) && !landed.some((one) => one.id === message.id)) landed = [...landed, message]
    forget(message.id)
  }

  function run(channel: Uuid) {
    if (stopped || runners.get(channel) === 'running' || !ports.leads()) return
    const waiting = runners.get(channel)
    if (typeof waiting === 'function') waiting()
    const next = items.find((item) => item.channel === channel && item.state === 'pending')
    if (!next) {
      runners.delete(channel)
      return
    }
    runners.set(channel, 'running')
    void deliver(next).then(
      (result) => settle(channel, next, result),
      () => settle(channel, next, 'later'),
    )
  }

  function settle(channel: Uuid, item: OutboxItem, result: 'done' | 'later') {
    runners.delete(channel)
    if (stopped) return
    if (result === 'done') {
      tries.delete(item.id)
      run(channel)
      return
    }
    const count = tries.get(item.id) ?? 0
    tries.set(item.id, count + 1)
    runners.set(
      channel,
      ports.after(backoff(ports, count, 60_000), () => {
        runners.delete(channel)
        run(channel)
      }),
    )
  }

  async function deliver(item: OutboxItem): Promise<'done' | 'later'> {
    let current = item
    for (const file of item.files) {
      if (file.uploaded) continue
      const uploaded = await ports.upload(item.channel, file)
      if (!uploaded.ok) return refused(current, uploaded.failure)
      current = withUploaded(current, file.id)
      await shelf.update(current)
      replace(current)
    }
    if (!items.some((one) => one.id === item.id)) return 'done'
    const answer = await ports.call('send_message', {
      id: item.id,
      channel: item.channel,
      body: item.body,
      thread_root: item.threadRoot,
      also_to_channel: item.alsoToChannel,
      attachments: item.files.map(({ id, name, width, height, thumb }) => ({
        id,
        name,
        width,
        height,
        thumb: thumb !== null,
      })),
    })
    if (!answer.ok) return refused(current, answer.failure)
    // The row is shown before the copy is let go, so that the words never blink.
    land(answer.value.message)
    await shelf.remove(item.id)
    ports.announce(answer.value.message)
    return 'done'
  }

  async function refused(item: OutboxItem, failure: Failure): Promise<'done' | 'later'> {
    if (failure.again) return 'later'
    if (!items.some((one) => one.id === item.id)) return 'done'
    const failed: OutboxItem = { ...item, state: 'failed', failure }
    replace(failed)
    await shelf.update(failed)
    ports.announce(null)
    return 'done'
  }

  function kick() {
    for (const [channel, runner] of runners) {
      if (typeof runner !== 'function') continue
      runner()
      runners.delete(channel)
    }
    tries.clear()
    for (const channel of new Set(items.map((item) => item.channel))) run(channel)
  }

  return {
    items: () => items,
    landed: () => landed,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    send: async (wish) => {
      // Pages share the shelf, hence the clock; never below what is there, hence a clock may jump.
      const highest = items.reduce((most, one) => Math.max(most, one.order), lastOrder)
      lastOrder = Math.max(highest + 1, Date.parse(wish.createdAt))
      const item: OutboxItem = { ...wish, order: lastOrder, state: 'pending', failure: null }
      // Kept first, shown then: words that would not survive a reload must not look as if they did.
      await shelf.add(item)
      if (!items.some((one) => one.id === item.id)) items = byOrder([...items, item])
      tell()
      ports.announce(null)
      run(item.channel)
    },
    retry: async (id) => {
      const item = items.find((one) => one.id === id)
      if (!item) return
      if (item.state === 'failed') {
        const again: OutboxItem = { ...item, state: 'pending', failure: null }
        replace(again)
        await shelf.update(again)
        ports.announce(null)
      }
      tries.delete(id)
      run(item.channel)
    },
    discard: async (id) => {
      const item = items.find((one) => one.id === id) ?? null
      if (!item) return null
      forget(id)
      await shelf.remove(id)
      ports.announce(null)
      return item
    },
    reload: async (message) => {
      const all = byOrder(await shelf.all())
      if (stopped) return
      if (message) land(message)
      items = all
      tell()
      kick()
    },
    kick,
    busy: () => runners.size,
    stop: () => {
      stopped = true
      unsubscribe()
      for (const runner of runners.values()) if (typeof runner === 'function') runner()
      runners.clear()
    },
  }
}

function withUploaded(item: OutboxItem, fileId: Uuid): OutboxItem {
  return {
    ...item,
    files: item.files.map((one) => (one.id === fileId ? Object.assign({}, one, { uploaded: true }) : one)),
  }
}

function byOrder(items: readonly OutboxItem[]): OutboxItem[] {
  return [...items].sort((a, b) => a.order - b.order)
}

/** Whether the row stands where it will be shown. */
function isHeld(store: Store, message: Message): boolean {
  const rows = store.get().channels.get(message.channel_id)
  const end = rows?.windows.at(-1)
  // Where no words are held nobody waits for these: they come with the page.
  if (!rows || !end) return true
  if (message.seq !== null && message.seq <= end.to) return true
  const thread = message.thread_root === null ? undefined : rows.threads.get(message.thread_root)
  if (thread && message.thread_seq !== null) return thread.byNumber.has(message.thread_seq)
  // Nobody shows the thread: there is no place to wait for.
  return message.seq === null
}
