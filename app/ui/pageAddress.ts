import { useLocationProperty } from 'wouter/use-browser-location'

// The only module that reads the query of the page and writes queries. `useSearch` of wouter returns a decoded query, so
// that parsing its result decodes "%2B" and "%26" a second time.

/** The query of the page. Its values are decoded once. */
export function usePageQuery(): URLSearchParams {
  return new URLSearchParams(useLocationProperty(readSearch))
}

/** The query of the page at this moment, for code that does not follow its changes. */
export function readPageQuery(): URLSearchParams {
  return new URLSearchParams(readSearch())
}

/** The path, the query and the fragment of the page as the browser has them. */
export function usePageAddress(): string {
  return useLocationProperty(readPageAddress)
}

/** The path, the query and the fragment of the page at this moment. */
export function readPageAddress(): string {
  return location.pathname + location.search + location.hash
}

/** An address of this app. Empty values are left out. */
export function formatAddress(path: string, query: Record<string, string | null>): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []))
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path
}

/** The address of the sign-in page, from which the person continues to `next`, an address of this app. */
export function signInAddress(next: string): string {
  return formatAddress('/sign-in', { next: next === '/' ? null : next })
}

function readSearch(): string {
  return location.search
}
