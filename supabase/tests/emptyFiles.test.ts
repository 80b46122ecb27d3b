import { expect, it } from 'vitest'
import { emptyFiles, type FilePorts } from '../functions/empty-files/emptyFiles.ts'

/** A queue and a storage beside it, and what each call may do to them. */
function house(
  files: string[],
  trouble: Partial<FilePorts> = {},
): FilePorts & { queue: Set<string>; stored: Set<string> } {
  const queue = new Set(files)
  const stored = new Set(files)
  const key = (bucket: string, name: string): string => `${bucket}/${name}`
  return {
    queue,
    stored,
    waiting: (most) =>
      Promise.resolve(
        Array.from(queue)
          .slice(0, most)
          .map((file) => {
            const at = file.indexOf('/')
            return { bucket: file.slice(0, at), name: file.slice(at + 1) }
          }),
      ),
    async remove(bucket, names) {
      await trouble.remove?.(bucket, names)
      for (const name of names) stored.delete(key(bucket, name))
    },
    async done(bucket, names) {
      await trouble.done?.(bucket, names)
      for (const name of names) queue.delete(key(bucket, name))
    },
  }
}
const many = (bucket: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${bucket}/${i}`)

it('empties all buckets, a batch at a time', async () => {
  const full = house([...many('files', 1200), ...many('avatars', 3)])
  expect(await emptyFiles(full)).toBe(1203)
  expect(full.queue.size + full.stored.size).toBe(0)
  expect(await emptyFiles(full)).toBe(0)
})

it('leaves in the queue what it could not remove, and empties the rest', async () => {
  const full = house([...many('files', 3), ...many('avatars', 3)], {
    remove: (bucket) =>
      bucket === 'files' ? Promise.reject(new Error('storage is away')) : Promise.resolve(),
  })
  await expect(emptyFiles(full)).rejects.toThrow('storage is away')
  expect(Array.from(full.queue)).toEqual(many('files', 3))
  expect(Array.from(full.stored)).toEqual(many('files', 3))
})

it('loses nothing where it ends between its steps', async () => {
  const full = house(many('files', 3), { done: () => Promise.reject(new Error('killed')) })
  await expect(emptyFiles(full)).rejects.toThrow('killed')
  expect(full.stored.size).toBe(0)
  expect(full.queue.size).toBe(3)
  const done: FilePorts['done'] = (bucket, names) => {
    for (const name of names) full.queue.delete(`${bucket}/${name}`)
    return Promise.resolve()
  }
  expect(await emptyFiles({ ...full, done })).toBe(3)
  expect(full.queue.size).toBe(0)
})

it('does no harm twice at once', async () => {
  const full = house(many('files', 700))
  await Promise.all([emptyFiles(full), emptyFiles(full)])
  expect(full.queue.size + full.stored.size).toBe(0)
})
