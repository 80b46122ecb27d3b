import { expect, onTestFinished, test, vi } from 'vitest'
import type { FileList, ListFilesArgs, ListedFile } from '../../../../wire/files.ts'
import type { Message } from '../../../../wire/messages.ts'
import { success } from '../../failures/failures.ts'
import { createListing, type FileFilter, type Listing } from './createListing.ts'

const anything: FileFilter = { channelId: null, kind: null, author: null, terms: '' }

/** A server with files by number, the newest last, whose responses wait until they are released. */
function home(count: number, filter = anything, channel = 'lobby') {
  const files = Array.from({ length: count }, (_, at) => at)
  const revs = new Map([[channel, 10]])
  const requests: Omit<ListFilesArgs, 'workspace'>[] = []
  const timers: (() => void)[] = []
  let down = false
  const listed = (at: number): ListedFile => ({
    channel_id: channel,
    message_id: `m${at}`,
    thread_root: null,
    author_id: 'bea',
    created_at: new Date(at * 1000).toISOString(),
    position: 0,
    file: { id: `f${at}`, name: `${at}.png`, type: 'image/png', size: 1, width: 1, height: 1, thumb: false },
  })
  const answer = ({ before, limit = 50 }: Omit<ListFilesArgs, 'workspace'>): FileList => {
    const below = before ? files.filter((at) => at < Number(before)) : files
    const page = below.slice(-limit).toReversed()
    return { files: page.map(listed), before: below.length > limit ? String(page.at(-1)) : null }
  }
  const listing = createListing(filter, {
    fetchPage: async (one) => {
      requests.push(one)
      if (down) return { ok: false, failure: { name: 'network', message: 'No network.', isRetryable: true } }
      return success(answer(one))
    },
    revs: () => new Map(revs),
    after: (_ms, run) => {
      timers.push(run)
      return () => timers.splice(timers.indexOf(run), 1)
    },
  })
  const message = (at: number, change: Partial<Message> = {}): Message => ({
    ...({ id: `m${at}`, channel_id: channel, kind: 'text', author_id: 'bea', deleted_at: null } as Message),
    created_at: listed(at).created_at,
    attachments: [listed(at).file],
    rev: (revs.get(channel) ?? 0) + 1,
    ...change,
  })
  return {
    listing,
    requests,
    revs,
    files,
    /** Publishes a change on the topic. */
    publish: (changed: Message) => {
      revs.set(channel, changed.rev)
      listing.onEvent({
        type: 'channelEventReceived',
        event: { event: 'message', payload: { channel_id: channel, rev: changed.rev, message: changed } },
      })
      listing.onChannelsChanged()
    },
    message,
    timers,
    cut: (on: boolean) => {
      down = on
    },
    fresh: () => answer({ limit: Math.max(50, listing.get().pages.files.length) }),
    tick: async () => {
      for (const run of timers.splice(0)) run()
      await settled()
    },
  }
}

/** Answers are promises without timers: a few turns and all are there. */
async function settled() {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve()
}

const names = (listing: Listing) => listing.get().pages.files.map((one) => one.file.name)

test('loads page after page to the end', async () => {
  const { listing, requests } = home(120)
  expect(listing.get().status).toBe('loading')
  await settled()
  expect(names(listing)).toHaveLength(50)
  listing.loadMore()
  listing.loadMore()
  expect(listing.get().loading).toBe(true)
  await settled()
  listing.loadMore()
  await settled()
  expect(names(listing)).toHaveLength(120)
  expect(listing.get().pages.before).toBeNull()
  const count = requests.length
  listing.loadMore()
  await settled()
  expect(requests).toHaveLength(count)
})

test('a new file is added at the top with one request, and the others stay the same objects', async () => {
  const world = home(60)
  await settled()
  world.listing.loadMore()
  await settled()
  const [first] = world.listing.get().pages.files
  world.files.push(60)
  world.publish(world.message(60))
  await settled()
  expect(names(world.listing)).toHaveLength(61)
  expect(names(world.listing)[0]).toBe('60.png')
  expect(world.listing.get().pages.files[1]).toBe(first)
  expect(world.requests).toHaveLength(3)
  await world.tick()
  expect(world.requests).toHaveLength(3)
})

test('more new files than a page contains leave no gap', async () => {
  const world = home(60)
  await settled()
  for (let at = 60; at < 140; at++) world.files.push(at)
  world.publish(world.message(139))
  await settled()
  expect(world.listing.get().pages).toEqual(world.fresh())
})

