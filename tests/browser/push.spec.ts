import { expect, test, type CDPSession, type Page, type Worker } from '@playwright/test'
import { NOTIFICATION_LOCK } from '../../app/worker/workerMessages.ts'
import type { PushPayload } from '../../wire/push.ts'
import { startPushService, type Browser as PushBrowser } from '../support/startPushService.ts'
import { signInDemoClient } from './demoClient.ts'
import { startDemo } from './startDemo.ts'
import { enterDemo, laptopScreen, person } from './support.ts'

/** What the scripts of the page and of the worker use of the DOM. */
interface NotificationLike {
  title: string
  body: string
}
interface Registration {
  getNotifications: (filter?: { tag: string }) => Promise<NotificationLike[]>
}

/** Headless Chromium has no push service: the browser "subscribes" at that of the test. */
async function subscribeAtTestService(page: Page, { endpoint, p256dh, auth }: PushBrowser): Promise<void> {
  await page.addInitScript(
    ([address, publicKey, secret]) => {
      const bytesOf = (text: string) =>
        Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.codePointAt(0)!).buffer
      let subscription: object | null = null
      const { prototype } = (globalThis as unknown as { PushManager: { prototype: Record<string, unknown> } })
        .PushManager
      prototype.getSubscription = async () => subscription
      prototype.subscribe = async (options: { applicationServerKey: string }) => {
        subscription = {
          endpoint: address,
          options: { applicationServerKey: bytesOf(options.applicationServerKey) },
          getKey: (name: string) => bytesOf(name === 'auth' ? secret : publicKey),
          unsubscribe: async () => {
            subscription = null
            return true
          },
        }
        return subscription
      }
    },
    [endpoint, p256dh, auth] as const,
  )
}

/** Delivers what the service received to the service worker, as a push service would. */
async function createDelivery(session: CDPSession, origin: string): Promise<(data: string) => Promise<void>> {
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL, isDeleted }) => scopeURL === `${origin}/` && !isDeleted)
      if (own) resolve(own.registrationId)
    })
  })
  await session.send('ServiceWorker.enable')
  const registrationId = await registered
  return async (data) => {
    await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
  }
}

/** Titles and texts of the notifications that are displayed. The page lists them as the app does, under its lock. */
const displayed = (page: Page) =>
  page.evaluate(async (lock) => {
    interface WithLocks {
      serviceWorker: { ready: Promise<Registration> }
      locks: { request: <T>(name: string, work: () => Promise<T>) => Promise<T> }
    }
    const { serviceWorker, locks } = (globalThis as unknown as { navigator: WithLocks }).navigator
    const registration = await serviceWorker.ready
    const shown = await locks.request(lock, () => registration.getNotifications())
    return shown.map(({ title, body }) => `${title}: ${body}`)
  }, NOTIFICATION_LOCK)

/** Lists notifications under the lock again and again, as pages do whose conversations change. */
const listWithoutPause = (page: Page) =>
  page.evaluate((lock) => {
    interface WithLocks {
      serviceWorker: { ready: Promise<Registration> }
      locks: { request: (name: string, work: () => Promise<unknown>) => Promise<unknown> }
    }
    const { serviceWorker, locks } = (globalThis as unknown as { navigator: WithLocks }).navigator
    const list = async (registration: Registration): Promise<void> => {
      await locks.request(lock, () => registration.getNotifications())
      setTimeout(() => void list(registration))
    }
    void serviceWorker.ready.then(list)
  }, NOTIFICATION_LOCK)

/** Notifications stay: on Linux, Chromium removes them after some seconds, which a slow machine needs for a step. */
const keepNotifications = (worker: Worker) =>
  worker.evaluate(() => {
    interface Shower {
      showNotification: (title: string, options: object) => Promise<void>
    }
    const { prototype } = (globalThis as unknown as { ServiceWorkerRegistration: { prototype: Shower } })
      .ServiceWorkerRegistration
    const show = prototype.showNotification
    prototype.showNotification = function (this: Shower, title, options) {
      return show.call(this, title, { ...options, requireInteraction: true })
    }
  })

/** Clicks a notification, which is outside of the page. */
const click = (worker: Worker, tag: string, action: string) =>
  worker.evaluate(
    async (given) => {
      const scope = globalThis as unknown as {
        registration: Registration
        NotificationEvent: new (type: string, init: object) => Event
        dispatchEvent: (event: Event) => boolean
      }
      const [notification] = await scope.registration.getNotifications({ tag: given.tag })
      scope.dispatchEvent(
        new scope.NotificationEvent('notificationclick', { notification, action: given.action }),
      )
    },
    { tag, action },
  )

