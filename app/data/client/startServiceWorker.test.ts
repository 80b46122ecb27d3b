import { afterEach, beforeEach, expect, it, vi } from 'vitest'

beforeEach(() => {
  vi.resetModules()
  vi.stubGlobal('document', { querySelectorAll: () => [{ src: 'https://chat.example/assets/shell-1.js' }] })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const load = () => import('./startServiceWorker.ts')

/** A browser with service workers; `script` is the worker that serves the page. */
function container(script: string) {
  const sent: unknown[] = []
  const events = new EventTarget()
  const controller = { scriptURL: script, postMessage: (message: unknown) => void sent.push(message) }
  const registration = Object.assign(new EventTarget(), {
    active: null,
    installing: null as EventTarget | null,
    waiting: null as { postMessage: (message: unknown) => void } | null,
  })
  const register = vi.fn<ServiceWorkerContainer['register']>(async () => registration as never)
  const addEventListener = events.addEventListener.bind(events)
  return { sent, events, registration, serviceWorker: { controller, register, addEventListener } }
}

it('does nothing where the browser has no service workers', async () => {
  vi.stubGlobal('navigator', {})
  const { startServiceWorker, storeApp } = await load()
  expect(await startServiceWorker()).toBe(false)
  await expect(storeApp()).resolves.toBeUndefined()
})

it('does nothing where the browser refuses one', async () => {
  const { serviceWorker } = container('')
  serviceWorker.controller = null as never
  serviceWorker.register.mockRejectedValue(new DOMException('private', 'SecurityError'))
  vi.stubGlobal('navigator', { serviceWorker })
  const { startServiceWorker, storeApp } = await load()
  expect(await startServiceWorker()).toBe(false)
  await expect(storeApp()).resolves.toBeUndefined()
})

it('uses a worker that takes control later than it was waited for, as on a busy machine', async () => {
  vi.useFakeTimers()
  const { serviceWorker, events } = container('https://chat.example/service-worker.js')
  const { controller } = serviceWorker
  serviceWorker.controller = null as never
  vi.stubGlobal('navigator', { serviceWorker })
  const { startServiceWorker, waitForServiceWorker } = await load()
  const isControlled = vi.fn<() => void>()
  void waitForServiceWorker().then(isControlled)
  const started = startServiceWorker()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(await started).toBe(false)
  expect(isControlled).not.toHaveBeenCalled()
  serviceWorker.controller = controller
  events.dispatchEvent(new Event('controllerchange'))
  expect(await startServiceWorker()).toBe(true)
  expect(isControlled).toHaveBeenCalledTimes(1)
})

it('checks for a newer worker without the browser’s cache, and locks the build of this page', async () => {
  const { serviceWorker, sent } = container('https://chat.example/service-worker.js')
  const request = vi.fn<LockManager['request']>(async () => undefined as never)
  vi.stubGlobal('navigator', { serviceWorker, locks: { request } })
  const { storeApp } = await load()
  await storeApp()
  await storeApp()
  expect(serviceWorker.register.mock.calls).toEqual([['/service-worker.js', { updateViaCache: 'none' }]])
  expect(request.mock.calls.map(([name, how]) => [name, how])).toEqual([
    ['linnet-build:/assets/shell-1.js', { mode: 'shared' }],
  ])
  expect(sent).toEqual([{ linnet: 'store' }])
})

it('requests a newer worker to store its build', async () => {
  const { serviceWorker, sent, events } = container('https://chat.example/service-worker.js')
  vi.stubGlobal('navigator', { serviceWorker })
  const { storeApp } = await load()
  await storeApp()
  events.dispatchEvent(new Event('controllerchange'))
  expect(sent).toEqual([{ linnet: 'store' }, { linnet: 'store' }])
})

it('requests a newer worker that still waits to take over, until it does', async () => {
  vi.useFakeTimers()
  const { serviceWorker, registration } = container('https://chat.example/service-worker.js')
  vi.stubGlobal('navigator', { serviceWorker })
  const { startServiceWorker } = await load()
  expect(await startServiceWorker()).toBe(true)
  await vi.advanceTimersByTimeAsync(60_000)

  const requested: unknown[] = []
  registration.installing = new EventTarget()
  registration.dispatchEvent(new Event('updatefound'))
  registration.waiting = { postMessage: (message) => void requested.push(message) }
  registration.installing.dispatchEvent(new Event('statechange'))
  await vi.advanceTimersByTimeAsync(11_000)
  expect(requested).toEqual([{ linnet: 'activate' }, { linnet: 'activate' }])
  registration.waiting = null
  await vi.advanceTimersByTimeAsync(60_000)
  expect(requested).toHaveLength(2)
  expect(vi.getTimerCount()).toBe(0)
})