test('a deleted file is removed at once, also from a response that was requested before', async () => {
  const world = home(3)
  // Asked, and not answered yet.
  world.publish(world.message(1, { deleted_at: '2026-01-01', attachments: [] }))
  await settled()
  expect(names(world.listing)).toEqual(['2.png', '0.png'])
  world.publish(world.message(2, { deleted_at: '2026-01-01', attachments: [] }))
  expect(names(world.listing)).toEqual(['0.png'])
  expect(world.requests).toHaveLength(1)
})

test('messages without matching files cause no request', async () => {
  const world = home(3, { ...anything, kind: 'picture', author: 'bea' })
  await settled()
  world.publish(world.message(9, { attachments: [] }))
  world.publish(world.message(9, { author_id: 'ann' }))
  const [file] = world.message(9).attachments
  world.publish(world.message(9, { attachments: [{ ...file!, type: 'application/pdf' }] }))
  await world.tick()
  expect(world.requests).toHaveLength(1)
  world.files.push(9)
  world.publish(world.message(9))
  await settled()
  expect(names(world.listing)[0]).toBe('9.png')
})

test('a change without an event is detected by its number, and everything is fetched again', async () => {
  const world = home(120)
  await settled()
  world.listing.loadMore()
  await settled()
  world.files.splice(100, 1)
  world.revs.set('lobby', 12)
  world.listing.onChannelsChanged()
  await world.tick()
  expect(names(world.listing)).toHaveLength(100)
  expect(world.listing.get().pages).toEqual(world.fresh())
})

test('changes that were fetched in one response are recorded as well', async () => {
  const world = home(3)
  await settled()
  world.revs.set('lobby', 14)
  const messages = [world.message(9, { attachments: [], rev: 14 })]
  const changes = {
    channel_id: 'lobby',
    reset: false,
    after: 10,
    messages,
    entry: null,
    epoch: 1,
    rev: 14,
  } as const
  world.listing.onEvent({ type: 'changesReceived', changes: { ...changes, messages }, after: 10 })
  world.listing.onChannelsChanged()
  await world.tick()
  expect(world.requests).toHaveLength(1)
})

test('the files of a conversation that one loses go at once', async () => {
  const world = home(3)
  await settled()
  world.revs.delete('lobby')
  world.files.splice(0)
  world.listing.onChannelsChanged()
  expect(names(world.listing)).toEqual([])
  await world.tick()
  expect(world.listing.get()).toMatchObject({ status: 'ready', pages: { files: [], before: null } })
})

test('a failed request reports its failure, keeps the shown files and is repeated', async () => {
  const world = home(60)
  await settled()
  world.cut(true)
  world.listing.loadMore()
  await settled()
  expect(world.listing.get()).toMatchObject({ status: 'ready', loading: false })
  expect(world.listing.get().failure?.name).toBe('network')
  expect(names(world.listing)).toHaveLength(50)
  world.cut(false)
  await world.tick()
  expect(world.listing.get().failure).toBeNull()
  expect(names(world.listing)).toHaveLength(60)
})

test('the last list is shown until the first response', async () => {
  const world = home(60)
  await settled()
  const before = world.listing.get()
  const again = createListing(
    anything,
    { fetchPage: () => new Promise(() => {}), revs: () => world.revs, after: () => () => {} },
    before,
  )
  expect(names(again)).toHaveLength(50)
  expect(again.get().status).toBe('ready')
})

test('a file that is published just after the last page was added is fetched too', async () => {
  const world = home(1)
  let isPublished = false
  world.listing.subscribe(() => {
    if (isPublished) return
    isPublished = true
    // Runs after the check for further requests, and before its result is read.
    queueMicrotask(() => {
      world.files.push(1)
      world.publish(world.message(1))
    })
  })
  await settled()
  expect(names(world.listing)).toEqual(['1.png', '0.png'])
})

test('an unexpected error is a failure, after which the list is fetched again', async () => {
  const world = home(3)
  const reported = vi.fn()
  vi.stubGlobal('reportError', reported)
  onTestFinished(() => void vi.unstubAllGlobals())
  const unsubscribe = world.listing.subscribe(() => {
    unsubscribe()
    throw new Error('not shown')
  })
  await settled()
  expect(reported).toHaveBeenCalledOnce()
  world.files.push(3)
  world.listing.refresh()
  await settled()
  expect(names(world.listing)).toHaveLength(4)
})
