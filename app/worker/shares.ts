import { pathTo } from '../paths.ts'
import { SHARE_CACHE } from './shareCache.ts'

/** The cache entry of the text. Each file has the entry `fileEntry`. */
export const TEXT_ENTRY = '/text'
/** Files that are stored at most, over all shares. A message has fewer, which the page reports. */
export const MAX_SHARED_FILES = 20
const MAX_TEXT_CHARACTERS = 40_000

export const fileEntry = (index: number): string => `/file/${index}`

/** Whether another application shares something with this one, as the manifest declares it (`share_target`). */
export function isShare(
  { method, mode, url }: Pick<Request, 'method' | 'mode' | 'url'>,
  origin: string,
): boolean {
  const { origin: requestOrigin, pathname } = new URL(url)
  return method === 'POST' && mode === 'navigate' && requestOrigin === origin && pathname === pathTo('share')
}

/**
 * Stores a share, after earlier ones that no conversation has received, and leads to the page that asks for the
 * conversation. It stays stored while the person signs in.
 */
export async function respondToShare(request: Request, caches: CacheStorage): Promise<Response> {
  const form = await request.formData()
  const cache = await caches.open(SHARE_CACHE)
  const stored = (await (await cache.match(TEXT_ENTRY))?.text()) ?? ''
  const texts = ['title', 'text', 'url'].map((name) => form.get(name))
  const text = [stored, ...texts].filter((one) => typeof one === 'string' && one !== '')
  // Some applications send the address as the text too.
  const lines = [...new Set(text)].join('\n').slice(0, MAX_TEXT_CHARACTERS)
  let index = 0
  while (index < MAX_SHARED_FILES && (await cache.match(fileEntry(index)))) index += 1
  for (const file of form.getAll('files')) {
    if (typeof file === 'string' || index >= MAX_SHARED_FILES) continue
    const headers = {
      'content-type': file.type || 'application/octet-stream',
      'x-file-name': encodeURIComponent(file.name),
    }
    await cache.put(fileEntry(index), new Response(file, { headers }))
    index += 1
  }
  await cache.put(TEXT_ENTRY, new Response(lines))
  return Response.redirect(new URL(pathTo('share'), request.url), 303)
}
