import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import type { ExportReader } from './ExportReader.ts'
import { findPictures } from './findPictures.ts'
import { createImportIds } from './importIds.ts'

const png = Buffer.from('\u0089PNG\r\n\u001A\n rest', 'latin1')
const jpeg = Buffer.from('\u00FF\u00D8\u00FF rest of it', 'latin1')
const ids = createImportIds('99999999-9999-4999-8999-999999999999', { product: 'slack', source: '' })

function readerOf(files: Record<string, Buffer>, more: Pick<ExportReader, 'people' | 'emoji'>): ExportReader {
  return {
    ...more,
    product: 'slack',
    label: 'Slack',
    source: '',
    sourceName: '',
    channels: [],
    notes: new Map(),
    async *readMessages() {},
    convertText: () => ({ body: '', extras: null, whole: null }),
    sizeOf: (path) => files[path]?.length ?? null,
    open: async (path) => Readable.from([files[path]!]),
    close() {},
  }
}

it('pictures of imported people are found by their first bytes', async () => {
  const person = (key: string, avatar: string) =>
    [key, { key, name: key, email: '', title: '', isBot: false, avatar }] as const
  const people = new Map([
    person('U1', 'a.gif'),
    person('U2', 'b.png'),
    person('U3', 'c.png'),
    person('U4', 'd.png'),
    person('U5', 'a.gif'),
  ])
  const files = {
    'a.gif': jpeg,
    'b.png': Buffer.from('<svg>'),
    'c.png': Buffer.concat([png, Buffer.alloc(262_144)]),
  }
  const planned = (key: string, isMatched = false) =>
    [key, { profileId: ids.person(key), name: key, title: '', isMatched }] as const
  const plan = {
    ids,
    people: new Map([planned('U1'), planned('U2'), planned('U3'), planned('U4'), planned('U5', true)]),
  }
  const target = { emoji: new Map<string, string[]>() }
  const { avatars, leftOut } = await findPictures(readerOf(files, { people, emoji: [] }), plan, target)
  expect([...avatars]).toEqual([[ids.person('U1'), { path: 'a.gif', type: 'image/jpeg', size: jpeg.length }]])
  expect([...leftOut.values()]).toEqual([3])
})

const emojiOfWorkspace = (count: number, ...names: string[][]): Map<string, string[]> =>
  new Map(Array.from({ length: count }, (_, at) => [`id${at}`, names[at] ?? [`name${at}`]]))

it('custom emoji keep the names that are free, up to the limit of a workspace', async () => {
  const emoji = [
    { name: 'Shipit', aliases: ['thumbsup', 'yay', 'has space'], path: 'a' },
    { name: 'smile', aliases: [], path: 'a' },
    { name: 'ours', aliases: [], path: 'a' },
    { name: 'shipit', aliases: [], path: 'a' },
    { name: 'photo', aliases: [], path: 'b' },
    { name: 'last', aliases: [], path: 'a' },
  ]
  const reader = readerOf({ a: png, b: jpeg }, { people: new Map(), emoji })
  const target = { emoji: emojiOfWorkspace(499, ['ours']) }
  const { emoji: found, leftOut } = await findPictures(reader, { ids, people: new Map() }, target)
  expect(found).toEqual([
    {
      id: ids.emoji('Shipit'),
      name: 'shipit',
      aliases: ['yay'],
      picture: { path: 'a', type: 'image/png', size: png.length },
    },
  ])
  expect([...leftOut.values()]).toEqual([3, 1, 1])
})

it('custom emoji of an interrupted import are found again, under the names that the workspace has', async () => {
  const emoji = [{ name: 'Shipit', aliases: ['yay'], path: 'a' }]
  const reader = readerOf({ a: png }, { people: new Map(), emoji })
  const target = { emoji: emojiOfWorkspace(499).set(ids.emoji('Shipit'), ['ship', 'yay']) }
  const { emoji: found, leftOut } = await findPictures(reader, { ids, people: new Map() }, target)
  expect(found).toMatchObject([{ id: ids.emoji('Shipit'), name: 'ship', aliases: ['yay'] }])
  expect([...leftOut]).toEqual([])
})
