import { useLocationProperty, usePathname } from 'wouter/use-browser-location'
import { findPage, type PageOfPath } from '../paths.ts'

// The only module that reads the query of the page. `useSearch` of wouter returns a decoded query, so
// that parsing its result decodes "%2B" and "%26" a second time.

/** The page of the current path; null if the app has none. */
export function usePage(): PageOfPath | null {
  return findPage(usePathname())
}

/** The query of the page. Its values are decoded once. */
export function usePageQuery(): URLSearchParams {
  return new URLSearchParams(useLocationProperty(readSearch))
}

/** The path, the query and the fragment of the page as the browser has them. */
export function usePageAddress(): string {
  return useLocationProperty(readPageAddress)
}

/** The path, the query and the fragment of the page at this moment. */
export function readPageAddress(): string {
  return location.pathname + location.search + location.hash
}

function readSearch(): string {
  return location.search
}
