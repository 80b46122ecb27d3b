import { expect, test } from 'vitest'
import type { MessageNotification, NotificationPreferences } from '../../../wire/notifications.ts'
import { success } from '../failures/failures.ts'
import {
  buildBootstrap,
  buildChannelEntry,
  buildMessage,
  LOBBY,
  WORKSPACE,
} from '../store/buildRows.fixture.ts'
import { EMPTY_SNAPSHOT } from '../store/requestSnapshot.ts'
import { createStore, type Store } from '../store/store.ts'
import { collectUserEvents } from './collectUserEvents.ts'
import { createMessageWatcher, type CheckedMessage } from './createMessageWatcher.ts'
import { DEFAULT_PREFERENCES } from './preferences.ts'

/** A tab whose reader has the lobby, with revs up to 10, open. */
function openTab(
  change: Partial<NotificationPreferences>,
  isLeader = true,
  entry = buildChannelEntry(),
  before: (store: Store) => void = () => {},
) {
  const store = createStore()
  const takeEarlierEvents = collectUserEvents(store)
  before(store)
  const tab = {
    store,
    isLeader,
    requests: [] as [string[], number[]][],
    posted: [] as CheckedMessage[],
    notified: [] as string[],
    timers: [] as (() => void)[],
    receive: (_message: CheckedMessage) => {},
    /** Another person posts the message with this seq. */
    post: (seq: number, body: string) =>
      store.dispatch({
        type: 'channelEventReceived',
        event: {
          event: 'message',
          payload: { channel_id: LOBBY, rev: seq, message: buildMessage(seq, { body }) },
        },
      }),
    /** Runs the timers that are set, and what they request. */
    async runTimers() {
      for (const run of tab.timers.splice(0)) run()
      for (let step = 0; step < 10; step++) await Promise.resolve()
    },
  }
  const watcher = createMessageWatcher(store, {
    isLeader: () => tab.isLeader,
    request: async (channels, revs) => {
      tab.requests.push([channels, revs])
      const notification: MessageNotification = {
        id: `message after ${revs.join()}`,
        workspace_id: WORKSPACE,
        channel_id: LOBBY,
        seq: 11,
        thread_root: null,
        thread_seq: null,
        title: '#lobby',
        author: 'Other',
        body: 'Hello',
        created_at: '2026-01-01T00:00:00Z',
        decision: 'desktop',
      }
      return success([notification, { ...notification, id: 'counted', decision: 'badge' }])
    },
    preferences: () => ({ ...DEFAULT_PREFERENCES, ...change }),
    post: (message) => tab.posted.push(message),
    onNotifications: (notifications) => tab.notified.push(...notifications.map(({ id }) => id)),
    after: (_ms, run) => {
      tab.timers.push(run)
      return () => {}
    },
    now: () => 0,
    openedAt: Date.parse('2026-01-01T08:00:00Z'),
    earlier: takeEarlierEvents(),
    random: () => 0,
  })
  store.dispatch({
    type: 'bootstrapReceived',
    response: buildBootstrap([entry]),
    snapshot: EMPTY_SNAPSHOT,
  })
  tab.receive = watcher.receive
  return tab
}

test('a message is requested only where it may concern the reader', async () => {
  const all = openTab({ level: 'all' })
  const mentions = openTab({})
  const keyword = openTab({ keywords: ['oxygen mask'] })
  const nothing = openTab({ level: 'nothing', keywords: ['oxygen mask'] })
  const tabs = [all, mentions, keyword, nothing]
  for (const tab of tabs) {
    tab.post(11, 'Good morning')
    await tab.runTimers()
  }
  expect(tabs.map((tab) => tab.requests.length)).toEqual([1, 0, 0, 0])
  for (const tab of tabs) {
    tab.post(12, 'An Oxygen-Mask is missing')
    await tab.runTimers()
  }
  expect(tabs.map((tab) => tab.requests.length)).toEqual([2, 0, 1, 0])
  expect(all.requests).toEqual([
    [[LOBBY], [10]],
    [[LOBBY], [11]],
  ])
  expect(all.notified).toEqual(['message after 10', 'message after 11'])
  mentions.post(13, '<!channel> Fire drill')
  await mentions.runTimers()
  expect(mentions.requests).toEqual([[[LOBBY], [12]]])
})

test('only the leading tab requests, and the next leader continues where it stopped', async () => {
  const leader = openTab({ level: 'all' })
  const other = openTab({ level: 'all' }, false)
  for (const tab of [leader, other]) {
    tab.post(11, 'Good morning')
    await tab.runTimers()
  }
  expect(other.requests).toEqual([])
  for (const message of leader.posted) other.receive(message)
  other.post(12, 'Is somebody here?')
  other.isLeader = true
  await other.runTimers()
  expect(other.requests).toEqual([[[LOBBY], [11]]])
  expect(other.notified).toEqual(['message after 11'])
})

test('a message that arrives while the page starts notifies, and an earlier one does not', async () => {
  const unread = {
    counters: { last_seq: 11, rev: 11, meta_rev: 1, epoch: 1 },
    counts: { unread: 1, mentions: 0 },
  }
  const startAt = async (last_message_at: string) => {
    const tab = openTab({ level: 'all' }, true, buildChannelEntry({ ...unread, last_message_at }))
    await tab.runTimers()
    return tab.requests
  }
  expect(await startAt('2026-01-01T07:59:59Z')).toEqual([])
  expect(await startAt('2026-01-01T08:00:01Z')).toEqual([[[LOBBY], [10]]])
})

test('a mention in another workspace notifies that arrives before notifications have started', async () => {
  const tab = openTab({}, true, buildChannelEntry(), (store) => {
    const mentioned = { channel_id: 'elsewhere', seq: 7, rev: 9, mention: true }
    store.dispatch({ type: 'userEventReceived', event: { event: 'activity', payload: mentioned } })
  })
  await tab.runTimers()
  expect(tab.requests).toEqual([[['elsewhere'], [0]]])
})

test('a reply is requested when a later response shows that the reader follows its thread', async () => {
  const tab = openTab({})
  const root = buildMessage(1).id
  const reply = { seq: null, thread_root: root, thread_seq: 1, rev: 11 }
  const messages = [buildMessage(11, reply), buildMessage(12)]
  for (const message of messages)
    tab.store.dispatch({
      type: 'channelEventReceived',
      event: { event: 'message', payload: { channel_id: LOBBY, rev: message.rev, message } },
    })
  await tab.runTimers()
  expect(tab.requests).toEqual([])
  tab.store.dispatch({
    type: 'threadStateReceived',
    thread: {
      channel_id: LOBBY,
      root_id: root,
      follows: true,
      last_read_thread_seq: 0,
      read_version: 1,
      last_thread_seq: 1,
      last_reply_at: '2026-01-01T08:00:00Z',
      rev: 12,
      counts: { unread: 1, mentions: 0 },
    },
  })
  await tab.runTimers()
  expect(tab.requests).toEqual([[[LOBBY], [10]]])
})

test('an edit is requested if the message notifies the reader because of it', async () => {
  const tab = openTab({})
  for (const [notifies, rev] of [
    [false, 14],
    [true, 15],
  ] as const) {
    const edited = { channel_id: LOBBY, message_id: 'm', rev, notifies }
    tab.store.dispatch({ type: 'userEventReceived', event: { event: 'message_edited', payload: edited } })
  }
  await tab.runTimers()
  expect(tab.requests).toEqual([[[LOBBY], [10]]])
})
