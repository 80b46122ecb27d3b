import { expect, it } from 'vitest'
import { startAgain } from './reloadForBuild.ts'

function page(build: string, memory = new Map<string, string>()) {
  const did: string[] = []
  return {
    did,
    memory,
    page: {
      build,
      answers: async () => true,
      memory: {
        getItem: (key: string) => memory.get(key) ?? null,
        setItem: (key: string, value: string) => void memory.set(key, value),
      },
      keep: async () => void did.push('kept'),
      reload: () => void did.push('reloaded'),
    },
  }
}

it('keeps what is being typed, then starts again, once', async () => {
  const old = page('one')
  expect(await startAgain(old.page)).toBe(true)
  expect(await startAgain(old.page)).toBe(false)
  expect(old.did).toEqual(['kept', 'reloaded'])
})

it('does not go round in circles where the new build lacks files too', async () => {
  const old = page('one')
  await startAgain(old.page)
  const next = page('two', old.memory)
  expect(await startAgain(next.page)).toBe(true)
  const again = page('two', old.memory)
  expect(await startAgain(again.page)).toBe(false)
})

it('stays as it is while nobody answers', async () => {
  const { page: one, did } = page('one')
  expect(await startAgain({ ...one, answers: async () => false })).toBe(false)
  expect(did).toEqual([])
})

it('starts again also where the device keeps nothing', async () => {
  const { page: one, did } = page('one')
  const keep = () => Promise.reject(new Error('full'))
  expect(await startAgain({ ...one, keep })).toBe(true)
  expect(did).toEqual(['reloaded'])
})
