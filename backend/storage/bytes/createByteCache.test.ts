import { expect, it } from 'vitest'
import { createByteCache } from './createByteCache.ts'

it('evicts the least recently used entries above the maximum size', () => {
  const memory = createByteCache({ maxTotalBytes: 30, maxFileBytes: 10 })
  for (const name of ['a', 'b', 'c']) memory.set(name, Buffer.alloc(10))
  expect(memory.get('a')).toHaveLength(10)
  memory.set('d', Buffer.alloc(10))
  expect(['a', 'b', 'c', 'd'].filter((name) => memory.get(name))).toEqual(['a', 'c', 'd'])
})

it('ignores large files, removes entries, and counts each once', () => {
  const memory = createByteCache({ maxTotalBytes: 20, maxFileBytes: 10 })
  memory.set('large', Buffer.alloc(11))
  expect(memory.get('large')).toBeUndefined()
  memory.set('a', Buffer.alloc(10))
  memory.set('a', Buffer.alloc(10))
  memory.set('b', Buffer.alloc(10))
  expect(memory.get('a')).toBeDefined()
  memory.delete('a')
  memory.delete('a')
  memory.set('c', Buffer.alloc(10))
  expect([memory.get('a'), memory.get('b'), memory.get('c')]).toEqual([
    undefined,
    Buffer.alloc(10),
    Buffer.alloc(10),
  ])
})