test('a person switches push notifications on, tests them, opens a conversation by one, and reads the next elsewhere', async ({
  browser,
}) => {
  const [demo, service] = await Promise.all([startDemo(), startPushService()])
  const { server } = demo
  const faults: string[] = []
  try {
    const bea = await person(browser, faults, { ...laptopScreen, serviceWorkers: 'allow' })
    await bea.context().grantPermissions(['notifications'], { origin: server.url })
    await subscribeAtTestService(bea, service.subscribe())
    for (const [key, value] of [
      ['push_endpoints', '^http://127\\.0\\.0\\.1:'],
      ['push_allowed', ['127.0.0.1']],
    ]) {
      const setting = await fetch(`${server.url}/rest/v1/settings?key=eq.${String(key)}`, {
        method: 'PATCH',
        headers: { apikey: server.secretKey, 'content-type': 'application/json' },
        body: JSON.stringify({ value }),
      })
      expect(setting.ok).toBe(true)
    }
    // Someone who uses a page is notified by the page: nobody looks at this one.
    await bea.context().route('**/rpc/heartbeat', (route) => {
      const given = route.request().postDataJSON() as object
      return route.continue({ postData: { ...given, state: 'away' } })
    })
    await enterDemo(bea, demo, 'bea', '/settings/notifications')
    // On a phone only push notifications arrive in most cases, so their section is the first one.
    const pane = bea.getByRole('region', { name: 'Notifications', exact: true })
    const section = pane.getByRole('region').first()
    await expect(section).toHaveAccessibleName('Push notifications on this device')
    await section.getByLabel('Notify me on this device when Linnet is closed').click()
    await expect(section.getByText('This device', { exact: true })).toBeVisible()
    await expect(section.getByText('No notification sent yet')).toBeVisible()
    const session = await bea.context().newCDPSession(bea)
    const deliver = await createDelivery(session, server.url)
    const worker = bea.context().serviceWorkers()[0] ?? (await bea.context().waitForEvent('serviceworker'))
    await keepNotifications(worker)
    /** The payload that the server has sent since. */
    const nextPayload = async (): Promise<string> => {
      await expect.poll(() => service.messages.length).toBeGreaterThan(0)
      return service.messages.shift()!.payload
    }

    await section.getByRole('button', { name: /^Send test to/ }).click()
    await deliver(await nextPayload())
    await expect(section.getByText('The device has displayed the test.')).toBeVisible()
    await expect(section.getByText(/last displayed/)).toBeVisible()
    expect(await displayed(bea)).toEqual(['Test notification: Linnet can notify you on this device.'])

    const ann = await signInDemoClient(demo, 'ann')
    const me = (await signInDemoClient(demo, 'bea')).bootstrap.me!.profile.id
    const { channel } = ann.bootstrap.channels.find((one) => one.channel.name === 'rota')!
    const mention = (text: string) =>
      ann.call('send_message', { id: crypto.randomUUID(), channel: channel.id, body: `<@${me}> ${text}` })
    await mention('Who has the late shift?')
    const first = await nextPayload()
    expect(JSON.parse(first)).toMatchObject({
      kind: 'message',
      tag: channel.id,
    } satisfies Partial<PushPayload>)
    // Chromium forgets a notification that is displayed while they are listed.
    await listWithoutPause(bea)
    await deliver(first)
    await expect
      .poll(() => displayed(bea))
      .toContainEqual(expect.stringMatching(/^#rota: Ann .* late shift\?$/))
    await mention('And the early one?')
    await deliver(await nextPayload())
    // One notification for each conversation.
    await expect
      .poll(() => displayed(bea))
      .toContainEqual(expect.stringMatching(/^#rota: Ann .* early one\?$/))
    await expect.poll(() => displayed(bea)).toHaveLength(2)

    await click(worker, channel.id, '')
    await expect(bea.getByLabel('Messages in #rota')).toBeVisible()
    await expect(bea.getByText('And the early one?')).toBeVisible()
    await expect.poll(() => displayed(bea)).toHaveLength(1)

    // What was read elsewhere is closed.
    await bea.goto(`${server.url}/settings/notifications`)
    await mention('Thanks!')
    await deliver(await nextPayload())
    await expect.poll(() => displayed(bea)).toHaveLength(2)
    const phone = await signInDemoClient(demo, 'bea')
    const { state, counters } = phone.bootstrap.channels.find((one) => one.channel.id === channel.id)!
    await phone.call('mark_read', {
      channel: channel.id,
      seq: counters.last_seq,
      read_version: state.read_version,
    })
    await expect.poll(() => displayed(bea)).toHaveLength(1)

    // A device that hides content does not even get it.
    await bea.getByLabel('Hide message content').click()
    await expect(bea.getByLabel('Hide message content')).toBeChecked()
    await expect
      .poll(async () => (await phone.call('my_push_subscriptions', {}))[0]?.hides_content)
      .toBe(true)
    await mention('The code is 1234')
    const hidden = await nextPayload()
    expect(hidden).not.toMatch(/1234|Ann|rota/)
    await deliver(hidden)
    await expect.poll(() => displayed(bea)).toContain('Linnet: You have new messages.')
    await bea.context().close()
  } finally {
    await demo.end()
    service.stop()
  }
  expect(faults).toEqual([])
  expect(service.violations).toEqual([])
})
