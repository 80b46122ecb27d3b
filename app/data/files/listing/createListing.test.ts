import { expect, onTestFinished, test, vi } from 'vitest'
import type { FileList, ListFilesArgs, ListedFile } from '../../../../wire/files.ts'
import type { Message } from '../../../../wire/messages.ts'
import { success } from '../../failures/failures.ts'
import { createListing, type FileFilter, type Listing } from './createListing.ts'

const anything: FileFilter = { channelId: null, kind: null, author: null, terms: '' }

/** A server with files by number, the newest last, whose responses wait until they are released. */
function createFixture(count: number, filter = anything, channel = 'lobby') {
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
  const pageOf = ({ before, limit = 50 }: Omit<ListFilesArgs, 'workspace'>): FileList => {
    const below = before ? files.filter((at) => at < Number(before)) : files
    const page = below.slice(-limit).toReversed()
    return { files: page.map(listed), before: below.length > limit ? String(page.at(-1)) : null }
  }
  const listing = createListing(filter, {
    fetchPage: async (one) => {
      requests.push(one)
      if (down) return { ok: false, failure: { name: 'network', message: 'No network.', isRetryable: true } }
      return success(pageOf(one))
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
    fresh: () => pageOf({ limit: Math.max(50, listing.get().pages.files.length) }),
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
  const { listing, requests } = createFixture(120)
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
  const fixture = createFixture(60)
  await settled()
  fixture.listing.loadMore()
  await settled()
  const [first] = fixture.listing.get().pages.files
  fixture.files.push(60)
  fixture.publish(fixture.message(60))
  await settled()
  expect(names(fixture.listing)).toHaveLength(61)
  expect(names(fixture.listing)[0]).toBe('60.png')
  expect(fixture.listing.get().pages.files[1]).toBe(first)
  expect(fixture.requests).toHaveLength(3)
  await fixture.tick()
  expect(fixture.requests).toHaveLength(3)
})

test('more new files than a page contains leave no gap', async () => {
  const fixture = createFixture(60)
  await settled()
  for (let at = 60; at < 140; at++) fixture.files.push(at)
  fixture.publish(fixture.message(139))
  await settled()
  expect(fixture.listing.get().pages).toEqual(fixture.fresh())
})

test('a deleted file is removed at once, also from a response that was requested before', async () => {
  const fixture = createFixture(3)
  // Asked, and not answered yet.
  fixture.publish(fixture.message(1, { deleted_at: '2026-01-01', attachments: [] }))
  await settled()
  expect(names(fixture.listing)).toEqual(['2.png', '0.png'])
  fixture.publish(fixture.message(2, { deleted_at: '2026-01-01', attachments: [] }))
  expect(names(fixture.listing)).toEqual(['0.png'])
  expect(fixture.requests).toHaveLength(1)
})

test('messages without matching files cause no request', async () => {
  const fixture = createFixture(3, { ...anything, kind: 'picture', author: 'bea' })
  await settled()
  fixture.publish(fixture.message(9, { attachments: [] }))
  fixture.publish(fixture.message(9, { author_id: 'ann' }))
  const [file] = fixture.message(9).attachments
  fixture.publish(fixture.message(9, { attachments: [{ ...file!, type: 'application/pdf' }] }))
  await fixture.tick()
  expect(fixture.requests).toHaveLength(1)
  fixture.files.push(9)
  fixture.publish(fixture.message(9))
  await settled()
  expect(names(fixture.listing)[0]).toBe('9.png')
})

test('a change without an event is detected by its number, and everything is fetched again', async () => {
  const fixture = createFixture(120)
  await settled()
  fixture.listing.loadMore()
  await settled()
  fixture.files.splice(100, 1)
  fixture.revs.set('lobby', 12)
  fixture.listing.onChannelsChanged()
  await fixture.tick()
  expect(names(fixture.listing)).toHaveLength(100)
  expect(fixture.listing.get().pages).toEqual(fixture.fresh())
})

test('changes that were fetched in one response are recorded as well', async () => {
  const fixture = createFixture(3)
  await settled()
  fixture.revs.set('lobby', 14)
  const messages = [fixture.message(9, { attachments: [], rev: 14 })]
  const changes = {
    channel_id: 'lobby',
    reset: false,
    after: 10,
    messages,
    entry: null,
    epoch: 1,
    rev: 14,
  } as const
  fixture.listing.onEvent({ type: 'changesReceived', changes: { ...changes, messages }, after: 10 })
  fixture.listing.onChannelsChanged()
  await fixture.tick()
  expect(fixture.requests).toHaveLength(1)
})

test('the files of a conversation that one loses go at once', async () => {
  const fixture = createFixture(3)
  await settled()
  fixture.revs.delete('lobby')
  fixture.files.splice(0)
  fixture.listing.onChannelsChanged()
  expect(names(fixture.listing)).toEqual([])
  await fixture.tick()
  expect(fixture.listing.get()).toMatchObject({ status: 'ready', pages: { files: [], before: null } })
})

test('a failed request reports its failure, keeps the shown files and is repeated', async () => {
  const fixture = createFixture(60)
  await settled()
  fixture.cut(true)
  fixture.listing.loadMore()
  await settled()
  expect(fixture.listing.get()).toMatchObject({ status: 'ready', loading: false })
  expect(fixture.listing.get().failure?.name).toBe('network')
  expect(names(fixture.listing)).toHaveLength(50)
  fixture.cut(false)
  await fixture.tick()
  expect(fixture.listing.get().failure).toBeNull()
  expect(names(fixture.listing)).toHaveLength(60)
})

test('the last list is shown until the first response', async () => {
  const fixture = createFixture(60)
  await settled()
  const before = fixture.listing.get()
  const again = createListing(
    anything,
    { fetchPage: () => new Promise(() => {}), revs: () => fixture.revs, after: () => () => {} },
    before,
  )
  expect(names(again)).toHaveLength(50)
  expect(again.get().status).toBe('ready')
})

test('a file that is published just after the last page was added is fetched too', async () => {
  const fixture = createFixture(1)
  let isPublished = false
  fixture.listing.subscribe(() => {
    if (isPublished) return
    isPublished = true
    // Runs after the check for further requests, and before its result is read.
    queueMicrotask(() => {
      fixture.files.push(1)
      fixture.publish(fixture.message(1))
    })
  })
  await settled()
  expect(names(fixture.listing)).toEqual(['1.png', '0.png'])
})

test('an unexpected error is a failure, after which the list is fetched again', async () => {
  const fixture = createFixture(3)
  const reported = vi.fn()
  vi.stubGlobal('reportError', reported)
  onTestFinished(() => void vi.unstubAllGlobals())
  const unsubscribe = fixture.listing.subscribe(() => {
    unsubscribe()
    throw new Error('not shown')
  })
  await settled()
  expect(reported).toHaveBeenCalledOnce()
  fixture.files.push(3)
  fixture.listing.refresh()
  await settled()
  expect(names(fixture.listing)).toHaveLength(4)
})
