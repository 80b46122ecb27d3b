import { expect, it } from 'vitest'
import { reloadForNewBuild } from './reloadForNewBuild.ts'

function page(build: string, memory = new Map<string, string>()) {
  const did: string[] = []
  return {
    did,
    memory,
    page: {
      build,
      isServerReachable: async () => true,
      storage: {
        getItem: (key: string) => memory.get(key) ?? null,
        setItem: (key: string, value: string) => void memory.set(key, value),
      },
      saveDrafts: async () => void did.push('kept'),
      reload: () => void did.push('reloaded'),
    },
  }
}

it('stores drafts, then reloads the page, once', async () => {
  const old = page('one')
  expect(await reloadForNewBuild(old.page)).toBe(true)
  expect(await reloadForNewBuild(old.page)).toBe(false)
  expect(old.did).toEqual(['kept', 'reloaded'])
})

it('does not go round in circles where the new build lacks files too', async () => {
  const old = page('one')
  await reloadForNewBuild(old.page)
  const next = page('two', old.memory)
  expect(await reloadForNewBuild(next.page)).toBe(true)
  const again = page('two', old.memory)
  expect(await reloadForNewBuild(again.page)).toBe(false)
})

it('does not reload while the server is unreachable', async () => {
  const { page: one, did } = page('one')
  expect(await reloadForNewBuild({ ...one, isServerReachable: async () => false })).toBe(false)
  expect(did).toEqual([])
})

it('reloads also where the device stores nothing', async () => {
  const { page: one, did } = page('one')
  const keep = () => Promise.reject(new Error('full'))
  expect(await reloadForNewBuild({ ...one, saveDrafts: keep })).toBe(true)
  expect(did).toEqual(['reloaded'])
})
