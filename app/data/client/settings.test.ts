// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

const served = { url: 'http://localhost', key: 'sb_publishable_x', installation: 'here' }
const reload = vi.fn()
let isRequested = false
let respond: (response: Response) => void

beforeEach(() => {
  vi.resetModules()
  localStorage.clear()
  reload.mockReset()
  isRequested = false
  vi.stubGlobal('location', { origin: 'http://localhost', reload })
  vi.stubGlobal(
    'fetch',
    () =>
      new Promise<Response>((resolve) => {
        isRequested = true
        respond = resolve
      }),
  )
})
afterEach(() => vi.unstubAllGlobals())

const rest = () =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, 0)
  })
const visit = async () => {
  vi.resetModules()
  return (await import('./settings.ts')).loadSettings()
}

it('waits for the server the first time, and returns at once from then on', async () => {
  const first = visit()
  await vi.waitFor(() => expect(isRequested).toBe(true))
  respond(Response.json(served))
  expect(await first).toEqual(served)
  expect(await visit()).toEqual(served)
  respond(Response.json(served))
  await rest()
  expect(reload).not.toHaveBeenCalled()
})

it('reloads the page once if the settings of the server have changed', async () => {
  localStorage.setItem('linnet.settings', JSON.stringify(served))
  expect(await visit()).toEqual(served)
  const moved = { ...served, key: 'sb_publishable_y' }
  respond(Response.json(moved))
  await rest()
  expect(reload).toHaveBeenCalledTimes(1)
  expect(await visit()).toEqual(moved)
})

it('uses stored settings when the server cannot be reached', async () => {
  localStorage.setItem('linnet.settings', JSON.stringify(served))
  expect(await visit()).toEqual(served)
  respond(new Response(null, { status: 502 }))
  await rest()
  expect(reload).not.toHaveBeenCalled()
})
