import { expect, it, vi } from 'vitest'
import type { PushPayload } from '../../../wire/push.ts'
import type { WindowPage } from '../scope.ts'
import { pushNotification } from './pushNotification.ts'
import { respondToClick } from './respondToClick.ts'
import { pushTextOf, respondToPush } from './respondToPush.ts'

const payload: PushPayload = {
  kind: 'message',
  tag: 'lobby',
  language: 'de',
  report: 'https://chat.example/functions/v1/push',
  token: 'a.b-c_',
  message: 'm1',
  channel: 'lobby',
  thread: null,
  title: '#lobby',
  lines: [
    { author: 'Ann', text: 'one' },
    { author: 'Bea', text: 'two' },
  ],
  close: ['side', 'lobby'],
}

/** What is displayed, and which requests were sent. */
function createPorts(response: () => Promise<Response> = async () => new Response('{}')) {
  const shown = new Map<string, { title: string; options: NotificationOptions }>()
  const requests: string[] = []
  let locked = Promise.resolve()
  return {
    shown,
    requests,
    fetch: (async (input: string) => {
      requests.push(input)
      return response()
    }) as unknown as typeof fetch,
    // It permits no listing while something is displayed.
    lock: (work: () => Promise<void>) => (locked = locked.then(work)),
    registration: {
      showNotification: async (title: string, options: NotificationOptions) => {
        shown.set(options.tag ?? '', { title, options })
      },
      getNotifications: async () =>
        [...shown].map(([tag, { options }]) => ({
          tag,
          data: (options as { data: never }).data,
          close: () => void shown.delete(tag),
        })),
    },
  }
}

it('displays one notification for each conversation, closes what is no longer current, and reports it', async () => {
  const ports = createPorts()
  for (const tag of ['side', 'lobby', 'other']) {
    await respondToPush(JSON.stringify({ ...payload, tag, close: [] }), ports)
  }
  ports.requests.length = 0
  await respondToPush(JSON.stringify(payload), ports)
  expect([...ports.shown.keys()]).toEqual(['lobby', 'other'])
  expect(ports.shown.get('lobby')).toMatchObject({
    title: '#lobby',
    options: {
      body: 'Ann: one\nBea: two',
      actions: [{ action: 'mark-read', title: 'Als gelesen markieren' }],
      data: { path: '/c/lobby' },
    },
  })
  expect(ports.requests).toEqual([`${payload.report}?token=a.b-c_`])
})

it('displays under the lock, which it does not hold while it reports', async () => {
  const steps: string[] = []
  const ports = createPorts(async () => {
    steps.push('reported')
    return new Response('{}')
  })
  const lock = async (work: () => Promise<void>) => {
    steps.push('locked')
    await work()
    steps.push(`released with ${ports.shown.size} displayed`)
  }
  await respondToPush(JSON.stringify(payload), { ...ports, lock })
  expect(steps).toEqual(['locked', 'released with 1 displayed', 'reported'])
  await respondToPush('unreadable', { ...ports, lock })
  expect(steps.slice(3)).toEqual(['locked', 'released with 2 displayed'])
})

it('displays a declarative message like any other, whether the browser has parsed it or not', async () => {
  const { title: _, lines: _lines, ...data } = payload
  const notification = { title: '#lobby', body: 'Ann: one\nBea: two', data }
  const message = {
    web_push: 8030,
    mutable: true,
    notification: { ...notification, navigate: 'https://a.example' },
  }
  const [plain, parsed, unparsed] = [createPorts(), createPorts(), createPorts()]
  await respondToPush(JSON.stringify(payload), plain)
  await respondToPush(pushTextOf(null, notification), parsed)
  await respondToPush(pushTextOf({ text: () => JSON.stringify(message) }, null), unparsed)
  const withoutTime = ({ shown }: typeof plain): unknown =>
    JSON.parse(JSON.stringify([...shown.values()], (key, value: unknown) => (key === 'shownAt' ? 0 : value)))
  expect(withoutTime(plain)).toHaveLength(1)
  expect(withoutTime(parsed)).toEqual(withoutTime(plain))
  expect(withoutTime(unparsed)).toEqual(withoutTime(plain))
  expect(parsed.requests).toEqual(plain.requests)
})

