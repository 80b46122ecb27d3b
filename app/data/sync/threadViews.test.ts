import { expect, it } from 'vitest'
import type { Message, ThreadPage, ThreadState } from '../../../wire/linnet.ts'
import { buildBootstrap, buildEntry, buildMessage, LOBBY } from '../store/buildRows.ts'
import { EMPTY_SNAPSHOT } from '../store/requestSnapshot.ts'
import { createStore } from '../store/store.ts'
import { createThreadViews, hasRepliesAfter, loadedThreadWindow } from './threadViews.ts'

const ROOT = buildMessage(5, { last_thread_seq: 100, reply_count: 100 })

function reply(number: number): Message {
  return buildMessage(1000 + number, { seq: null, thread_root: ROOT.id, thread_seq: number, base_seq: 5 })
}

function placed(change: Partial<ThreadState>): ThreadState {
  return {
    channel_id: LOBBY,
    root_id: ROOT.id,
    follows: true,
    last_read_thread_seq: 0,
    read_version: 1,
    last_thread_seq: 100,
    last_reply_at: null,
    rev: 5,
    counts: { unread: 0, mentions: 0 },
    ...change,
  }
}

/** A server whose thread has replies 1–100; pages of 20. */
function world(known: ThreadState | null, served: ThreadState = known ?? placed({})) {
  const store = createStore()
  store.dispatch({
    type: 'bootstrapReceived',
    response: buildBootstrap([buildEntry()], { threads: known ? [known] : [] }),
    snapshot: EMPTY_SNAPSHOT,
  })
  const requests: unknown[] = []
  const views = createThreadViews(store, {
    call: async (_name, args) => {
      const { before, after, around } = args as { before?: number; after?: number; around?: number }
      requests.push({ before, after, around })
      const to = before ? before - 1 : after ? after + 20 : around ? around + 9 : 100
      const from = Math.max(1, to - 19)
      const numbers = Array.from({ length: Math.min(100, to) - from + 1 }, (_, index) => from + index)
      const page: ThreadPage = {
        channel_id: LOBBY,
        root: ROOT,
        state: served,
        messages: numbers.map(reply),
        has_before: from > 1,
        has_after: to < 100,
        epoch: 1,
        rev: 10,
      }
      return { ok: true, value: page } as never
    },
  })
  const settled = () => new Promise((resolve) => setTimeout(resolve))
  const shown = () => {
    const rows = store.get().channels.get(LOBBY)
    const thread = rows?.threads.get(ROOT.id)
    return rows && thread ? { rows, window: loadedThreadWindow(thread, views.get(ROOT.id).anchor) } : null
  }
  return { store, views, requests, settled, shown }
}

it('opens at the end where nothing is unread', async () => {
  const { views, settled, shown } = world(placed({ last_read_thread_seq: 100 }))
  views.open(LOBBY, ROOT.id)
  await settled()
  expect(views.get(ROOT.id)).toMatchObject({ anchor: 'end', unreadLine: null, loading: false })
  expect(shown()?.window).toEqual({ from: 81, to: 100 })
})

it('opens at the first unread, however far back it is', async () => {
  const { views, settled, shown, requests } = world(
    placed({ last_read_thread_seq: 29, counts: { unread: 71, mentions: 0 } }),
  )
  views.open(LOBBY, ROOT.id)
  await settled()
  expect(requests).toEqual([{ around: 30 }])
  expect(views.get(ROOT.id)).toMatchObject({ anchor: 30, unreadLine: 30 })
  const there = shown()
  expect(there?.window).toEqual({ from: 20, to: 39 })
  expect(there?.window && hasRepliesAfter(there.rows, ROOT.id, there.window)).toBe(true)
})

it('learns from its first page where one has left off', async () => {
  const { views, settled, requests } = world(
    null,
    placed({ last_read_thread_seq: 29, counts: { unread: 71, mentions: 0 } }),
  )
  views.open(LOBBY, ROOT.id)
  await settled()
  expect(requests).toEqual([{}, { around: 30 }])
  expect(views.get(ROOT.id)).toMatchObject({ anchor: 30, unreadLine: 30 })
})

it('draws no line for who comes upon a thread of others', async () => {
  const { views, settled } = world(null, placed({ follows: false, counts: { unread: 100, mentions: 0 } }))
  views.open(LOBBY, ROOT.id)
  await settled()
  expect(views.get(ROOT.id)).toMatchObject({ anchor: 'end', unreadLine: null })
})

it('goes on to the end and comes back to the newest', async () => {
  const { views, settled, shown, requests } = world(placed({ last_read_thread_seq: 100 }))
  views.open(LOBBY, ROOT.id, 50)
  await settled()
  expect(shown()?.window).toEqual({ from: 40, to: 59 })
  views.loadAfter(LOBBY, ROOT.id)
  await settled()
  expect(shown()?.window).toEqual({ from: 40, to: 79 })
  views.jumpTo(LOBBY, ROOT.id, 'end')
  await settled()
  expect(requests.at(-1)).toEqual({})
  expect(shown()?.window).toEqual({ from: 81, to: 100 })
})

it('stays closed when its page comes later', async () => {
  const { views, store, settled } = world(placed({}))
  views.open(LOBBY, ROOT.id)
  views.close(ROOT.id)
  views.setUnreadLine(ROOT.id, 7)
  await settled()
  expect(store.get().channels.get(LOBBY)?.threads.size).toBe(0)
  expect(views.get(ROOT.id)).toMatchObject({ unreadLine: null, loading: false })
})
