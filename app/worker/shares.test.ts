import { expect, it } from 'vitest'
import { memoryCaches } from './memoryCaches.fixture.ts'
import { fileEntry, isShare, MAX_SHARED_FILES, respondToShare, TEXT_ENTRY } from './shares.ts'
import { SHARE_CACHE } from './shareCache.ts'

const url = 'https://chat.example/share'

function share(texts: Record<string, string>, files: File[] = []): Request {
  const body = new FormData()
  for (const [name, text] of Object.entries(texts)) body.set(name, text)
  for (const file of files) body.append('files', file)
  return new Request(url, { method: 'POST', body })
}

it('two shares are stored one after the other, with their texts and files, and lead to the page', async () => {
  const caches = memoryCaches()
  const picture = new File(['pixels'], 'Küche.png', { type: 'image/png' })
  const first = { title: 'Menu', text: 'https://menu.example', url: 'https://menu.example' }
  const response = await respondToShare(share(first, [picture]), caches)
  expect([response.status, response.headers.get('location')]).toEqual([303, url])
  await respondToShare(share({ text: 'Soup' }, [new File(['a'], 'a.txt')]), caches)

  const cache = await caches.open(SHARE_CACHE)
  expect(await (await cache.match(TEXT_ENTRY))?.text()).toBe('Menu\nhttps://menu.example\nSoup')
  const stored = await cache.match(fileEntry(0))
  expect(stored?.headers.get('content-type')).toBe('image/png')
  expect(decodeURIComponent(stored?.headers.get('x-file-name') ?? '')).toBe('Küche.png')
  expect(await (await cache.match(fileEntry(1)))?.text()).toBe('a')
})

it('the number of stored files is limited', async () => {
  const caches = memoryCaches()
  const files = Array.from({ length: MAX_SHARED_FILES + 1 }, (_, index) => new File([String(index)], 'a.txt'))
  await respondToShare(share({}, files), caches)
  const cache = await caches.open(SHARE_CACHE)
  expect(await cache.match(fileEntry(MAX_SHARED_FILES - 1))).toBeDefined()
  expect(await cache.match(fileEntry(MAX_SHARED_FILES))).toBeUndefined()
})

it('only a navigation of this origin to the page shares something', () => {
  const navigation = { method: 'POST', mode: 'navigate', url } as const
  const origin = 'https://chat.example'
  expect(isShare(navigation, origin)).toBe(true)
  expect(isShare({ ...navigation, method: 'GET' }, origin)).toBe(false)
  expect(isShare({ ...navigation, mode: 'cors' }, origin)).toBe(false)
  expect(isShare({ ...navigation, url: 'https://chat.example/c/a' }, origin)).toBe(false)
  expect(isShare({ ...navigation, url: 'https://other.example/share' }, origin)).toBe(false)
})
