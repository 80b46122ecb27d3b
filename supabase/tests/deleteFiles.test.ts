import { expect, it } from 'vitest'
import { deleteFiles, type FilePorts } from '../functions/delete-files/deleteFiles.ts'

/** A queue and stored objects in memory; `failures` run before the calls of the same names. */
function createPorts(
  files: string[],
  failures: Partial<FilePorts> = {},
): FilePorts & { queue: Set<string>; stored: Set<string> } {
  const queue = new Set(files)
  const stored = new Set(files)
  const key = (bucket: string, name: string): string => `${bucket}/${name}`
  return {
    queue,
    stored,
    list: (max) =>
      Promise.resolve(
        Array.from(queue)
          .slice(0, max)
          .map((file) => {
            const at = file.indexOf('/')
            return { bucket: file.slice(0, at), name: file.slice(at + 1) }
          }),
      ),
    async remove(bucket, names) {
      await failures.remove?.(bucket, names)
      for (const name of names) stored.delete(key(bucket, name))
    },
    async confirm(bucket, names) {
      await failures.confirm?.(bucket, names)
      for (const name of names) queue.delete(key(bucket, name))
    },
  }
}
const many = (bucket: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${bucket}/${i}`)

it('deletes the files of all buckets in batches', async () => {
  const full = createPorts([...many('files', 1200), ...many('avatars', 3)])
  expect(await deleteFiles(full)).toBe(1203)
  expect(full.queue.size + full.stored.size).toBe(0)
  expect(await deleteFiles(full)).toBe(0)
})

it('leaves files that could not be deleted in the queue and deletes the others', async () => {
  const full = createPorts([...many('files', 3), ...many('avatars', 3)], {
    remove: (bucket) =>
      bucket === 'files' ? Promise.reject(new Error('storage is unavailable')) : Promise.resolve(),
  })
  await expect(deleteFiles(full)).rejects.toThrow('storage is unavailable')
  expect(Array.from(full.queue)).toEqual(many('files', 3))
  expect(Array.from(full.stored)).toEqual(many('files', 3))
})

it('deletes again after an interruption between deleting and confirming', async () => {
  const full = createPorts(many('files', 3), { confirm: () => Promise.reject(new Error('killed')) })
  await expect(deleteFiles(full)).rejects.toThrow('killed')
  expect(full.stored.size).toBe(0)
  expect(full.queue.size).toBe(3)
  const confirm: FilePorts['confirm'] = (bucket, names) => {
    for (const name of names) full.queue.delete(`${bucket}/${name}`)
    return Promise.resolve()
  }
  expect(await deleteFiles({ ...full, confirm })).toBe(3)
  expect(full.queue.size).toBe(0)
})

it('deletes all files when two calls run at once', async () => {
  const full = createPorts(many('files', 700))
  await Promise.all([deleteFiles(full), deleteFiles(full)])
  expect(full.queue.size + full.stored.size).toBe(0)
})
