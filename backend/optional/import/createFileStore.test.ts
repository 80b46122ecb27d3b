import { expect, it } from 'vitest'
import type { ArchiveFile } from '../archive/ArchiveRow.ts'
import { createFileStore } from './createFileStore.ts'

const file = (name: string): ArchiveFile => ({
  bucket: 'files',
  name,
  size: 0,
  type: 'text/plain',
  open: () => Promise.reject(new Error('is not read')),
})

/** A storage service whose requests the test answers. */
function createService() {
  const waiting: { name: string; stored(isNew: boolean): void; refused(error: Error): void }[] = []
  const storeObject = ({ name }: ArchiveFile): Promise<boolean> =>
    new Promise((stored, refused) => waiting.push({ name, stored, refused }))
  return { waiting, store: createFileStore({ storeObject }) }
}

it('stores four files at a time, and waits for all at the end', async () => {
  const { waiting, store } = createService()
  for (const name of ['a', 'b', 'c', 'd']) await store.add(file(name))
  const fifth = store.add(file('e'))
  expect(waiting.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd'])
  waiting[1]!.stored(true)
  await fifth
  expect(waiting.at(-1)!.name).toBe('e')
  let isFinished = false
  const end = store.finish().finally(() => (isFinished = true))
  for (const { name, stored } of waiting) {
    expect(isFinished).toBe(false)
    stored(name !== 'c')
  }
  expect(await end).toBe(4)
})

it('throws the error of a file for the next one, and at the end', async () => {
  const { waiting, store } = createService()
  await store.add(file('a'))
  await store.add(file('b'))
  waiting[0]!.refused(new Error('The disk is full.'))
  waiting[1]!.stored(true)
  await expect(store.finish()).rejects.toThrow('The disk is full.')
  await expect(store.add(file('c'))).rejects.toThrow('The disk is full.')
  expect(waiting).toHaveLength(2)
})