it('displays a reminder, which a click opens in the list', async () => {
  const ports = createPorts()
  const reminder = { kind: 'reminder', tag: 'reminder:r1', reminder: 'r1', at: '2026-01-01T09:00:00+00:00' }
  const lines = [{ author: null, text: 'Water the plants' }]
  await respondToPush(JSON.stringify({ ...payload, ...reminder, lines }), ports)
  expect(ports.shown.get('reminder:r1')).toMatchObject({
    title: 'Erinnerung',
    options: {
      body: 'Water the plants',
      data: { path: '/saved', reminder: { id: 'r1', at: reminder.at }, channel: null, read: null },
    },
  })
})

it('displays only that there is something new where the device hides what messages say', async () => {
  const ports = createPorts()
  const { title: _, lines: _lines, close: _close, ...hidden } = payload
  await respondToPush(JSON.stringify(hidden), ports)
  await respondToPush(JSON.stringify({ ...hidden, kind: 'reminder', tag: 'reminder:r1' }), ports)
  expect(ports.shown.get('lobby')).toMatchObject({
    title: 'Linnet',
    options: { body: 'Du hast neue Nachrichten.', data: { path: '/c/lobby', read: { message: 'm1' } } },
  })
  expect(ports.shown.get('reminder:r1')).toMatchObject({
    title: 'Erinnerung',
    options: { body: 'Eine Erinnerung ist fällig.' },
  })
})

it.each([null, '', 'null', '{"kind":"message"}', '{"kind":"other","tag":"a"}'])(
  'displays that there is something new for the unreadable message %j',
  async (text) => {
    const ports = createPorts()
    await respondToPush(text, ports)
    expect(ports.shown.get('linnet')?.options.body).toBe('You have new messages.')
    expect(ports.requests).toEqual([])
  },
)

function createPage(responds: boolean, isControlled = true) {
  const opened: string[] = []
  const page: WindowPage = {
    url: 'https://chat.example/',
    frameType: 'top-level',
    postMessage: (message, transfer) => {
      if (!responds) return
      opened.push(`opened ${(message as { path: string }).path}`)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has none
      ;(transfer![0] as MessagePort).postMessage(true)
    },
    focus: async () => page,
    navigate: async (path) => {
      if (!isControlled) throw new TypeError('not controlled')
      opened.push(`navigated ${path}`)
      return page
    },
  }
  return { page, opened }
}

const thread = pushNotification({ ...payload, thread: 'root' }, 0).options.data
/** @param timeoutMs long for a page that responds: on a busy machine, a short one would end before the response is read */
const click = async (pages: WindowPage[], action = '', ports = createPorts(), timeoutMs = 60_000) => {
  const windows: string[] = []
  await respondToClick(
    { action, data: thread },
    {
      pages: async () => pages,
      openWindow: async (path) => windows.push(path),
      fetch: ports.fetch,
      timeoutMs,
    },
  )
  return windows
}

it('a click opens the conversation in the page used last, in a page that does not respond, else in a new one', async () => {
  const [used, other, silent, foreign] = [
    createPage(true),
    createPage(true),
    createPage(false),
    createPage(false, false),
  ]
  expect(await click([used.page, other.page])).toEqual([])
  expect(used.opened).toEqual(['opened /c/lobby/t/root'])
  expect(other.opened).toEqual([])
  expect(await click([silent.page], '', createPorts(), 20)).toEqual([])
  expect(silent.opened).toEqual(['navigated /c/lobby/t/root'])
  expect(await click([foreign.page], '', createPorts(), 20)).toEqual(['/c/lobby/t/root'])
  expect(await click([])).toEqual(['/c/lobby/t/root'])
})

it('“Mark as read” reports it with the token of the notification, and opens the conversation where that fails', async () => {
  const ports = createPorts()
  expect(await click([], 'mark-read', ports)).toEqual([])
  expect(ports.requests).toEqual([`${payload.report}?token=a.b-c_&message=m1`])
  for (const fails of [
    async () => new Response('', { status: 403 }),
    vi.fn<() => Promise<Response>>().mockRejectedValue(new TypeError('offline')),
  ]) {
    expect(await click([], 'mark-read', createPorts(fails))).toEqual(['/c/lobby/t/root'])
  }
})
