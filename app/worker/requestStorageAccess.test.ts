import { expect, it } from 'vitest'
import { requestStorageAccess, isPage } from './requestStorageAccess.ts'
import type { StorageAccess, StorageAccessRequest } from './workerMessages.ts'
import type { WorkerClient } from './scope.ts'

const pass: StorageAccess = { url: 'https://backend.example', key: 'key', token: 'token' }

function page(
  respond: (wanted: StorageAccessRequest) => StorageAccess | null | undefined,
  o: Partial<WorkerClient> = {},
): WorkerClient {
  return {
    url: 'https://chat.example/c/1',
    frameType: 'top-level',
    postMessage: (message, transfer) => {
      const reply = respond(message as StorageAccessRequest)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has none
      if (reply !== undefined) (transfer![0] as MessagePort).postMessage(reply)
    },
    ...o,
  }
}

it('returns the first token from the pages, and sends them the token that was refused', async () => {
  const refusals: (string | null)[] = []
  const pages = [
    page(() => null),
    page(() => undefined),
    page(({ refused }) => {
      refusals.push(refused)
      return pass
    }),
  ]
  expect(await requestStorageAccess(pages, 'old')).toEqual(pass)
  expect(refusals).toEqual(['old'])
})

it('returns null when nobody is signed in, no page is open, or none responds in time', async () => {
  expect(await requestStorageAccess([page(() => null)], null)).toBeNull()
  expect(await requestStorageAccess([], null)).toBeNull()
  expect(await requestStorageAccess([page(() => undefined)], null, 1)).toBeNull()
})

it('sends no request to a file opened in its own window', () => {
  expect(isPage(page(() => null))).toBe(true)
  expect(isPage(page(() => null, { frameType: 'nested' }))).toBe(false)
  expect(isPage(page(() => null, { url: 'https://chat.example/attached/x' }))).toBe(false)
})
