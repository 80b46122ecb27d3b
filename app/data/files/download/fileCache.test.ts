import { expect, it, vi } from 'vitest'
import { createFileCache } from './fileCache.ts'

it('fetches once what is shown twice, and again what failed', async () => {
  const fetchBytes = vi
    .fn<(path: string) => Promise<Blob>>()
    .mockRejectedValueOnce(new Error('offline'))
    .mockResolvedValue(new Blob(['words']))
  const cache = createFileCache(fetchBytes)
  await expect(cache.acquire('a').url).rejects.toThrow('offline')
  const [one, other] = [cache.acquire('a'), cache.acquire('a')]
  expect(await one.url).toBe(await other.url)
  expect(fetchBytes).toHaveBeenCalledTimes(2)
})

it('keeps files that are shown, and of others a bounded number of bytes', async () => {
  const big = new Blob([new Uint8Array(40 * 1024 * 1024)])
  const fetchBytes = vi.fn<(path: string) => Promise<Blob>>().mockResolvedValue(big)
  const cache = createFileCache(fetchBytes)
  const shown = cache.acquire('shown')
  await shown.url
  const left = cache.acquire('left')
  await left.url
  left.release()
  await cache.acquire('shown').url
  expect(fetchBytes).toHaveBeenCalledTimes(2)
  await cache.acquire('left').url
  expect(fetchBytes).toHaveBeenCalledTimes(3)
})

it('frees everything at sign-out', async () => {
  const revoked = vi.spyOn(URL, 'revokeObjectURL')
  const cache = createFileCache(async () => new Blob(['words']))
  const url = await cache.acquire('a').url
  cache.clear()
  await vi.waitFor(() => expect(revoked).toHaveBeenCalledWith(url))
})
