import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readJsonArray, readJsonObject, type Element, type Member } from './readJsonArray.ts'

function streamOf(json: string | Buffer, size: number): Readable {
  const bytes = Buffer.from(json)
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  )
  return Readable.from(chunks)
}
async function collect<T>(found: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of found) all.push(one)
  return all
}
const read = (json: string | Buffer, size = 3, maxBytes?: number): Promise<Element[]> =>
  collect(readJsonArray(streamOf(json, size), maxBytes))
const readObject = (json: string | Buffer, size = 3, maxBytes?: number): Promise<Member[]> =>
  collect(readJsonObject(streamOf(json, size), ['list', 'other'], maxBytes))
const values = (...all: unknown[]): Element[] => all.map((value) => ({ value }))

describe('the elements of a JSON array', () => {
  const list = [{ text: 'a, ] } "b\\" \u{1F389}', inner: [[1, 2], { x: [] }] }, 'text', 3, null, [], {}]

  it.each([1, 2, 3, 7, 1_000])('are read in chunks of %i bytes', async (size) => {
    expect(await read(JSON.stringify(list), size)).toEqual(values(...list))
    expect(await read(JSON.stringify(list, null, 2), size)).toEqual(values(...list))
  })

  it('can be none', async () => {
    expect(await read('[]')).toEqual([])
    expect(await read(' [ \n ] ')).toEqual([])
  })

  it('follow a mark of the byte order', async () => {
    expect(await read('\uFEFF[1]')).toEqual(values(1))
  })

  it('have U+FFFD in place of bytes that are no UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('["a'), Buffer.from([0xff, 0xfe]), Buffer.from('b",2]')])
    expect(await read(bytes)).toEqual(values('a\uFFFD\uFFFDb', 2))
  })

  it('have no characters that PostgreSQL cannot store', async () => {
    expect(await read(String.raw`["a\u0000b\ud800"]`)).toEqual(values('ab\uFFFD'))
  })

  it('can be damaged without an end of the array', async () => {
    expect(await read('[{"a":1},{"b":},{"c":3}]')).toEqual([
      { value: { a: 1 } },
      { problem: 'damaged' },
      { value: { c: 3 } },
    ])
  })

  it('can be too large', async () => {
    expect(await read(JSON.stringify([1, 'x'.repeat(100), 2]), 3, 50)).toEqual([
      { value: 1 },
      { problem: 'too large' },
      { value: 2 },
    ])
  })

  it('end with a problem where the file ends', async () => {
    expect(await read('[1,2')).toEqual([{ value: 1 }, { problem: 'damaged' }])
    expect(await read('')).toEqual([{ problem: 'damaged' }])
    expect(await read('{"a":1}')).toEqual([{ problem: 'damaged' }])
  })
})

describe('the members of a JSON object', () => {
  const object = {
    a: { list: [1], text: '}, "list": [' },
    list: [{ list: [2] }, [3], 'x'],
    b: [1, 2],
    other: [],
    c: null,
  }
  const members = [
    { key: 'a', value: object.a },
    ...object.list.map((value) => ({ key: 'list', value })),
    { key: 'b', value: [1, 2] },
    { key: 'c', value: null },
  ]

  it.each([1, 2, 3, 7, 1_000])(
    'are read in chunks of %i bytes, with each element of a list',
    async (size) => {
      expect(await readObject(JSON.stringify(object), size)).toEqual(members)
      expect(await readObject(`\uFEFF${JSON.stringify(object, null, 2)}`, size)).toEqual(members)
    },
  )

  it('can be none', async () => {
    expect(await readObject(' { } ')).toEqual([])
    expect(await readObject('{"list":[]}')).toEqual([])
  })

  it('can be damaged without an end of the object or the list', async () => {
    expect(await readObject('{"a":,"list":[1,{"b":},2],3,"c":4}')).toEqual([
      { key: '', problem: 'damaged' },
      { key: 'list', value: 1 },
      { key: 'list', problem: 'damaged' },
      { key: 'list', value: 2 },
      { key: '', problem: 'damaged' },
      { key: 'c', value: 4 },
    ])
  })

  it('can be too large', async () => {
    expect(
      await readObject(`{"a":"${'x'.repeat(100)}","list":["${'y'.repeat(100)}",1],"b":2}`, 3, 50),
    ).toEqual([
      { key: '', problem: 'too large' },
      { key: 'list', problem: 'too large' },
      { key: 'list', value: 1 },
      { key: 'b', value: 2 },
    ])
  })

  it('end with a problem where the file ends', async () => {
    expect(await readObject('{"a":1,"list":[2,3')).toEqual([
      { key: 'a', value: 1 },
      { key: 'list', value: 2 },
      { key: '', problem: 'damaged' },
    ])
    expect(await readObject('[1]')).toEqual([{ key: '', problem: 'damaged' }])
    expect(await readObject('')).toEqual([{ key: '', problem: 'damaged' }])
  })
})
