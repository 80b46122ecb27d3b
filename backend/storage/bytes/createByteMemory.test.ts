import { expect, it } from 'vitest'
import { createByteMemory } from './createByteMemory.ts'

it('keeps what was used last, within its bound', () => {
  const memory = createByteMemory({ bound: 30, largest: 10 })
  for (const name of ['a', 'b', 'c']) memory.keep(name, Buffer.alloc(10))
  expect(memory.get('a')).toHaveLength(10)
  memory.keep('d', Buffer.alloc(10))
  expect(['a', 'b', 'c', 'd'].filter((name) => memory.get(name))).toEqual(['a', 'c', 'd'])
})

it('keeps nothing large, nothing forgotten, and counts nothing twice', () => {
  const memory = createByteMemory({ bound: 20, largest: 10 })
  memory.keep('large', Buffer.alloc(11))
  expect(memory.get('large')).toBeUndefined()
  memory.keep('a', Buffer.alloc(10))
  memory.keep('a', Buffer.alloc(10))
  memory.keep('b', Buffer.alloc(10))
  expect(memory.get('a')).toBeDefined()
  memory.forget('a')
  memory.forget('a')
  memory.keep('c', Buffer.alloc(10))
  expect([memory.get('a'), memory.get('b'), memory.get('c')]).toEqual([
    undefined,
    Buffer.alloc(10),
    Buffer.alloc(10),
  ])
})
