import type { WebChannelPage } from '../../../wire/webChannels.ts'
import { webPath } from '../../paths.ts'
import { loadSettings } from '../../data/client/settings.ts'

const PATH = new RegExp(`^${webPath('')}([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/?$`)
const CURSORS = ['thread', 'before', 'after']

/** The query of the page at this address; null where no channel can be. */
export function webPageQuery({
  pathname,
  search,
}: {
  pathname: string
  search: string
}): URLSearchParams | null {
  const [, channel] = PATH.exec(pathname) ?? []
  if (!channel) return null
  const query = new URLSearchParams({ channel })
  const given = new URLSearchParams(search)
  for (const name of CURSORS) {
    const value = given.get(name)
    if (value !== null && /^\d{1,12}$/.test(value)) query.set(name, value)
  }
  return query
}

/** Fetches with the public key alone, without cookies. Null: nothing is to be read there. Rejects if there is no response. */
export async function fetchWebPage(query: URLSearchParams): Promise<WebChannelPage | null> {
  const { url, key } = await loadSettings()
  const response = await fetch(`${url}/rest/v1/rpc/web_channel_page?${query}`, {
    headers: { apikey: key },
    credentials: 'omit',
    cache: 'no-store',
  })
  if (!response.ok) throw new Error(`web_channel_page: ${response.status}`)
  return (await response.json()) as WebChannelPage | null
}
